"""The sections of a blueprint, one file each."""
