"""Reports of `size`, a format a file: `report(found)` returns its bytes."""
