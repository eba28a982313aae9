"""The probes of a fabric: who sends to whom, how packets are held to their path, and what cannot be told apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from ipaddress import ip_interface
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.addons.probing.graph import NONE, Graph, list_links, make_graph
from fabricgen.addons.probing.paths import Paths, Planner, find_least
from fabricgen.addons.probing.udp import HashedPorts, Learner
from fabricgen.api import ClusterView, write_csv

if TYPE_CHECKING:
    from fabricgen.addons.probing.graph import Ints

SRV6, UDP, SPREAD = "srv6", "udp", "spread"
"""How packets come to their path: they name it; by their source port; or a pair's are spread over all of its paths."""
UP, DOWN = "up", "down"
UNUSED = "no path between two nodes takes it"
PEER = "it joins two switches of one tier, and what is above them, or on both by bonds, does not need it"
UNREACHED = "no source port leads there"
NOT_LEARNT = "no learnt path takes it"
SPREAD_OVER = "packets of a pair are spread over it and others"
TOGETHER = "every path with one has the other"


@dataclass(frozen=True)
class Probes:
    """The probes of one fabric. Edges and levels are as `Graph` and `Paths` have them."""

    view: ClusterView
    fabric: str
    way: str
    graph: Graph
    paths: Paths
    label: Ints
    """By direction of an edge, the class of those that cannot be told apart."""
    is_covered: np.ndarray
    """By direction of an edge, whether it is on a path."""
    uncovered: str
    """Why not."""
    gaps: int = 0
    """Learnt paths that were left out, since a switch on them did not answer."""

    @cached_property
    def least(self) -> int:
        """A number of probes that no plan is below."""
        return find_least(self.graph)

    @cached_property
    def links(self) -> Ints:
        """Rows of `view.links` that carry the fabric."""
        return list_links(self.view, self.fabric)

    @cached_property
    def rounds(self) -> Ints:
        """By probe the round in which it is sent: those of one share no port, nor fill a link that others cross."""
        of_link = self.graph.edge_of_link
        links = np.bincount(of_link[of_link >= 0], minlength=len(self.graph))
        return self.paths.share_rounds(np.repeat(np.maximum(links, 1), 2))

    @cached_property
    def first_links(self) -> Ints:
        """By edge, its first row of `view.links`, which stands for all of it; -1 for one that no link is told by."""
        first, of_link = np.full(len(self.graph), NONE), self.graph.edge_of_link
        rows = np.flatnonzero(of_link >= 0)[::-1]
        first[of_link[rows]] = rows
        return first

    def make_columns(self) -> dict[str, list[str | int]]:
        """The table of probes, a row each; links are named upward and downward in the order that packets cross them."""
        links, names = self.view.links, self.view.links.name.tolist()
        rows = [np.where(side >= 0, self.first_links[side], NONE) for side in (self.paths.up, self.paths.down)]
        in_order = (rows[0].tolist(), rows[1][:, ::-1].tolist())
        up, down = ([" ".join([names[row] for row in path if row >= 0]) for path in side] for side in in_order)
        source, target = rows[0][:, 0], rows[1][:, 0]
        if self.way == SRV6:
            addresses = self.view.steering(self.fabric).write_addresses(*rows)
        else:
            addresses = [text.partition("/")[0] for text in links.a_ip[target].tolist()]
        count = len(self.paths)
        return {
            "probe": [f"{self.fabric}-{number}" for number in range(1, count + 1)],
            "from": links.name[source].tolist(),
            "to": links.name[target].tolist(),
            "protocol": [self.way] * count,
            "source_port": [port or "" for port in self.paths.port.tolist()],
            "address": addresses,
            UP: up,
            DOWN: down,
            "round": self.rounds.tolist(),
        }

    def make_class_columns(self) -> dict[str, list[str | int]]:
        """Links that cannot be told apart, or are on no path: a row for each direction, with its class and why."""
        links, tier, of_link = self.view.links, self.view.devices.tier, self.graph.edge_of_link
        # upward, then downward; of links that no path takes another's direction, which is not looked at
        row, down = np.tile(self.links, 2), np.repeat((0, 1), len(self.links))
        edge, at = of_link[row], 2 * of_link[row] + down
        in_edge = np.bincount(of_link[of_link >= 0], minlength=len(self.graph))
        in_class = np.bincount(self.label, np.repeat(in_edge, 2))
        together = np.where(in_class[self.label[at]] > 1, np.where(in_edge[edge] > 1, 3, 4), 0)
        covered = np.where(self.is_covered[at], together, 2)
        reason = np.where(edge < 0, np.where(tier[links.a[row]] == tier[links.b[row]], 5, 1), covered)
        told = np.flatnonzero(reason)
        classes = np.where(np.isin(reason, (3, 4)), self.label[at], NONE)[told].tolist()
        reasons = np.array(["", UNUSED, self.uncovered, SPREAD_OVER, TOGETHER, PEER], dtype=object)
        return {
            "class": [f"{self.fabric}-{number}" if number >= 0 else "" for number in classes],
            "link": links.name[row[told]].tolist(),
            "direction": np.array([UP, DOWN], dtype=object)[down[told]].tolist(),
            "why": reasons[reason[told]].tolist(),
        }

    def describe(self) -> str:
        """How many probes there are, and what they leave open, in a few lines."""
        columns, count = self.make_class_columns(), len(self.paths)
        apart = {SRV6: "by the path that they name", UDP: "by source port", SPREAD: "over all equal paths of each pair"}
        above = sorted(set(self.view.links.fabric[self.links]) - {self.fabric})
        among = f" (with {' and '.join(above)})" if above else ""
        text = (
            f"{self.fabric}{among}: {count:,} probes of {len(self.links):,} links in both directions, {apart[self.way]}"
        )
        lines = [f"{text}; no plan has fewer than {self.least:,} ({count / self.least:.2f})"]
        at_once = np.bincount(self.rounds)
        lines.append(
            f"  in {len(at_once) - 1:,} rounds, of up to {at_once.max():,} at once: no two share a port or fill a link"
        )
        for why in dict.fromkeys(columns["why"]):
            rows = [row for row, other in enumerate(columns["why"]) if other == why]
            kinds = len({columns["class"][row] for row in rows} - {""})
            stand = f" in {kinds:,} class{'es' * (kinds > 1)} that stand together" if kinds else ""
            names = list_some([f"{columns['link'][row]} {columns['direction'][row]}" for row in rows])
            lines.append(f"  {len(rows):,} directions of links{stand}: {why}: {names}")
        if self.gaps:
            lines.append(f"  {self.gaps:,} learnt paths left out: a switch on them did not answer")
        return "\n".join(lines)


def plan_probes(view: ClusterView, fabric: str, model: str = "", learnt: Path | None = None) -> Probes | None:
    """The probes of a fabric, where it has paths between nodes; None where it has none.

    `model` is how its switches hash, one of `udp.MODELS`; `learnt` a file of paths from the hall. Without either,
    packets name their path where SRv6 lets them, or else are spread. Raises InputError: FG180 where a model does not
    say where packets go, FG181 for a file of paths that cannot be used.
    """
    steering = view.steering(fabric)
    # no identifier of SRv6 leads over a link between switches of one tier
    graph = make_graph(view, fabric, level_links=not steering.srv6)
    if not len(graph):
        return None
    if learnt:
        paths, gaps = Learner(view, graph, learnt).read_paths()
        planner = Planner(graph)
        planner.choose_paths(paths)
        return Probes(view, fabric, UDP, graph, planner.paths, planner.label, planner.signs != 0, NOT_LEARNT, gaps)
    way, uncovered = (SRV6 if steering.srv6 else SPREAD), UNUSED
    find_ports = None
    if model:
        way, uncovered, find_ports = UDP, UNREACHED, _make_hashed_ports(view, fabric, graph, model)
    elif way == SPREAD or not steering.links:
        graph = graph.join_spread() if way == SPREAD else graph.join_parallel()
    planner = Planner(graph, find_ports)
    return Probes(view, fabric, way, graph, planner.make_paths(), planner.label, planner.signs != 0, uncovered)


def _make_hashed_ports(view: ClusterView, fabric: str, graph: Graph, model: str) -> HashedPorts:
    steering, devices, links = view.steering(fabric), view.devices, view.links
    if steering.srv6 or steering.mode != "hash":
        how = "SRv6" if steering.srv6 else f"`load_balance: {steering.mode}`" if steering.mode else "its subnet manager"
        raise view.refuse("FG180", f"{fabric} has its paths by {how}, and not by a hash", ("fabrics", fabric))
    switches = np.unique(graph.upper[graph.upper < len(devices)])
    if (unknown := switches[steering.seeds[switches] < 0]).size:
        name = devices.name[unknown[0]]
        hint = "state `routing: {load_balance: {seeds: ...}}`, or what was learnt by --learnt"
        message = f"nobody knows what {name} and {len(unknown) - 1} others begin their hashes with"
        raise view.refuse("FG180", message, ("fabrics", fabric), hint=hint)
    rows = np.flatnonzero(graph.edge_of_link >= 0)  # an edge each, of which some are from endpoints
    rows = rows[graph.level[graph.edge_of_link[rows]] == 0]
    for row in rows[links.a_ip[rows] == ""][:1].tolist():
        message = f"{links.name[row]} has no address of its own that switches could hash"
        raise view.refuse("FG180", message, links.path_of(row))
    ends = dict(zip(graph.edge_of_link[rows].tolist(), links.a_ip[rows].tolist(), strict=True))
    packed = [ip_interface(ends[edge]).ip.packed if edge in ends else b"" for edge in range(len(graph))]
    # a turning point that is no device leads on over one edge, whatever its hash
    seeds = np.zeros(len(graph.height), dtype=np.int64)
    seeds[: len(devices)] = steering.seeds
    return HashedPorts(graph, packed, model, seeds)


FEW = 4
"""As many names of links are told in a line; of more, how many."""


def list_some(names: Sequence[str]) -> str:
    """The first few of some names, and how many more there are."""
    more = f" and {len(names) - FEW:,} more" if len(names) > FEW else ""
    return ", ".join(names[:FEW]) + more


def write_tables(plans: list[Probes]) -> dict[str, bytes]:
    """probes.csv and classes.csv of some fabrics."""
    tables: dict[str, list[Mapping[str, list[str | int]]]] = {
        "probes.csv": [plan.make_columns() for plan in plans],
        "classes.csv": [plan.make_class_columns() for plan in plans],
    }
    return {
        name: write_csv({column: [cell for part in parts for cell in part[column]] for column in parts[0]})
        for name, parts in tables.items()
    }
