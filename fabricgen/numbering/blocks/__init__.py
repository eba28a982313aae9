"""Blocks of addresses and of numbers: pools, what has room in them, and the slots that blocks are given to."""
