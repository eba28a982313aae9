"""A cable is said to be in a cage that its device does not have."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class NoSuchCage(Fault):
    """`cable_of` puts an end of a cable into a cage or port that its device does not have, or onto another device.

    An end may move within its device: its addresses, its rail and its neighbours stay. A cable that ends on another
    device than planned crosses rails or planes and takes another's place; pull it to the right one instead.
    """

    id = "FG080"
    title = "a cable is said to be in a cage that its device does not have"
    bad = """
        cable_of:
          "compute-leaf-p1-su01-r1-01:63":
            a_cage: 77  # <-
    """
    good = """
        cable_of:
          "compute-leaf-p1-su01-r1-01:63":
            a_cage: 60
    """
