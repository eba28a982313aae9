"""Lint rules, one file each, in a folder for each kind: `lint --fast` and `show` load those on designs alone."""
