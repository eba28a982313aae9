"""Helpers that several rules share, in a module for each subject: addresses, racks, NICs, routes, losses and others."""
