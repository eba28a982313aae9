"""Excel workbook: a sheet with frozen header, filter and fitted columns; the same bytes every time."""

from __future__ import annotations

import datetime
import io
from itertools import islice

from fabricgen.export.table import Table
from fabricgen.kernel.diagnostics import fault

SHEET_ROWS = 1_048_576
"""Rows a sheet holds, header included (ECMA-376)."""

_WIDTH_SAMPLE = 2000


def write(table: Table) -> bytes:
    """Write a table as a workbook of one sheet; raises InputError when it has more rows than a sheet holds."""
    import xlsxwriter

    if len(table) >= SHEET_ROWS:
        raise fault("FG029", f"{len(table)} rows do not fit an Excel sheet of {SHEET_ROWS}", hint="use --format csv")
    buffer = io.BytesIO()
    book = xlsxwriter.Workbook(buffer, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False})
    book.set_properties({"title": table.name, "created": datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)})
    sheet = book.add_worksheet(table.name[:31])
    header = book.add_format({"bold": True, "bottom": 1, "bg_color": "#E8EEF4"})
    sheet.write_row(0, 0, list(table.columns), header)
    for i, row in enumerate(table.rows(), start=1):
        sheet.write_row(i, 0, row)
    for i, (name, column) in enumerate(table.columns.items()):
        longest = max((len(str(cell)) for cell in islice(column, _WIDTH_SAMPLE)), default=0)
        sheet.set_column(i, i, min(60, max(len(name), longest) + 2))
    sheet.freeze_panes(1, 0)
    sheet.autofilter(0, 0, max(1, len(table)), len(table.columns) - 1)
    sheet.set_landscape()
    sheet.repeat_rows(0)
    sheet.fit_to_pages(1, 0)
    book.close()
    return buffer.getvalue()
