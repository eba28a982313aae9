"""Probes that find the grey link: the fewest paths that cross every link and tell all of them apart, and the judge."""
