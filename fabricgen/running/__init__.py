"""Configurations of switches read back: what readers of every NOS share, and differences of statements."""
