"""An existing allocation as CSV: each line is a device, a port address or a link."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fabricgen.blueprint.beside.adopted import Key, parse_adopted
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity, Span, did_you_mean
from fabricgen.kernel.text_input import decode_text, read_bytes
from fabricgen.publish.reading import refuse_unfinished_around

CODE = "FG050"

MAX_BYTES = 256 * 1024 * 1024
"""The largest list that is read; links of 200,000 GPUs are a quarter of it."""

DEVICE_COLUMNS = ("device", "name", "asn", "loopback", "mgmt", "port", "address")
_ENDS = (("a_device", "a_port", "a_ip"), ("b_device", "b_port", "b_ip"))
_PLACE = ("site", "pod", "su", "rack", "u", "rail", "plane")
_PASSED_OVER = frozenset(("fabric", "tier", "model", "nos", *_PLACE, "link", "cable", "speed_gbps"))
"""Columns of devices.csv and links.csv that state no name or number, and are not read."""

_LACKING_DEVICE = (
    "it has what the plan calls each device, as devices.csv does; where `names` of the blueprint gives the names that "
    f"they have, call their column `device`; columns: {', '.join(DEVICE_COLUMNS)}"
)

_KNOWN = (*DEVICE_COLUMNS, *(column for end in _ENDS for column in end))


@dataclass(frozen=True, slots=True)
class Stated:
    """One value that a list states; `key.device` is the name as the list has it."""

    key: Key
    value: str
    length: int
    """The prefix length that is written with the value; -1 for none."""
    span: Span


@dataclass(slots=True)
class Allocation:
    """What was read from all lists: the values that they state, and every fault in them.

    `named` says whether at least one list has a column `name`, for the present names of its devices, beside `device`.
    """

    stated: list[Stated] = field(default_factory=list)
    faults: list[Diagnostic] = field(default_factory=list)
    named: bool = False
    """Whether present names have a column of their own, so that `device` has the names that fabricgen gives."""


def read_allocations(files: Sequence[str]) -> Allocation:
    """Read lists of devices, port addresses or links. Faults in their lines are collected in the result.

    A value that several lines state alike is there once. Raises InputError for a file that cannot be read or whose
    header does not fit (FG050); FG028 for one in a folder in which a build was stopped while it landed.
    """
    allocation = Allocation()
    first_stated: dict[Key, Stated] = {}
    for file in files:
        refuse_unfinished_around(Path(file))
        text = decode_text(read_bytes(Path(file), file, limit=MAX_BYTES), file, limit=MAX_BYTES, kind="CSV")
        _List(file, allocation).read(text)
    unique = []
    for stated in allocation.stated:
        earlier = first_stated.setdefault(stated.key, stated)
        if earlier is stated:
            unique.append(stated)
        elif earlier.value != stated.value:
            message = f"{stated.key.text()} is {stated.value} here and {earlier.value} at {earlier.span}"
            allocation.faults.append(Diagnostic(CODE, Severity.ERROR, message, (), "state it once", stated.span))
    allocation.stated = unique
    return allocation


class _List:
    """Reads one list into an `Allocation`: its values, and a fault for each cell that is wrong."""

    def __init__(self, file: str, allocation: Allocation) -> None:
        self._file, self._allocation = file, allocation
        self._columns: list[str] = []

    def read(self, text: str) -> None:
        """Read the header, then a value or a fault from each line; the first line says what separates cells."""
        head = next((line for line in text.splitlines() if line.strip()), "")
        # spreadsheets write commas, semicolons or tabs, by the language that they are set to
        self._separator = max(",;\t", key=head.count)
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=self._separator, strict=True)
        self._lines, before = text.splitlines(), 0
        try:
            for cells in reader:
                # a cell in quotation marks may have several lines: `line` is the first line of the row
                line, before = before + 1, reader.line_num
                if not any(cell.strip() for cell in cells):
                    continue
                if not self._columns:
                    self._read_header(cells, line)
                else:
                    self._read_row([cell.strip() for cell in cells], line)
        except csv.Error as error:
            self._add_fault(reader.line_num, 0, f"this is no CSV: {error}", "close every quotation mark")
        if not self._columns:
            self._add_fault(1, 0, "the list is empty", f"its first line names columns: {', '.join(DEVICE_COLUMNS)}")

    def _read_header(self, cells: Sequence[str], line: int) -> None:
        """Keep the header's names of columns, in small letters.

        Adds a fault for each column that is unknown or there twice, and for columns that are missing; then raises
        InputError with all faults so far. A column `name` sets `named` of the allocation.
        """
        self._columns = [cell.strip().lower() for cell in cells]
        faults_before = len(self._allocation.faults)
        for i, column in enumerate(self._columns):
            if column not in _KNOWN and column not in _PASSED_OVER:
                hint = did_you_mean(column, DEVICE_COLUMNS)
                self._add_fault(line, i, f"there is no column '{cells[i].strip()}'", hint)
            elif column in self._columns[:i]:
                self._add_fault(line, i, f"the column '{column}' is there twice", "delete one of them")
        if "device" not in self._columns and not {"a_device", "b_device"} <= set(self._columns):
            self._add_fault(line, 0, "there is no column 'device'", _LACKING_DEVICE)
        if ("port" in self._columns) != ("address" in self._columns):
            self._add_fault(line, 0, "'port' and 'address' go together", "one line a port address")
        if len(self._allocation.faults) > faults_before:
            raise InputError(self._allocation.faults)
        self._allocation.named |= "name" in self._columns

    def _read_row(self, cells: Sequence[str], line: int) -> None:
        """Read the values of one line: of a device with its port address, or of both ends of a link."""
        if len(cells) != len(self._columns):
            message = f"this line has {len(cells)} columns, the first one {len(self._columns)}"
            self._add_fault(line, 0, message, "leave a cell empty for what a device does not have")
            return
        row = dict(zip(self._columns, cells, strict=True))
        # a list of links names both ends by other columns
        ends = [] if "device" in row else [end for end in _ENDS if row.get(end[1]) and row.get(end[2])]
        for device, port, address in ends:
            self._read_value(line, row[device], "port", address, row[address], row[port])
        if "device" not in row:
            return
        if not row["device"]:
            self._add_fault(
                line, self._columns.index("device"), "this line names no device", "give its name in `device`"
            )
            return
        for column in ("name", "asn", "loopback", "mgmt"):
            if row.get(column):
                self._read_value(line, row["device"], column, column, row[column])
        if bool(row.get("port")) != bool(row.get("address")):
            present = "port" if row.get("port") else "address"
            missing = "address" if present == "port" else "port"
            self._add_fault(
                line, self._columns.index(present), f"{present} {row[present]} has no {missing}", "state both"
            )
        elif row.get("port"):
            self._read_value(line, row["device"], "port", "address", row["address"], row["port"])

    def _read_value(self, line: int, device: str, kind: str, column: str, text: str, port: str = "") -> None:
        """Add one value of a device to the allocation, or a fault at its cell.

        `kind` becomes `what` of the value's key, such as `asn`. `text` is the cell, in the column named `column`;
        `port` is the port that an address belongs to, "" for all else.
        """
        index = self._columns.index(column)
        is_address = kind in ("loopback", "mgmt", "port")
        value, slash, length = text.partition("/") if is_address else (text, "", "")
        key = Key(device, kind, port, is_address and ":" in value)
        try:
            if slash and not re.fullmatch(r"[0-9]{1,3}", length):
                raise ValueError(f"'{text}' has no prefix length such as /31")
            read = parse_adopted(key, value)
        except ValueError as error:
            self._add_fault(line, index, str(error), f"`{column}` of {device}")
            return
        self._allocation.stated.append(Stated(key, read, int(length) if length else -1, self._find_span(line, index)))

    def _add_fault(self, line: int, cell: int, message: str, hint: str) -> None:
        self._allocation.faults.append(Diagnostic(CODE, Severity.ERROR, message, (), hint, self._find_span(line, cell)))

    def _find_span(self, line: int, cell: int) -> Span:
        """Return where a cell (from 0) begins; for a line with quotation marks, where the line begins."""
        text = self._lines[line - 1] if line <= len(self._lines) else ""
        cells_before = text.split(self._separator)[:cell] if '"' not in text else []
        return Span(self._file, line, 1 + sum(len(text) + 1 for text in cells_before))
