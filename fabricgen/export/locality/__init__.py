"""Where nodes are near each other: logical leaves, tiers above them and scale-up domains, for those who place jobs."""
