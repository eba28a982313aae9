"""The fewest paths that cross every edge in both directions and tell all of them apart.

Each edge has to be on paths that no other edge shares as a whole. A path of 2 K edges can hold one that is on no other
path; all others are on two at least, so that n edges take 2 n / (2 K + 1) paths, and no fewer (`find_least`). The paths
are made to that measure: what leaves a switch upward is dealt over its edges, so many of them once and all others
twice, a path with an edge that is used once meets one without, and what could not be met so is mended by more paths.
All choices are of a generator with a fixed seed: same fabric, same paths.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from fabricgen.addons.probing.graph import NONE, Graph

if TYPE_CHECKING:
    from fabricgen.addons.probing.graph import Flags, Floats, Ints

TRIES = 24
"""Rounds in which half paths look for a partner at their switch; with two parts below it, every other one fails."""
GOLDEN = (5**0.5 - 1) / 2
"""Its multiples are spread evenly over 0 to 1, whichever of them are taken at equal distances."""
IDLE = 16
"""After so many rounds that tell nothing more apart, what is left stands together: a round that could tell two edges
apart does so at least every other time."""


@dataclass(frozen=True)
class Paths:
    """One-way paths, [paths, levels] each: edges upward and downward by level, -1 for none."""

    up: Ints
    down: Ints
    port: Ints
    """The source port that leads packets there; 0 where none is needed."""

    def __len__(self) -> int:
        return len(self.up)

    def select_rows(self, rows: Ints | Flags) -> Paths:
        """The paths of some rows, or of those that are flagged."""
        return Paths(self.up[rows], self.down[rows], self.port[rows])

    def append_paths(self, other: Paths) -> Paths:
        """These paths, then others."""
        joined = (np.concatenate((getattr(self, name), getattr(other, name))) for name in ("up", "down", "port"))
        return Paths(*joined)

    @classmethod
    def join_half_paths(cls, a: Ints, b: Ints) -> Paths:
        """Paths over half paths that meet, one way and then the other."""
        return cls(np.concatenate((a, b)), np.concatenate((b, a)), np.zeros(2 * len(a), dtype=np.int64))

    def list_directions(self) -> tuple[Ints, Ints]:
        """(path, direction of an edge) of all that each path crosses, in the order of paths; a direction is twice the
        edge upward, and one more downward.
        """
        directions = np.concatenate((2 * self.up, np.where(self.down >= 0, 2 * self.down + 1, NONE)), axis=1)
        path, column = np.nonzero(directions >= 0)
        return path, directions[path, column]

    def share_rounds(self, capacity: Ints) -> Ints:
        """By path the round, from 1, in which it is sent: at once with as many others as find room.

        `capacity` is by direction of an edge how many paths of a round may cross it.
        """
        rounds, rng, number = np.zeros(len(self), dtype=np.int64), np.random.Generator(np.random.PCG64(63)), 0
        path, direction = self.list_directions()
        while not rounds.all():
            number, free, here = number + 1, capacity.copy(), rounds[path] == 0
            while here.any():
                # by chance some come first wherever they go, and take their place; who finds none left waits
                near, over = path[here], direction[here]
                is_late = number_in_owner(over, rng.permutation(len(self))[near]) >= free[over]
                comes = np.bincount(near, is_late, len(self))[near] == 0
                rounds[near[comes]] = number
                free -= np.bincount(over[comes], minlength=len(free))
                waits = np.bincount(path, free[direction] == 0, len(self)) > 0
                here &= (rounds[path] == 0) & ~waits[path]
        return rounds


FindPorts: TypeAlias = Callable[[Paths], "Ints"]
"""The source port that leads packets over each path, 0 where none is needed, -1 where none does."""


def find_least(graph: Graph) -> int:
    """A number of one-way paths below which no plan can tell all directions of edges apart, the paths longest at that.

    For any levels S of n edges: each path has 2 S of them at most, all but one on two paths.
    """
    counts = np.sort(np.bincount(graph.level[graph.has_link], minlength=graph.levels))[::-1]
    wide = 2 * np.arange(1, len(counts) + 1) + 1
    return int(np.ceil(4 * np.cumsum(counts) / wide).max(initial=0))


class Planner:
    """Makes the paths of a graph, of which packets can be held to those that `find_ports` has a port for.

    Without it they name their path, or take all at once.
    """

    def __init__(self, graph: Graph, find_ports: FindPorts | None = None) -> None:
        self._graph, self._find_ports = graph, find_ports
        self._rng = np.random.Generator(np.random.PCG64(63))
        self._is_end = graph.level == 0
        switches = len(graph.height)
        self._up = Choices.group_edges(np.flatnonzero(~self._is_end), graph.lower, switches)
        self._ends = Choices.group_edges(np.flatnonzero(self._is_end), graph.upper, switches)
        none = np.empty((0, graph.levels), dtype=np.int64)
        self.paths = Paths.join_half_paths(none, none)
        self.signs = np.zeros(2 * len(graph), dtype=np.uint64)
        """By direction of an edge, a sum of random numbers of its paths: alike where the paths are, 0 without one."""
        self._add_paths(self.paths)

    def make_paths(self) -> Paths:
        """The paths: as dealt, then others until nothing more can be told apart."""
        half_paths = self._deal_half_paths()
        uses = np.bincount(half_paths[half_paths >= 0], minlength=len(self._graph))
        self._keep_paths(self._match_half_paths(half_paths, ((half_paths >= 0) & (uses[half_paths] == 1)).any(axis=1)))
        idle, number, still_open = 0, 0, self.count_open()
        while still_open and idle < IDLE:
            half_paths, is_picked = self._draw_half_paths(number % 3 == 2)
            # those with picked edges meet each other; what finds no partner so meets others
            picked, drawn = (self._match_half_paths(some) for some in (half_paths[is_picked], half_paths))
            paths = picked.append_paths(drawn)
            self._keep_paths(paths, useful=True)
            before, still_open = still_open, self.count_open()
            idle, number = (idle + 1 if still_open == before else 0), number + 1
        return self.paths

    def choose_paths(self, paths: Paths) -> Paths:
        """The paths, of some that are known to be taken: those that tell most apart, until no other tells more."""
        while len(chosen := self._choose_useful(paths)):
            self._add_paths(chosen)
        return self.paths

    def count_open(self) -> int:
        """Directions of links on no path, or that others stand together with; each split of a class is one less."""
        alone = 2 * int(self._graph.has_link.sum())
        return alone - len(self._counts) + bool((self.signs == 0).any())

    def _keep_paths(self, paths: Paths, *, useful: bool = False) -> None:
        # take paths that packets can be held to into the plan: all, or those that tell more apart
        if self._find_ports:
            ports = self._find_ports(paths)
            paths = Paths(paths.up, paths.down, ports).select_rows(ports >= 0)
        self._add_paths(self._choose_useful(paths) if useful else paths)

    def _add_paths(self, paths: Paths) -> None:
        self.paths = self.paths.append_paths(paths)
        path, direction = paths.list_directions()
        np.add.at(self.signs, direction, self._rng.integers(1, 1 << 63, len(paths), dtype=np.uint64)[path])
        # the class of each direction of an edge, and how many are in each
        self.label, self._counts = np.unique(self.signs, return_inverse=True, return_counts=True)[1:]

    def _choose_useful(self, paths: Paths) -> Paths:
        """Paths that cover or split something that no better one of them does."""
        path, direction = paths.list_directions()
        label, counts = self.label, self._counts
        # what is on no path is covered one by one; a class is split by a path with some of it, and not all
        label = np.where(self.signs == 0, len(counts) + np.arange(len(label)), label)
        size = np.where(self.signs == 0, 2, counts[np.minimum(label, len(counts) - 1)])
        # a number for each pair of path and label: labels are below twice as many as there are directions
        first, members = np.unique(path * len(label) * 2 + label[direction], return_index=True, return_counts=True)[1:]
        first = first[members < size[direction[first]]]
        path, label = path[first], label[direction[first]]
        gain = np.bincount(path, minlength=len(paths))
        order = np.lexsort((path, -gain[path], label))
        is_best = np.r_[True, np.diff(label[order]) != 0] if len(order) else np.zeros(0, dtype=bool)
        return paths.select_rows(np.unique(path[order][is_best]))

    # Half paths are rows [half paths, levels] of edges by level, -1 for none, from an endpoint up to a switch.

    def _deal_half_paths(self) -> Ints:
        """Half paths from all endpoints to the highest switches, as many as the fewest paths have."""
        graph = self._graph
        share = find_least(graph) / max(int(self._is_end.sum()), 1)
        wanted = np.ceil(self._ends.count * share - 1e-9).astype(np.int64)
        top = np.repeat(np.arange(len(wanted)), wanted)
        half_paths, single = np.full((len(top), graph.levels), NONE), np.zeros(len(top), dtype=bool)
        last = self._deal_once_or_twice(half_paths, single, np.arange(len(top)), top, np.arange(len(top)), self._ends)
        for height in range(graph.levels - 1):
            here = np.flatnonzero((graph.height[top] == height) & (self._up.count[top] > 0))
            if height and not graph.has_link.all():
                # of sites of different sizes, what would lead over an edge a third time finds nobody above
                position = number_in_owner(top[here], self._rng.random(len(here)))
                here = here[(position < 2 * self._up.count[top[here]]) | ~graph.is_turn[top[here]]]
            last[here] = self._deal_once_or_twice(half_paths, single, here, top[here], last[here], self._up)
            top[here] = graph.upper[last[here]]
        return half_paths

    def _deal_once_or_twice(
        self, half_paths: Ints, single: Flags, rows: Ints, switch: Ints, last: Ints, choices: Choices
    ) -> Ints:
        """Deal half paths at a switch over its edges: some once, to those without an edge used once, others twice.

        Changes `half_paths` and `single`, and returns the edge of each. Two on one edge have no other in common:
        those of one `last` edge lie side by side, and two that share the next one as far apart as there are edges.
        """
        here = np.bincount(switch, minlength=len(choices.count))
        once = np.clip(2 * choices.count - here, 0, np.minimum(choices.count, here))
        position = number_in_owner(switch, single[rows] * (last.max(initial=0) + 1) + last)
        is_once = position < once[switch]
        rest = number_in_owner(2 * switch + is_once, last)
        twice = np.maximum(choices.count - once, 1)[switch]
        number = np.where(is_once, position, once[switch] + rest % twice)
        # each switch begins at another edge, so that those used once are spread over the switches above
        turn = (np.cumsum(choices.count > 0) * GOLDEN % 1 * choices.count).astype(np.int64)[switch]
        edge = choices.take_edges(switch, number + turn)
        half_paths[rows, self._graph.level[edge]] = edge
        single[rows] |= is_once
        return edge

    def _draw_half_paths(self, low: bool) -> tuple[Ints, Flags]:
        """(half paths from all endpoints, which of them have edges that a path more would tell from others).

        Those edges are all without a path, and every other one of a class; they are dealt first, to half paths with
        some already. If `low`, some end at the first switch that paths may turn at.
        """
        graph, ends, rng = self._graph, np.flatnonzero(self._is_end), self._rng
        together = np.flatnonzero((self.signs != 0) & (self._counts[self.label] > 1))
        position = number_in_owner(self.label[together], rng.random(len(together)))
        is_picked = np.zeros(len(graph), dtype=bool)
        is_picked[np.concatenate((np.flatnonzero(self.signs == 0), together[position % 2 == 0])) // 2] = True
        edges = self._up.edges[np.lexsort((rng.random(len(self._up.edges)), ~is_picked[self._up.edges]))]
        choices = Choices.group_edges(edges, graph.lower, len(graph.height))
        half_paths, top, stays = np.full((len(ends), graph.levels), NONE), graph.upper[ends], is_picked[ends] & False
        half_paths[:, 0], picked = ends, is_picked[ends].astype(np.int64)
        for _ in range(graph.levels - 1):
            stays |= low & graph.is_turn[top] & (rng.random(len(top)) < 1 / 2)
            rows = np.flatnonzero((choices.count[top] > 0) & ~stays)
            edge = choices.take_edges(top[rows], number_in_owner(top[rows], rng.random(len(rows)) - picked[rows]))
            half_paths[rows, graph.level[edge]] = edge
            picked[rows] += is_picked[edge]
            top[rows] = graph.upper[edge]
        return half_paths, picked > 0

    def _match_half_paths(self, half_paths: Ints, single: Flags | None = None) -> Paths:
        """Paths of two half paths that turn at one switch, both ways; what finds no partner is left.

        At first one with an edge that no other has, which is `single`, meets one without.
        """
        graph = self._graph
        single = np.zeros(len(half_paths), dtype=bool) if single is None else single
        first, last = half_paths[:, 0], _find_last(half_paths)
        top, node = graph.upper[last], graph.lower[first]
        part = graph.find_part_below(first, top)
        alone = np.arange(len(half_paths))
        pairs: list[Ints] = []
        for number in range(TRIES):
            mixed = self._rng.permutation(alone)
            # by switch, in turn one with such an edge and one without
            position = 2 * number_in_owner(2 * top[mixed] + single[mixed], np.arange(len(mixed))) + single[mixed]
            mixed = mixed[np.lexsort((position, top[mixed]))]
            index = number_in_owner(top[mixed], np.arange(len(mixed)))
            at = np.flatnonzero((index[:-1] % 2 == 0) & (top[mixed[:-1]] == top[mixed[1:]]))
            a, b = mixed[at], mixed[at + 1]
            fits = (part[a] != part[b]) & (node[a] != node[b])
            if number < TRIES // 2:
                fits &= ~(single[a] & single[b])
            pairs.append(np.stack((a[fits], b[fits])))
            alone = np.setdiff1d(alone, pairs[-1])
        a, b = np.concatenate(pairs, axis=1)
        return Paths.join_half_paths(half_paths[a], half_paths[b])


@dataclass(frozen=True)
class Choices:
    """Edges by the switch that leads over them: those of a switch are `count` of `edges` from `start` on."""

    edges: Ints
    start: Ints
    count: Ints

    @classmethod
    def group_edges(cls, edges: Ints, ends: Ints, switches: int) -> Choices:
        """Some edges by one of their ends."""
        count = np.bincount(ends[edges], minlength=switches)
        edges = edges[np.argsort(ends[edges], kind="stable")]
        return cls(edges, np.cumsum(count) - count, count)

    def take_edges(self, switch: Ints, number: Ints) -> Ints:
        """An edge of each switch by its number, after the last the first again."""
        return self.edges[self.start[switch] + number % self.count[switch]]

    def list_all(self, switch: Ints) -> tuple[Ints, Ints]:
        """(number of the switch in what is given, edge) of all edges of each switch."""
        count = self.count[switch]
        of_switch = np.repeat(np.arange(len(switch)), count)
        # the number of each among all, less those of switches before, from where its switch begins
        return of_switch, self.edges[
            (self.start[switch] - np.cumsum(count) + count)[of_switch] + np.arange(len(of_switch))
        ]


def _find_last(half_paths: Ints) -> Ints:
    """The highest edge of each half path."""
    last: Ints = half_paths[
        np.arange(len(half_paths)), half_paths.shape[1] - 1 - (half_paths[:, ::-1] >= 0).argmax(axis=1)
    ]
    return last


def number_in_owner(owner: Ints, key: Ints | Floats) -> Ints:
    """The number of each row among the rows of its owner, by a key."""
    order = np.lexsort((key, owner))
    position = np.empty(len(owner), dtype=np.int64)
    position[order] = np.arange(len(owner)) - np.searchsorted(owner[order], owner[order])
    return position
