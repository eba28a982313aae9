"""An alias leads nowhere, to itself, or to too much."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class BadAlias(Fault):
    """An alias (`*name`) has no anchor before it or lies inside its own, a merge (`<<`) is of no mapping, or aliases
    stand for more than 20,000 values.

    YAML 1.2.2 (7.1) takes an alias for the value that was given its anchor before. Aliases of aliases grow without
    bound ("billion laughs", CWE-776), so their sum is limited. Write `&name` at the first use, above all others.
    """

    id = "FG005"
    title = "an alias leads nowhere, to itself, or to too much"
    bad = """
        pods: {p1: *usual}  # <-
    """
    good = """
        pods: {p1: &usual {su: 2}, p2: *usual}
    """
