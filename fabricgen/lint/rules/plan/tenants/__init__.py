"""Rules on wiring plans: tenants that reach each other, and leaks between VRFs that leave out what they are for."""
