"""How long a message is under way between two accelerators, without queues: switches, and light in cables."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.analyze.network import Network
from fabricgen.catalog.constant_models import ConstantsProfile
from fabricgen.catalog.models import SwitchProfile
from fabricgen.wiring.tables import SWITCH


def count_switches_crossed(network: Network, level: int) -> int:
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
        total += switch_ns(network, number, constants) * (1 if once else 2)
    return (total + cable_m(network, level) * constants.latency.medium.fibre_ns_per_m) / 1000


def switch_ns(network: Network, level: int, constants: ConstantsProfile) -> float:
    """The mean latency of the switches of a level's tiers, ns: as the catalogue has it, else the usual one."""
    latencies = [
        (constants.latency.switch_ns(profile) or 0.0, count) for profile, count in _list_switches(network, level)
    ]
    number = sum(count for _, count in latencies)
    return sum(ns * count for ns, count in latencies) / number if number else 0.0


def list_switch_sources(network: Network, constants: ConstantsProfile) -> dict[str, str]:
    """Where the latency of each model of switch was read."""
    profiles = (profile for level in range(len(network.levels)) for profile, _ in _list_switches(network, level))
    return dict(sorted((profile.id, constants.latency.switch_source(profile)) for profile in profiles))


def _list_switches(network: Network, level: int) -> Iterator[tuple[SwitchProfile, int]]:
    """The models of switches of a level's tiers, and how many there are of each."""
    keys = set(network.levels[level].tiers)
    for cls in network.cluster.plan.devices.classes:
        if cls.kind == SWITCH and cls.key in keys and isinstance(cls.profile, SwitchProfile):
            yield cls.profile, cls.count
