"""A switch does not run the network OS."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class UnknownNos(Fault):
    """`nos` names an operating system that the switch does not run, or that is not in the catalogue.

    Port names, templates and features come with the operating system; vendors publish which switches it boots on.
    `fabricgen catalog ID` shows those of a switch. Choose one of them.
    """

    id = "FG018"
    title = "a switch does not run the network OS"
    bad = """
        nos: {leaf: sonik}  # <-
    """
    good = """
        nos: {leaf: sonic}
    """
