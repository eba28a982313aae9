"""Dumps of what devices see, one file for each format; formats are recognised by content."""
