"""--fail-on of plan does not know the word."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class UnknownChange(Fault):
    """`plan --fail-on` takes kinds of change, and was given none or one that it does not know.

    A word that were ignored would let through what it should have stopped. The hint lists them; docs/plan.md says
    what each means.
    """

    id = "FG046"
    title = "--fail-on of plan does not know the word"
    in_words = True
    bad = """
        fabricgen plan old.yaml new.yaml --fail-on renumberd
    """
    good = """
        fabricgen plan old.yaml new.yaml --fail-on renumbered
    """
