"""Rules on wiring plans: power, weight and plugs of racks, where racks stand, and which aisle ports face."""
