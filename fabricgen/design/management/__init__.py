"""Management ports of switches: what has them, and the leaves that they attach to."""
