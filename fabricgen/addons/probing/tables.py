"""Tables that people bring: results of probes, paths that were learnt, the probes themselves."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from fabricgen.api import Diagnostic, InputError, Severity, Span

MOST_BYTES = 1 << 30


def refuse(message: str, file: Path, line: int = 1, column: int = 1, hint: str = "") -> NoReturn:
    """Raise InputError (FG181) at a place of a file."""
    span = Span(str(file), line, column)
    raise InputError([Diagnostic("FG181", Severity.ERROR, message, hint=hint, span=span)])


def read_rows(file: Path, needed: Sequence[str], optional: Sequence[str] = ()) -> Iterator[tuple[int, list[str]]]:
    """(line, cells of the named columns, "" for an optional one that is not there) of a CSV file.

    Raises InputError (FG181) for what cannot be read, a column that is not there, and a row of another length.
    """
    try:
        if file.stat().st_size > MOST_BYTES:
            refuse(f"the file has {file.stat().st_size:,} bytes, of {MOST_BYTES:,} that are read", file)
        reader = csv.reader(io.StringIO(file.read_text(encoding="utf-8-sig"), newline=""), strict=True)
        header = [name.strip() for name in next(reader, [])]
        if lacking := [name for name in needed if name not in header]:
            hint = f"found: {', '.join(header)[:200] or 'nothing'}"
            refuse(f"there is no column {' or '.join(lacking)}", file, hint=hint)
        at = [header.index(name) if name in header else len(header) for name in (*needed, *optional)]
        for row in reader:
            if row and len(row) != len(header):
                refuse(f"the row has {len(row)} cells, and the header {len(header)}", file, reader.line_num)
            if row:
                row.append("")  # what a column that is not there has
                yield reader.line_num, [row[index] for index in at]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        refuse(f"the file cannot be read: {getattr(error, 'strerror', None) or error}", file)


def parse_number(text: str, name: str, file: Path, line: int, *, most: float = 1e15) -> float:
    """A number of a cell from 0 to a bound, NaN for an empty one; raises InputError (FG181) for what is none."""
    try:
        number = float(text) if text.strip() else math.nan
    except ValueError:
        number = -1.0
    if number < 0 or number > most or (math.isnan(number) and text.strip()):
        refuse(f"{name} is '{text[:80]}', which is no number from 0 to {most:g}", file, line)
    return number
