"""Pools and the addresses that are allocated from them, family by family."""
