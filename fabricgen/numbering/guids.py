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

from fabricgen.blueprint.beside.guids import CODE as GUIDS_CODE
from fabricgen.blueprint.beside.guids import PLANNED, PLANNED_BITS, GuidRow
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity, did_you_mean

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
