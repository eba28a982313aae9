"""A fabric as probes see it: edges upward, from endpoints to the switches where paths turn.

An edge is a link. It is several where packets cannot be held to one: parallel links without identifiers of their own,
and, where nobody knows how switches hash, all that a pair of endpoints is spread over. A link between two switches that
nothing is above, as a span or that of a pair, is two edges, from both to a turning point of its own, which no device
is: its direction is that of the edge at its end a, and the other stands with it. Arrays are int64, a row an edge;
switches have the numbers of `view.devices`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fabricgen.api import ClusterView, Flags, Ints64, join_components

NONE = -1


@dataclass(frozen=True)
class Graph:
    """Edges by their lower and upper end; the lower end of an edge of level 0 is a node, of others a switch."""

    lower: Ints64
    upper: Ints64
    level: Ints64
    """0 from an endpoint, else one more than the height of the lower switch, which is the longest way down."""
    edge_of_link: Ints64
    """By row of `view.links`, its edge; -1 for links of other fabrics, and for those that no path takes."""
    height: Ints64
    """By row of `view.devices`, and then by turning point."""

    def __len__(self) -> int:
        return len(self.level)

    @cached_property
    def levels(self) -> int:
        """How many levels there are: links of the longest way up."""
        return int(self.level.max(initial=0)) + 1

    @cached_property
    def has_link(self) -> Flags:
        """By edge, whether links are told by it: not the edge of a turning point that stands with another."""
        return np.isin(np.arange(len(self)), self.edge_of_link)

    @cached_property
    def parts(self) -> list[Ints64]:
        """By height, the part that each switch is in, as the switches up to that height join them."""
        parts = [np.arange(len(self.height))]
        for height in range(1, self.levels):
            is_within = (self.level > 0) & (self.height[self.upper] <= height)
            parts.append(join_components(parts[-1], self.lower[is_within], self.upper[is_within]))
        return parts

    @cached_property
    def is_turn(self) -> Flags:
        """By row of `height`, whether paths may turn there: edges lead up to it from parts that nothing below joins."""
        # an endpoint at the switch is a part of its own, as is each part below
        part = self.find_part_below(np.arange(len(self)), self.upper)
        turn, _ = np.unique(np.stack((self.upper, part)), axis=1)
        return np.bincount(turn, minlength=len(self.height)) > 1

    def find_part_below(self, edge: Ints64, turn: Ints64) -> Ints64:
        """The part below a switch, where paths may turn, that each edge leads up from; paths join two such parts.

        Of an edge from an endpoint at that very switch, a number that nothing else has.
        """
        switch = np.where(self.level[edge] > 0, self.lower[edge], self.upper[edge])
        below, part = self.height[turn] - 1, -2 - edge
        for height, labels in enumerate(self.parts):
            rows = (below == height) & (switch != turn)
            part[rows] = labels[switch[rows]]
        return part

    def choose_edges(self, chosen: Flags) -> Graph:
        """The graph of some of its edges."""
        number = np.where(chosen, np.cumsum(chosen) - 1, NONE)
        of_link = np.where(self.edge_of_link >= 0, number[self.edge_of_link], NONE)
        return Graph(self.lower[chosen], self.upper[chosen], self.level[chosen], of_link, self.height)

    def leave_out_useless(self) -> Graph:
        """The graph without edges that no path takes: none turns above, or there is no endpoint below."""
        has_endpoints, leads_to_turn = np.zeros(len(self.height), dtype=bool), self.is_turn.copy()
        for level in range(self.levels):
            is_climbed = (self.level == level) & ((level == 0) | has_endpoints[self.lower])
            has_endpoints[self.upper[is_climbed]] = True
        for level in range(self.levels - 1, 0, -1):
            leads_to_turn[self.lower[(self.level == level) & leads_to_turn[self.upper]]] = True
        is_useful = leads_to_turn[self.upper] & ((self.level == 0) | has_endpoints[self.lower])
        # without some edges, other switches may be no turns
        return self if is_useful.all() else self.choose_edges(is_useful).leave_out_useless()

    def join_parallel(self) -> Graph:
        """The graph in which links between two switches are one edge."""
        return self._join_switches(np.arange(len(self.height)))

    def join_spread(self) -> Graph:
        """The graph in which all is one edge that switches spread packets of a pair over: what leaves a part upward."""
        # what is higher than all edges has none
        height = np.minimum(self.height, self.levels - 1)
        part_at_height = np.stack(self.parts)[height, np.arange(len(height))]
        return self._join_switches(find_first_alike(self.height, part_at_height))

    def _join_switches(self, stands_for: Ints64) -> Graph:
        # edges between switches for which the same two stand are the first of them; those of endpoints stay
        is_end, edges = self.level == 0, np.arange(len(self))
        lower, upper = np.where(is_end, self.lower, stands_for[self.lower]), stands_for[self.upper]
        joined = find_first_alike(lower, upper, np.where(is_end, edges, NONE))
        of_link = np.where(self.edge_of_link >= 0, joined[self.edge_of_link], NONE)
        return replace(self, lower=lower, upper=upper, edge_of_link=of_link).choose_edges(joined == edges)


def find_first_alike(*columns: Ints64) -> Ints64:
    """By row, the first row that has the same values in all columns."""
    _, first_rows, inverse = np.unique(np.stack(columns), axis=1, return_index=True, return_inverse=True)
    return first_rows[inverse.ravel()]


def list_links(view: ClusterView, fabric: str) -> Ints64:
    """The links that carry a fabric, in rows: its own, and those of fabrics above it that no node has a port of."""
    links, is_switch = view.links, view.devices.kind == "switch"
    of_nodes = set(links.fabric[~is_switch[links.a] & ~links.a_management])
    fabrics = {fabric}
    while True:
        rows = np.flatnonzero(np.isin(links.fabric, sorted(fabrics)) & ~links.a_management & is_switch[links.b])
        above = np.isin(links.a, links.b[rows]) & is_switch[links.b] & ~links.a_management
        if not (carriers := set(links.fabric[above]) - of_nodes - fabrics):
            return rows
        fabrics |= carriers


def make_graph(view: ClusterView, fabric: str, *, level_links: bool = True, rows: Ints64 | None = None) -> Graph:
    """The links over which nodes of a fabric talk, or of some `rows`.

    Left out are links between switches of one tier that others are above, or that bonds end at, which only ports on one
    of the two alone use, and without `level_links` all between switches of one tier.
    """
    links, devices = view.links, view.devices
    is_switch, tier = devices.kind == "switch", devices.tier
    rows = list_links(view, fabric) if rows is None else rows
    is_level = is_switch[links.a[rows]] & (tier[links.a[rows]] == tier[links.b[rows]])
    rising, level_rows = rows[~is_level], rows[is_level]
    lower, upper = links.a[rising].astype(np.int64), links.b[rising].astype(np.int64)
    between, height = is_switch[lower], np.zeros(len(devices), dtype=np.int64)
    for _ in range(len(set(tier))):
        np.maximum.at(height, upper[between], height[lower[between]] + 1)
    # turning points are numbered after the devices
    bonded = links.b[rows[links.a_bond[rows] != ""]]
    ends = np.stack((links.a[level_rows], links.b[level_rows])).astype(np.int64)
    on_top = ~np.isin(ends, np.concatenate((lower, bonded))).any(axis=0) & level_links
    ends, level_rows = ends[:, on_top], level_rows[on_top]
    turns = len(devices) + np.arange(len(level_rows))
    height = np.concatenate((height, height[ends].max(axis=0, initial=0) + 1))
    lower, upper = np.concatenate((lower, *ends)), np.concatenate((upper, turns, turns))
    level = np.where(np.r_[between, np.ones(2 * len(turns), dtype=bool)], height[lower] + 1, 0)
    of_link = np.full(len(links), NONE)
    of_link[np.concatenate((rising, level_rows))] = np.arange(len(rising) + len(level_rows))
    return Graph(lower, upper, level, of_link, height).leave_out_useless()
