"""GUIDs of InfiniBand devices: stated ones, else planned ones that no hardware has.

Hardware GUIDs are unknown until the racks stand. Until then planned GUIDs identify devices across files, as simulators
need it. They begin with 02f: an EUI-64 with the local bit set belongs to no manufacturer. They are hashes of the
device's name, so that they do not depend on what else is in the cluster; the GUID of a port is that of its adapter plus
one, as in ibsim.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from fabricgen.blueprint.beside.tables import GUIDS_CODE, PLANNED, PLANNED_BITS, GuidRow, Hardware
from fabricgen.catalog.models import NodeProfile, SwitchProfile
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity, did_you_mean
from fabricgen.numbering.lazy_columns import Strings
from fabricgen.wiring.tables import SWITCH, WiringPlan

_PORT_BITS = 8
_DEVICE_BITS = PLANNED_BITS - _PORT_BITS

FabricDevice: TypeAlias = tuple[str, str]
"""(fabric, device)"""


@dataclass(frozen=True, slots=True)
class GuidDevices:
    """The devices of a fabric that have GUIDs: its switches, its nodes, and the port names of each node, by node
    name.
    """

    switches: tuple[FabricDevice, ...]
    nodes: tuple[FabricDevice, ...]
    ports: Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Guids:
    """The GUIDs of a fabric: stated rows by (device, port), with port "" for a switch, and a planned GUID for every
    device.
    """

    stated: Mapping[tuple[str, str], GuidRow]
    planned: Mapping[FabricDevice, int]

    def find_switch_guid(self, fabric: str, device: str) -> tuple[int, bool]:
        """Return the node GUID of a switch, and whether it is stated."""
        row = self.stated.get((device, ""))
        return (row.guid, True) if row else (self.planned[fabric, device], False)

    def find_port_guids(self, fabric: str, device: str, port: str, index: int) -> tuple[int, int, bool]:
        """Return the node GUID and the port GUID of a port of a node, and whether they are stated; `index` counts
        the node's ports from 0.
        """
        row = self.stated.get((device, port))
        if row:
            return row.guid, row.port_guid, True
        # even numbers are nodes, each with its port next to it; the first pair is that of the device itself
        planned = self.planned[fabric, device] + 2 * (index + 1)
        return planned, planned + 1, False


def assign_guids(devices: GuidDevices, rows: Sequence[GuidRow]) -> Guids:
    """Return the GUIDs of a fabric: those of the stated `rows`, and a planned one for every device.

    Raises InputError with each row that names no switch or port of the fabric.
    """
    switches = {name for _, name in devices.switches}
    faults = [diagnostic for row in rows if (diagnostic := _check_guid_row(row, switches, devices.ports))]
    if faults:
        raise InputError(faults)
    stated = {(row.device, row.port or "".join(devices.ports.get(row.device, ()))): row for row in rows}
    return Guids(stated, _plan_guids((*devices.switches, *devices.nodes)))


def _plan_guids(devices: Iterable[FabricDevice]) -> dict[FabricDevice, int]:
    """Return the planned GUID of each device. If two names hash alike, the later device in sorted order is hashed
    again.
    """
    used_numbers: set[int] = set()
    planned: dict[FabricDevice, int] = {}
    for device in sorted(devices):
        salt = 0
        while (number := _hash_device(device, salt)) in used_numbers:
            salt += 1
        used_numbers.add(number)
        # the low bits are left for the ports of the device
        planned[device] = PLANNED | number << _PORT_BITS
    return planned


def _hash_device(device: FabricDevice, salt: int) -> int:
    """Return the number in a planned GUID that distinguishes a device: a hash of its fabric, its name and `salt`."""
    digest = hashlib.blake2b(f"{device[0]} {device[1]} {salt}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 64 - _DEVICE_BITS


def find_unknown_guid_devices(rows: Iterable[GuidRow], names: Sequence[str]) -> Iterator[Diagnostic]:
    """Yield a fault for each row that names a device that does not exist."""
    known_names = frozenset(names)
    for row in rows:
        if row.device not in known_names:
            why = f"there is no device '{row.device}'"
            yield Diagnostic(GUIDS_CODE, Severity.ERROR, why, hint=did_you_mean(row.device, names), span=row.span)


def _check_guid_row(row: GuidRow, switches: set[str], ports: Mapping[str, Sequence[str]]) -> Diagnostic | None:
    """Return a fault for a row of an unknown device or port, or without a port of a node with several; else None."""
    node_ports = ports.get(row.device, ())
    if row.device in switches:
        why = f"{row.device} is a switch, and its ports have no GUIDs" if row.port else ""
        hint = "leave `port` empty"
    elif not node_ports:
        why, hint = f"there is no device '{row.device}' in this fabric", did_you_mean(row.device, [*switches, *ports])
    elif row.port:
        why = "" if row.port in node_ports else f"{row.device} has no port '{row.port}' in this fabric"
        hint = did_you_mean(row.port, node_ports)
    else:
        why = f"{row.device} has {len(node_ports)} ports in this fabric" if len(node_ports) > 1 else ""
        hint = f"add a column `port`: {', '.join(node_ports)}"
    return Diagnostic(GUIDS_CODE, Severity.ERROR, why, hint=hint, span=row.span) if why else None


# The hardware table of a cluster: checks that its lines name planned devices and ports, and its GUIDs by fabric.


def name_bmc_port(profile: NodeProfile | SwitchProfile) -> str:
    """Return the port of an inventory line of a device's BMC: as the profile of a node calls it, else `BMC`.

    It need not be cabled in the plan: the BMC of a switch is on the cable of its management port.
    """
    bmc = profile.roles.get("bmc") if isinstance(profile, NodeProfile) else None
    return bmc.ports[0].name if bmc else "BMC"


def check_inventory(
    rows: Sequence[Hardware], plan: WiringPlan, names: Sequence[str], ports: tuple[Strings, Strings]
) -> None:
    """Raise InputError (FG060) for each line of a device or port that is not planned, or that says too little.

    `names` are the names of devices by row, `ports` the port names of the lower and of the upper ends of all links.
    """
    rows_by_name = {name: row for row, name in enumerate(names)}
    # switch trays of a scale-up domain run a NOS, and have a MAC of their own, as switches of fabrics have
    switches = {name for c in plan.devices.classes if c.kind == SWITCH or c.nos for name in names[c.rows]}
    ports_by_row = _list_cabled_ports(
        {rows_by_name[row.device] for row in rows if row.device in rows_by_name}, plan, ports
    )
    bmc_ports = [name_bmc_port(c.profile) for c in plan.devices.classes]
    faults = list(find_unknown_inventory_devices(rows, names))
    for row in rows:
        if row.device in rows_by_name:
            device = rows_by_name[row.device]
            ports_here = [*ports_by_row.get(device, ()), bmc_ports[plan.devices.device_class[device]]]
            faults += _check_hardware_row(row, ports_here, is_switch=row.device in switches)
    if faults:
        raise InputError(faults)


def find_unknown_inventory_devices(rows: Iterable[Hardware], names: Sequence[str]) -> Iterator[Diagnostic]:
    """Yield a fault for each line that names a device that does not exist."""
    known_names = frozenset(names)
    for row in rows:
        if row.device not in known_names:
            yield row.report_cell("device", f"there is no device '{row.device}'", did_you_mean(row.device, names))


def list_guid_rows(
    rows: Iterable[Hardware], switches: Iterable[str], ports: Mapping[str, Sequence[str]]
) -> list[GuidRow]:
    """Return the rows with GUIDs of one fabric: those of its switches, and those of ports of its nodes."""
    holders = {(name, "") for name in switches} | {
        (node, port) for node, port_names in ports.items() for port in port_names
    }
    return [
        GuidRow(row.device, row.port, row.guid, row.guid, row.cells["device"])
        for row in rows
        if row.guid and (row.device, row.port) in holders
    ]


def _list_cabled_ports(wanted_rows: set[int], plan: WiringPlan, ports: tuple[Strings, Strings]) -> dict[int, list[str]]:
    """Return the names of the cabled ports of some devices, by row of the device."""
    chosen, ports_by_row = np.zeros(len(plan.devices), dtype=bool), dict[int, list[str]]()
    chosen[list(wanted_rows)] = True
    for devices, texts in ((plan.links.a_device, ports[0]), (plan.links.b_device, ports[1])):
        links = np.flatnonzero(chosen[devices])
        for device, text in zip(devices[links].tolist(), texts[links].tolist(), strict=True):
            ports_by_row.setdefault(device, []).append(text)
    return ports_by_row


def _check_hardware_row(row: Hardware, ports: Sequence[str], *, is_switch: bool) -> Iterator[Diagnostic]:
    """Yield the faults of a line: a port that is not cabled, a GUID for a port of a switch, a MAC or GUID of a node
    without its port.
    """
    if row.port and row.port not in ports:
        yield row.report_cell("port", f"{row.device} has no cabled port '{row.port}'", did_you_mean(row.port, ports))
    elif row.port and is_switch and row.guid:
        yield row.report_cell("guid", f"{row.device} is a switch, and its ports have no GUIDs", "leave `port` empty")
    elif not row.port and not is_switch:
        for column in ("mac", "guid"):
            if getattr(row, column):
                hint = f"name its port: {', '.join(sorted(set(ports))[:8])}"
                yield row.report_cell(column, f"of which port of {row.device} this is, is not said", hint)
