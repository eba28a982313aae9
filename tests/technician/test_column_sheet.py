"""Columns that are written at once give the same bytes as xlsxwriter's own sheet, cell by cell."""

from __future__ import annotations

import datetime
import io
from collections.abc import Callable
from typing import Any

import xlsxwriter

from fabricgen.export.column_book import ColumnBook
from fabricgen.export.column_sheet import ColumnSheet
from fabricgen.export.table import Cell

ROWS = 50
WORDS = ("=1+1", "a & <b>", "", " x\x01", "a & <b>", "leaf:1 > spine:2", "_x0041_", "end ", "<r>rich</r>", "h1")
TEXTS: list[Cell | None] = [WORDS[i % len(WORDS)] for i in range(ROWS)]
NUMBERS: list[Cell | None] = [(1, 2.5, 1e-7, 123456789.125)[i % 4] for i in range(ROWS)]
SPARSE: list[Cell | None] = ["" if i > 40 and i % 2 else None for i in range(ROWS)]
MIXED: list[Cell | None] = ["1", 1, "", 0] * 5


def book(book_kind: type, kind: type | None, fill: Callable[[Any, int, list[Cell | None], list[Any]], None]) -> bytes:
    buffer = io.BytesIO()
    made = book_kind(buffer, {"in_memory": True, "strings_to_formulas": False})
    made.set_properties({"created": datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)})
    red, bold = made.add_format({"bg_color": "#FF0000"}), made.add_format({"bold": True})
    page = made.add_worksheet("one", kind)
    page.set_default_row(21)
    page.set_row(0, 28)
    for place, column in enumerate((TEXTS, NUMBERS, MIXED, SPARSE)):
        page.set_column(place, place, 9, bold)
        fill(page, place, column, [red if i % 3 else bold for i in range(len(column))])
    page.write_row(0, 0, ["a", "b", "c", "d"], bold)
    made.add_worksheet("two", kind).write_string(3, 3, "cell by cell")
    made.close()
    return buffer.getvalue()


def by_cell(page: Any, place: int, column: list[Cell | None], looks: list[Any]) -> None:
    for row, (cell, look) in enumerate(zip(column, looks, strict=True), start=1):
        if cell is not None:
            page.write(row, place, cell, look)


def test_columns_are_the_bytes_of_single_cells() -> None:
    expected = book(xlsxwriter.Workbook, None, by_cell)
    assert book(ColumnBook, ColumnSheet, lambda page, *column: page.write_cells(*column)) == expected
