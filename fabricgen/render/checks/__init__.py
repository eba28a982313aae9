"""Checks of rendered configurations, without the device."""
