"""Dumps of modules and ports, one file for each format; formats are recognised by content.

A format has `TITLE`, `IS_JSON`, `recognises(value or text)` and `reports(content)`, like the formats in `verify/dumps`.
"""
