"""Parts of a build for other people's systems: one module a consumer, found by its name."""
