"""Rules on designs: what a NOS does not carry, snippets, and settings of ports and interfaces."""
