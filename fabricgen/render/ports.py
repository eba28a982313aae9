"""Ports of a switch, for every NOS: lanes of those in use, and names of the unused ones."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.catalog.models import CageClass, SwitchProfile
from fabricgen.catalog.naming import NosNaming
from fabricgen.views.switch import SwitchPort, SwitchView


def lanes_of(port: SwitchPort, cage: CageClass) -> int:
    """Electrical lanes of a port: what its speed needs, and no more than its share of the cage.

    40G uses lanes of 10G, whatever the cage can do.
    """
    rate = 10 if port.speed_gbps == 40 else port.lane_gbps
    return min(cage.lanes // port.ways, -int(-port.speed_gbps // rate))


def numbered_cages(profile: SwitchProfile) -> Iterator[tuple[int, CageClass]]:
    """Each cage of a switch by its number, from 1."""
    return enumerate((cage for cage in profile.cages for _ in range(cage.count)), 1)


def blocked_cages(switch: SwitchView) -> frozenset[int]:
    """Cages that must stay empty because the split of a neighbour uses their lanes."""
    blocked: set[int] = set()
    for cage, ways in {port.cage: port.ways for port in switch.ports}.items():
        blocked.update(range(cage + 1, cage + switch.profile.cage(cage).block(ways)))
    return frozenset(blocked)


def unused_ports(switch: SwitchView, naming: NosNaming) -> list[str]:
    """Ports without a cable: the rest of split cages, and the first port of each empty cage."""
    ways, cabled = {port.cage: port.ways for port in switch.ports}, {port.name for port in switch.ports}
    names: list[str] = []
    for number, cage in numbered_cages(switch.profile):
        split, slot = ways.get(number, 1), switch.profile.slot_of(number)
        names += (naming.port(number, sub, split, cage, None, slot) for sub in range(split))
    return [name for name in names if name not in cabled]
