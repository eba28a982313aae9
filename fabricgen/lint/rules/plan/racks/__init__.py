"""Rules on wiring plans: limits of racks, their places, and the sides of ports."""
