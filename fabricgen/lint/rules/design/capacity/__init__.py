"""Rules on designs: ports, breakouts and growth of tiers, and how much narrower than asked tiers are."""
