"""Links: which port is connected to which, in fabrics, management and scale-up domains."""
