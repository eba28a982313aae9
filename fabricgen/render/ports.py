"""What every NOS needs to know of the ports of a switch: lanes of those in use, and names of those that are not."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.catalog.models import CageClass, SwitchProfile
from fabricgen.catalog.naming import NosNaming
from fabricgen.views.switch import SwitchPort, SwitchView


def lanes_of(port: SwitchPort, cage: CageClass) -> int:
    """Electrical lanes that a port runs over: what its speed takes, and no more than its share of the cage.

    40G has lanes of 10G, whatever the cage can do.
    """
    rate = 10 if port.speed_gbps == 40 else port.lane_gbps
    return min(cage.lanes // port.ways, -int(-port.speed_gbps // rate))


def numbered_cages(profile: SwitchProfile) -> Iterator[tuple[int, CageClass]]:
    """Each cage of a switch by its number, from 1."""
    return enumerate((cage for cage in profile.cages for _ in range(cage.count)), 1)


def blocked_cages(switch: SwitchView) -> frozenset[int]:
    """Cages that must stay empty, since those before them are split so finely that they take up more than one."""
    blocked: set[int] = set()
    for cage, ways in {port.cage: port.ways for port in switch.ports}.items():
        blocked.update(range(cage + 1, cage + switch.profile.cage(cage).block(ways)))
    return frozenset(blocked)


def unused_ports(switch: SwitchView, naming: NosNaming) -> list[str]:
    """Ports with no cable: what is left of split cages, and the first port of each empty cage."""
    ways, cabled = {port.cage: port.ways for port in switch.ports}, {port.name for port in switch.ports}
    names: list[str] = []
    for number, cage in numbered_cages(switch.profile):
        split, slot = ways.get(number, 1), switch.profile.slot_of(number)
        names += (naming.port(number, sub, split, cage, None, slot) for sub in range(split))
    return [name for name in names if name not in cabled]
