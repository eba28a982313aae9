"""Checks of rendered configurations that need no device."""
