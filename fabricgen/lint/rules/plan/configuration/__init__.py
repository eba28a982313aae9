"""Rules on wiring plans: MTU, headroom, pairs, bonds and ports that are shut."""
