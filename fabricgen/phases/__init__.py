"""Clusters before all of them is there."""
