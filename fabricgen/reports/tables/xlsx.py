"""Excel workbook: sheets with frozen header, filter, number formats and print settings; always the same bytes."""

from __future__ import annotations

import datetime
import io
import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from fabricgen.kernel.diagnostics import fault
from fabricgen.reports.table import Cell, Table

SHEET_ROWS = 1_048_576
"""Rows a sheet holds, header included (ECMA-376)."""

_NAME_LENGTH = 31
_NOT_IN_NAMES = re.compile(r"[\[\]:*?/\\]")
_WIDTH_SAMPLE = 2000
_WIDEST = 60
"""Characters of the widest column; longer text is wrapped."""
_HEADER_HEIGHT = 20
_LINE_HEIGHT = 15
_A4 = 9

_FORMATS = {
    "unit_price": "#,##0.00##",
    "total_price": "#,##0.00##",
    "cost": "#,##0.00##",
    **dict.fromkeys(("power_w", "each_w", "lead_time_weeks"), "#,##0.###"),
    **dict.fromkeys(("quantity", "spares", "unpriced", "no_figure"), "#,##0"),
}
"""Number formats of columns, by name; other columns have the default format."""


_HEADER = {"bold": True, "bottom": 1, "bg_color": "#E8EEF4", "valign": "vcenter"}


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table as a sheet of a workbook; the last `totals` rows are sums, which the filter leaves out."""

    title: str
    table: Table
    totals: int = 0


def write(table: Table) -> bytes:
    """Write a table as a workbook of one sheet; raises InputError when it has more rows than a sheet holds."""
    return write_workbook(table.name, [Sheet(table.name, table)])


def write_workbook(title: str, sheets: Iterable[Sheet]) -> bytes:
    """Write sheets as a workbook; raises InputError (FG029) when one has more rows than a sheet holds."""

    def add_sheets(book: Any) -> None:
        for sheet in sheets:
            _add_sheet(book, title, sheet)

    return make_workbook(title, add_sheets)


def make_workbook(title: str, add_sheets: Callable[[Any], None]) -> bytes:
    """Return a workbook as bytes; `add_sheets` is called with the workbook (xlsxwriter) to add its sheets.

    Text is never taken for a formula, and the date in it is fixed, so that equal content has equal bytes.
    """
    import xlsxwriter

    buffer = io.BytesIO()
    book = xlsxwriter.Workbook(buffer, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False})
    book.set_properties({"title": title, "created": datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)})
    add_sheets(book)
    book.close()
    return buffer.getvalue()


def _add_sheet(book: Any, title: str, content: Sheet) -> None:
    """Write a table as a sheet; its last rows, as many as `content.totals`, are bold below a line.

    Raises InputError (FG029) for too many rows.
    """
    table = content.table
    if len(table) >= SHEET_ROWS:
        raise fault("FG029", f"{len(table)} rows do not fit an Excel sheet of {SHEET_ROWS}", hint="use --format csv")
    sheet = book.add_worksheet(_NOT_IN_NAMES.sub("-", content.title)[:_NAME_LENGTH])
    body_rows = len(table) - content.totals
    widths = [max(len(name), _measure_column(name, column)) for name, column in table.columns.items()]
    upright = {"valign": "top"} if max(widths, default=0) > _WIDEST else {}
    for column_number, (name, column) in enumerate(table.columns.items()):
        is_number = name in _FORMATS or any(not isinstance(cell, str) for cell in islice(column, _WIDTH_SAMPLE))
        aligned = {"align": "right"} if is_number else {"align": "left", "indent": 1}
        wrapped = {"text_wrap": True} if widths[column_number] > _WIDEST else {}
        properties = {**aligned, **upright, **wrapped, "num_format": _FORMATS.get(name, "General")}
        sheet.set_column(column_number, column_number, min(_WIDEST, widths[column_number]) + 3)
        sheet.write_string(0, column_number, name, book.add_format({**_HEADER, **aligned}))
        plain_format, total_format = (
            book.add_format(properties),
            book.add_format({**properties, "bold": True, "top": 1}),
        )
        write_cells(sheet, column_number, column, [plain_format] * body_rows + [total_format] * content.totals)
    for row, lines in _count_wrapped_lines(table.columns.values()).items():
        sheet.set_row(row, _LINE_HEIGHT * lines)
    sheet.set_row(0, _HEADER_HEIGHT)
    sheet.freeze_panes(1, 0)
    sheet.autofilter(0, 0, max(1, body_rows), len(table.columns) - 1)
    sheet.set_landscape()
    sheet.set_paper(_A4)
    sheet.repeat_rows(0)
    sheet.fit_to_pages(1, 0)
    sheet.set_header(f"&L{escape_header(title)}&R{escape_header(content.title)}")
    sheet.set_footer("&RPage &P of &N")


def write_cells(sheet: Any, column: int, cells: Sequence[Cell], cell_formats: Sequence[Any]) -> None:
    """Write a column of an xlsxwriter worksheet from the second row on; `cell_formats` has one for each cell.

    Text longer than a cell of Excel holds is cut.
    """
    for row, (cell, cell_format) in enumerate(zip(cells, cell_formats, strict=True), start=1):
        sheet.write(row, column, cell, cell_format)


def escape_header(text: str) -> str:
    """Return text for a page header, cut to 100 characters, with `&` doubled, since it begins a code there.

    A header holds 255 characters.
    """
    return text[:100].replace("&", "&&")


def _count_wrapped_lines(columns: Iterable[Sequence[Cell]]) -> dict[int, int]:
    """Return how many lines a row of a sheet needs, by row from 1, for rows with a text too wide for its column.

    Other rows are left out. The height is written, since not all programs find it by themselves.
    """
    line_counts: dict[int, int] = {}
    for column in columns:
        for row, cell in enumerate(column, start=1):
            if isinstance(cell, str) and len(cell) > _WIDEST:
                line_counts[row] = max(line_counts.get(row, 1), len(textwrap.wrap(cell, _WIDEST)))
    return line_counts


def _measure_column(name: str, column: Sequence[Cell]) -> int:
    """Return the length in characters of the longest cell, as displayed, among the first cells of a column."""
    number_format = _FORMATS.get(name, "")
    texts = (f"{cell:,.2f}" if number_format and not isinstance(cell, str) else str(cell) for cell in column)
    return max(map(len, islice(texts, _WIDTH_SAMPLE)), default=0)
