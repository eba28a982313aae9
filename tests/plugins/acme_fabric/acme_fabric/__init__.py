"""Plug-ins of fabricgen."""
