"""Names, ports, AS numbers and addresses from coordinates."""
