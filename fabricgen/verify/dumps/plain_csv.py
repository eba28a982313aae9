"""A list of links that somebody made: a CSV file with a row a port, and the columns of `COLUMNS` in any order."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import TypeAlias

from fabricgen.kernel.diagnostics import did_you_mean
from fabricgen.verify.dumps._content import Content
from fabricgen.verify.dumps.sighting import SILENT, Box, Dump, Sighting

TITLE = "CSV with the columns device, port, neighbor, neighbor_port"
IS_JSON = False
COLUMNS = ("device", "port", "neighbor", "neighbor_port")
_Row: TypeAlias = tuple[str, str, str, str]
_LINE = re.compile(r".*\n|.+")
_HINT = f"a row has {', '.join(COLUMNS)}; further columns are not read"


def recognises(text: str) -> bool:
    """Whether the first line has the columns, or so many of them that the others must be meant."""
    header, _ = _header(text)
    return len(set(COLUMNS).intersection(header)) >= 3


def dumps(content: Content) -> Iterator[Dump]:
    """A dump for each run of rows of a device; a row without a neighbour is a port that sees nobody."""
    header, delimiter = _header(content.text)
    for name in COLUMNS:
        if header.count(name) != 1:
            what = f"column '{name}' occurs twice" if name in header else f"there is no column '{name}'"
            others = [each for each in header if each not in COLUMNS]
            content.wrong(1, 1, what, did_you_mean(name, others) if name not in header and others else _HINT)
            return
    pick = itemgetter(*(header.index(name) for name in COLUMNS))
    boxes: dict[str, Box] = {}
    for device, rows in groupby(_rows(content, pick, len(header), delimiter), key=itemgetter(0)):
        yield Dump(boxes.setdefault(device, Box(device)), _sightings(rows, boxes), agent="list")


def _sightings(rows: Iterable[_Row], boxes: dict[str, Box]) -> Iterator[Sighting]:
    for _, port, name, far_port in rows:
        if not name:
            yield Sighting(port, None, state=SILENT)
            continue
        neighbor = boxes.get(name)
        if neighbor is None:
            neighbor = boxes[name] = Box(name)
        yield Sighting(port, neighbor, far_port)


def _rows(content: Content, pick: Callable[[list[str]], _Row], width: int, delimiter: str) -> Iterator[_Row]:
    """The rows that can be used; what is wrong with the others is noted."""
    lines = (line[0] for line in _LINE.finditer(content.text))  # io.StringIO holds four bytes a character
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)
    try:
        next(reader)
        for row in reader:
            if len(row) != width:
                if row:
                    content.wrong(reader.line_num, 1, f"{len(row)} fields where the header has {width}", _HINT)
                continue
            found = device, port, name, far_port = pick(row)
            if device and port and (name or not far_port):
                yield found
                continue
            missing = "device" if not device else "port" if not port else "neighbor"
            content.wrong(reader.line_num, row.index("") + 1, f"the row names no {missing}", _HINT)
    except csv.Error as error:
        content.wrong(
            reader.line_num, 1, f"the row is not CSV: {error}", "put texts with quotes or line ends in quotes"
        )


def _header(text: str) -> tuple[list[str], str]:
    """(names of columns, what is between them)."""
    line = text[:4096].partition("\n")[0].rstrip("\r")
    delimiter = max(",;\t", key=line.count)
    return [name.strip().strip('"').lower() for name in line.split(delimiter)], delimiter
