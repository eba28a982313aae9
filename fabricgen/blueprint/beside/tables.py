"""Tables of hardware beside a blueprint, as CSV: where they may lie, how large they may be, and how they are read."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from fabricgen.blueprint.models import Blueprint
from fabricgen.blueprint.source import resolve_contained
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity, Span, did_you_mean
from fabricgen.kernel.text_input import decode_text, read_bytes
from fabricgen.yaml.located import Located

MAX_TABLE_BYTES = 64 * 1024 * 1024
"""The largest table that is read: a million adapters."""

ENDINGS = (".csv",)


class FaultOf(Protocol):
    """Makes the faults of one kind of table."""

    def __call__(self, message: str, span: Span, hint: str = "") -> Diagnostic:
        """Return a fault at a place in the file."""


def bind_fault_code(code: str) -> FaultOf:
    """Return what makes the faults of a table whose code is `code`."""

    def make_fault(message: str, span: Span, hint: str = "") -> Diagnostic:
        return Diagnostic(code, Severity.ERROR, message, hint=hint, span=span)

    return make_fault


def read_table(stated: str, folder: Path, span: Span, *, what: str, allow_outside: bool) -> tuple[str, str]:
    """Return (text, path as it is shown) of a table that a blueprint names at `span`; from the blueprint's folder, in
    which it stays.

    Raises InputError: FG007 for a path that is not allowed, FG001 for a file that cannot be read.
    """
    shown = folder / stated
    path = resolve_contained(stated, shown, folder, span, allow_outside=allow_outside, endings=ENDINGS)
    data = read_bytes(Path(path), str(shown), span, limit=MAX_TABLE_BYTES)
    return decode_text(data, str(shown), limit=MAX_TABLE_BYTES, kind=what), str(shown)


def read_rows(
    text: str, shown: str, columns: Sequence[str], needed: Sequence[str], code: str, faults: list[Diagnostic]
) -> Iterator[tuple[dict[str, str], dict[str, Span]]]:
    """Yield (cells, places) of each line of a table by column; empty lines are passed over.

    Faults of the header, of lines with too many cells, and of what is no CSV are added to `faults`.
    """
    make_fault, lines = bind_fault_code(code), text.splitlines()
    reader = csv.reader(lines)
    try:
        header = [word.strip().lower() for word in next(reader, [])]
        faults += _check_header(header, columns, needed, Span(shown, 1, 1), make_fault)
        for cells in reader if not faults else ():
            if any(cell.strip() for cell in cells):
                places = _find_cell_spans(lines[reader.line_num - 1], cells, shown, reader.line_num)
                if len(cells) > len(header):
                    message = f"the line has {len(cells)} cells, the header {len(header)}"
                    faults.append(make_fault(message, places[len(header)]))
                spans = dict(zip(header, places, strict=False))
                # a fault of the line itself is told at its beginning
                spans.setdefault(needed[0], places[0])
                yield dict(zip(header, (cell.strip() for cell in cells), strict=False)), spans
    except csv.Error as error:
        faults.append(make_fault(f"this is no CSV: {error}", Span(shown, reader.line_num, 1)))


def _check_header(
    header: list[str], columns: Sequence[str], needed: Sequence[str], span: Span, make_fault: FaultOf
) -> Iterator[Diagnostic]:
    """Tell of columns that are missing, unknown or there twice."""
    for word in needed:
        if word not in header:
            yield make_fault(f"the table has no column '{word}'", span, f"begin it with the line: {','.join(columns)}")
    for word in dict.fromkeys(header):
        if word not in columns:
            yield make_fault(f"there is no column '{word}'", span, did_you_mean(word, columns))
        elif header.count(word) > 1:
            yield make_fault(f"the column '{word}' is there twice", span)


def _find_cell_spans(line: str, cells: list[str], shown: str, number: int) -> list[Span]:
    """Return where each cell of line `number` of the file `shown` begins; cells in quotes are found by their text."""
    spans, position = [], 0
    for cell in cells:
        # a cell with quotes in it is not in the line as it was read: it is then taken to begin where the one before
        # ended
        begin = max(line.find(cell, position), position) if cell else position
        spans.append(Span(shown, number, begin + 1, number, begin + 1 + len(cell)))
        position = max(line.find(",", begin + len(cell)), begin + len(cell)) + 1
    return spans


# Stated GUIDs of InfiniBand devices: a table beside the blueprint, since hardware tells them and nobody designs them.
# The table has a header with the columns `device` and `guid`, and may have `port` (of a node: each of its ports is an
# adapter of its own) and `port_guid` (of the port; by default that of the adapter, as ConnectX has it).

CODE = "FG061"

PLANNED_BITS = 52
PLANNED = 0x02F << PLANNED_BITS
"""Planned GUIDs begin with 02f: the local bit of the first byte is set, so that no manufacturer has them."""

COLUMNS = ("device", "guid", "port", "port_guid")
_GUID = r"(?i)(0x)?([0-9a-f]{16}|([0-9a-f]{4}:){3}[0-9a-f]{4}|([0-9a-f]{2}:){7}[0-9a-f]{2})"


class GuidRow(NamedTuple):
    """A line of the table; `port` is "" for a switch, or for a node with one port."""

    device: str
    port: str
    guid: int
    port_guid: int
    span: Span


def read_guids(
    blueprint: Blueprint, source: Located, folder: Path, *, allow_outside: bool
) -> dict[str, tuple[GuidRow, ...]]:
    """Read the tables that fabrics name, by fabric; a path is from the blueprint's folder and stays in it.

    Raises InputError: FG007 for a path that is not allowed, FG001 for a file that cannot be read, FG061, at each line,
    for what is no GUID or is there twice.
    """
    guids = {}
    for name, fabric in blueprint.fabrics.items():
        if fabric.guids is not None:
            span = source.span(("fabrics", name, "guids"))
            table = read_table(fabric.guids, folder, span, what="a table of GUIDs", allow_outside=allow_outside)
            guids[name] = parse_guids(*table)
    return guids


def parse_guids(text: str, shown: str) -> tuple[GuidRow, ...]:
    """Read a table; raises InputError with every line that is wrong."""
    faults: list[Diagnostic] = []
    rows: list[GuidRow] = []
    for cells, places in read_rows(text, shown, COLUMNS, COLUMNS[:2], CODE, faults):
        row = _parse_guid_row(cells, Span(shown, places["device"].line, 1))
        faults += [row] if isinstance(row, Diagnostic) else []
        rows += [row] if isinstance(row, GuidRow) else []
    faults += _find_repeated(rows)
    if faults:
        raise InputError(faults)
    return tuple(rows)


_make_fault = bind_fault_code(CODE)


def parse_guid(text: str) -> tuple[int, str, str]:
    """Return (a GUID, what is wrong with it, what would be right), the last two "" if nothing is."""
    number = int(text.lower().removeprefix("0x").replace(":", ""), 16) if re.fullmatch(_GUID, text) else 0
    # all zeros and all ones stand for no GUID, and 0 for text that is none
    if number in (0, (1 << 64) - 1):
        return 0, f"'{text}' is no GUID", "write its 16 hexadecimal digits, e.g. 0xb83fd20300a1b2c4"
    if number >> PLANNED_BITS == PLANNED >> PLANNED_BITS:
        hint = "take it from the hardware: `ibstat` on a node, `ibswitches` for switches"
        return 0, f"'{text}' is a planned GUID, which no hardware has", hint
    return number, "", ""


def _parse_guid_row(cells: Mapping[str, str], span: Span) -> GuidRow | Diagnostic:
    """Return a line read, or what is wrong with it."""
    device, port = cells.get("device", ""), cells.get("port", "")
    numbers = []
    for column in ("guid", "port_guid"):
        text = cells.get(column, "") or (cells.get("guid", "") if column == "port_guid" else "")
        number, why, hint = parse_guid(text)
        if why:
            return _make_fault(why, span, hint)
        numbers.append(number)
    return (
        GuidRow(device, port, numbers[0], numbers[1], span) if device else _make_fault("the line names no device", span)
    )


def _find_repeated(rows: list[GuidRow]) -> Iterator[Diagnostic]:
    """Yield GUIDs and places that are there twice."""
    places: dict[tuple[str, str], int] = {}
    guids: dict[int, int] = {}
    for row in rows:
        first = places.setdefault((row.device, row.port), row.span.line)
        if first != row.span.line:
            holder = f"port {row.port} of {row.device}" if row.port else row.device
            yield _make_fault(f"{holder} is there twice, first in line {first}", row.span)
        for guid in {row.guid, row.port_guid}:
            first = guids.setdefault(guid, row.span.line)
            if first != row.span.line:
                yield _make_fault(f"GUID 0x{guid:016x} is there twice, first in line {first}", row.span)
