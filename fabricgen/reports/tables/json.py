"""JSON: a list of rows, each an object in column order; numbers stay numbers."""

from __future__ import annotations

import json

from fabricgen.reports.table import Table


def write(table: Table) -> bytes:
    """Write a table as an array of objects, one a line."""
    names = list(table.columns)
    rows = [json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) for row in table.rows()]
    return ("[\n" + ",\n".join(rows) + "\n]\n").encode()
