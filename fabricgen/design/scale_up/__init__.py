"""Scale-up domains: how many there are, their accelerators and switches, and which nodes form them."""
