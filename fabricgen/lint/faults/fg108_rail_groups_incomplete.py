"""rail_groups leave out a rail."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class RailGroupsIncomplete(Fault):
    """`rail_groups` does not name every rail of the nodes.

    Rails that are in no group would have no leaf, and their NICs no cable. Name every rail once.
    """

    id = "FG108"
    title = "rail_groups leave out a rail"
    bad = """
        fabrics:
          compute:
            rail_groups: [[1, 2, 3, 4], [5, 6, 7]]  # <-
            tiers: {leaf: {per: [su, rail-group]}}
    """
    good = """
        fabrics:
          compute:
            rail_groups: [[1, 2, 3, 4], [5, 6, 7, 8]]
            tiers: {leaf: {per: [su, rail-group]}}
    """
