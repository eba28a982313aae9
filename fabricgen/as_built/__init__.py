"""As built: overrides of single cables, read from redlined sheets."""
