"""A table does not fit an Excel sheet."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class TooManyRows(Fault):
    """A table has more rows than a sheet of Excel: 1,048,576 with the header (Excel specifications and limits,
    Microsoft).

    Rows that were cut off would be cables that nobody lays. Use CSV or JSON, or build one pod at a time.
    """

    id = "FG029"
    title = "a table does not fit an Excel sheet"
    in_words = True
    bad = """
        fabricgen wiring colossus.yaml -o wiring.xlsx, with 1,200,000 links
    """
    good = """
        fabricgen wiring colossus.yaml -o wiring.csv
    """
