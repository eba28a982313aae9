"""Excel workbook: sheets with frozen header, filter, number formats and print set-up; the same bytes every time."""

from __future__ import annotations

import datetime
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from fabricgen.export.table import Cell, Table
from fabricgen.kernel.diagnostics import fault

SHEET_ROWS = 1_048_576
"""Rows a sheet holds, header included (ECMA-376)."""

_NAME_LENGTH = 31
_NOT_IN_NAMES = re.compile(r"[\[\]:*?/\\]")
_WIDTH_SAMPLE = 2000
_WIDEST = 60
_A4 = 9

_FORMATS = {
    "unit_price": "#,##0.00##",
    "total_price": "#,##0.00##",
    "cost": "#,##0.00##",
    **dict.fromkeys(("power_w", "each_w", "lead_time_weeks"), "#,##0.###"),
    **dict.fromkeys(("quantity", "spares", "unpriced", "no_figure"), "#,##0"),
}
"""How numbers of a column are shown, by its name; others as they are."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table as a sheet of a workbook; `totals` of its last rows are sums, which filters leave alone."""

    title: str
    table: Table
    totals: int = 0


def write(table: Table) -> bytes:
    """Write a table as a workbook of one sheet; raises InputError when it has more rows than a sheet holds."""
    return workbook(table.name, [Sheet(table.name, table)])


def workbook(title: str, sheets: Iterable[Sheet]) -> bytes:
    """Write sheets as a workbook; raises InputError (FG029) when one has more rows than a sheet holds."""
    import xlsxwriter

    buffer = io.BytesIO()
    book = xlsxwriter.Workbook(buffer, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False})
    book.set_properties({"title": title, "created": datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)})
    for sheet in sheets:
        _add(book, title, sheet)
    book.close()
    return buffer.getvalue()


def _add(book: Any, title: str, content: Sheet) -> None:
    table = content.table
    if len(table) >= SHEET_ROWS:
        raise fault("FG029", f"{len(table)} rows do not fit an Excel sheet of {SHEET_ROWS}", hint="use --format csv")
    sheet = book.add_worksheet(_NOT_IN_NAMES.sub("-", content.title)[:_NAME_LENGTH])
    header = book.add_format({"bold": True, "bottom": 1, "bg_color": "#E8EEF4"})
    sheet.write_row(0, 0, list(table.columns), header)
    body = len(table) - content.totals
    for i, (name, column) in enumerate(table.columns.items()):
        sheet.set_column(i, i, _width(name, column))
        plain, total = ({"num_format": _FORMATS[name]} if name in _FORMATS else {} for _ in range(2))
        sheet.write_column(1, i, column[:body], book.add_format(plain) if plain else None)
        sheet.write_column(1 + body, i, column[body:], book.add_format({**total, "bold": True, "top": 1}))
    sheet.freeze_panes(1, 0)
    sheet.autofilter(0, 0, max(1, body), len(table.columns) - 1)
    sheet.set_landscape()
    sheet.set_paper(_A4)
    sheet.repeat_rows(0)
    sheet.fit_to_pages(1, 0)
    sheet.set_header(f"&L{_plain(title)}&R{_plain(content.title)}")
    sheet.set_footer("&RPage &P of &N")


def _plain(text: str) -> str:
    """Text in a header or footer, where & begins a code."""
    return text.replace("&", "&&")[:100]


def _width(name: str, column: Sequence[Cell]) -> int:
    """Width of a column, characters: of the longest of its first cells, as they are shown."""
    shown = _FORMATS.get(name, "")
    texts = (f"{cell:,.2f}" if shown and not isinstance(cell, str) else str(cell) for cell in column)
    longest = max(map(len, islice(texts, _WIDTH_SAMPLE)), default=0)
    return min(_WIDEST, max(len(name) + 2, longest) + 2)
