"""Tables of hardware beside a blueprint, as CSV: where they may lie, how large they may be, and how they are read."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from fabricgen.blueprint.source import contained
from fabricgen.kernel.diagnostics import Diagnostic, Severity, Span, did_you_mean
from fabricgen.kernel.text_input import decode, read_bytes

MAX_TABLE_BYTES = 64 * 1024 * 1024
"""The largest table that is read: a million adapters."""

ENDINGS = (".csv",)


class FaultOf(Protocol):
    """Makes the faults of one kind of table."""

    def __call__(self, message: str, span: Span, hint: str = "") -> Diagnostic:
        """A fault at a place in the file."""


def faults_of(code: str) -> FaultOf:
    """What makes the faults of a table whose code is `code`."""

    def wrong(message: str, span: Span, hint: str = "") -> Diagnostic:
        return Diagnostic(code, Severity.ERROR, message, hint=hint, span=span)

    return wrong


def read_table(stated: str, folder: Path, span: Span, *, what: str, allow_outside: bool) -> tuple[str, str]:
    """(text, path as it is shown) of a table that a blueprint names at `span`; from the blueprint's folder, in which
    it stays.

    Raises InputError: FG007 for a path that is not allowed, FG001 for a file that cannot be read.
    """
    shown = folder / stated
    real = contained(stated, shown, folder, span, allow_outside=allow_outside, endings=ENDINGS)
    data = read_bytes(Path(real), str(shown), span, limit=MAX_TABLE_BYTES)
    return decode(data, str(shown), limit=MAX_TABLE_BYTES, what=what), str(shown)


def rows_of(
    text: str, shown: str, columns: Sequence[str], needed: Sequence[str], code: str, faults: list[Diagnostic]
) -> Iterator[tuple[dict[str, str], dict[str, Span]]]:
    """(cells, places) of each line of a table by column; empty lines are passed over.

    Faults of the header, of lines with too many cells, and of what is no CSV are added to `faults`.
    """
    wrong, lines = faults_of(code), text.splitlines()
    reader = csv.reader(lines)
    try:
        header = [word.strip().lower() for word in next(reader, [])]
        faults += _header_faults(header, columns, needed, Span(shown, 1, 1), wrong)
        for cells in reader if not faults else ():
            if any(cell.strip() for cell in cells):
                places = _places(lines[reader.line_num - 1], cells, shown, reader.line_num)
                if len(cells) > len(header):
                    message = f"the line has {len(cells)} cells, the header {len(header)}"
                    faults.append(wrong(message, places[len(header)]))
                spans = dict(zip(header, places, strict=False))
                spans.setdefault(needed[0], places[0])
                yield dict(zip(header, (cell.strip() for cell in cells), strict=False)), spans
    except csv.Error as error:
        faults.append(wrong(f"this is no CSV: {error}", Span(shown, reader.line_num, 1)))


def _header_faults(
    header: list[str], columns: Sequence[str], needed: Sequence[str], span: Span, wrong: FaultOf
) -> Iterator[Diagnostic]:
    for word in needed:
        if word not in header:
            yield wrong(f"the table has no column '{word}'", span, f"begin it with the line: {','.join(columns)}")
    for word in dict.fromkeys(header):
        if word not in columns:
            yield wrong(f"there is no column '{word}'", span, did_you_mean(word, columns))
        elif header.count(word) > 1:
            yield wrong(f"the column '{word}' is there twice", span)


def _places(line: str, cells: list[str], shown: str, number: int) -> list[Span]:
    """Where each cell of a line begins; cells in quotes are found by their text."""
    found, at = [], 0
    for cell in cells:
        begin = max(line.find(cell, at), at) if cell else at
        found.append(Span(shown, number, begin + 1, number, begin + 1 + len(cell)))
        at = max(line.find(",", begin + len(cell)), begin + len(cell)) + 1
    return found
