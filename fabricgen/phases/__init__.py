"""Clusters that are built in phases: what is there at a phase, with the names and numbers of the whole cluster."""
