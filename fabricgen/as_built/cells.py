"""Rows of sheets as text, from workbooks and CSV; cells that hold no plain value are marked as unreadable."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from fabricgen.as_built.faults import refuse
from fabricgen.as_built.sheet import MOST_COLUMNS, CellText, Sheet, Unreadable
from fabricgen.kernel.diagnostics import Span
from fabricgen.kernel.text_input import decode, read_bytes
from fabricgen.publish.reading import refuse_unfinished_around

MAX_BYTES = 64 * 1024 * 1024
"""The largest file that is read, bytes."""

_WORKBOOKS = (".xlsx", ".xlsm")


def sheets_of(file: str) -> Iterator[Sheet]:
    """The sheets of a workbook, or the one of a CSV file, to be read one after another.

    Raises InputError: FG001, FG084 for a file that is neither, too large, or damaged; FG028 for one in a folder in
    which a build was stopped while it landed.
    """
    refuse_unfinished_around(Path(file))
    data = read_bytes(Path(file), file, limit=MAX_BYTES)
    if len(data) > MAX_BYTES:
        refuse(f"cannot read '{file}': it is larger than {MAX_BYTES >> 20} MiB", Span(file, 1, 1), "split it by rack")
    if file.lower().endswith(_WORKBOOKS):
        from fabricgen.as_built.workbook import workbook_sheets

        yield from workbook_sheets(data, file)
    elif file.lower().endswith(".csv"):
        yield Sheet(file, _csv_rows(decode(data, file, limit=MAX_BYTES, what="CSV"), file))
    else:
        refuse(f"'{file}' is neither a workbook (.xlsx) nor .csv", Span(file, 1, 1), "save the sheet as one of these")


def _csv_rows(text: str, file: str) -> Iterator[tuple[int, list[CellText]]]:
    head = next((line for line in text.splitlines() if line.strip()), "")
    mark = max(",;\t", key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
    line = 0
    try:
        for cells in reader:
            first, line = line + 1, reader.line_num
            yield first, [_csv_cell(cell.strip()) for cell in cells[:MOST_COLUMNS]]
    except csv.Error as error:
        refuse(f"this is no CSV: {error}", Span(file, reader.line_num, 1), "close every quotation mark")


def _csv_cell(text: str) -> CellText:
    return Unreadable("a formula") if text.startswith("=") else text
