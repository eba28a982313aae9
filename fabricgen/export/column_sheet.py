"""A worksheet that is written by whole columns, without an object and a dozen calls for each cell.

The bytes are those of xlsxwriter's own sheet with the same cells; tests compare the two.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from xlsxwriter.utility import xl_col_to_name
from xlsxwriter.worksheet import Worksheet

from fabricgen.export.row_text import Piece, blocks
from fabricgen.export.table import Cell

_ROWS_A_SPAN = 16
"""How many rows share one `spans` attribute, as in Excel and xlsxwriter."""

_MOST_LETTERS = 32_767 // 2
"""The most characters of a cell, so that it has at most 32,767 UTF-16 units whatever they are."""


class ColumnSheet(Worksheet):  # type: ignore[misc] # xlsxwriter tells no types
    """A sheet whose first row is written cell by cell, and the rows below column by column."""

    def __init__(self) -> None:
        super().__init__()
        self._columns: dict[int, tuple[list[str], Sequence[Any]]] = {}

    def write_cells(self, place: int, cells: Sequence[Cell | None], looks: Sequence[Any]) -> None:
        """Fill a column from the second row on; `looks` are the formats of its cells.

        Text goes to the shared strings in this order; "" is a blank cell, None writes no cell.
        """
        self._columns[place] = self._tails(cells), looks
        self._check_dimensions(0, place)
        self._check_dimensions(len(cells), place)

    def _tails(self, cells: Sequence[Cell | None]) -> list[str]:
        """The XML of each cell after its format attribute; "" for no cell. Equal cells are converted once."""
        made = {cell: self._tail(cell) for cell in dict.fromkeys(cells)}
        texts = frozenset(cell for cell in made if isinstance(cell, str) and cell)
        self.str_table.count += sum(map(texts.__contains__, cells)) - len(texts)
        return list(map(made.__getitem__, cells))

    def _tail(self, cell: Cell | None) -> str:
        if cell is None or cell == "":
            return "" if cell is None else "/>"
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
        rows = max(len(tails) for tails, _ in self._columns.values())
        numbers = list(map(str, range(2, rows + 2)))
        marks = self._marks()
        columns = [self._pieces(place, *column, marks, numbers) for place, column in sorted(self._columns.items())]
        filled = [True] * rows if any(len(pieces) > 1 for pieces in columns) else _filled(columns, rows)
        heads = [
            f'<row r="{number}" spans="{spans[row // _ROWS_A_SPAN]}"{rest}' if there else ""
            for row, (number, there) in enumerate(zip(numbers, filled, strict=True), start=1)
        ]
        ends = ["</row>" if there else "" for there in filled]
        for text in blocks([heads, *chain.from_iterable(columns), ends], rows):
            self.fh.write(text)
        self._columns.clear()  # free memory: the workbook outlives its file

    def _marks(self) -> dict[Any, str]:
        """The attribute of each format; formats are numbered in the order of first use, row by row, as in
        xlsxwriter.
        """
        met: dict[Any, tuple[int, int]] = {}
        for place, (tails, looks) in sorted(self._columns.items()):
            full = all(tails)
            rows = range(len(tails)) if full else [row for row, tail in enumerate(tails) if tail]
            here = looks if full else [looks[row] for row in rows]
            for look, row in dict(
                zip(reversed(here), reversed(rows), strict=True)
            ).items():  # reversed: the first row wins
                met[look] = min((row, place), met.get(look, (row, place)))
        return {look: f'" s="{look._get_xf_index()}"' for look in sorted(met, key=met.__getitem__)}

    @staticmethod
    def _pieces(
        place: int, tails: list[str], looks: Sequence[Any], marks: Mapping[Any, str], numbers: list[str]
    ) -> list[Piece]:
        """The pieces of a column's XML, by row; a column with missing cells is one piece."""
        start = f'<c r="{xl_col_to_name(place)}'
        if len(tails) == len(numbers) and all(tails):
            return [start, numbers, list(map(marks.__getitem__, looks)), tails]
        held = zip(numbers, tails, looks, strict=False)
        found = [f"{start}{number}{marks[look]}{tail}" if tail else "" for number, tail, look in held]
        return [found + [""] * (len(numbers) - len(found))]

    def _rest_of_row(self) -> str:
        """The XML of a row without settings of its own after its `spans` attribute, as in xlsxwriter."""
        file, row = self.fh, io.StringIO()
        self.fh: Any = row
        self._write_row(1, "1:1")
        self.fh = file
        return row.getvalue().partition(' spans="1:1"')[2]

    def _spans(self) -> dict[int, str]:
        """The first and last column with a cell, for every block of sixteen rows."""
        least, most = {0: min(self.table[0])}, {0: max(self.table[0])}
        for place, (tails, _) in sorted(self._columns.items()):
            every = range(len(tails) // _ROWS_A_SPAN + 1)
            held = every if all(tails) else {row // _ROWS_A_SPAN for row, tail in enumerate(tails, start=1) if tail}
            for block in held:
                least[block] = min(place, least.get(block, place))
                most[block] = max(place, most.get(block, place))
        return {block: f"{least[block] + 1}:{most[block] + 1}" for block in least}


def _filled(columns: list[list[Piece]], rows: int) -> list[bool]:
    """Whether each row has a cell in any of the columns, each of which is one piece."""
    return [any(column[0][row] for column in columns) for row in range(rows)]
