"""Rules on wiring plans: parts, sellers, spares and power cords of the bill of materials."""
