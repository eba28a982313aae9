"""Structured cabling: patch panels, the trunks between them, and what is plugged in where."""
