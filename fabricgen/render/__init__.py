"""Rendering of switch configurations as files."""
