"""Rules on designs: BGP, BFD, exits, static routes, tables of switches and the hashing of paths."""
