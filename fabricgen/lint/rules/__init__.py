"""Lint rules, one file each, in rooms by subject: `lint --fast` and `show` load those on designs alone."""
