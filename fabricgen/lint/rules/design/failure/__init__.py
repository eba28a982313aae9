"""Rules on designs: what is lost with one switch, rack, row, feed, span or exit."""
