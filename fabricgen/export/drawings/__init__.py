"""Drawings for people in front of racks: elevations, port maps and floor plans, as SVG and as books to print."""
