"""A fabric as tests of it see it: the ports of nodes, the switches at these, and the links above them by height.

Height 0 is the switches at nodes. The component of a switch at level k is what switches of heights up to k join; a run
between two components of level k passes a link that leaves each of them, and so on down to the nodes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import networkx

from fabricgen.api import ClusterView


class Port(NamedTuple):
    """A port of a node, or several in a bond: rows of its links, of the node and of the switch at the first link.

    `vrf` is what it is in on the switch: only ports of one reach each other.
    """

    name: str
    host: str
    port: str
    address: str
    links: tuple[int, ...]
    device: int
    leaf: int
    gbps: float
    rail: int
    plane: int
    vrf: str

    def may_meet(self, other: Port) -> bool:
        """Whether a run may be between both: they reach each other, and are of different nodes."""
        return self.device != other.device and self.vrf == other.vrf


class Choice(NamedTuple):
    """Links (rows) of which a run passes one, and how probable each is where nothing more is known."""

    links: tuple[int, ...]

    @property
    def share(self) -> float:
        """How probable each of the links is."""
        return 1 / len(self.links)


@dataclass(frozen=True)
class Network:
    """One fabric: `components[k]` is by row of a switch its component of level k; `height` by row of a switch.

    `out[k]` has by component the links that leave it at height k, `gbps` their speeds by row, `between` the rows
    from a switch to another. `untested` says why a link of it carries no run.
    """

    fabric: str
    ports: tuple[Port, ...]
    height: dict[int, int]
    components: tuple[dict[int, int], ...]
    out: tuple[dict[int, tuple[int, ...]], ...]
    gbps: dict[int, float]
    between: dict[tuple[int, int], tuple[int, ...]]
    untested: dict[int, str]

    @cached_property
    def ports_by_leaf(self) -> dict[int, list[Port]]:
        """The ports at each switch; those that follow each other are of different nodes where that can be."""
        by_leaf = defaultdict(list)
        for port in sorted(self.ports, key=lambda port: (port.vrf, port.rail, port.plane, port.port, port.device)):
            by_leaf[port.leaf].append(port)
        return dict(by_leaf)

    def meet(self, a: int, b: int) -> int | None:
        """The lowest level at which two switches are joined; None where they are not."""
        return next((level for level, component in enumerate(self.components) if component[a] == component[b]), None)

    @cached_property
    def _slowest(self) -> tuple[dict[int, float], ...]:
        """By level and component the slowest link that leaves it, Gb/s."""
        return tuple({name: min(self.gbps[row] for row in rows) for name, rows in out.items()} for out in self.out)

    def carry_flow(self, a: Port, b: Port) -> float:
        """What one flow between two ports reaches at line rate whatever links it takes, Gb/s."""
        levels = range(self.meet(a.leaf, b.leaf) or 0)
        slowest = (self._slowest[k][self.components[k][port.leaf]] for k in levels for port in (a, b))
        return min(a.gbps, b.gbps, *slowest)

    def list_choices(self, a: Port, b: Port) -> list[Choice]:
        """The links between two ports from which a run takes one each, from the nodes up."""
        choices = [Choice(port.links) for port in (a, b)]
        for level in range(self.meet(a.leaf, b.leaf) or 0):
            choices += [Choice(self.out[level][self.components[level][port.leaf]]) for port in (a, b)]
        return choices


def read_networks(view: ClusterView, only: Sequence[str] = ()) -> list[Network]:
    """The fabrics that join nodes, with the ports of those nodes that `only` names, all if it names none.

    `only` has pods, units (`p1/su2`), racks, nodes and fabrics.
    """
    fabrics = [name for name in view.fabrics if name in only] or list(view.fabrics)
    chosen = choose_nodes(view, [name for name in only if name not in view.fabrics])
    return [network for fabric in fabrics if (network := _read_network(view, fabric, chosen)).ports]


def choose_nodes(view: ClusterView, only: Iterable[str]) -> set[int]:
    """The rows of nodes that names of pods, units, racks and nodes stand for; all nodes for no names.

    Raises InputError (FG178) for a name that stands for none.
    """
    devices = view.devices
    nodes = (devices.kind == "node").nonzero()[0].tolist()
    rows_by_name: dict[str, set[int]] = defaultdict(set)
    for row in nodes:
        pod, unit = devices.pod[row], f"{devices.pod[row]}/su{devices.su[row]}"
        for name in (pod, unit, devices.rack[row], devices.name[row]):
            rows_by_name[name].add(row)
    names = list(only)
    unknown = [name for name in names if not rows_by_name.get(name)]
    if unknown:
        raise view.refuse(
            "FG178",
            f"--only {unknown[0]}: no pod, unit, rack, node or fabric of {view.name} is called so",
            hint="a unit is written p1/su2; `fabricgen show` lists fabrics and pods",
        )
    return set().union(*(rows_by_name[name] for name in names)) if names else set(nodes)


def _read_network(view: ClusterView, fabric: str, chosen: set[int]) -> Network:
    links, devices = view.links, view.devices
    a, b, kind = links.a.tolist(), links.b.tolist(), devices.kind.tolist()
    rows_by_port = {(row["device"], row["port"]): row for row in reversed([*view.addresses.rows()])}
    untested: dict[int, str] = {}
    members: dict[tuple[int, str], list[int]] = defaultdict(list)
    leaves = set()
    for row in (links.fabric == fabric).nonzero()[0].tolist():
        if kind[a[row]] == "switch" and kind[b[row]] == "switch":
            continue
        if kind[b[row]] == "switch" and not links.a_management[row]:
            leaves.add(b[row])
        if kind[a[row]] != "node" or kind[b[row]] != "switch" or links.a_management[row]:
            untested[row] = "no node runs tests on it"
        elif a[row] not in chosen:
            untested[row] = "not asked for"
        else:
            members[a[row], links.a_bond[row] or links.a_port[row]].append(row)
    ports = []
    for (device, port), rows in members.items():
        name = devices.name[device]
        entry = rows_by_port.get((name, port), {"prefix": "", "vrf": ""})
        address = entry["prefix"].partition("/")[0]
        if view.protocols[fabric] != "infiniband" and not address:
            untested |= dict.fromkeys(rows, "its port has no address of its own")
            continue
        first = rows[0]
        rail, plane, speed = int(links.rail[first]), int(links.plane[first]), float(links.speed_gbps[first])
        where = (tuple(rows), device, b[first], speed, rail, plane, entry["vrf"])
        ports.append(Port(f"{name}:{port}", name, port, address, *where))
    height, components, out = _find_levels(leaves, _find_switch_links(view, fabric, leaves))
    gbps = {row: float(links.speed_gbps[row]) for rows in out for row in chain(*rows.values())}
    between: dict[tuple[int, int], list[int]] = defaultdict(list)
    for row in gbps:
        between[a[row], b[row]].append(row)
        between[b[row], a[row]].append(row)
    joined = {ends: tuple(rows) for ends, rows in between.items()}
    return Network(fabric, tuple(ports), height, components, out, gbps, joined, untested)


def _find_switch_links(view: ClusterView, fabric: str, leaves: set[int]) -> dict[int, tuple[int, int]]:
    """Row of each link between switches that carries traffic of a fabric -> its two switches.

    A fabric on the switches of another has the links of that.
    """
    links, devices = view.links, view.devices
    owners = {fabric, *(devices.fabric[leaf] for leaf in leaves)}
    rows = [row for owner in sorted(owners) for row in (links.fabric == owner).nonzero()[0].tolist()]
    is_switch = (devices.kind == "switch").tolist()
    ends = ((row, int(links.a[row]), int(links.b[row])) for row in rows if not links.a_management[row])
    return {row: (a, b) for row, a, b in ends if is_switch[a] and is_switch[b]}


def _find_levels(
    leaves: set[int], between: dict[int, tuple[int, int]]
) -> tuple[dict[int, int], tuple[dict[int, int], ...], tuple[dict[int, tuple[int, ...]], ...]]:
    """(height of each switch, component of each leaf by level, links that leave each component by level)."""
    neighbors: dict[int, set[int]] = defaultdict(set)
    for a, b in between.values():
        neighbors[a].add(b)
        neighbors[b].add(a)
    height, wave = dict.fromkeys(leaves, 0), leaves
    while wave := {other for switch in wave for other in neighbors[switch]} - height.keys():
        height |= dict.fromkeys(wave, max(height.values()) + 1)
    rising = {row: ends for row, ends in between.items() if len({height.get(end, -1) for end in ends} - {-1}) == 2}
    components: list[dict[int, int]] = []
    out: list[dict[int, tuple[int, ...]]] = []
    for level in range(max(height.values(), default=0) + 1):
        graph = networkx.Graph(ends for ends in rising.values() if max(height[end] for end in ends) <= level)
        graph.add_nodes_from(height)
        component = {switch: min(part) for part in networkx.connected_components(graph) for switch in part}
        components.append(component)
        leaving: dict[int, list[int]] = defaultdict(list)
        for row, ends in rising.items():
            lower = min(ends, key=height.__getitem__)
            if height[lower] == level:
                leaving[component[lower]].append(row)
        out.append({name: tuple(rows) for name, rows in leaving.items()})
    return height, tuple(components), tuple(out)
