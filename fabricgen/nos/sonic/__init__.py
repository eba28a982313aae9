"""SONiC: what is written for it, read back and compared."""
