"""Where racks stand, and what stands in them: halls, rows, runs of network racks, racks of units."""
