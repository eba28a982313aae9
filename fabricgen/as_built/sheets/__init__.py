"""Redlined sheets of the technician, read into overrides of single cables."""
