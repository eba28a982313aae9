"""How long a message is under way between two accelerators, without queues: switches, and light in cables."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.analyze.network import Network
from fabricgen.catalog.constant_models import ConstantsProfile
from fabricgen.catalog.models import SwitchProfile
from fabricgen.wiring.tables import SWITCH


def count_switches_crossed(network: Network, level: int) -> int:
    """Return the switches on a shortest path between ports that meet at a level: up to its tier and down again.

    Between sites, links join two switches of the topmost tier.
    """
    return 2 * level if not network.levels[level].tiers else 2 * level + 1


def cable_m(network: Network, level: int) -> float:
    """Return the length of the cables of a path between ports that meet at a level, m: the sum of the mean lengths.

    A path has a cable of each tier on the way up and on the way down, but only one cable between sites.
    """
    hops_m = 0.0
    for number in range(level):
        hops_m += network.levels[number].hop_m * (2 if network.levels[number + 1].tiers else 1)
    return 2 * network.node_m + hops_m


def latency_us(network: Network, level: int, constants: ConstantsProfile) -> float:
    """Return the one-way latency between ports that meet at a level, us: of switches and cables alone, without queues.

    A path crosses two switches of each level below, and one of this level unless links between sites join it.
    """
    across_sites = not network.levels[level].tiers
    switches_ns = 0.0
    for number in range(level + (not across_sites)):
        switches_ns += switch_ns(network, number, constants) * (1 if number == level else 2)
    return (switches_ns + cable_m(network, level) * constants.latency.medium.fibre_ns_per_m) / 1000


def switch_ns(network: Network, level: int, constants: ConstantsProfile) -> float:
    """Return the mean latency of the switches of a level's tiers, ns: the catalogue's figure, else the usual one."""
    latencies = [
        (constants.latency.switch_ns(profile) or 0.0, count) for profile, count in _list_switches(network, level)
    ]
    number = sum(count for _, count in latencies)
    return sum(ns * count for ns, count in latencies) / number if number else 0.0


def list_switch_sources(network: Network, constants: ConstantsProfile) -> dict[str, str]:
    """Return the source of the latency of each model of switch in a network, by id of its profile."""
    profiles = (profile for level in range(len(network.levels)) for profile, _ in _list_switches(network, level))
    return dict(sorted((profile.id, constants.latency.switch_source(profile)) for profile in profiles))


def _list_switches(network: Network, level: int) -> Iterator[tuple[SwitchProfile, int]]:
    """Yield (profile, number of switches) for each class of switches in the tiers of a level."""
    keys = set(network.levels[level].tiers)
    for cls in network.cluster.plan.devices.classes:
        if cls.kind == SWITCH and cls.key in keys and isinstance(cls.profile, SwitchProfile):
            yield cls.profile, cls.count
