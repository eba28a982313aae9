"""Which aisle ports face, for the rules on it."""
