"""Two ends have no port speed or connector in common."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class NoCommonSpeed(Fault):
    """A NIC and a leaf, or two tiers, offer no common port: speed, lane rate and connector (form factor) must meet.

    Both ends of a link run one speed over one number of lanes (IEEE 802.3 defines each as a PHY of its own), and a
    cage takes modules of its form factor. State a speed that both offer, split the faster end with `breakout`, or
    take another switch.
    """

    id = "FG103"
    title = "two ends have no port speed or connector in common"
    bad = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, uplinks: 3 x 1G}}}}  # <-
    """
    good = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, uplinks: 4 x 400G}}}}
    """
