"""Rules on wiring plans: MTU, headroom, MLAG pairs and multihoming, and ports or switches that are shut."""
