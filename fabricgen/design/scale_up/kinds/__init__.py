"""Scale-up domain kinds, one file each."""
