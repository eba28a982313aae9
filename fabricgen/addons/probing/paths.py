"""The fewest paths that cross every edge in both directions and tell all of them apart.

Two edges can be told apart only if they are not on exactly the same paths. A path of 2 K edges can hold one edge that
is on no other path; all other edges are on two paths at least, so that n edges need 2 n / (2 K + 1) paths
(`find_least`). The paths are made to that measure: what leaves a switch upward is dealt over its edges, so that as many
as possible are used once and all others twice. A path with an edge that is used once meets one without such an edge,
and more paths mend what could not meet. All choices come from a generator with a fixed seed: the same fabric gives the
same paths.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fabricgen.addons.probing.graph import NONE, Graph
from fabricgen.api import Flags, Ints64, rank_within

TRIES = 24
"""Rounds in which half paths look for a partner at their switch; if the switch has two parts below it, every second
attempt fails.
"""
GOLDEN = (5**0.5 - 1) / 2
"""Multiples of it, modulo 1, are spread evenly over 0 to 1, whichever of them are taken at equal distances."""
IDLE = 16
"""After this many rounds that tell nothing more apart, the rest stands together: a round that can tell two edges apart
does so at least every other time.
"""


@dataclass(frozen=True)
class Paths:
    """One-way paths: up from an endpoint to a switch, and down from there to another endpoint.

    `up` and `down` have the edge of the path at each level, int64 of shape (paths, levels), -1 for a level that it does
    not reach.
    """

    up: Ints64
    down: Ints64
    port: Ints64
    """The source port that leads packets along the path; 0 if none is needed."""

    def __len__(self) -> int:
        return len(self.up)

    def select_rows(self, rows: Ints64 | Flags) -> Paths:
        """Return the paths at some rows, or the flagged ones."""
        return Paths(self.up[rows], self.down[rows], self.port[rows])

    def append_paths(self, paths: Paths) -> Paths:
        """Return these paths followed by others."""
        pairs = zip((self.up, self.down, self.port), (paths.up, paths.down, paths.port), strict=True)
        return Paths(*map(np.concatenate, pairs))

    @classmethod
    def join_half_paths(cls, a: Ints64, b: Ints64) -> Paths:
        """Return the paths that go up row i of `a` and down row i of `b`, followed by the same paths in the other
        direction.

        Both have the edge of a half path at each level, int64 of shape (half paths, levels).
        """
        return cls(np.concatenate((a, b)), np.concatenate((b, a)), np.zeros(2 * len(a), dtype=np.int64))

    def list_directions(self) -> tuple[Ints64, Ints64]:
        """Return the path and the direction of every edge that paths cross, in the order of paths.

        A direction is twice the edge for upward, plus one for downward.
        """
        directions = np.concatenate((2 * self.up, np.where(self.down >= 0, 2 * self.down + 1, NONE)), axis=1)
        path, column = np.nonzero(directions >= 0)
        return path, directions[path, column]

    def share_rounds(self, capacity: Ints64) -> Ints64:
        """Return the round in which each path is used, from 1; int64.

        `capacity` is, by direction of an edge, how many paths of one round may cross it.
        """
        rounds, rng, number = np.zeros(len(self), dtype=np.int64), np.random.Generator(np.random.PCG64(63)), 0
        path, direction = self.list_directions()
        while not rounds.all():
            number, room, is_open = number + 1, capacity.copy(), rounds[path] == 0
            while is_open.any():
                # in a random order, paths take capacity on all their edges, or wait if an edge has none left
                comer, crossed = path[is_open], direction[is_open]
                is_late = rank_within(crossed, rng.permutation(len(self))[comer]) >= room[crossed]
                is_sent = np.bincount(comer, is_late, len(self))[comer] == 0
                rounds[comer[is_sent]] = number
                room -= np.bincount(crossed[is_sent], minlength=len(room))
                waits = np.bincount(path, room[direction] == 0, len(self)) > 0
                is_open &= (rounds[path] == 0) & ~waits[path]
        return rounds


def find_least(graph: Graph) -> int:
    """Return a lower bound: with fewer one-way paths, no plan can tell all directions of edges apart.

    It is the greatest bound over sets of levels. On a set of S levels with n edges, a path has at most 2 S edges, and
    all but one of these must be on another path as well.
    """
    counts = np.sort(np.bincount(graph.level[graph.has_link], minlength=graph.levels))[::-1]
    return int(np.ceil(4 * np.cumsum(counts) / (2 * np.arange(1, len(counts) + 1) + 1)).max(initial=0))


class Planner:
    """Makes the paths of a graph.

    `find_ports` returns, for some paths, the source port that leads packets over each; -1 if none does. Without it,
    packets need no port: they name their path, or are spread over all links at once. `label` has, by direction of an
    edge, the number of its class: the directions that are on the same paths.
    """

    def __init__(self, graph: Graph, find_ports: Callable[[Paths], Ints64] | None = None) -> None:
        self.graph, self._find_ports = graph, find_ports
        self._rng = np.random.Generator(np.random.PCG64(63))
        self._is_end = graph.level == 0
        self._up = Choices.group_edges(np.flatnonzero(~self._is_end), graph.lower, len(graph.height))
        self._ends = Choices.group_edges(np.flatnonzero(self._is_end), graph.upper, len(graph.height))
        none = np.empty((0, graph.levels), dtype=np.int64)
        self.paths = Paths.join_half_paths(none, none)
        # by direction of an edge, a sum of random numbers of its paths: alike where the paths are, 0 without one
        self._signs = np.zeros(2 * len(graph), dtype=np.uint64)
        self._add_paths(self.paths)

    @property
    def is_covered(self) -> Flags:
        """By direction of an edge, whether it is on a path."""
        covered: Flags = self._signs != 0
        return covered

    def make_paths(self) -> Planner:
        """Make paths as dealt, then others until nothing more can be told apart; return the planner."""
        half_paths, top = self._deal_half_paths()
        uses = np.bincount(half_paths[half_paths >= 0], minlength=len(self.graph))
        has_single = ((half_paths >= 0) & (uses[half_paths] == 1)).any(axis=1)
        self._add_paths(self._hold_packets(self._match_half_paths(half_paths, top, has_single)))
        idle, number, still_open = 0, 0, self.count_open()
        while still_open and idle < IDLE:
            half_paths, top, is_picked = self._draw_half_paths(number % 3 == 2)
            # half paths with picked edges meet each other first; those without a partner then meet any
            picked, drawn = (self._match_half_paths(half_paths[rows], top[rows]) for rows in (is_picked, slice(None)))
            self._add_paths(self._choose_useful(self._hold_packets(picked.append_paths(drawn))))
            was_open, still_open = still_open, self.count_open()
            idle, number = (idle + 1 if still_open == was_open else 0), number + 1
        return self

    def choose_paths(self, paths: Paths) -> Planner:
        """Take those of some known paths that tell most apart, until none tells more; return the planner."""
        while len(chosen := self._choose_useful(paths)):
            self._add_paths(chosen)
        return self

    def count_open(self) -> int:
        """Return the number of directions of links that are on no path, or stand together with others.

        Each split of a class reduces it by one.
        """
        return 2 * int(self.graph.has_link.sum()) - len(self._counts) + (not self.is_covered.all())

    def _hold_packets(self, paths: Paths) -> Paths:
        """Return those of some paths over which packets can be led, with their source ports; without `find_ports`, all
        of them.
        """
        if not self._find_ports:
            return paths
        ports = self._find_ports(paths)
        return Paths(paths.up, paths.down, ports).select_rows(ports >= 0)

    def _add_paths(self, paths: Paths) -> None:
        """Take paths, and bring the classes of directions up to date."""
        self.paths = self.paths.append_paths(paths)
        path, direction = paths.list_directions()
        np.add.at(self._signs, direction, self._rng.integers(1, 1 << 63, len(paths), dtype=np.uint64)[path])
        # the class of each direction of an edge, and how many are in each
        self.label, self._counts = np.unique(self._signs, return_inverse=True, return_counts=True)[1:]

    def _choose_useful(self, paths: Paths) -> Paths:
        """Return the best of some paths for each class of directions that any of them splits, and for each new
        direction.

        A new direction is one that no path of the planner covers. The best path is the one that splits or covers most.
        """
        path, direction = paths.list_directions()
        label, counts = self.label, self._counts
        # directions on no path are covered one by one; a path splits a class if it has some of it and not all
        label = np.where(self.is_covered, label, len(counts) + np.arange(len(label)))
        size = np.where(self.is_covered, counts[np.minimum(label, len(counts) - 1)], 2)
        # a number for each pair of path and label: labels are below twice as many as there are directions
        pairs = path * len(label) * 2 + label[direction]
        crossing, members = np.unique(pairs, return_index=True, return_counts=True)[1:]
        crossing = crossing[members < size[direction[crossing]]]
        path, label = path[crossing], label[direction[crossing]]
        order = np.lexsort((path, -np.bincount(path, minlength=len(paths))[path], label))
        is_best = np.r_[True, np.diff(label[order]) != 0] if len(order) else np.zeros(0, dtype=bool)
        return paths.select_rows(np.unique(path[order][is_best]))

    # Half paths are rows [half paths, levels] of edges by level, -1 for none, from an endpoint up to a switch.

    def _deal_half_paths(self) -> tuple[Ints64, Ints64]:
        """Return half paths from all endpoints, as many as the fewest paths need, and the highest switch of each.

        Half paths have the edge at each level, int64 of shape (half paths, levels), -1 for a level that they do not
        reach; switches are rows of `Graph.height`.
        """
        graph = self.graph
        half_paths_per_endpoint = find_least(graph) / max(int(self._is_end.sum()), 1)
        wanted = np.ceil(self._ends.count * half_paths_per_endpoint - 1e-9).astype(
            np.int64
        )  # 1e-9: what is whole but for rounding
        top = np.repeat(np.arange(len(wanted)), wanted)
        all_rows, single = np.arange(len(top)), np.zeros(len(top), dtype=bool)
        half_paths = np.full((len(top), graph.levels), NONE)
        last_edge = self._deal_once_or_twice(half_paths, single, all_rows, top, all_rows, self._ends)
        for height in range(graph.levels - 1):
            climbing = np.flatnonzero((graph.height[top] == height) & (self._up.count[top] > 0))
            if height and not graph.has_link.all():
                # if sites differ in size, a half path that would use an edge a third time finds no partner above
                position = rank_within(top[climbing], self._rng.random(len(climbing)))
                has_room = position < 2 * self._up.count[top[climbing]]
                climbing = climbing[has_room | ~graph.is_turn[top[climbing]]]
            last_edge[climbing] = self._deal_once_or_twice(
                half_paths, single, climbing, top[climbing], last_edge[climbing], self._up
            )
            top[climbing] = graph.upper[last_edge[climbing]]
        return half_paths, top

    def _deal_once_or_twice(
        self, half_paths: Ints64, single: Flags, rows: Ints64, switch: Ints64, last_edge: Ints64, choices: Choices
    ) -> Ints64:
        """Give each half path at a switch an edge upward, so that some edges are used once and all others twice; return
        the edges.

        `rows` are rows of `half_paths`; `switch` and `last_edge` are the switch that each has reached, and its edge up
        to there. Edges that are used once go first to half paths without such an edge (`single`). Two half paths on one
        edge have no other edge in common: those with one `last_edge` are dealt neighbouring edges. Changes `half_paths`
        and `single`.
        """
        half_paths_at_switch = np.bincount(switch, minlength=len(choices.count))
        single_edges = np.clip(
            2 * choices.count - half_paths_at_switch, 0, np.minimum(choices.count, half_paths_at_switch)
        )
        position = rank_within(switch, single[rows] * (last_edge.max(initial=0) + 1) + last_edge)
        is_once = position < single_edges[switch]
        shared_edges = np.maximum(choices.count - single_edges, 1)[switch]
        shared_edge = rank_within(2 * switch + is_once, last_edge) % shared_edges
        edge_number = np.where(is_once, position, single_edges[switch] + shared_edge)
        # each switch begins at another edge, so that edges used once are spread over the switches above
        first_number = (np.cumsum(choices.count > 0) * GOLDEN % 1 * choices.count).astype(np.int64)[switch]
        edge = choices.take_edges(switch, edge_number + first_number)
        half_paths[rows, self.graph.level[edge]] = edge
        single[rows] |= is_once
        return edge

    def _draw_half_paths(self, may_end_early: bool) -> tuple[Ints64, Ints64, Flags]:
        """Return random half paths from all endpoints, the switch where each ends, and whether it has an edge worth
        another path.

        Half paths have the edge at each level, int64 of shape (endpoints, levels), -1 for a level that they do not
        reach. Edges without a path are worth another one, and so is every other edge of a class; they are drawn first.
        With `may_end_early`, a half path may end, by chance, at any switch at which paths may turn.
        """
        graph, end_edges, rng = self.graph, np.flatnonzero(self._is_end), self._rng
        indistinct_directions = np.flatnonzero(self.is_covered & (self._counts[self.label] > 1))
        rank_in_class = rank_within(self.label[indistinct_directions], rng.random(len(indistinct_directions)))
        is_picked = np.zeros(len(graph), dtype=bool)
        is_picked[
            np.concatenate((np.flatnonzero(~self.is_covered), indistinct_directions[rank_in_class % 2 == 0])) // 2
        ] = True
        edges = self._up.edges[np.lexsort((rng.random(len(self._up.edges)), ~is_picked[self._up.edges]))]
        choices_up = Choices.group_edges(edges, graph.lower, len(graph.height))
        half_paths, top = np.full((len(end_edges), graph.levels), NONE), graph.upper[end_edges]
        stays = np.zeros(len(end_edges), dtype=bool)  # half paths that end at the switch that they have reached
        half_paths[:, 0], picked_edges = end_edges, is_picked[end_edges].astype(np.int64)
        for _ in range(graph.levels - 1):
            stays |= may_end_early & graph.is_turn[top] & (rng.random(len(top)) < 1 / 2)
            rows = np.flatnonzero((choices_up.count[top] > 0) & ~stays)
            order_at_switch = rank_within(top[rows], rng.random(len(rows)) - picked_edges[rows])
            edge = choices_up.take_edges(top[rows], order_at_switch.astype(np.int64))
            half_paths[rows, graph.level[edge]] = edge
            picked_edges[rows] += is_picked[edge]
            top[rows] = graph.upper[edge]
        return half_paths, top, picked_edges > 0

    def _match_half_paths(self, half_paths: Ints64, top: Ints64, single: Flags | None = None) -> Paths:
        """Return paths that go up one half path and down another one with the same highest switch (`top`), in both
        directions.

        Partners come from different parts below the switch and from different nodes; a half path without a partner is
        left out. `single` says which half paths have an edge that no other has: in the first half of the tries, two
        such are no partners.
        """
        single = np.zeros(len(half_paths), dtype=bool) if single is None else single
        node_of_half_path = self.graph.lower[half_paths[:, 0]]
        part_below = self.graph.find_part_below(half_paths[:, 0], top)
        unmatched = np.arange(len(half_paths))
        pairs: list[Ints64] = []
        for attempt in range(TRIES):
            shuffled = self._rng.permutation(unmatched)
            # by switch, alternately one with such an edge and one without
            pairing_order = 2 * rank_within(2 * top[shuffled] + single[shuffled]) + single[shuffled]
            shuffled = shuffled[np.lexsort((pairing_order, top[shuffled]))]
            # the first and second of a switch may meet, the third and fourth, and so on
            place_at_switch = rank_within(top[shuffled])
            rows = np.flatnonzero((place_at_switch[:-1] % 2 == 0) & (top[shuffled[:-1]] == top[shuffled[1:]]))
            a, b = shuffled[rows], shuffled[rows + 1]
            fits = (
                (part_below[a] != part_below[b])
                & (node_of_half_path[a] != node_of_half_path[b])
                & ~(single[a] & single[b] & (attempt < TRIES // 2))
            )
            pairs.append(np.stack((a[fits], b[fits])))
            unmatched = np.setdiff1d(unmatched, pairs[-1])
        a, b = np.concatenate(pairs, axis=1)
        return Paths.join_half_paths(half_paths[a], half_paths[b])


@dataclass(frozen=True)
class Choices:
    """Edges by the switch that leads over them: those of a switch are `count` of `edges` from `start` on."""

    edges: Ints64
    start: Ints64
    count: Ints64

    @classmethod
    def group_edges(cls, edges: Ints64, ends: Ints64, switches: int) -> Choices:
        """Return edges grouped by one of their ends.

        `ends` has that end of each edge of the graph; it is a number below `switches`.
        """
        count = np.bincount(ends[edges], minlength=switches)
        edges = edges[np.argsort(ends[edges], kind="stable")]
        return cls(edges, np.cumsum(count) - count, count)

    def take_edges(self, switch: Ints64, number: Ints64) -> Ints64:
        """Return the edge with a number of each switch; numbers beyond the last edge begin again at the first."""
        return self.edges[self.start[switch] + number % self.count[switch]]

    def list_all(self, switch: Ints64) -> tuple[Ints64, Ints64]:
        """Return (for each edge the index of its switch in `switch`, all edges of these switches in turn), int64."""
        count = self.count[switch]
        of_switch = np.repeat(np.arange(len(switch)), count)
        # the number of each among all, less those of switches before, from where its switch begins
        return of_switch, self.edges[
            (self.start[switch] - np.cumsum(count) + count)[of_switch] + np.arange(len(of_switch))
        ]
