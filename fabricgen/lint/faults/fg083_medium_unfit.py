"""A cable is said to be of a medium that does not fit it."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class MediumUnfit(Fault):
    """`cable_of` states a medium that carries no such lanes, goes into no cage at one of the ends, or does not split.

    What is pulled must fit what it is plugged into. The hint has the cable profiles that do; add one to the
    blueprint's own catalogue where a part is not in it.
    """

    id = "FG083"
    title = "a cable is said to be of a medium that does not fit it"
    bad = """
        cable_of:
          "compute-leaf-p1-su01-r1-01:63":
            medium: COPPER  # <-
    """
    good = """
        cable_of:
          "compute-leaf-p1-su01-r1-01:63":
            medium: DR
    """
