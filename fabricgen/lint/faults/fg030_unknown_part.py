"""A build has no such part."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class UnknownPart(Fault):
    """`--only` names a part that no build has.

    Parts are the stems of the files that a build writes, such as links or bom, and those of further exports. The
    hint names the nearest.
    """

    id = "FG030"
    title = "a build has no such part"
    in_words = True
    bad = """
        fabricgen build example.yaml -o out --only cable
    """
    good = """
        fabricgen build example.yaml -o out --only cables
    """
