"""Which planned device each box is that a dump or a neighbour names."""
