"""Formats of the reports of `verify`, one file for each."""
