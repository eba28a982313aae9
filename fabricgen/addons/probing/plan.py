"""The probes of a fabric: who sends to whom, how packets are held to their path, and what cannot be told apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from ipaddress import ip_interface
from pathlib import Path

import numpy as np

from fabricgen.addons.probing.graph import NONE, Graph, list_links, make_graph
from fabricgen.addons.probing.paths import Paths, Planner, find_least
from fabricgen.addons.probing.udp import HashedPorts, Learner
from fabricgen.api import ClusterView, Ints64, write_csv

SRV6, UDP, SPREAD = "srv6", "udp", "spread"
WAYS = {SRV6: "by the path that they name", UDP: "by source port", SPREAD: "over all equal paths of each pair"}
"""How packets are led over their path."""
UP, DOWN = "up", "down"
UNUSED = "no path between two nodes takes it"
PEER = "it joins two switches of one tier, and what is above them, or on both by bonds, does not need it"
SPREAD_OVER = "packets of a pair are spread over it and others"
TOGETHER = "every path with one has the other"
FEW = 4
"""Names of links that are written in a line; the rest are counted."""


@dataclass(frozen=True)
class Probes:
    """The probes of one fabric; edges and levels are those of `Graph` and `Paths`.

    `way` says how packets are held to their paths, `planner` has the paths, and `why_uncovered` is the reason for links
    that are on no path. `gaps` counts learnt paths that were left out because a switch on them did not answer.
    """

    view: ClusterView
    fabric: str
    way: str
    planner: Planner
    why_uncovered: str
    gaps: int = 0

    @property
    def paths(self) -> Paths:
        """The path of each probe."""
        return self.planner.paths

    @cached_property
    def least(self) -> int:
        """A lower bound on the number of probes of any plan."""
        return find_least(self.planner.graph)

    @cached_property
    def links(self) -> Ints64:
        """Rows of `view.links` that carry the fabric."""
        return list_links(self.view, self.fabric)

    @cached_property
    def links_by_edge(self) -> Ints64:
        """How many links each edge stands for."""
        of_link = self.planner.graph.edge_of_link
        return np.bincount(of_link[of_link >= 0], minlength=len(self.planner.graph))

    @cached_property
    def rounds(self) -> Ints64:
        """The round in which each probe is sent, from 1: probes of one round together do not overload any edge.

        One probe at a time crosses an edge in one direction, or as many as the edge has links.
        """
        return self.paths.share_rounds(np.repeat(np.maximum(self.links_by_edge, 1), 2))

    @cached_property
    def first_links(self) -> Ints64:
        """By edge, its first row of `view.links`, which stands for all of it; -1 for an edge without links."""
        first_links, of_link = np.full(len(self.planner.graph), NONE), self.planner.graph.edge_of_link
        rows = np.flatnonzero(of_link >= 0)[::-1]  # backwards: the first is written last
        first_links[of_link[rows]] = rows
        return first_links

    def make_columns(self) -> dict[str, list[str | int]]:
        """Return the table of probes, a row each.

        Links are named upward and then downward, in the order in which packets cross them.
        """
        links, names, count = self.view.links, self.view.links.name.tolist(), len(self.paths)
        up_links, down_links = (
            np.where(edge >= 0, self.first_links[edge], NONE) for edge in (self.paths.up, self.paths.down)
        )
        if self.way == SRV6:
            addresses = self.view.steering(self.fabric).write_addresses(up_links, down_links)
        else:
            addresses = [text.partition("/")[0] for text in links.a_ip[down_links[:, 0]].tolist()]
        links_by_direction = {UP: up_links, DOWN: down_links[:, ::-1]}  # packets come down from the highest level
        return {
            "probe": [f"{self.fabric}-{number}" for number in range(1, count + 1)],
            "from": links.name[up_links[:, 0]].tolist(),
            "to": links.name[down_links[:, 0]].tolist(),
            "protocol": [self.way] * count,
            "source_port": [port or "" for port in self.paths.port.tolist()],
            "address": addresses,
            **{
                direction: [" ".join([names[row] for row in path if row >= 0]) for path in rows.tolist()]
                for direction, rows in links_by_direction.items()
            },
            "round": self.rounds.tolist(),
        }

    def make_class_columns(self) -> dict[str, list[str | int]]:
        """Return the links that cannot be told apart, or are on no path: a row for each direction, with its class and
        the reason.
        """
        links, tier, planner = self.view.links, self.view.devices.tier, self.planner
        # all links upward, then all downward; the edge of a link that no path takes is -1, whose figures do not count
        row, is_down = np.tile(self.links, 2), np.repeat((0, 1), len(self.links))
        edge = planner.graph.edge_of_link[row]
        direction = 2 * edge + is_down
        links_by_class = np.bincount(planner.label, np.repeat(self.links_by_edge, 2))
        # the first reason that holds counts; a direction that can be told from all others has none
        reasons = np.array([PEER, UNUSED, self.why_uncovered, "", SPREAD_OVER, TOGETHER], dtype=object)
        holds = (
            (edge < 0) & (tier[links.a[row]] == tier[links.b[row]]),
            edge < 0,
            ~planner.is_covered[direction],
            links_by_class[planner.label[direction]] <= 1,
            self.links_by_edge[edge] > 1,
        )
        why = reasons[np.select(holds, range(len(holds)), len(holds))]
        rows = np.flatnonzero(why != "")
        classes = np.where(np.isin(why, (SPREAD_OVER, TOGETHER)), planner.label[direction], NONE)[rows].tolist()
        return {
            "class": [f"{self.fabric}-{number}" if number >= 0 else "" for number in classes],
            "link": links.name[row[rows]].tolist(),
            "direction": np.array([UP, DOWN], dtype=object)[is_down[rows]].tolist(),
            "why": why[rows].tolist(),
        }

    def describe(self) -> str:
        """Return how many probes there are, and what they leave open, in a few lines."""
        columns, count, at_once = self.make_class_columns(), len(self.paths), np.bincount(self.rounds)
        fabrics_above = " and ".join(sorted(set(self.view.links.fabric[self.links]) - {self.fabric}))
        title = f"{self.fabric} (with {fabrics_above})" if fabrics_above else self.fabric
        bound = f"no plan has fewer than {self.least:,} ({count / self.least:.2f})"
        lines = [
            f"{title}: {count:,} probes of {len(self.links):,} links in both directions, {WAYS[self.way]}; {bound}",
            f"  in {len(at_once) - 1:,} rounds, of up to {at_once.max():,} at once: no two share a port or fill a link",
        ]
        rows_by_reason: dict[str | int, list[int]] = defaultdict(list)
        for row, why in enumerate(columns["why"]):
            rows_by_reason[why].append(row)
        for why, rows in rows_by_reason.items():
            classes = len({columns["class"][row] for row in rows} - {""})
            class_text = f" in {classes:,} class{'es' * (classes > 1)} that stand together" if classes else ""
            names = list_some([f"{columns['link'][row]} {columns['direction'][row]}" for row in rows])
            lines.append(f"  {len(rows):,} directions of links{class_text}: {why}: {names}")
        if self.gaps:
            lines.append(f"  {self.gaps:,} learnt paths left out: a switch on them did not answer")
        return "\n".join(lines)


def plan_probes(view: ClusterView, fabric: str, model: str = "", learnt: Path | None = None) -> Probes | None:
    """Return the probes of a fabric; None if it has no paths between nodes.

    `model` is how its switches hash, as in `HashedPorts`; `learnt` is a file of paths from the hall. Without either,
    packets name their path if SRv6 lets them, or else are spread. Raises InputError: FG180 if a model does not say
    where packets go, FG181 for a file of paths that cannot be used.
    """
    steering = view.steering(fabric)
    # no identifier of SRv6 leads over a link between switches of one tier
    graph = make_graph(view, fabric, level_links=not steering.srv6)
    if not len(graph):
        return None
    if learnt:
        paths, gaps = Learner(view, graph, learnt).read_paths()
        return Probes(view, fabric, UDP, Planner(graph).choose_paths(paths), "no learnt path takes it", gaps)
    if model:
        planner = Planner(graph, _make_hashed_ports(view, fabric, graph, model))
        return Probes(view, fabric, UDP, planner.make_paths(), "no source port leads there")
    if steering.srv6:
        planner = Planner(graph if steering.links else graph.join_parallel())
        return Probes(view, fabric, SRV6, planner.make_paths(), UNUSED)
    return Probes(view, fabric, SPREAD, Planner(graph.join_spread()).make_paths(), UNUSED)


def _make_hashed_ports(view: ClusterView, fabric: str, graph: Graph, model: str) -> HashedPorts:
    """Return what finds source ports for a fabric whose switches hash by a model.

    Raises InputError (FG180) if its switches do not hash, if nobody knows their seeds, or if a port has no address.
    """
    steering, links = view.steering(fabric), view.links
    if steering.srv6 or steering.mode != "hash":
        how = "SRv6" if steering.srv6 else f"`load_balance: {steering.mode}`" if steering.mode else "its subnet manager"
        raise view.refuse("FG180", f"{fabric} has its paths by {how}, and not by a hash", ("fabrics", fabric))
    # a turning point that is not a device leads on over one edge, whatever its hash
    seeds = np.pad(steering.seeds.astype(np.int64), (0, len(graph.height) - len(view.devices)))
    if (unknown := np.unique(graph.upper[seeds[graph.upper] < 0])).size:
        hint = "state `routing: {load_balance: {seeds: ...}}`, or what was learnt by --learnt"
        switches = f"{view.devices.name[unknown[0]]} and {len(unknown) - 1} others"
        message = f"nobody knows what {switches} begin their hashes with"
        raise view.refuse("FG180", message, ("fabrics", fabric), hint=hint)
    # an edge each: those of endpoints have their address
    rows = np.flatnonzero(graph.edge_of_link >= 0)
    rows = rows[graph.level[graph.edge_of_link[rows]] == 0]
    for row in rows[links.a_ip[rows] == ""].tolist():
        message = f"{links.name[row]} has no address of its own that switches could hash"
        raise view.refuse("FG180", message, links.path_of(row))
    addresses = [b""] * len(graph)
    for row in rows.tolist():
        addresses[graph.edge_of_link[row]] = ip_interface(links.a_ip[row]).ip.packed
    return HashedPorts(graph, addresses, model, seeds)


def list_some(names: Sequence[str]) -> str:
    """Return the first few of some names, and how many more there are."""
    return ", ".join(names[:FEW]) + (f" and {len(names) - FEW:,} more" if len(names) > FEW else "")


def write_tables(plans: list[Probes]) -> dict[str, bytes]:
    """Return the text of probes.csv and classes.csv by file name; either has the rows of all `plans`, one plan after
    the other.
    """
    tables: dict[str, list[Mapping[str, list[str | int]]]] = {
        "probes.csv": [plan.make_columns() for plan in plans],
        "classes.csv": [plan.make_class_columns() for plan in plans],
    }
    return {
        name: write_csv(
            {
                column: [cell for table_of_fabric in tables_of_fabrics for cell in table_of_fabric[column]]
                for column in tables_of_fabrics[0]
            }
        )
        for name, tables_of_fabrics in tables.items()
    }
