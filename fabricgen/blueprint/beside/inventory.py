"""The hardware table beside a blueprint: what the machines that stand there are, since nobody designs it.

CSV with a header: `device` is needed, `port`, `mac`, `guid`, `serial` and `pci` may be there. A line without a port is
of the device itself: its serial number, and of a switch its base MAC and its GUID. Empty cells are not known yet. One
reader for all who ask: subnet managers, configurations of switches and hosts, and later lists of assets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from fabricgen.blueprint.beside.tables import bind_fault_code, parse_guid, read_rows, read_table
from fabricgen.blueprint.models import Blueprint
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity, Span
from fabricgen.yaml.located import Located

CODE, PCI_CODE = "FG060", "FG036"
COLUMNS = ("device", "port", "mac", "guid", "serial")
OPTIONAL = ("pci",)
"""Columns that most tables do not have."""
_MAC = r"(?i)[0-9a-f]{12}|([0-9a-f]{2}[:-]){5}[0-9a-f]{2}|([0-9a-f]{4}\.){2}[0-9a-f]{4}"
_PCI = r"(?i)([0-9a-f]{4}:)?[0-9a-f]{2}:[01][0-9a-f]\.[0-7]"
_SERIAL = r"[A-Za-z0-9][A-Za-z0-9 ._:/-]{0,63}"


class Hardware(NamedTuple):
    """A line of the table: `port` is "" for the device itself, `guid` 0 and texts "" where they are not known.

    `mac` is written aa:bb:cc:dd:ee:ff. `cells` are the places of `COLUMNS` in the file.
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
        """What it says, as text, in the order of `COLUMNS`; then the PCI address, where there is one."""
        guid = f"{self.guid:016x}" if self.guid else ""
        return self.device, self.port, self.mac, guid, self.serial, *((self.pci,) if self.pci else ())

    def report_cell(self, column: str, message: str, hint: str = "") -> Diagnostic:
        """Return the finding that a cell is wrong, at the cell; at that of the device where the list has no such
        column.
        """
        span = self.cells.get(column, self.cells["device"])
        return Diagnostic(PCI_CODE if column == "pci" else CODE, Severity.ERROR, message, hint=hint, span=span)


def read_inventory(blueprint: Blueprint, source: Located, folder: Path, *, allow_outside: bool) -> tuple[Hardware, ...]:
    """Read the table that a blueprint names; a path is from the blueprint's folder and stays in it.

    Raises InputError: FG007 for a path that is not allowed, FG001 for a file that cannot be read, FG060, at each cell,
    for what is no MAC or GUID or is there twice, and where a fabric has a table of GUIDs as well; FG036 for
    PCI addresses.
    """
    if blueprint.inventory is None:
        return ()
    doubled = [name for name, fabric in blueprint.fabrics.items() if fabric.guids is not None]
    if doubled:
        message = f"GUIDs of {doubled[0]} come from `guids` and from `inventory`"
        hint = "put them into the inventory, and remove `guids`"
        span = source.span(("fabrics", doubled[0], "guids"))
        raise InputError([Diagnostic(CODE, Severity.ERROR, message, ("fabrics", doubled[0], "guids"), hint, span)])
    span = source.span(("inventory",))
    return parse_inventory(
        *read_table(blueprint.inventory, folder, span, what="an inventory", allow_outside=allow_outside)
    )


def parse_inventory(text: str, shown: str) -> tuple[Hardware, ...]:
    """Read a table; raises InputError (FG060) with every cell that is wrong."""
    faults: list[Diagnostic] = []
    lines = read_rows(text, shown, (*COLUMNS, *OPTIONAL), ("device",), CODE, faults)
    rows = [row for cells, places in lines if (row := _parse_row(cells, places, faults))]
    faults += _find_repeated(rows)
    if faults:
        raise InputError(faults)
    return tuple(rows)


_make_fault, _make_pci_fault = bind_fault_code(CODE), bind_fault_code(PCI_CODE)


def _parse_row(cells: Mapping[str, str], spans: Mapping[str, Span], faults: list[Diagnostic]) -> Hardware | None:
    """Return a line read; None, with its faults told, where a cell is wrong."""
    before = len(faults)
    device, mac, serial = cells.get("device", ""), cells.get("mac", ""), cells.get("serial", "")
    if not device:
        faults.append(_make_fault("the line names no device", spans["device"]))
    digits = re.sub(r"[:.-]", "", mac.lower())
    if mac and not re.fullmatch(_MAC, mac):
        faults.append(_make_fault(f"'{mac}' is no MAC", spans["mac"], "write it like b8:3f:d2:a1:b2:c4"))
    # the lowest bit of the first byte marks an address of several (multicast)
    elif mac and (int(digits, 16) == 0 or int(digits[:2], 16) & 1):
        faults.append(_make_fault(f"'{mac}' is no MAC of a port: it is of no machine, or of several", spans["mac"]))
    guid = 0
    if text := cells.get("guid", ""):
        guid, why, hint = parse_guid(text)
        faults += [_make_fault(why, spans["guid"], hint)] if why else []
    if serial and not re.fullmatch(_SERIAL, serial):
        faults.append(_make_fault(f"'{serial}' is no serial number", spans["serial"]))
    pci, port = cells.get("pci", "").lower(), cells.get("port", "")
    if pci and not re.fullmatch(_PCI, pci):
        hint = "write it as `lspci -D` does, like 0000:1a:00.0"
        faults.append(_make_pci_fault(f"'{pci}' is no PCI address", spans["pci"], hint))
    elif pci and not port:
        faults.append(_make_pci_fault("a PCI address is of a port, and the line names none", spans["pci"]))
    if len(faults) > before:
        return None
    mac = ":".join(digits[i : i + 2] for i in range(0, len(digits), 2))
    return Hardware(device, port, mac, guid, serial, spans, f"0000:{pci}" if pci.count(":") == 1 else pci)


def _find_repeated(rows: list[Hardware]) -> Iterator[Diagnostic]:
    """Yield places, MACs and GUIDs that are there twice, and serial numbers of two devices.

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
            first = first_rows.setdefault((column, key), row) if key else row
            if first is not row and not (column == "serial" and first.device == row.device):
                yield row.report_cell(column, f"{text} is there twice, first in line {first.cells['device'].line}")
