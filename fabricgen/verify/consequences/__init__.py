"""What faults cost until they are mended, and whether the cables in question reach."""
