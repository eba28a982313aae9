"""Tenants of the cluster."""
