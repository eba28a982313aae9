"""Measurements of fabricgen as whole processes (`python -m benchmarks`); results/ holds the last ones."""
