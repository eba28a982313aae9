"""The order of devices: that of their names, or that of the ports through which their neighbours reach them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice, pairwise
from typing import Any, NamedTuple

from fabricgen.adopt.networks import Network, Wires, choose_mode
from fabricgen.blueprint.models import make_natural_key

SortKey = tuple[Any, ...]


class Order(NamedTuple):
    """The order of devices: the sort key of a name, and whether names say where devices stand (`by_names`)."""

    key: Callable[[str], SortKey]
    by_names: bool


BY_NAMES = Order(make_natural_key, by_names=True)


_SAMPLE = 64
"""Switches of which the names of nodes are looked at."""
_PAIRS = 50
"""Neighbours from which on their names can say nothing by more than chance."""


def are_shuffled(wires: Wires) -> bool:
    """Whether names of nodes have nothing to do with their ports: of two ports side by side, either may have the
    greater name. Then pages need not be tried in the order of names.
    """
    switches = set(islice(dict.fromkeys(wire.switch for wire in wires.of_nodes), _SAMPLE))
    ports: dict[str, list[tuple[SortKey, str]]] = defaultdict(list)
    for wire in wires.of_nodes:
        if wire.switch in switches:
            ports[wire.switch].append((_make_port_key(wire.port), wire.node))
    names = [[make_natural_key(node) for _, node in sorted(of_switch)] for of_switch in ports.values()]
    pairs = [a < b for of_switch in names for a, b in pairwise(of_switch) if a != b]
    return len(pairs) >= _PAIRS and 0.4 < sum(pairs) / len(pairs) < 0.6


@cache
def _make_port_key(port: str) -> SortKey:
    """Return the sort key of a port; there are few names of ports."""
    return make_natural_key(port)


def order_by_ports(wires: Wires, networks: Sequence[Network]) -> Order:
    """Order switches by the ports of devices below that lead to them, nodes by the ports of switches that lead to them.

    The third leaf of a unit is reached through the third port of each node, the third unit through the third ports of
    the spines. Devices that are equal in this are ordered by their names.
    """
    ports_above: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))  # by switch and upper switch
    ports_below: dict[str, Counter[str]] = defaultdict(Counter)
    for wire in wires.of_nodes:
        ports_below[wire.switch][f"{wire.leg.rail}/{wire.leg.port}/{wire.leg.part}"] += 1
    for lower, lower_port, upper, upper_port in list_uplinks(wires, networks):
        ports_below[upper][lower_port] += 1
        ports_above[lower][upper].append(upper_port)
    paths: dict[str, SortKey] = {}  # the ports that lead to a switch from the top of its fabric down
    for switch in [s for network in networks for tier in reversed(network.tiers.values()) for s in tier]:
        first_ports = Counter(min(ports, key=_make_port_key) for ports in ports_above[switch].values())
        upper_paths = Counter(paths[upper] for upper in ports_above[switch])
        paths[switch] = (*choose_mode(upper_paths), _make_port_key(choose_mode(first_ports))) if first_ports else ()
    keys: dict[str, SortKey] = {}
    for name, ports in ports_below.items():  # the port with the most links, of equals the first
        keys[name] = 0, min((-links, _make_port_key(port)) for port, links in ports.items())[1]
    keys |= {node: (0, path) for node, path in _list_paths_to_nodes(wires, networks, paths).items()}
    return Order(lambda name: (*keys.get(name, (1, ())), make_natural_key(name)), by_names=False)


def list_uplinks(wires: Wires, networks: Sequence[Network]) -> Iterator[tuple[str, str, str, str]]:
    """Yield (switch, port, upper switch, port of that) of each link between two tiers of a fabric."""
    level = {s: (n.name, depth) for n in networks for depth, tier in enumerate(n.tiers.values()) for s in tier}
    for a, a_port, b, b_port in wires.of_switches:
        if a in level and b in level and level[a][0] == level[b][0] and level[a] != level[b]:
            yield (a, a_port, b, b_port) if level[a] < level[b] else (b, b_port, a, a_port)


def _list_paths_to_nodes(wires: Wires, networks: Sequence[Network], paths: Mapping[str, SortKey]) -> dict[str, SortKey]:
    """Return (number of a fabric, ports from its top down to the node) of each node, in the first fabric that has it.

    `paths` has those ports for switches. Of several ports of a node, the first by rail, port and part counts.
    """
    fabric_of = {s: number for number, n in enumerate(networks) for s in n.tiers[n.leaf]}
    best: dict[str, SortKey] = {}
    for node, leg, switch, port in wires.of_nodes:
        if switch in fabric_of:
            candidate = fabric_of[switch], (leg.rail, leg.port, leg.part), (*paths[switch], _make_port_key(port))
            best[node] = min(best.get(node, candidate), candidate)
    return {node: (fabric, path) for node, (fabric, _, path) in best.items()}
