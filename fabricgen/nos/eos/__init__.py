"""Arista EOS: `device.read` reads the configuration of a switch."""
