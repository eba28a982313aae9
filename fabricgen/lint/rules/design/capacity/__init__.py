"""Rules on designs: ports, breakouts and growth of tiers, uneven uplinks, and bandwidth below what is asked."""
