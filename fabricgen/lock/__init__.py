"""Making a lock for a running fabric, whose names and numbers are adopted."""
