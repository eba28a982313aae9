"""Reports of `size`, a format a file: `report(result, every=...)` returns its bytes; `every` adds what others beat."""
