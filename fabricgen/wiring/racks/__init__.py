"""Which rack and rack unit every device stands in, and what racks come to."""
