"""As built: overrides of single cables that were not built as planned, and their import from redlined sheets."""
