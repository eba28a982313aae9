"""Which port is linked with which: of fabrics, management and scale-up domains."""
