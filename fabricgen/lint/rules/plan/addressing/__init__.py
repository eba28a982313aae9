"""Rules on wiring plans: addresses of servers, and the networks that they are reached from."""
