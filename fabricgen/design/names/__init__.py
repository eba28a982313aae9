"""Names of nodes, switches and interfaces from templates and coordinates."""
