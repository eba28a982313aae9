"""Lint rules, one file each."""
