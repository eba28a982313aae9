"""Formats of a table, one file each: the name of the module is the name of the format."""
