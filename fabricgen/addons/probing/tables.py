"""Tables that people bring: results of probes, paths that were learnt, the probes themselves."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from fabricgen.api import Diagnostic, Floats, InputError, Severity, Span

MOST_BYTES = 1 << 30


def refuse(message: str, file: Path, line: int = 1, hint: str = "") -> NoReturn:
    """Raise InputError (FG181) at a line of a file."""
    raise InputError([Diagnostic("FG181", Severity.ERROR, message, hint=hint, span=Span(str(file), line, 1))])


def read_rows(file: Path, needed: Sequence[str], optional: Sequence[str] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield, for each row of a CSV file, its line (an int) and the cells of the `needed` and `optional` columns; ""
    for a missing optional column.

    Raises InputError (FG181) for a file that cannot be read, a missing column, and a row of another length.
    """
    try:
        if (size := file.stat().st_size) > MOST_BYTES:
            refuse(f"the file has {size:,} bytes, of {MOST_BYTES:,} that are read", file)
        with file.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(stream, strict=True)
            header = [name.strip() for name in next(reader, [])]
            if lacking := [name for name in needed if name not in header]:
                refuse(
                    f"there is no column {' or '.join(lacking)}",
                    file,
                    hint=f"found: {', '.join(header)[:200] or 'nothing'}",
                )
            # a missing column is read from the cell appended to each row, which is ""
            columns = [header.index(name) if name in header else len(header) for name in (*needed, *optional)]
            for row in filter(None, reader):
                if len(row) != len(header):
                    refuse(f"the row has {len(row)} cells, and the header {len(header)}", file, reader.line_num)
                row.append("")
                yield reader.line_num, *[row[column] for column in columns]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        refuse(f"the file cannot be read: {getattr(error, 'strerror', None) or error}", file)


def parse_numbers(cells: Sequence[str], name: str, file: Path, lines: Sequence[int], *, most: float = 1e15) -> Floats:
    """Return the numbers of a column from 0 to `most`, NaN for empty cells; raises InputError (FG181) for any other
    cell.
    """
    numbers = np.array(list(map(_parse_number, cells)) if any(cells) else [math.nan] * len(cells), dtype=np.float64)
    for row in np.flatnonzero((numbers < 0) | (numbers > most)).tolist():  # the first is told
        refuse(f"{name} is '{cells[row][:80]}', which is no number from 0 to {most:g}", file, lines[row])
    return numbers


def _parse_number(text: str) -> float:
    try:
        return max(-1.0, float(text)) if text.strip() else math.nan  # -1 for what is written as NaN
    except ValueError:
        return -1.0
