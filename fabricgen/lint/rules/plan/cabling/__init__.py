"""Rules on wiring plans: cables, transceivers, patched channels and the light that they lose."""
