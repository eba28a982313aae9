"""A subnet of InfiniBand as its tools number it: an adapter a port of a node, GUIDs, and ports over the face."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from tests.hall.dumps import Seen
from tests.hall.plan import Port


class End(NamedTuple):
    """One end of a link in a subnet."""

    guid: int
    name: str
    """As its node description has it: a switch's name, a host's with its adapter."""
    port: int
    switch: bool


def face_number(port: str) -> int:
    """The number of port C/P of a switch of twin-port cages: 1/1, 1/2, 2/1 are 1, 2, 3."""
    cage, connector = port.split("/")
    return 2 * int(cage) - 2 + int(connector)


def ends(seen: Seen, switches: Iterable[str]) -> Mapping[Port, End]:
    """Every port of the subnet of some switches, and of the hosts that these see."""
    of_subnet = set(switches)
    ports = {port for port in seen if port[0] in of_subnet}
    ports |= {far for port in ports if (far := seen[port])}
    owners = sorted({port[0] if port[0] in of_subnet else " ".join(port) for port in ports})
    guids = {owner: 0x0A00000000000000 + 0x100 * number for number, owner in enumerate(owners, start=1)}
    return {
        port: End(guids[port[0]], port[0], face_number(port[1]), True)
        if port[0] in of_subnet
        else End(guids[" ".join(port)], " ".join(port), 1, False)
        for port in sorted(ports)
    }
