"""Dumps of modules and ports, one file a format, each recognised by its content.

A format has `TITLE`, `IS_JSON`, `recognises(value or text)` and `reports(content)`, as those of `verify/dumps`.
"""
