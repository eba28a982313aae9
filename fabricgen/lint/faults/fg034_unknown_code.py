"""There is no such code."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class UnknownCode(Fault):
    """`rules` was asked for a code, or the beginning of one, that nothing has.

    `fabricgen rules` lists all of them; `fabricgen rules FG2` those that begin so.
    """

    id = "FG034"
    title = "there is no such code"
    in_words = True
    bad = """
        fabricgen rules FG999
    """
    good = """
        fabricgen rules FG203
    """
