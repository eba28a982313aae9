"""Phases of a design."""
