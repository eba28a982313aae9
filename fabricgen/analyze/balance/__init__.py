"""How flows share equal paths: their routes through the wired graph, how crowded these are, and formulas for it."""
