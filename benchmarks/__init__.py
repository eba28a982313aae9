"""Measurements of fabricgen as whole processes; results/ holds the last ones."""
