"""What faults cost until they are mended, and whether planned cables reach the places where plugs were found."""
