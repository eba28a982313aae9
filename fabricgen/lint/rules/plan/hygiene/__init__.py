"""Rules on wiring plans: phases that lack something, and figures that a blueprint expects."""
