"""The concrete form of a cluster: columns of devices, links and cables."""
