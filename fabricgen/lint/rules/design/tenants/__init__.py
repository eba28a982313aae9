"""Rules on designs: tenants that are not kept apart, and who manages their subnets."""
