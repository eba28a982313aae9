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
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from fabricgen.api import ClusterView

    Ints: TypeAlias = npt.NDArray[np.int64]
    Floats: TypeAlias = npt.NDArray[np.float64]
    Flags: TypeAlias = npt.NDArray[np.bool_]

NONE = -1


@dataclass(frozen=True)
class Graph:
    """Edges by their lower and upper end; the lower end of an edge of level 0 is a node, of others a switch."""

    lower: Ints
    upper: Ints
    level: Ints
    """0 from an endpoint, else one more than the height of the lower switch, which is the longest way down."""
    edge_of_link: Ints
    """By row of `view.links`, its edge; -1 for links of other fabrics, and for those that no path takes."""
    height: Ints
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
    def parts(self) -> list[Ints]:
        """By height, the part that each switch is in, as the switches up to that height join them."""
        labels = np.arange(len(self.height))
        parts: list[Ints] = []
        for height in range(self.levels):
            here = (self.level > 0) & (self.height[self.upper] <= height)
            labels = join_parts(labels, self.lower[here], self.upper[here])
            parts.append(labels)
        return parts

    @cached_property
    def is_turn(self) -> Flags:
        """As `height`, whether paths may turn there: they have no lower switch in common."""
        edges = np.arange(len(self))
        # an endpoint at the switch is a part of its own, as is each part below
        part = self.find_part_below(edges, self.upper)
        keys = np.unique(np.stack((self.upper, part)), axis=1)
        return np.bincount(keys[0], minlength=len(self.height)) > 1

    def find_part_below(self, first: Ints, turn: Ints) -> Ints:
        """Of what edges lead up from to a switch above, the part below that switch; paths join two of them.

        Of an edge from an endpoint at that very switch, a number that nothing else has.
        """
        switch = np.where(self.level[first] > 0, self.lower[first], self.upper[first])
        below, part = self.height[turn] - 1, -2 - first
        for height, labels in enumerate(self.parts):
            here = (below == height) & (switch != turn)
            part[here] = labels[switch[here]]
        return part

    def choose_edges(self, chosen: Flags) -> Graph:
        """The graph of some of its edges."""
        number = np.where(chosen, np.cumsum(chosen) - 1, NONE)
        of_link = np.where(self.edge_of_link >= 0, number[self.edge_of_link], NONE)
        return Graph(self.lower[chosen], self.upper[chosen], self.level[chosen], of_link, self.height)

    def leave_out_useless(self) -> Graph:
        """The graph without edges that no path takes: none turns above, or there is no endpoint below."""
        ended, useful = np.zeros(len(self.height), dtype=bool), self.is_turn.copy()
        for level in range(self.levels):
            here = self.level == level
            ended[self.upper[here & ((level == 0) | ended[self.lower])]] = True
        for level in range(self.levels - 1, 0, -1):
            here = (self.level == level) & useful[self.upper]
            useful[self.lower[here]] = True
        kept = useful[self.upper] & ((self.level == 0) | ended[self.lower])
        return self if kept.all() else self.choose_edges(kept).leave_out_useless()

    def join_parallel(self) -> Graph:
        """The graph in which links between two switches are one edge."""
        return self._join_edges(np.arange(len(self.height)))

    def join_spread(self) -> Graph:
        """The graph in which all is one edge that switches spread packets of a pair over: what leaves a part upward."""
        label = np.arange(len(self.height))
        for height, labels in enumerate(self.parts):
            rows = np.flatnonzero(self.height == height)
            _, first, inverse = np.unique(labels[rows], return_index=True, return_inverse=True)
            label[rows] = rows[first][inverse]
        return self._join_edges(label)

    def _join_edges(self, label: Ints) -> Graph:
        # edges between the same two labels are one; those of endpoints stay
        alone = np.where(self.level == 0, np.arange(len(self)), NONE)
        lower = np.where(self.level == 0, self.lower, label[self.lower])
        keys = np.stack((lower, label[self.upper], alone))
        _, first, inverse = np.unique(keys, axis=1, return_index=True, return_inverse=True)
        order = np.argsort(first)  # in the order of their first links
        number = np.argsort(order)[inverse.ravel()]
        of_link = np.where(self.edge_of_link >= 0, number[self.edge_of_link], NONE)
        first = first[order]
        return replace(
            self, lower=lower[first], upper=label[self.upper[first]], level=self.level[first], edge_of_link=of_link
        )


def join_parts(labels: Ints, a: Ints, b: Ints) -> Ints:
    """The labels of what edges join, each the least of its part: labels spread until nothing changes."""
    labels = labels.copy()
    while True:
        least = np.minimum(labels[a], labels[b])
        before = labels.copy()
        # of what is joined, and of what that was joined to before
        for ends in (a, b, before[a], before[b]):
            np.minimum.at(labels, ends, least)
        labels = labels[labels]
        if np.array_equal(labels, before):
            return labels


def list_links(view: ClusterView, fabric: str) -> Ints:
    """The links that carry a fabric, in rows: its own, and those of fabrics above it that no node has a port of."""
    links, is_switch = view.links, view.devices.kind == "switch"
    of_nodes = set(links.fabric[~is_switch[links.a] & ~links.a_management])
    fabrics = {fabric}
    while True:
        rows = np.flatnonzero(np.isin(links.fabric, sorted(fabrics)) & ~links.a_management & is_switch[links.b])
        above = np.isin(links.a, links.b[rows]) & is_switch[links.b] & ~links.a_management
        if not (more := set(links.fabric[above]) - of_nodes - fabrics):
            return rows
        fabrics |= more


def make_graph(view: ClusterView, fabric: str, *, level_links: bool = True, rows: Ints | None = None) -> Graph:
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
