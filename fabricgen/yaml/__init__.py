"""YAML with positions: scalars, trees, located data, and edits that keep comments and layout."""
