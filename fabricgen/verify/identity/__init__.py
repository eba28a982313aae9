"""Which device of the plan each box is that a dump or a neighbour names."""
