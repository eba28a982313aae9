"""Configurations of switches, as files."""
