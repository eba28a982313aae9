"""A fabric as probes see it: edges upward, from endpoints to the switches where paths turn.

An edge is a link. It is several links if packets cannot be held to one of them: parallel links without identifiers of
their own, and, if nobody knows how switches hash, all links that a pair of endpoints is spread over. A link between two
switches with nothing above them, such as a span or the peer link of a pair, is two edges, from both switches to a
turning point of its own, which is not a device; its direction is that of the edge at its end a, and the other edge
stands with it. Arrays are int64, with a row for each edge; switches have the numbers of `view.devices`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fabricgen.api import ClusterView, Flags, Ints64, join_components

NONE = -1


@dataclass(frozen=True)
class Graph:
    """Edges by their lower and upper end; the lower end of an edge of level 0 is a node, that of others a switch."""

    lower: Ints64
    upper: Ints64
    level: Ints64
    """0 from an endpoint, else one more than the height of the lower switch, which is its longest way down."""
    edge_of_link: Ints64
    """By row of `view.links`, its edge; -1 for links of other fabrics, and for links that no path takes."""
    height: Ints64
    """By row of `view.devices`, and then by turning point."""

    def __len__(self) -> int:
        return len(self.level)

    @cached_property
    def levels(self) -> int:
        """Number of levels: links of the longest way up."""
        return int(self.level.max(initial=0)) + 1

    @cached_property
    def has_link(self) -> Flags:
        """By edge, whether any link is numbered as this edge; false for the second edge of a turning point."""
        return np.isin(np.arange(len(self)), self.edge_of_link)

    @cached_property
    def parts(self) -> list[Ints64]:
        """For each height an array, by switch: the number of its part, where parts are what switches up to that height
        join.
        """
        parts = [np.arange(len(self.height))]
        for height in range(1, self.levels):
            is_within = (self.level > 0) & (self.height[self.upper] <= height)
            parts.append(join_components(parts[-1], self.lower[is_within], self.upper[is_within]))
        return parts

    @cached_property
    def is_turn(self) -> Flags:
        """Whether paths may turn at each switch or turning point, a row of `height`.

        They may if edges lead up to it from two parts that nothing below it joins.
        """
        # each endpoint at the switch is a part of its own, besides the parts below
        part_of_edge = self.find_part_below(np.arange(len(self)), self.upper)
        switch_of_part, _ = np.unique(np.stack((self.upper, part_of_edge)), axis=1)
        return np.bincount(switch_of_part, minlength=len(self.height)) > 1

    def find_part_below(self, edge: Ints64, top: Ints64) -> Ints64:
        """Return the number of the part below the switch `top` from which each edge leads up to it; int64.

        Paths that turn at the switch join two such parts. `edge` and `top` have equal lengths. For an edge from an
        endpoint at that very switch, the part is the endpoint alone: a negative number.
        """
        switch = np.where(self.level[edge] > 0, self.lower[edge], self.upper[edge])
        height_below, part_of_edge = self.height[top] - 1, -2 - edge
        for height, labels in enumerate(self.parts):
            rows = (height_below == height) & (switch != top)
            part_of_edge[rows] = labels[switch[rows]]
        return part_of_edge

    def choose_edges(self, is_chosen: Flags) -> Graph:
        """Return the graph with only the chosen edges."""
        new_number = np.where(is_chosen, np.cumsum(is_chosen) - 1, NONE)
        return Graph(
            self.lower[is_chosen],
            self.upper[is_chosen],
            self.level[is_chosen],
            np.where(self.edge_of_link >= 0, new_number[self.edge_of_link], NONE),
            self.height,
        )

    def leave_out_useless(self) -> Graph:
        """Return the graph without edges that no path takes: above which none turns, or below which there is no
        endpoint.
        """
        has_endpoints, leads_to_turn = np.zeros(len(self.height), dtype=bool), self.is_turn.copy()
        for level in range(self.levels):
            has_endpoints[self.upper[(self.level == level) & ((level == 0) | has_endpoints[self.lower])]] = True
        for level in range(self.levels - 1, 0, -1):
            leads_to_turn[self.lower[(self.level == level) & leads_to_turn[self.upper]]] = True
        is_useful = leads_to_turn[self.upper] & ((self.level == 0) | has_endpoints[self.lower])
        # without some edges, other switches may be no turns
        return self if is_useful.all() else self.choose_edges(is_useful).leave_out_useless()

    def join_parallel(self) -> Graph:
        """Return the graph in which all links between two switches are one edge."""
        return self._join_switches(np.arange(len(self.height)))

    def join_spread(self) -> Graph:
        """Return the graph in which the switches of one height in one part are one, and edges between the same two too.

        It is for networks that spread the packets of a pair of endpoints over all of these links.
        """
        # a switch above all edges has no part of its own height
        height = np.minimum(self.height, self.levels - 1)
        return self._join_switches(find_first_alike(self.height, np.stack(self.parts)[height, np.arange(len(height))]))

    def _join_switches(self, stands_for: Ints64) -> Graph:
        """Return the graph in which switches with the same entry in `stands_for` are one switch, and parallel edges one
        edge.

        `stands_for` has, by switch, the switch in whose place it is counted. Edges of endpoints are not joined.
        """
        is_end, edges = self.level == 0, np.arange(len(self))
        lower, upper = np.where(is_end, self.lower, stands_for[self.lower]), stands_for[self.upper]
        joined = find_first_alike(lower, upper, np.where(is_end, edges, NONE))
        return replace(
            self,
            lower=lower,
            upper=upper,
            edge_of_link=np.where(self.edge_of_link >= 0, joined[self.edge_of_link], NONE),
        ).choose_edges(joined == edges)


def find_first_alike(*columns: Ints64) -> Ints64:
    """Return, by row, the first row that has the same values in all columns."""
    _, first_rows, inverse = np.unique(np.stack(columns), axis=1, return_index=True, return_inverse=True)
    return first_rows[inverse.ravel()]


def list_links(view: ClusterView, fabric: str) -> Ints64:
    """Return the rows of the links that packets of a fabric use: its own, and those of fabrics above it that only join
    its switches, so that no node has a port on them.
    """
    links, is_switch = view.links, view.devices.kind == "switch"
    of_nodes = set(links.fabric[~is_switch[links.a] & ~links.a_management])
    fabrics = {fabric}
    while True:
        rows = np.flatnonzero(np.isin(links.fabric, sorted(fabrics)) & ~links.a_management & is_switch[links.b])
        is_above = np.isin(links.a, links.b[rows]) & is_switch[links.b] & ~links.a_management
        if not (carriers := set(links.fabric[is_above]) - of_nodes - fabrics):
            return rows
        fabrics |= carriers


def make_graph(view: ClusterView, fabric: str, *, level_links: bool = True, rows: Ints64 | None = None) -> Graph:
    """Return the graph of the links over which nodes of a fabric talk, or of the links at some `rows`.

    Links between switches of one tier are left out if other switches are above them, or if bonds end at them: only
    ports on one of the two switches use them. Without `level_links`, all links between switches of one tier are left
    out.
    """
    links, devices = view.links, view.devices
    is_switch, tier = devices.kind == "switch", devices.tier
    rows = list_links(view, fabric) if rows is None else rows
    is_level = is_switch[links.a[rows]] & (tier[links.a[rows]] == tier[links.b[rows]])
    rising_rows, level_rows = rows[~is_level], rows[is_level]
    lower, upper = links.a[rising_rows].astype(np.int64), links.b[rising_rows].astype(np.int64)
    is_between_switches, height = is_switch[lower], np.zeros(len(devices), dtype=np.int64)
    for _ in range(len(set(tier))):
        np.maximum.at(height, upper[is_between_switches], height[lower[is_between_switches]] + 1)
    # turning points are numbered after the devices
    bonded = links.b[rows[links.a_bond[rows] != ""]]
    level_ends = np.stack((links.a[level_rows], links.b[level_rows])).astype(np.int64)
    on_top = ~np.isin(level_ends, np.concatenate((lower, bonded))).any(axis=0) & level_links
    level_ends, level_rows = level_ends[:, on_top], level_rows[on_top]
    turning_points = len(devices) + np.arange(len(level_rows))
    height = np.concatenate((height, height[level_ends].max(axis=0, initial=0) + 1))
    lower, upper = np.concatenate((lower, *level_ends)), np.concatenate((upper, turning_points, turning_points))
    level = np.where(np.r_[is_between_switches, np.ones(2 * len(turning_points), dtype=bool)], height[lower] + 1, 0)
    edge_of_link = np.full(len(links), NONE)
    edge_of_link[np.concatenate((rising_rows, level_rows))] = np.arange(len(rising_rows) + len(level_rows))
    return Graph(lower, upper, level, edge_of_link, height).leave_out_useless()
