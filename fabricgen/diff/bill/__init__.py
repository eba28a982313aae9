"""What differs between two bills of materials."""
