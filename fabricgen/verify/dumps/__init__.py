"""Dumps of what devices see, one file a format, each recognised by its content."""
