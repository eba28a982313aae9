"""Views: the values of one switch or fabric (ports, neighbours, addresses, settings), from which exports are made."""
