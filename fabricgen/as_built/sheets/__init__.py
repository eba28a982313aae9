"""Import of redlined wiring sheets into overrides of single cables."""
