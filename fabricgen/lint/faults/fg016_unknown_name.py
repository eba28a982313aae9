"""A tier, fabric, port or switch is named that is not there, or cannot be joined."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class UnknownName(Fault):
    """A setting names a tier, fabric, node, port or switch that this blueprint has none of; or tiers are joined that
    have no place for it: in a circle, twice, or below one that takes nodes.

    What names nothing has no effect, and a chain of tiers needs one order from the nodes up. The hint names what is
    nearest to it. Correct the name, or say `above` or `below` so that every tier has one tier above it.
    """

    id = "FG016"
    title = "a tier, fabric, port or switch is named that is not there, or cannot be joined"
    bad = """
        fabrics: {compute: {tiers: {
          border: {switch: sn5600, below: spin, count: 2}}}}  # <-
    """
    good = """
        fabrics: {compute: {tiers: {
          border: {switch: sn5600, below: spine, count: 2}}}}
    """
