"""There is no such example."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class UnknownExample(Fault):
    """`init` was asked for an example that does not ship.

    `fabricgen init --example list` prints those that do.
    """

    id = "FG032"
    title = "there is no such example"
    in_words = True
    bad = """
        fabricgen init --example superpod
    """
    good = """
        fabricgen init --example superpod-b200
    """
