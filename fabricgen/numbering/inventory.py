"""The hardware table of a cluster: whether its lines name what is planned, and what they say of a fabric."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from fabricgen.blueprint.beside.guids import GuidRow
from fabricgen.blueprint.beside.inventory import Hardware
from fabricgen.kernel.diagnostics import Diagnostic, InputError, did_you_mean
from fabricgen.numbering.lazy_columns import Strings
from fabricgen.wiring.tables import SWITCH, WiringPlan


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
