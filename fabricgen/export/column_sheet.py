"""A worksheet that takes whole columns: cells of a large sheet without an object and a dozen calls for each.

The bytes are those of xlsxwriter's own sheet with the same cells; tests compare the two.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from xlsxwriter.utility import xl_col_to_name
from xlsxwriter.worksheet import Worksheet

from fabricgen.export.table import Cell

_ROWS_A_SPAN = 16
"""Rows that tell the same span of columns, as Excel and xlsxwriter do it."""

_MOST_LETTERS = 32_767 // 2
"""Of a cell, so that it fits its 32,767 UTF-16 units whatever they are."""


class _Marks(dict[Any, str]):
    """The attribute of each format, numbered when it is first met: as xlsxwriter does, row by row."""

    def __missing__(self, look: Any) -> str:
        text = self[look] = f'" s="{look._get_xf_index()}"'
        return text


class ColumnSheet(Worksheet):  # type: ignore[misc] # xlsxwriter tells no types
    """A sheet whose first row is written cell by cell, and what is below it column by column."""

    def __init__(self) -> None:
        super().__init__()
        self._columns: dict[int, tuple[list[str], Sequence[Any]]] = {}

    def write_cells(self, place: int, cells: Sequence[Cell | None], looks: Sequence[Any]) -> None:
        """Fill a column from the second row on; `looks` are the formats of its cells.

        Text goes to the table of strings in this order; "" is a blank cell, None leaves the place out.
        """
        self._columns[place] = list(self._tails(cells)), looks
        self._check_dimensions(0, place)
        self._check_dimensions(len(cells), place)

    def _tails(self, cells: Sequence[Cell | None]) -> Iterator[str]:
        """What follows the format in the element of each cell; "" for none. Equal ones are made once."""
        made: dict[Cell | None, str] = {None: "", "": "/>"}
        strings = self.str_table
        for cell in cells:
            tail = made.get(cell)
            if tail is None:
                tail = made[cell] = self._tail(cell)
            elif cell.__class__ is str and cell:
                strings.count += 1
            yield tail

    def _tail(self, cell: Cell | None) -> str:
        if isinstance(cell, str):
            return f' t="s"><v>{self.str_table._get_shared_string_index(cell[:_MOST_LETTERS])}</v></c>'
        return f"><v>{cell:.16G}</v></c>"

    def _write_rows(self) -> None:
        """Write all rows: called by xlsxwriter when the workbook is closed."""
        if not self._columns:
            super()._write_rows()
            return
        spans, first = self._spans(), self.table[0]
        self._write_row(0, spans[0], self.row_info.get(0))
        for place in sorted(first):
            self._write_cell(0, place, first[place])
        self._xml_end_tag("row")
        rest = self._rest_of_row()
        marks = _Marks()
        columns = [self._elements(place, *column, marks) for place, column in sorted(self._columns.items())]
        for row, cells in enumerate(zip_longest(*columns, fillvalue=""), start=2):
            if held := "".join(cells):
                self.fh.write(f'<row r="{row}" spans="{spans[(row - 1) // _ROWS_A_SPAN]}"{rest}{held}</row>')
        self._columns.clear()  # the workbook, which outlives its file, would keep them

    @staticmethod
    def _elements(place: int, tails: Sequence[str], looks: Sequence[Any], marks: _Marks) -> Iterator[str]:
        start = f'<c r="{xl_col_to_name(place)}'
        rows = enumerate(zip(tails, looks, strict=True), start=2)
        return (f"{start}{row}{marks[look]}{tail}" if tail else "" for row, (tail, look) in rows)

    def _rest_of_row(self) -> str:
        """What follows the span in the element of a row without settings of its own, as xlsxwriter writes it."""
        file, row = self.fh, io.StringIO()
        self.fh: Any = row
        self._write_row(1, "1:1")
        self.fh = file
        return row.getvalue().partition(' spans="1:1"')[2]

    def _spans(self) -> dict[int, str]:
        """The first and last column with a cell, of every sixteen rows."""
        least, most = {0: min(self.table[0])}, {0: max(self.table[0])}
        for place, (tails, _) in sorted(self._columns.items()):
            full = range(len(tails) // _ROWS_A_SPAN + 1)
            held = full if all(tails) else {row // _ROWS_A_SPAN for row, tail in enumerate(tails, start=1) if tail}
            for block in held:
                least[block] = min(place, least.get(block, place))
                most[block] = max(place, most.get(block, place))
        return {block: f"{least[block] + 1}:{most[block] + 1}" for block in least}
