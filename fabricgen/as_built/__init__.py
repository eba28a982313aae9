"""As built: what a technician wrote into the wiring list, taken into overrides of single cables."""
