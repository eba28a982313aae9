"""Comparison of two clusters by what they contain: devices, cables, addresses, sessions, configurations and cost."""
