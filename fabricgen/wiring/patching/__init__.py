"""Structured cabling: patch panels, trunks between them, and the cables that are patched through them."""
