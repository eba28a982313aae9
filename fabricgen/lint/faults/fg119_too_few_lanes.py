"""A stated breakout takes more lanes than a cage has."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class TooFewLanes(Fault):
    """A stated breakout is offered, but the far ends use lanes so slow that a cage has too few for it.

    A link runs at the lane rate of its slower end: 100G from a NIC of 25G lanes takes four lanes of the switch,
    whatever these could carry, so that four such ports want sixteen lanes of a cage of eight. The hint names a
    breakout that fits.
    """

    id = "FG119"
    title = "a breakout takes more lanes than a cage has"
    bad = """
        scalable_unit: {nodes: 4 x generic-server}
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5400, per: [su, rail], breakout: 4x100},  # <-
          spine: {switch: sn5400, count: 4}}}}
    """
    good = """
        scalable_unit: {nodes: 4 x generic-server}
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5400, per: [su, rail], breakout: 2x100},
          spine: {switch: sn5400, count: 4}}}}
    """
