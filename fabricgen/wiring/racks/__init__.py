"""Racks: the rack and rack unit of every device, and the load of every rack."""
