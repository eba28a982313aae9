"""Lists of cables and of devices, as CSV: those of a build, those that NetBox exports or imports, and plain ones."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from fabricgen.adopt.facts import DeviceFacts, End
from fabricgen.kernel.diagnostics import Span, fault
from fabricgen.kernel.text_input import decode_text, read_bytes

CODE = "FG050"
MOST_BYTES = 256 * 1024 * 1024
"""The largest list: one of 600,000 links has some 100 MiB."""

ENDS = (
    ("a_device", "a_port", "b_device", "b_port"),
    ("device", "port", "neighbor", "neighbor_port"),
    ("side_a_device", "side_a_name", "side_b_device", "side_b_name"),
    ("device a", "termination a", "device b", "termination b"),
    ("from_device", "from_port", "to_device", "to_port"),
    ("source", "source_port", "destination", "destination_port"),
)
"""The columns of a list of cables: links.csv, dumps, what NetBox imports and exports, and usual ones by hand."""

LABELS = ("a_device", "label_a", "b_device", "label_b")
"""Those of cables.csv, whose labels have the ports."""

DEVICES = {
    "name": ("device", "name"),
    "model": ("model", "device_type", "device type", "type"),
    "nos": ("nos", "platform"),
    "role": ("tier", "role"),
    "serial": ("serial", "serial number"),
    "chassis": ("mac", "guid"),
    "site": ("site",),
    "rack": ("rack",),
    "u": ("u", "position"),
}
"""The columns of a list of devices, by what they tell."""


class Listed(NamedTuple):
    """What a list tells: joints as (end, end, Gb/s, place), devices, and in sentences what it does not."""

    joints: list[tuple[End, End, float, str]]
    devices: list[DeviceFacts]
    notes: list[str]


def read_list(file: str) -> Listed:
    """Read a list of cables, or one of devices, which its columns tell; raises InputError (FG050) for another."""
    text = decode_text(read_bytes(Path(file), file, limit=MOST_BYTES), file, limit=MOST_BYTES, kind="CSV")
    first = next((line for line in text.splitlines() if line.strip()), "")
    mark = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
    try:
        rows = [(reader.line_num, cells) for cells in reader if any(cells)]
    except csv.Error as error:
        raise _refuse(file, reader.line_num, f"this is no CSV: {error}") from None
    head = [cell.strip().lower() for cell in rows[0][1]] if rows else []
    columns = {name: number for number, name in enumerate(head)}
    for line, cells in rows[1:]:
        if len(cells) != len(head):
            raise _refuse(file, line, f"this line has {len(cells)} columns, the first one {len(head)}")
    ends = next((names for names in ENDS if columns.keys() >= set(names)), None)
    if ends:
        return _read_cables(file, columns, ends, rows[1:])
    if columns.keys() >= set(LABELS):
        return _read_cables(file, columns, LABELS, rows[1:])
    if {"name", "device"} & columns.keys() and set(DEVICES["model"]) & columns.keys():
        return Listed([], _read_devices(file, columns, rows[1:]), [])
    raise _refuse(file, 1, f"neither a list of cables nor one of devices: its columns are {', '.join(head) or 'none'}")


def _read_cables(
    file: str, columns: Mapping[str, int], names: tuple[str, str, str, str], rows: list[tuple[int, list[str]]]
) -> Listed:
    """The joints of a list of cables; rows without one of the four cells are counted in a note."""
    numbers = [columns[name] for name in names]
    speed = columns.get("speed_gbps", -1)
    joints, without = list[tuple[End, End, float, str]](), 0
    for line, cells in rows:
        a_device, a_port, b_device, b_port = (cells[number].strip() for number in numbers)
        if names is LABELS:
            a_port, b_port = _read_label(a_port), _read_label(b_port)
        if not (a_device and a_port and b_device and b_port):
            without += 1
            continue
        text = cells[speed].strip() if speed >= 0 else ""
        speed_gbps = float(text) if re.fullmatch(r"\d{1,5}(?:\.\d{1,3})?", text) else 0
        joints.append((End(a_device, a_port), End(b_device, b_port), speed_gbps, f"{file}:{line}"))
    notes = [f"{file}: {without:,} rows do not name two ports, and were left out"] if without else []
    return Listed(joints, [], notes)


def _read_label(label: str) -> str:
    """The port on the label of a plug: `h1.R01.02-U46:1/1 Ethernet0 > ...`, or the cage; "" for several ports."""
    near = label.partition(" > ")[0]
    place, _, port = near.partition(" ")
    port = port or place.rpartition(":")[2]
    return "" if "+" in port else port


def _read_devices(file: str, columns: Mapping[str, int], rows: list[tuple[int, list[str]]]) -> list[DeviceFacts]:
    """The devices of a list, those without a name left out. NetBox shows a rack with its facility id in brackets."""
    numbers = {
        field: next((columns[name] for name in names if name in columns), -1) for field, names in DEVICES.items()
    }
    devices = []
    for line, cells in rows:
        values = {field: cells[number].strip() if number >= 0 else "" for field, number in numbers.items()}
        if values["name"]:
            values["rack"] = re.sub(r" \([^()]*\)$", "", values["rack"])
            values["u"] = values["u"].removesuffix(".0")
            devices.append(DeviceFacts(**values, source=f"{file}:{line}"))
    return devices


def _refuse(file: str, line: int, message: str) -> Exception:
    hint = f"a list of cables has {','.join(ENDS[0])}; one of devices has name,model"
    return fault(CODE, message, hint=hint, span=Span(file, line, 1))
