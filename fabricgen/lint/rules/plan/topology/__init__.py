"""Rules on wiring plans: links of one port, rail or plane, and distances."""
