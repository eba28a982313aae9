"""Drawings for those who stand before the racks: elevations, port maps and floor plans, as SVG and to print."""
