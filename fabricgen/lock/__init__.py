"""A lock made for a fabric that runs: its names and numbers are adopted."""
