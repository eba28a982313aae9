"""The language: source with positions, includes and overlays; models; defaults; JSON Schema."""
