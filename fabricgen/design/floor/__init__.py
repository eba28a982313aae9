"""Where racks and what is in them stand: halls, rows, runs of network racks, racks of units."""
