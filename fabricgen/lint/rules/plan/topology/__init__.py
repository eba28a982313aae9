"""Rules on wiring plans: ports with two links, links to another rail or plane, and InfiniBand nodes without a path.

Others judge how far apart accelerators are, and whether a subnet has a manager.
"""
