"""Rules on the design: `lint --fast` and `show` load these alone."""
