"""A subnet of InfiniBand as its tools number it: an adapter a port of a node, GUIDs, and ports over the face."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from fabricgen.addons.emulation.dumps import Seen
from fabricgen.addons.emulation.plan import Port

FIRST_GUID = 0x0A00000000000000
"""Of a locally administered range, so that no adapter has one of those that follow."""


class End(NamedTuple):
    """One end of a link in a subnet."""

    guid: int
    name: str
    """As its node description has it: a switch's name, a host's with its adapter."""
    port: int
    switch: bool
    lid: int


def list_ends(seen: Seen, switches: Mapping[str, str]) -> Mapping[Port, End]:
    """Every port of the subnet of some switches, the model of each, and of the hosts that these see.

    Switches number ports over the face: every cage has as many numbers as the one of its model that is split most.
    """
    ports = {port for port in seen if port[0] in switches}
    # ports of the cage of each model that is split most
    per_cage: dict[str, int] = {}
    for device, port in ports:
        model, parts = switches[device], int(port.partition("/")[2] or 1)
        per_cage[model] = max(parts, per_cage.get(model, 1))
    ports |= {far for port in ports if (far := seen[port])}
    owners = sorted({port[0] if port[0] in switches else " ".join(port) for port in ports})
    # a switch is one node with one LID; every port of a host is an adapter of its own
    lids = {owner: number for number, owner in enumerate(owners, start=1)}
    ends: dict[Port, End] = {}
    for device, port in sorted(ports):
        is_switch = device in switches
        name = device if is_switch else f"{device} {port}"
        number = _number_port(port, per_cage[switches[device]]) if is_switch else 1
        ends[device, port] = End(FIRST_GUID + 0x100 * lids[name], name, number, is_switch, lids[name])
    return ends


def _number_port(port: str, per_cage: int) -> int:
    """The number of port C/P over the face: of cages of two, 1/1, 1/2 and 2/1 are 1, 2 and 3."""
    cage, _, part = port.partition("/")
    return per_cage * (int(cage) - 1) + int(part or 1)
