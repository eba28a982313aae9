"""The lines of redlined sheets: rows below a header with the columns of the wiring list."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fabricgen.as_built.faults import Faults
from fabricgen.as_built.workbook import CellText, Sheet, Unreadable, read_sheets
from fabricgen.kernel.diagnostics import Span, find_nearest

KEY = ("cable", "a_device", "a_cage", "b_device", "b_cage")
"""The columns that identify the cable and its ends, as in cables.csv."""

END = "end"
"""The column of a hidden `a` or `b`: of a cable through panels, the line of its jumper at that end."""

HAND = ("done", "built_a_cage", "built_b_cage", "built_length_m", "remark")
"""The columns that the technician fills in."""

THROUGH_PANELS = "panels"
"""What a wiring list has in place of a length to fill in for a patched cable, whose pieces have a length each."""

HEADER_WITHIN = 20
"""The header is looked for in so many rows from the top."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its cells by column name, "" for empty ones, and the index of each column."""

    sheet: str
    row: int
    cells: Mapping[str, str]
    columns: Mapping[str, int]

    def __getitem__(self, column: str) -> str:
        return self.cells.get(column, "")

    def span(self, column: str) -> Span:
        """Return the position of a cell: sheet, row, column from 1; the first of the row if it lacks the column."""
        return Span(self.sheet, self.row, 1 + self.columns.get(column, 0))


def read_lines(files: Sequence[str], faults: Faults) -> Iterator[Line]:
    """Yield the lines of all sheets with columns for the technician; other sheets, such as a cover, are skipped.

    Raises InputError for files that cannot be read; unreadable cells are added to `faults`.
    """
    for file in files:
        has_header = False
        for sheet in read_sheets(file):
            for line in _read_sheet(sheet, faults):
                has_header = True
                if line is not None:
                    yield line
        if not has_header:
            faults.add(
                "no sheet has the columns of the wiring list",
                Span(file, 1, 1),
                f"a header line with {', '.join((*KEY, *HAND))}",
            )


def _read_sheet(sheet: Sheet, faults: Faults) -> Iterator[Line | None]:
    """Yield None for the header of a sheet, then its lines; nothing if it has no header."""
    columns: dict[str, int] = {}
    for row, cells in sheet.rows:
        if not columns:
            if row > HEADER_WITHIN:
                return
            columns = _read_header(sheet.name, row, cells, faults)
            if columns:
                yield None
            continue
        if any(cell != "" for cell in cells):
            line = _read_line(sheet.name, row, cells, columns, faults)
            if line is not None:
                yield line


def _read_header(sheet: str, row: int, cells: Sequence[CellText], faults: Faults) -> dict[str, int]:
    """Return the index of each column by name if a row is the header, else an empty dict; what is wrong with the header
    is added to `faults`.
    """
    names = [re.sub(r"[\s_]+", "_", cell.strip().lower()) if isinstance(cell, str) else "" for cell in cells]
    columns: dict[str, int] = {}
    for i, name in enumerate(names):
        if name in (*KEY, *HAND, END):
            if name in columns:
                faults.add(f"the column '{name}' is there twice", Span(sheet, row, i + 1), "delete one of them")
            columns.setdefault(name, i)
    # a column that people write in and that is misspelt would be passed over in silence
    slips = {i: near for i, name in enumerate(names) if name not in columns and (near := find_nearest(name, HAND))}
    for i, near in slips.items() if "cable" in columns else ():
        faults.add(f"the column '{names[i]}' is not read", Span(sheet, row, i + 1), f"call it {near}, or delete it")
    if "cable" not in columns or not any(name in columns for name in HAND):
        return {}
    missing = [name for name in KEY if name not in columns]
    if missing:
        faults.add(
            f"the header lacks {', '.join(missing)}", Span(sheet, row, 1), "leave the planned columns as they were"
        )
        return {}
    return columns


def _read_line(
    sheet: str, row: int, cells: Sequence[CellText], columns: Mapping[str, int], faults: Faults
) -> Line | None:
    """Return the line of a cable; None for rows without a cable, and for wrong ones, which are added to `faults`."""
    texts: dict[str, str] = {}
    is_readable = True
    for name, i in columns.items():
        cell = cells[i] if i < len(cells) else ""
        if isinstance(cell, Unreadable):
            is_readable = False
            faults.add(f"{name} holds {cell.why}", Span(sheet, row, i + 1), "write plain text or a number")
        else:
            texts[name] = "" if (name, cell) == ("built_length_m", THROUGH_PANELS) else cell
    line = Line(sheet, row, texts, columns)
    if not is_readable or not any(texts.values()):
        return None
    if not line["cable"]:
        written = next((name for name in HAND if line[name]), "")
        if written:
            faults.add(f"'{line[written]}' is written beside no cable", line.span(written), "move it into its line")
        return None
    return line
