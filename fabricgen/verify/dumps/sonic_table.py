"""`show lldp table` of SONiC: columns as wide as their longest text, under a row of dashes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import dropwhile

from fabricgen.verify.dumps._content import DumpContent
from fabricgen.verify.dumps._lldp import make_neighbor
from fabricgen.verify.dumps.sighting import Dump, Sighting

TITLE = "SONiC show lldp table"
IS_JSON = False

_HEAD = re.compile(r"^[ ]*LocalPort[ ]+RemoteDevice[ ]+RemotePortID\b.*$", re.MULTILINE)
_TOTAL = re.compile(r"\s*Total entries displayed:\s*(\d+)\s*")
_COLUMNS, _MOST_COLUMNS = 3, 50
_HINT = "give the whole output of `show lldp table`, of one device a file"


def recognises(text: str) -> bool:
    """Whether the head of the table is early in the text; a prompt may come before it."""
    return _HEAD.search(text[:65536]) is not None


def dumps(content: DumpContent) -> Iterator[Dump]:
    """Yield one dump; the table does not tell its device."""
    yield Dump(content.find_box(), _read_sightings(content))


def _read_sightings(content: DumpContent) -> Iterator[Sighting]:
    """Yield the neighbours in the rows of the table, which are cut where its dashes are, up to its total.

    Rows without a port or a neighbour, a wrong total, and a table without dashes or without a total are added as
    faults.
    """
    lines = dropwhile(lambda line: not _HEAD.match(line[1]), content.read_lines())
    number, _ = next(lines, (0, ""))
    number, dashes = next(lines, (number + 1, ""))
    spans = _find_spans(dashes)
    if not _COLUMNS <= len(spans) <= _MOST_COLUMNS:
        content.add_fault(number, 1, "there is no row of dashes under the head of the table", _HINT)
        return
    row_count = 0
    for number, line in lines:
        if total_line := _TOTAL.fullmatch(line):
            if total_line[1] != str(row_count):
                content.add_fault(number, 1, f"{row_count} rows stand above, not {total_line[1][:20]}", _HINT)
            return
        # a line of dashes comes before the total
        if not line.strip() or not line.strip().strip("-"):
            continue
        # the table may lack its last columns
        cells = [line[start:end].strip() for start, end in spans] + [""] * 2
        if not cells[0] or not (cells[1] or cells[2]):
            content.add_fault(number, 1, f"the row names no {'neighbour' if cells[0] else 'port'}", _HINT)
            continue
        row_count += 1
        yield Sighting(cells[0], make_neighbor(cells[1], ""), cells[2], cells[4])
    content.add_fault(
        content.text.count("\n") + 1, 1, "the table ends before its line 'Total entries displayed'", _HINT
    )


def _find_spans(dashes: str) -> list[tuple[int, int | None]]:
    """Return where the columns begin and end; the last one has no end."""
    if dashes.strip(" -\r"):
        return []
    starts = [dash_run.start() for dash_run in re.finditer("-+", dashes)]
    return list(zip(starts, [*starts[1:], None], strict=False))
