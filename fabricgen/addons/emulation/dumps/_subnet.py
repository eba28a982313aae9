"""A subnet of InfiniBand as its tools number it: an adapter a port of a node, GUIDs, and ports over the face."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from fabricgen.addons.emulation.dumps import Seen
from fabricgen.addons.emulation.plan import Port

FIRST_GUID = 0x0A00000000000000
"""Of a locally administered range, so that no adapter has one of those that follow."""


class SwitchFace(NamedTuple):
    """The model of a switch, and by cage the ports into which it is split on switches of its tier."""

    model: str
    splits: Mapping[str, int]


class End(NamedTuple):
    """One end of a link in a subnet."""

    guid: int
    name: str
    """As its node description has it: a switch's name, a host's with its adapter."""
    port: int
    switch: bool
    lid: int


def list_ends(seen: Seen, switches: Mapping[str, SwitchFace]) -> Mapping[Port, End]:
    """Every port of the subnet of some switches, and of the hosts that these see.

    Switches number ports over the face: every cage has as many numbers as the one of its tier that is split most.
    """
    ports = {port for port in seen if port[0] in switches}
    ports |= {far for port in ports if (far := seen[port])}
    owners = sorted({port[0] if port[0] in switches else " ".join(port) for port in ports})
    # a switch is one node with one LID; every port of a host is an adapter of its own
    lids = {owner: number for number, owner in enumerate(owners, start=1)}
    ends: dict[Port, End] = {}
    for device, port in sorted(ports):
        is_switch = device in switches
        name = device if is_switch else f"{device} {port}"
        number = _number_port(port, switches[device].splits) if is_switch else 1
        ends[device, port] = End(FIRST_GUID + 0x100 * lids[name], name, number, is_switch, lids[name])
    return ends


def _number_port(port: str, splits: Mapping[str, int]) -> int:
    """The number of port C/P over the face: of cages of two, 1/1, 1/2 and 2/1 are 1, 2 and 3.

    Ports of a cage that is split less than others have the first of the numbers that they share.
    """
    cage, _, part = port.partition("/")
    stride = max(splits.values(), default=1)
    return stride * (int(cage) - 1) + (int(part or 1) - 1) * (stride // splits.get(cage, 1)) + 1
