"""Rules on wiring plans: tenants that meet, and leaks that serve nobody."""
