"""GUIDs of InfiniBand devices: those stated, else placeholders that no hardware has.

Hardware GUIDs are unknown until the racks stand. Until then planned ones identify devices across files, as simulators
need it. They begin with 02f: an EUI-64 with the local bit set belongs to no manufacturer. They are hashes of the
device's name, so that they do not depend on what else is in the cluster; the GUID of a port is that of its adapter
plus one, as in ibsim.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from fabricgen.blueprint.beside.inventory import Hardware
from fabricgen.blueprint.beside.tables import CODE as GUIDS_CODE
from fabricgen.blueprint.beside.tables import PLANNED, PLANNED_BITS, GuidRow
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity, did_you_mean
from fabricgen.numbering.lazy_columns import Strings
from fabricgen.wiring.tables import SWITCH, WiringPlan

_PORT_BITS = 8
_DEVICE_BITS = PLANNED_BITS - _PORT_BITS

FabricDevice: TypeAlias = tuple[str, str]
"""(fabric, device)"""


@dataclass(frozen=True, slots=True)
class GuidDevices:
    """What has GUIDs in a fabric: its switches, its nodes, and the port names of each node, by node name."""

    switches: tuple[FabricDevice, ...]
    nodes: tuple[FabricDevice, ...]
    ports: Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Guids:
    """GUIDs of a fabric: stated ones by (device, port), port "" for a switch, and a planned one for every device."""

    stated: Mapping[tuple[str, str], GuidRow]
    planned: Mapping[FabricDevice, int]

    def of_switch(self, fabric: str, device: str) -> tuple[int, bool]:
        """(node GUID, whether it is stated)."""
        row = self.stated.get((device, ""))
        return (row.guid, True) if row else (self.planned[fabric, device], False)

    def of_port(self, fabric: str, device: str, port: str, place: int) -> tuple[int, int, bool]:
        """(node GUID, port GUID, whether they are stated) of a port of a node; `place` is its index, from 0."""
        row = self.stated.get((device, port))
        if row:
            return row.guid, row.port_guid, True
        planned = self.planned[fabric, device] + 2 * (place + 1)
        return planned, planned + 1, False


def guids_of(devices: GuidDevices, rows: Sequence[GuidRow]) -> Guids:
    """The GUIDs of a fabric: `rows` are those stated, and every device gets a planned one.

    Raises InputError with each row that names no switch or port of the fabric.
    """
    switches = {name for _, name in devices.switches}
    faults = [found for row in rows if (found := _fault(row, switches, devices.ports))]
    if faults:
        raise InputError(faults)
    stated = {(row.device, row.port or "".join(devices.ports.get(row.device, ()))): row for row in rows}
    return Guids(stated, _planned((*devices.switches, *devices.nodes)))


def _planned(devices: Iterable[FabricDevice]) -> dict[FabricDevice, int]:
    """The planned GUID of each device; if two hash to the same value, the later one in order is hashed again."""
    taken: set[int] = set()
    found: dict[FabricDevice, int] = {}
    for device in sorted(devices):
        salt = 0
        while (number := _hash(device, salt)) in taken:
            salt += 1
        taken.add(number)
        found[device] = PLANNED | number << _PORT_BITS
    return found


def _hash(device: FabricDevice, salt: int) -> int:
    digest = hashlib.blake2b(f"{device[0]} {device[1]} {salt}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 64 - _DEVICE_BITS


def unknown_guid_devices(rows: Iterable[GuidRow], names: Sequence[str]) -> Iterator[Diagnostic]:
    """Faults of rows that name a device that there is not."""
    known = frozenset(names)
    for row in rows:
        if row.device not in known:
            why = f"there is no device '{row.device}'"
            yield Diagnostic(GUIDS_CODE, Severity.ERROR, why, hint=did_you_mean(row.device, names), span=row.span)


def _fault(row: GuidRow, switches: set[str], ports: Mapping[str, Sequence[str]]) -> Diagnostic | None:
    """A diagnostic for a row of an unknown device or port, or without a port where the device has several."""
    own = ports.get(row.device, ())
    if row.device in switches:
        why = f"{row.device} is a switch, and its ports have no GUIDs" if row.port else ""
        hint = "leave `port` empty"
    elif not own:
        why, hint = f"there is no device '{row.device}' in this fabric", did_you_mean(row.device, [*switches, *ports])
    elif row.port:
        why = "" if row.port in own else f"{row.device} has no port '{row.port}' in this fabric"
        hint = did_you_mean(row.port, own)
    else:
        why = f"{row.device} has {len(own)} ports in this fabric" if len(own) > 1 else ""
        hint = f"add a column `port`: {', '.join(own)}"
    return Diagnostic(GUIDS_CODE, Severity.ERROR, why, hint=hint, span=row.span) if why else None


# The hardware table of a cluster: whether its lines name what is planned, and what they say of a fabric.


def check_inventory(
    rows: Sequence[Hardware], plan: WiringPlan, names: Sequence[str], ports: tuple[Strings, Strings]
) -> None:
    """Raise InputError (FG060) for each line of a device or port that is not planned, or that says too little.

    `ports` are the port names of the a and b ends of every link.
    """
    number = {name: row for row, name in enumerate(names)}
    # switch trays of a scale-up domain run a NOS, and have a MAC of their own, as switches of fabrics have
    switches = {name for c in plan.devices.classes if c.kind == SWITCH or c.nos for name in names[c.rows]}
    known = _ports_of({number[row.device] for row in rows if row.device in number}, plan, ports)
    faults = list(unknown_inventory_devices(rows, names))
    for row in rows:
        if row.device in number:
            faults += _faults(row, known.get(number[row.device], ()), is_switch=row.device in switches)
    if faults:
        raise InputError(faults)


def unknown_inventory_devices(rows: Iterable[Hardware], names: Sequence[str]) -> Iterator[Diagnostic]:
    """Faults of lines that name a device that there is not."""
    known = frozenset(names)
    for row in rows:
        if row.device not in known:
            yield row.wrong("device", f"there is no device '{row.device}'", did_you_mean(row.device, names))


def guid_rows(rows: Iterable[Hardware], switches: Iterable[str], ports: Mapping[str, Sequence[str]]) -> list[GuidRow]:
    """The stated GUIDs of one fabric: of its switches, and of ports by node."""
    own = {(name, "") for name in switches} | {(node, port) for node, each in ports.items() for port in each}
    return [
        GuidRow(row.device, row.port, row.guid, row.guid, row.cells["device"])
        for row in rows
        if row.guid and (row.device, row.port) in own
    ]


def _ports_of(wanted: set[int], plan: WiringPlan, ports: tuple[Strings, Strings]) -> dict[int, list[str]]:
    """The names of the cabled ports of some devices, by their rows."""
    chosen, found = np.zeros(len(plan.devices), dtype=bool), dict[int, list[str]]()
    chosen[list(wanted)] = True
    for devices, texts in ((plan.links.a_device, ports[0]), (plan.links.b_device, ports[1])):
        at = np.flatnonzero(chosen[devices])
        for device, text in zip(devices[at].tolist(), texts[at].tolist(), strict=True):
            found.setdefault(device, []).append(text)
    return found


def _faults(row: Hardware, ports: Sequence[str], *, is_switch: bool) -> Iterator[Diagnostic]:
    if row.port and row.port not in ports:
        yield row.wrong("port", f"{row.device} has no cabled port '{row.port}'", did_you_mean(row.port, ports))
    elif row.port and is_switch and row.guid:
        yield row.wrong("guid", f"{row.device} is a switch, and its ports have no GUIDs", "leave `port` empty")
    elif not row.port and not is_switch:
        for column in ("mac", "guid"):
            if getattr(row, column):
                hint = f"name its port: {', '.join(sorted(set(ports))[:8])}"
                yield row.wrong(column, f"of which port of {row.device} this is, is not said", hint)
