"""A fabric as tests of it see it: the ports of nodes, the switches at these, and the links above them by height.

Height 0 is the switches at nodes. The component of a switch at level k is what switches of heights up to k join. A run
between two components of level k passes a link that leaves each of them, and so on down to the nodes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from fabricgen.addons.probing.graph import make_graph
from fabricgen.api import ClusterView, Ints64

NOT_ASKED = "not asked for"


class Port(NamedTuple):
    """A port of a node, or several ports in a bond.

    `links`, `device` and `leaf` are rows: of its links, of the node, and of the switch at the first link. `vrf` is its
    VRF on the switch: only ports of one VRF reach each other.
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

    def may_meet(self, peer: Port) -> bool:
        """Whether a run may be between both ports: they reach each other, and are of different nodes."""
        return self.device != peer.device and self.vrf == peer.vrf


Choice = tuple[int, ...]
"""Rows of links of which a run passes one, each equally probable unless more is known."""


@dataclass(frozen=True)
class Network:
    """One fabric as components: sets of switches that lower heights join (see the head of the module).

    `components[k]` has, by row of a device, the component of level k that it is in. `out[k]` has, by such a component,
    the links that lead up from it, and `gbps` the speed of each link by row. `untested` says, by row, why a link
    carries no run.
    """

    fabric: str
    ports: tuple[Port, ...]
    components: list[Ints64]
    out: tuple[dict[int, Choice], ...]
    gbps: dict[int, float]
    untested: dict[int, str]

    @cached_property
    def ports_by_leaf(self) -> dict[int, list[Port]]:
        """The ports at each switch; neighbours in a list are of different nodes if possible."""
        ports_by_leaf = defaultdict(list)
        for port in sorted(self.ports, key=lambda port: (port.vrf, port.rail, port.plane, port.port, port.device)):
            ports_by_leaf[port.leaf].append(port)
        return dict(ports_by_leaf)

    def list_choices(self, a: Port, b: Port) -> list[Choice]:
        """Return the choices on the way between two ports, from the nodes up: a run takes one link of each."""
        levels_apart = [
            level for level, component in enumerate(self.components) if component[a.leaf] != component[b.leaf]
        ]
        links_above = [self.out[level][self.components[level][port.leaf]] for level in levels_apart for port in (a, b)]
        return [a.links, b.links, *links_above]

    def carry_flow(self, a: Port, b: Port) -> float:
        """Return the Gb/s that one flow between two ports reaches, even if it takes the slowest of the links that it
        may take.
        """
        _, _, *above = self.list_choices(a, b)
        return min(a.gbps, b.gbps, *(min(map(self.gbps.__getitem__, choice)) for choice in above))


def read_networks(view: ClusterView, only: Sequence[str] = ()) -> list[Network]:
    """Return the fabrics that join nodes, with the ports of the nodes that `only` names, all if it names none.

    `only` has pods, units (`p1/su2`), racks, nodes and fabrics.
    """
    fabrics = [name for name in view.fabrics if name in only] or list(view.fabrics)
    chosen = choose_nodes(view, [name for name in only if name not in view.fabrics])
    return [network for fabric in fabrics if (network := _read_network(view, fabric, chosen)).ports]


def choose_nodes(view: ClusterView, only: Sequence[str]) -> set[int]:
    """Return the rows of nodes that names of pods, units, racks and nodes stand for; all nodes if there are no names.

    Raises InputError (FG178) for a name that stands for no node.
    """
    devices = view.devices
    rows_by_name: dict[str, set[int]] = defaultdict(set)
    for row in (devices.kind == "node").nonzero()[0].tolist():
        pod = devices.pod[row]
        for name in (pod, f"{pod}/su{devices.su[row]}", devices.rack[row], devices.name[row]):
            rows_by_name[name].add(row)
    for name in only:
        if name not in rows_by_name:
            raise view.refuse(
                "FG178",
                f"--only {name}: no pod, unit, rack, node or fabric of {view.name} is called so",
                hint="a unit is written p1/su2; `fabricgen show` lists fabrics and pods",
            )
    return set().union(*(rows_by_name[name] for name in only or rows_by_name))


def _read_network(view: ClusterView, fabric: str, chosen: set[int]) -> Network:
    """Return a fabric with the ports of the chosen nodes, which are given by row."""
    links, devices = view.links, view.devices
    is_switch = devices.kind == "switch"
    at_leaf = (links.fabric == fabric) & is_switch[links.b] & ~is_switch[links.a] & ~links.a_management
    # a fabric on the switches of another one uses the links between them
    owners = {fabric, *devices.fabric[links.b[at_leaf]]}
    between = np.isin(links.fabric, sorted(owners)) & is_switch[links.a] & is_switch[links.b] & ~links.a_management
    untested: dict[int, str] = {}
    links_by_port: dict[tuple[int, str], list[int]] = defaultdict(list)
    for row in ((links.fabric == fabric) & ~(is_switch[links.a] & is_switch[links.b])).nonzero()[0].tolist():
        device = int(links.a[row])
        if not (at_leaf[row] and devices.kind[device] == "node"):
            untested[row] = "no node runs tests on it"
        elif device not in chosen:
            untested[row] = NOT_ASKED
        else:
            links_by_port[device, links.a_bond[row] or links.a_port[row]].append(row)
    ports = tuple(_read_ports(view, links_by_port))
    if view.protocols[fabric] != "infiniband":
        untested |= {
            row: "its port has no address of its own" for port in ports if not port.address for row in port.links
        }
        ports = tuple(port for port in ports if port.address)
    graph = make_graph(view, fabric, level_links=False, rows=(at_leaf | between).nonzero()[0])
    out: list[dict[int, list[int]]] = [defaultdict(list) for _ in range(graph.levels)]
    gbps = {}
    for row in between.nonzero()[0].tolist():
        edge = graph.edge_of_link[row]
        if edge >= 0:
            height = int(graph.level[edge]) - 1
            out[height][int(graph.parts[height][graph.lower[edge]])].append(row)
            gbps[row] = float(links.speed_gbps[row])
        elif devices.tier[links.a[row]] == devices.tier[links.b[row]]:
            untested[row] = "it joins two switches of one tier, over which no run is led"
    leaving = tuple({component: tuple(rows) for component, rows in by_component.items()} for by_component in out)
    return Network(fabric, ports, graph.parts, leaving, gbps, untested)


def _read_ports(view: ClusterView, links_by_port: Mapping[tuple[int, str], Sequence[int]]) -> Iterator[Port]:
    """Yield the ports whose links are given by (row of the node, name of the port or bond)."""
    links, name_by_row = view.links, view.devices.name
    # reversed, so that the first of several addresses of a port wins
    addresses = {(row["device"], row["port"]): row for row in reversed([*view.addresses.rows()])}
    for (device, port), rows in links_by_port.items():
        node, first_link = name_by_row[device], rows[0]
        entry = addresses.get((node, port), {"prefix": "", "vrf": ""})
        yield Port(
            name=f"{node}:{port}",
            host=node,
            port=port,
            address=entry["prefix"].partition("/")[0],
            links=tuple(rows),
            device=device,
            leaf=int(links.b[first_link]),
            gbps=float(links.speed_gbps[first_link]),
            rail=int(links.rail[first_link]),
            plane=int(links.plane[first_link]),
            vrf=entry["vrf"],
        )
