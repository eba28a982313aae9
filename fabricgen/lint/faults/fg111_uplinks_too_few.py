"""A switch has fewer uplinks than groups above it."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class UplinksTooFew(Fault):
    """A tier meets several groups of the tier above, and has fewer uplinks than groups.

    A leaf that does not reach every group cannot reach the nodes behind the one it misses. Give it as many uplinks
    as groups, or a multiple, or group the upper tier by fewer dimensions.
    """

    id = "FG111"
    title = "a switch has fewer uplinks than groups above it"
    bad = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: su, uplinks: 4 x 400G},  # <-
          spine: {switch: sn5600, per: rail, count: 1}}}}
    """
    good = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: su, uplinks: 8 x 400G},
          spine: {switch: sn5600, per: rail, count: 1}}}}
    """
