"""What several rules look at, a module for each subject: addresses, racks, NICs, routes, losses."""
