"""How machines come by an address, a name and their configuration: what the parts `kea`, `dns` and `ztp` share."""
