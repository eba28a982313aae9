"""A cable of its own is none, or the end that is meant is not clear."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class UnknownCable(Fault):
    """`cable_of` names a cable that there is none of, or an end that the cable does not have, or one of several.

    Cables are called as cables.csv calls them: by the device and cage that they are planned to hang on, wherever they
    are plugged in now. The far ends of a splitter are told apart by their planned DEVICE:CAGE. The hint has the nearest
    name; where the cable is gone from the plan, take the line out.
    """

    id = "FG079"
    title = "a cable of its own is none, or its end is not clear"
    bad = """
        cable_of:
          "compute-leaf-p1-su01-r1-01:99": {length_m: 12}  # <-
    """
    good = """
        cable_of:
          "compute-leaf-p1-su01-r1-01:63": {length_m: 12}
    """
