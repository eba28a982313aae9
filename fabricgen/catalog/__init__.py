"""Facts about hardware: models, loader, and the data itself."""
