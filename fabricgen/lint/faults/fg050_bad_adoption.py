"""A list of a running fabric cannot be taken into the lock."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class BadAdoption(Fault):
    """A list that `lock --import` was given lacks columns, names devices or ports that the blueprint has none of, or
    says two things of one.

    What runs is kept as it is only where every line of the list finds its place; a line that were dropped would be
    renumbered on the next build. The message has the line. Correct the list, or the blueprint until it describes
    what is there.
    """

    id = "FG050"
    title = "a list of a running fabric cannot be taken into the lock"
    in_words = True
    bad = """
        device,port,address
        leaf-7,Ethernet0,10.0.0.300/31
    """
    good = """
        device,port,address
        compute-leaf-p1-su01-r1-01,Ethernet0,10.0.0.30/31
    """
