"""Junos OS Evolved, as Juniper's QFX switches run it: what is written for it, read back and compared."""
