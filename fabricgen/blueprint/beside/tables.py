"""Tables beside a blueprint, as CSV: the hardware that stands there, GUIDs of InfiniBand devices, pairs of switches."""

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from fabricgen.blueprint.models import Blueprint
from fabricgen.blueprint.sections.mesh import Pair
from fabricgen.blueprint.source import resolve_contained
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity, Span, did_you_mean
from fabricgen.kernel.text_input import decode_text, read_bytes
from fabricgen.yaml.located import Located

MAX_TABLE_BYTES = 64 * 1024 * 1024
"""The largest table that is read: a million adapters."""

ENDINGS = (".csv",)


def _make_fault(code: str, message: str, span: Span, hint: str = "") -> Diagnostic:
    """Return an error at a place of a table."""
    return Diagnostic(code, Severity.ERROR, message, hint=hint, span=span)


def read_table(
    stated: str,
    folder: Path,
    span: Span,
    *,
    what: str,
    allow_outside: bool,
    unsaved: Mapping[str, bytes] | None = None,
) -> tuple[str, str]:
    """Return (text of a table that a blueprint names at `span`, its path as messages show it).

    The path is from the blueprint's folder, which it leaves only with `allow_outside`. `what` is what messages call the
    table, `unsaved` has the content of files that are not saved, by path. Raises InputError: FG007 for a path that is
    not allowed, FG001 for a file that cannot be read.
    """
    shown = folder / stated
    path = resolve_contained(stated, shown, folder, span, allow_outside=allow_outside, endings=ENDINGS)
    data = (unsaved or {}).get(str(shown)) or read_bytes(Path(path), str(shown), span, limit=MAX_TABLE_BYTES)
    return decode_text(data, str(shown), limit=MAX_TABLE_BYTES, kind=what), str(shown)


def read_rows(
    text: str, shown: str, columns: Sequence[str], needed: Sequence[str], code: str, faults: list[Diagnostic]
) -> Iterator[tuple[dict[str, str], dict[str, Span]]]:
    """Yield, for each line of a table that is not empty, (its cells, their places in the file), both by column.

    If a line is shorter than the header, both lack the columns at its end; but the first of `needed` always has a
    place. Faults of the header, of lines with too many cells, and of text that is no CSV are added to `faults`, with
    `code`. With a faulty header no line is read.
    """
    make_fault, lines = partial(_make_fault, code), text.splitlines()
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
    header: list[str], columns: Sequence[str], needed: Sequence[str], span: Span, make_fault: Callable[..., Diagnostic]
) -> Iterator[Diagnostic]:
    """Yield a fault for each column that is missing, unknown or there twice."""
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
        # a cell with quotes in it is not in the line as it was read: it then begins where the one before ended
        begin = max(line.find(cell, position), position) if cell else position
        spans.append(Span(shown, number, begin + 1, number, begin + 1 + len(cell)))
        position = max(line.find(",", begin + len(cell)), begin + len(cell)) + 1
    return spans


# Stated GUIDs of InfiniBand devices, which hardware tells and nobody designs.
# The table has a header with the columns `device` and `guid`, and may have `port` (of a node: each of its ports is an
# adapter of its own) and `port_guid` (of the port; by default that of the adapter, as ConnectX has it).

GUIDS_CODE = "FG061"

PLANNED_BITS = 52
PLANNED = 0x02F << PLANNED_BITS
"""Planned GUIDs begin with 02f: the local bit of the first byte is set, so that no manufacturer has them."""

GUID_COLUMNS = ("device", "guid", "port", "port_guid")
_GUID = r"(?i)(0x)?([0-9a-f]{16}|([0-9a-f]{4}:){3}[0-9a-f]{4}|([0-9a-f]{2}:){7}[0-9a-f]{2})"


class GuidRow(NamedTuple):
    """A line of the table; `port` is "" for a switch, or for a node with one port.

    `guid` is that of the adapter or switch; `port_guid` is the same where the line states none of its own.
    """

    device: str
    port: str
    guid: int
    port_guid: int
    span: Span


def read_guids(
    blueprint: Blueprint, source: Located, folder: Path, *, allow_outside: bool
) -> dict[str, tuple[GuidRow, ...]]:
    """Return the rows of the tables that fabrics name, by fabric; a path is from the blueprint's folder and stays in
    it.

    Raises InputError: FG007 for a path that is not allowed, FG001 for a file that cannot be read; FG061, at each line,
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
    """Return the rows of a table. Raises InputError with every line that is wrong."""
    faults: list[Diagnostic] = []
    rows: list[GuidRow] = []
    for cells, places in read_rows(text, shown, GUID_COLUMNS, GUID_COLUMNS[:2], GUIDS_CODE, faults):
        row = _parse_guid_row(cells, Span(shown, places["device"].line, 1))
        faults += [row] if isinstance(row, Diagnostic) else []
        rows += [row] if isinstance(row, GuidRow) else []
    faults += _find_repeated_guids(rows)
    if faults:
        raise InputError(faults)
    return tuple(rows)


_make_guid_fault = partial(_make_fault, GUIDS_CODE)


def parse_guid(text: str) -> tuple[int, str, str]:
    """Return a GUID, what is wrong with it, and a hint; the number is 0 if anything is wrong, else the texts are ""."""
    number = int(text.lower().removeprefix("0x").replace(":", ""), 16) if re.fullmatch(_GUID, text) else 0
    # all zeros and all ones stand for no GUID
    if number in (0, (1 << 64) - 1):
        return 0, f"'{text}' is no GUID", "write its 16 hexadecimal digits, e.g. 0xb83fd20300a1b2c4"
    if number >> PLANNED_BITS == PLANNED >> PLANNED_BITS:
        hint = "take it from the hardware: `ibstat` on a node, `ibswitches` for switches"
        return 0, f"'{text}' is a planned GUID, which no hardware has", hint
    return number, "", ""


def _parse_guid_row(cells: Mapping[str, str], span: Span) -> GuidRow | Diagnostic:
    """Return the row of a line, or what is wrong with it."""
    device, port = cells.get("device", ""), cells.get("port", "")
    numbers = []
    for column in ("guid", "port_guid"):
        text = cells.get(column, "") or (cells.get("guid", "") if column == "port_guid" else "")
        number, why, hint = parse_guid(text)
        if why:
            return _make_guid_fault(why, span, hint)
        numbers.append(number)
    return (
        GuidRow(device, port, numbers[0], numbers[1], span)
        if device
        else _make_guid_fault("the line names no device", span)
    )


def _find_repeated_guids(rows: list[GuidRow]) -> Iterator[Diagnostic]:
    """Yield a fault for each GUID, and each port of a device, that is in two lines."""
    lines_of_ports: dict[tuple[str, str], int] = {}
    lines_of_guids: dict[int, int] = {}
    for row in rows:
        first_line = lines_of_ports.setdefault((row.device, row.port), row.span.line)
        if first_line != row.span.line:
            holder = f"port {row.port} of {row.device}" if row.port else row.device
            yield _make_guid_fault(f"{holder} is there twice, first in line {first_line}", row.span)
        for guid in {row.guid, row.port_guid}:
            first_line = lines_of_guids.setdefault(guid, row.span.line)
            if first_line != row.span.line:
                yield _make_guid_fault(f"GUID 0x{guid:016x} is there twice, first in line {first_line}", row.span)


# Which switches of a tier meet, if no rule says it: a table of pairs that a mesh names, with the columns `a` and `b`.

PAIRS_CODE = "FG142"
PAIR_COLUMNS = ("a", "b")
LAST_SWITCH = 4096
"""The highest number of a switch: as many as a group may have."""

_make_pair_fault = partial(_make_fault, PAIRS_CODE)


def read_pairs(
    blueprint: Blueprint, source: Located, folder: Path, unsaved: Mapping[str, bytes] | None, *, allow_outside: bool
) -> None:
    """Read the tables of switch pairs that meshes name, and store the pairs in these meshes (`MeshSpec.read_pairs`).

    A path is from the blueprint's folder and stays in it, unless `allow_outside`. `unsaved` has the content of files
    that are not saved, by path. Raises InputError: FG007 for a path that is not allowed, FG001 for a file that cannot
    be read; FG142, at each cell, for what is no number of a switch, or a pair that is there twice or of one switch.
    """
    for fabric_name, fabric in blueprint.fabrics.items():
        for tier_name, tier in fabric.tiers.items():
            for dimension, mesh in tier.mesh.items():
                if mesh.table is not None:
                    span = source.span(("fabrics", fabric_name, "tiers", tier_name, "mesh", dimension, "table"))
                    table = read_table(
                        mesh.table, folder, span, what="a table of pairs", allow_outside=allow_outside, unsaved=unsaved
                    )
                    mesh.read_pairs(parse_pairs(*table))


def parse_pairs(text: str, shown: str) -> tuple[Pair, ...]:
    """Return the pairs of a table, ascending, with numbers from 0: the table counts switches from 1.

    Raises InputError (FG142) with every cell that is wrong, and for a table without pairs.
    """
    faults: list[Diagnostic] = []
    rows: list[Pair] = []
    for cells, places in read_rows(text, shown, PAIR_COLUMNS, PAIR_COLUMNS, PAIRS_CODE, faults):
        numbers = [
            _read_switch_number(cells.get(column, ""), places.get(column, places["a"]), faults)
            for column in PAIR_COLUMNS
        ]
        if all(numbers):
            a, b = sorted(numbers)
            rows.append(Pair(a - 1, b - 1, places["a"]))
    faults += _find_faulty_pairs(rows)
    if not rows and not faults:
        faults.append(_make_pair_fault("the table has no pair", Span(shown, 1, 1), "add lines such as 1,2"))
    if faults:
        raise InputError(faults)
    return tuple(sorted(rows))


def _read_switch_number(text: str, span: Span, faults: list[Diagnostic]) -> int:
    """Return the number of a switch, from 1; for any other text add a fault, and return 0."""
    if text.isascii() and text.isdigit() and len(text) <= len(str(LAST_SWITCH)) and 1 <= int(text) <= LAST_SWITCH:
        return int(text)
    faults.append(_make_pair_fault(f"'{text}' is no number of a switch", span, f"write one from 1 to {LAST_SWITCH:,}"))
    return 0


def _find_faulty_pairs(rows: list[Pair]) -> Iterator[Diagnostic]:
    """Yield a fault for each switch that would meet itself, and each pair that is there twice."""
    first_lines: dict[tuple[int, int], int] = {}
    for row in rows:
        first_line = first_lines.setdefault(row[:2], row.span.line)
        if row.a == row.b:
            yield _make_pair_fault(f"switch {row.a + 1} cannot meet itself", row.span)
        elif first_line != row.span.line:
            text = f"{row.a + 1} and {row.b + 1} are there twice, first in line {first_line}"
            yield _make_pair_fault(text, row.span, "state `links: 2` for two links of every pair")


# The inventory: the machines that stand there, which nobody designs.
# The table has a header with the column `device`, and may have `port`, `mac`, `guid`, `serial` and `pci`. A line
# without a port is of the device itself: its serial number, and of a switch its base MAC and its GUID. Empty cells are
# not known yet. Subnet managers, configurations of switches and hosts, and lists of assets all use this reader.

INVENTORY_CODE, PCI_CODE = "FG060", "FG036"
INVENTORY_COLUMNS = ("device", "port", "mac", "guid", "serial")
OPTIONAL_COLUMNS = ("pci",)
"""Columns that most tables do not have."""
_MAC = r"(?i)[0-9a-f]{12}|([0-9a-f]{2}[:-]){5}[0-9a-f]{2}|([0-9a-f]{4}\.){2}[0-9a-f]{4}"
_PCI = r"(?i)([0-9a-f]{4}:)?[0-9a-f]{2}:[01][0-9a-f]\.[0-7]"
_SERIAL = r"[A-Za-z0-9][A-Za-z0-9 ._:/-]{0,63}"


class Hardware(NamedTuple):
    """A line of the table: `port` is "" for the device itself, `guid` is 0 and texts are "" if they are not known.

    `mac` is written aa:bb:cc:dd:ee:ff. `cells` has the place in the file of each cell, by column; always of `device`.
    """

    device: str
    port: str
    mac: str
    guid: int
    serial: str
    cells: Mapping[str, Span]
    pci: str = ""
    """The PCI address of a node's port, written 0000:1a:00.0."""

    @property
    def figures(self) -> tuple[str, ...]:
        """The values of the line as text, in the order of `INVENTORY_COLUMNS`; then the PCI address, if there is
        one.
        """
        guid = f"{self.guid:016x}" if self.guid else ""
        return self.device, self.port, self.mac, guid, self.serial, *((self.pci,) if self.pci else ())

    def report_cell(self, column: str, message: str, hint: str = "") -> Diagnostic:
        """Return the error that a cell is wrong, at the cell; at that of the device if the table has no such column."""
        span = self.cells.get(column, self.cells["device"])
        return Diagnostic(
            PCI_CODE if column == "pci" else INVENTORY_CODE, Severity.ERROR, message, hint=hint, span=span
        )


def read_inventory(blueprint: Blueprint, source: Located, folder: Path, *, allow_outside: bool) -> tuple[Hardware, ...]:
    """Return the lines of the table that a blueprint names, () if none; a path is from its folder and stays in it.

    Raises InputError: FG007 for a path that is not allowed, FG001 for a file that cannot be read; FG060, at each cell,
    for what is no MAC or GUID or is there twice, and if a fabric has a table of GUIDs as well; FG036 for PCI addresses.
    """
    if blueprint.inventory is None:
        return ()
    doubled = [name for name, fabric in blueprint.fabrics.items() if fabric.guids is not None]
    if doubled:
        message = f"GUIDs of {doubled[0]} come from `guids` and from `inventory`"
        hint = "put them into the inventory, and remove `guids`"
        span = source.span(("fabrics", doubled[0], "guids"))
        raise InputError(
            [Diagnostic(INVENTORY_CODE, Severity.ERROR, message, ("fabrics", doubled[0], "guids"), hint, span)]
        )
    span = source.span(("inventory",))
    return parse_inventory(
        *read_table(blueprint.inventory, folder, span, what="an inventory", allow_outside=allow_outside)
    )


def parse_inventory(text: str, shown: str) -> tuple[Hardware, ...]:
    """Return the lines of a table. Raises InputError (FG060, FG036 for PCI addresses) with every cell that is wrong."""
    faults: list[Diagnostic] = []
    lines = read_rows(text, shown, (*INVENTORY_COLUMNS, *OPTIONAL_COLUMNS), ("device",), INVENTORY_CODE, faults)
    rows = [row for cells, places in lines if (row := _parse_hardware(cells, places, faults))]
    faults += _find_repeated_hardware(rows)
    if faults:
        raise InputError(faults)
    return tuple(rows)


_make_hardware_fault, _make_pci_fault = partial(_make_fault, INVENTORY_CODE), partial(_make_fault, PCI_CODE)


def _parse_hardware(cells: Mapping[str, str], spans: Mapping[str, Span], faults: list[Diagnostic]) -> Hardware | None:
    """Return the line of these cells; None, with faults added, if a cell is wrong."""
    faults_before = len(faults)
    device, mac, serial = cells.get("device", ""), cells.get("mac", ""), cells.get("serial", "")
    if not device:
        faults.append(_make_hardware_fault("the line names no device", spans["device"]))
    digits = re.sub(r"[:.-]", "", mac.lower())
    if mac and not re.fullmatch(_MAC, mac):
        faults.append(_make_hardware_fault(f"'{mac}' is no MAC", spans["mac"], "write it like b8:3f:d2:a1:b2:c4"))
    # the lowest bit of the first byte marks an address of several (multicast)
    elif mac and (int(digits, 16) == 0 or int(digits[:2], 16) & 1):
        faults.append(
            _make_hardware_fault(f"'{mac}' is no MAC of a port: it is of no machine, or of several", spans["mac"])
        )
    guid = 0
    if text := cells.get("guid", ""):
        guid, why, hint = parse_guid(text)
        faults += [_make_hardware_fault(why, spans["guid"], hint)] if why else []
    if serial and not re.fullmatch(_SERIAL, serial):
        faults.append(_make_hardware_fault(f"'{serial}' is no serial number", spans["serial"]))
    pci, port = cells.get("pci", "").lower(), cells.get("port", "")
    if pci and not re.fullmatch(_PCI, pci):
        hint = "write it as `lspci -D` does, like 0000:1a:00.0"
        faults.append(_make_pci_fault(f"'{pci}' is no PCI address", spans["pci"], hint))
    elif pci and not port:
        faults.append(_make_pci_fault("a PCI address is of a port, and the line names none", spans["pci"]))
    if len(faults) > faults_before:
        return None
    mac = ":".join(digits[i : i + 2] for i in range(0, len(digits), 2))
    return Hardware(device, port, mac, guid, serial, spans, f"0000:{pci}" if pci.count(":") == 1 else pci)


def _find_repeated_hardware(rows: list[Hardware]) -> Iterator[Diagnostic]:
    """Yield a fault for each port, MAC, GUID and PCI address of a device that is there twice, and each serial number
    of two devices.

    The ports of one NIC share its serial number.
    """
    first_rows: dict[tuple[str, str], Hardware] = {}
    for row in rows:
        holder = f"port {row.port} of {row.device}" if row.port else row.device
        for column, key, text in (
            ("device", f"{row.device} {row.port}", holder),
            ("mac", row.mac, f"MAC {row.mac}"),
            ("guid", f"{row.guid:016x}" if row.guid else "", f"GUID 0x{row.guid:016x}"),
            ("serial", row.serial, f"serial number {row.serial}"),
            ("pci", f"{row.device} {row.pci}" if row.pci else "", f"PCI address {row.pci} of {row.device}"),
        ):
            # an empty key is a value that is not stated, which nothing repeats
            first_row = first_rows.setdefault((column, key), row) if key else row
            if first_row is not row and not (column == "serial" and first_row.device == row.device):
                yield row.report_cell(column, f"{text} is there twice, first in line {first_row.cells['device'].line}")
