"""A list of links that somebody made: a CSV file with a row for each port, and `COLUMNS` in any order."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import TypeAlias

from fabricgen.kernel.diagnostics import did_you_mean
from fabricgen.verify.dumps._content import DumpContent
from fabricgen.verify.dumps.sighting import SILENT, Box, Dump, Sighting

TITLE = "CSV with the columns device, port, neighbor, neighbor_port"
IS_JSON = False
COLUMNS = ("device", "port", "neighbor", "neighbor_port")
_Row: TypeAlias = tuple[str, str, str, str]
_LINE = re.compile(r".*\n|.+")
_HINT = f"a row has {', '.join(COLUMNS)}; further columns are not read"


def recognises(text: str) -> bool:
    """Whether the first line has the columns, or at least three of them: then one is probably misspelt."""
    header, _ = _read_header(text)
    return len(set(COLUMNS).intersection(header)) >= 3


def dumps(content: DumpContent) -> Iterator[Dump]:
    """Yield a dump for each sequence of rows of one device; a row without a neighbour is a port that sees nobody."""
    header, delimiter = _read_header(content.text)
    for name in COLUMNS:
        if header.count(name) != 1:
            complaint = f"column '{name}' occurs twice" if name in header else f"there is no column '{name}'"
            other_columns = [column for column in header if column not in COLUMNS]
            content.add_fault(
                1, 1, complaint, did_you_mean(name, other_columns) if name not in header and other_columns else _HINT
            )
            return
    pick = itemgetter(*(header.index(name) for name in COLUMNS))
    boxes: dict[str, Box] = {}
    for device, rows in groupby(_read_rows(content, pick, len(header), delimiter), key=itemgetter(0)):
        yield Dump(boxes.setdefault(device, Box(device)), _list_sightings(rows, boxes), agent="list")


def _list_sightings(rows: Iterable[_Row], boxes: dict[str, Box]) -> Iterator[Sighting]:
    """Yield a sighting for each row; `boxes` are shared by all rows."""
    for _, port, name, far_port in rows:
        if not name:
            yield Sighting(port, None, state=SILENT)
            continue
        neighbor = boxes.get(name)
        if neighbor is None:
            neighbor = boxes[name] = Box(name)
        yield Sighting(port, neighbor, far_port)


def _read_rows(content: DumpContent, pick: Callable[[list[str]], _Row], width: int, delimiter: str) -> Iterator[_Row]:
    """Yield the rows that can be used; faults are added for the others."""
    lines = (line[0] for line in _LINE.finditer(content.text))  # io.StringIO takes four bytes for each character
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)
    try:
        next(reader)
        for row in reader:
            if len(row) != width:
                if row:
                    content.add_fault(reader.line_num, 1, f"{len(row)} fields where the header has {width}", _HINT)
                continue
            cells = device, port, name, far_port = pick(row)
            if device and port and (name or not far_port):
                yield cells
                continue
            missing = "device" if not device else "port" if not port else "neighbor"
            content.add_fault(reader.line_num, row.index("") + 1, f"the row names no {missing}", _HINT)
    except csv.Error as error:
        content.add_fault(
            reader.line_num, 1, f"the row is not CSV: {error}", "put texts with quotes or line ends in quotes"
        )


def _read_header(text: str) -> tuple[list[str], str]:
    """Return the names of columns, and the delimiter."""
    line = text[:4096].partition("\n")[0].rstrip("\r")
    # spreadsheets write semicolons in locales with a decimal comma; if counts are equal, the comma is taken
    delimiter = max(",;\t", key=line.count)
    return [name.strip().strip('"').lower() for name in line.split(delimiter)], delimiter
