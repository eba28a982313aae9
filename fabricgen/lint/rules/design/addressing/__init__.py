"""Rules on designs: pools, AS numbers, addresses of servers and exits."""
