"""A file to compare with is no bill of materials."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class NotABill(Fault):
    """`fabricgen bom --diff` was given a CSV or JSON file that is no bill of materials as `fabricgen bom` writes it.

    Pieces more and fewer are told by part number; a list without part, kind, quantity or spares, or with a part twice,
    would show differences that are none. Name a bom.csv or bom.json, a built folder, or the older blueprint.
    """

    id = "FG074"
    title = "a file to compare with is no bill of materials"
    in_words = True
    bad = """
        fabricgen bom example.yaml --diff prices.csv
    """
    good = """
        fabricgen bom old.yaml -o old.csv, then fabricgen bom example.yaml --diff old.csv
    """
