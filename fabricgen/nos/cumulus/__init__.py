"""Cumulus Linux of NVIDIA's switches: what is written for it, read back and compared."""
