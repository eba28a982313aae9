"""Report formats of `verify`, one file each."""
