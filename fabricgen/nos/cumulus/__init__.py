"""Cumulus Linux: `device.read` reads the NVUE tree of a switch."""
