"""A cable is said to be in a cage that cannot carry it."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class CageUnfit(Fault):
    """`cable_of` puts a cable into a cage of another kind, one that is split otherwise for other cables, one that a
    neighbour's breakout disables, or one that its pipeline or the port table of the NOS cannot run so.

    The link would not come up, or take another one down. Move the cable to a cage of the kind that it is planned for,
    alone or with cables that split it alike.
    """

    id = "FG082"
    title = "a cable is said to be in a cage that cannot carry it"
    bad = """
        cable_of:
          "compute-leaf-p1-su01-r1-01:63":
            a_cage: 65  # <-
    """
    good = """
        cable_of:
          "compute-leaf-p1-su01-r1-01:63":
            a_cage: 60
    """
