"""The bill of materials: what is ordered for cables, devices and racks."""
