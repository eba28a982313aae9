"""A part to trace is not in the bill of materials."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class PartNotNeeded(Fault):
    """`fabricgen bom --trace` was asked for a part that nothing in this cluster needs.

    A part is traced by the number that the bill has, lengths of cables included. Copy it from `fabricgen bom`; the
    nearest one is named.
    """

    id = "FG073"
    title = "a part to trace is not in the bill of materials"
    in_words = True
    bad = """
        fabricgen bom example.yaml --trace sn5601
    """
    good = """
        fabricgen bom example.yaml --trace sn5600
    """
