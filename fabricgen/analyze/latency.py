"""How long a message is under way between two accelerators, without queues: switches, and light in cables."""

from __future__ import annotations

from fabricgen.analyze.network import Network
from fabricgen.catalog.constant_models import ConstantsProfile
from fabricgen.catalog.models import SwitchProfile
from fabricgen.wiring.tables import SWITCH


def switches_crossed(network: Network, level: int) -> int:
    """Switches on a shortest path between ports that meet at a level: up to the tier of the level and down again.

    Between sites, links join two switches of the topmost tier.
    """
    return 2 * level if not network.levels[level].tiers else 2 * level + 1


def cable_m(network: Network, level: int) -> float:
    """The mean length of the cables of a path between ports that meet at a level, m: of nodes and of each tier."""
    hops = 0.0
    for number in range(level):
        once = not network.levels[number + 1].tiers
        hops += network.levels[number].hop_m * (1 if once else 2)
    return 2 * network.node_m + hops


def latency_us(network: Network, level: int, constants: ConstantsProfile) -> float:
    """One-way latency between ports that meet at a level, us: of its switches and cables, no NIC and no queue."""
    across = not network.levels[level].tiers
    total = 0.0
    for number in range(level + (not across)):
        once = number == level
        total += _switch_ns(network, number, constants) * (1 if once else 2)
    return (total + cable_m(network, level) * constants.latency.medium.fibre_ns_per_m) / 1000


def _switch_ns(network: Network, level: int, constants: ConstantsProfile) -> float:
    """The mean latency of the switches of a level's tiers, ns: as the catalogue has it, else the usual one."""
    keys = set(network.levels[level].tiers)
    found = [
        (constants.latency.switch_ns(cls.profile) or 0.0, cls.count)
        for cls in network.cluster.plan.devices.classes
        if cls.kind == SWITCH and cls.key in keys and isinstance(cls.profile, SwitchProfile)
    ]
    number = sum(count for _, count in found)
    return sum(ns * count for ns, count in found) / number if number else 0.0
