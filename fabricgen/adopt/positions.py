"""In which order devices stand: as their names say, or as the ports do through which others reach them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from fabricgen.adopt.networks import Network, Wires, choose_mode
from fabricgen.blueprint.models import make_natural_key

Key = tuple[Any, ...]
"""What devices are sorted by."""


class Order(NamedTuple):
    """How devices are ordered. `by_names` is whether names say where they stand at all."""

    key: Callable[[str], Key]
    by_names: bool


BY_NAMES = Order(make_natural_key, by_names=True)


def order_by_ports(wires: Wires, networks: Sequence[Network]) -> Order:
    """Switches in the order of the ports of what is below them, nodes in that of the ports above them.

    The third leaf of a unit is reached through the third port of each node, the third unit through the third ports of
    the spines. Of equals names decide.
    """
    above: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    below: dict[str, Counter[str]] = defaultdict(Counter)
    for cable in wires.of_nodes:
        below[cable.switch][f"{cable.leg.rail}/{cable.leg.port}/{cable.leg.part}"] += 1
    for low, low_port, high, high_port in _list_uplinks(wires, networks):
        below[high][low_port] += 1
        above[low][high].append(high_port)
    ways: dict[str, Key] = {}
    for switch in [s for network in networks for tier in reversed(network.tiers.values()) for s in tier]:
        ports = Counter(min(ports, key=make_natural_key) for ports in above[switch].values())
        through = Counter(ways[upper] for upper in above[switch])
        ways[switch] = (*choose_mode(through), make_natural_key(choose_mode(ports))) if ports else ()
    keys: dict[str, Key] = {name: (0, _choose_port(ports)) for name, ports in below.items()}
    keys |= {node: (0, way) for node, way in _list_ways_to_nodes(wires, networks, ways).items()}
    return Order(lambda name: (*keys.get(name, (1, ())), make_natural_key(name)), by_names=False)


def _list_uplinks(wires: Wires, networks: Sequence[Network]) -> Iterator[tuple[str, str, str, str]]:
    """(switch, port, switch above, port there) of each link between two tiers of a fabric."""
    level = {s: (n.name, depth) for n in networks for depth, tier in enumerate(n.tiers.values()) for s in tier}
    for a, a_port, b, b_port in wires.of_switches:
        if a in level and b in level and level[a][0] == level[b][0] and level[a] != level[b]:
            yield (a, a_port, b, b_port) if level[a] < level[b] else (b, b_port, a, a_port)


def _list_ways_to_nodes(wires: Wires, networks: Sequence[Network], ways: Mapping[str, Key]) -> dict[str, Key]:
    """The ports by which each node is reached, from the top of the first fabric that it is on downwards."""
    rank = {s: number for number, n in enumerate(networks) for s in n.tiers[n.leaf]}
    best: dict[str, Key] = {}
    for node, leg, switch, port in wires.of_nodes:
        if switch in rank:
            candidate = rank[switch], (leg.rail, leg.port, leg.part), (*ways[switch], make_natural_key(port))
            best[node] = min(best.get(node, candidate), candidate)
    return {node: (fabric, way) for node, (fabric, _, way) in best.items()}


def _choose_port(ports: Mapping[str, int]) -> Key:
    """The port that most name, the first of equals."""
    most = max(ports.values())
    return min(make_natural_key(port) for port, count in ports.items() if count == most)
