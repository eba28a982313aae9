"""What is ordered: the parts that cables, devices and racks of a cluster need."""
