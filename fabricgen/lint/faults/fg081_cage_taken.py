"""A cable is said to be in a cage that another one is in."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class CageTaken(Fault):
    """`cable_of` puts a cable where another one is planned that does not move away, or two cables into one place.

    A connector takes one cable. Two cables that are swapped are two lines, a ring of them as many as it has; so is a
    cable that growth plans for a cage which a moved one is in. The hint has cages of that kind which are free.
    """

    id = "FG081"
    title = "a cable is said to be in a cage that another one is in"
    bad = """
        cable_of:
          "compute-leaf-p1-su01-r1-01:63":
            a_cage: 2  # <-
    """
    good = """
        cable_of:
          "compute-leaf-p1-su01-r1-01:63": {a_cage: 64}
          "compute-leaf-p1-su01-r1-01:64": {a_cage: 63}
    """
