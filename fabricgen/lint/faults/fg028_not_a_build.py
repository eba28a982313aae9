"""A folder to compare with is no whole build."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class NotABuild(Fault):
    """`plan` was given a folder whose lists are missing, are no CSV, or lack columns.

    What changes is computed from the devices, links and cables that the older build wrote; a list that somebody
    edited or removed would show changes that are none. Build the folder anew, with all three lists.
    """

    id = "FG028"
    title = "a folder to compare with is no whole build"
    in_words = True
    bad = """
        fabricgen plan out example.yaml, where links.csv was removed from out
    """
    good = """
        fabricgen build old.yaml -o out, then fabricgen plan out example.yaml
    """
