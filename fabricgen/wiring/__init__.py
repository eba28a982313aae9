"""The wiring plan: the concrete form of a cluster, as columns of devices, links and cables."""
