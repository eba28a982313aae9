"""Routes of flows over the wired graph, as switches choose them among equal paths.

A flow goes up until a tier joins it with its destination, then down. At each switch it takes one of the links to next
hops, parallel links being members of their own (RFC 2992, Analysis of an Equal-Cost Multi-Path Algorithm).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from fabricgen.analyze.network import Network
from fabricgen.wiring.tables import Flags, Floats, Ints, Ints64

if TYPE_CHECKING:
    import numpy.typing as npt

Choices: TypeAlias = "npt.NDArray[np.float32] | Ints64"
_CHUNK = 1 << 16
_DRAWS = 32
"""How often a flow is drawn again that has come to a switch without a way to its destination."""


@dataclass(frozen=True, slots=True)
class Flows:
    """Flows between ports of ranks that use uplinks, columns of one length.

    `pair` is the number of the pair of ranks, `a` and `b` the rows of the leaves, `level` the lowest that joins these,
    int64; `gbps` (float64) the lesser of the speeds of the two ports.
    """

    pair: Ints64
    a: Ints64
    b: Ints64
    level: Ints64
    gbps: Floats

    def __len__(self) -> int:
        return len(self.pair)

    def part(self, which: Flags | slice) -> Flows:
        """Some of them."""
        return Flows(self.pair[which], self.a[which], self.b[which], self.level[which], self.gbps[which])


@dataclass(frozen=True, slots=True)
class _Members:
    """Links that switches choose among: those of a slot are `count` links of `order` from `start` on."""

    order: Ints64
    start: Ints64
    count: Ints64

    @classmethod
    def of(cls, link: Ints64, slot: Ints64, port: Ints, slots: int) -> _Members:
        """Links by slot, in the order of ports."""
        count = np.bincount(slot, minlength=slots)
        return cls(link[np.lexsort((port, slot))], np.cumsum(count) - count, count)

    def chosen(self, slot: Ints64, choice: Choices) -> tuple[Ints64, Flags]:
        """(a link of each slot, whether it has any); a choice is a part of 1, or a number to divide by the count."""
        count = self.count[slot]
        part = choice.dtype.kind == "f"
        index = (choice * count).astype(np.int64) if part else choice % np.maximum(count, 1)
        there = count > 0
        return self.order[np.where(there, self.start[slot] + index, 0)], there


@dataclass(frozen=True, slots=True)
class _Step:
    """Links between the switches of one height and those above, as these choose among them.

    Upwards a slot is a lower switch. Downwards it is an upper switch and a component below it: the sum of `upper`, by
    row of the switch, and `below`, by row of a leaf.
    """

    up: _Members
    down: _Members
    upper: Ints64
    below: Ints64


class Routes:
    """Draws routes in a network. Links have the numbers of `network.uplinks` upwards, then others downwards."""

    def __init__(self, network: Network) -> None:
        self.network, uplinks = network, network.uplinks
        self.links = len(uplinks.lower)
        self.gbps = np.r_[uplinks.gbps, uplinks.gbps, np.inf]
        """Gb/s by number of a link; the last is that of no link."""
        self.heights = int(uplinks.height.max(initial=-1)) + 1
        self.labels = tuple(level.component for level in network.levels[: self.heights + 1])
        self._ends = (np.r_[uplinks.lower, 0], np.r_[uplinks.upper, 0])
        self._steps = tuple(self._step(height) for height in range(self.heights))

    def _step(self, height: int) -> _Step:
        uplinks, links = self.network.uplinks, self.network.cluster.plan.links
        mine = np.flatnonzero(uplinks.height == height)
        row, lower, upper = uplinks.row[mine], uplinks.lower[mine], uplinks.upper[mine]
        devices = len(self.labels[0])
        joined = np.unique(self.labels[height + 1][lower], return_inverse=True)[1]
        tops, of_top = np.unique(upper, return_index=True)
        parts, of_part = np.unique(self.labels[height][lower], return_index=True)
        width = np.bincount(joined[of_part])
        size = np.bincount(joined[of_top]) * width
        slots = int(size.sum())
        at = np.full(devices, slots, dtype=np.int64)
        at[tops] = (np.cumsum(size) - size)[joined[of_top]] + _places(joined[of_top]) * width[joined[of_top]]
        place = np.zeros(devices, dtype=np.int64)
        place[parts] = _places(joined[of_part])
        below = place[self.labels[height]]
        down = _Members.of(mine, at[upper] + below[lower], links.b_port[row], slots + 1)
        return _Step(_Members.of(mine, lower, links.a_port[row], devices), down, at, below)

    def ordinals(self) -> tuple[Ints64, Ints64]:
        """By link, its number among the uplinks of its lower switch, and how many these are."""
        number, many = np.zeros(self.links, dtype=np.int64), np.ones(self.links, dtype=np.int64)
        for step in self._steps:
            lower = self.network.uplinks.lower[step.up.order]
            number[step.up.order] = np.arange(len(lower)) - step.up.start[lower]
            many[step.up.order] = step.up.count[lower]
        return number, many

    def parallel(self, height: int) -> Ints64:
        """By row of a switch above a height, the most links to one component below it; 0 for other switches."""
        down, most = self._steps[height].down, np.zeros(len(self.labels[0]), dtype=np.int64)
        used = np.flatnonzero(down.count)
        np.maximum.at(most, self.network.uplinks.upper[down.order[down.start[used]]], down.count[used])
        return most

    def dealt(self, leaf: Ints64, place: Ints64, rng: np.random.Generator) -> Ints64:
        """By place of a flow among those of its leaf, the uplink whose turn it is; leaves have orders of their own."""
        up = self._steps[0].up
        lower = self.network.uplinks.lower[up.order]
        order = np.argsort(lower + rng.random(len(lower))) - up.start[lower]
        return order[up.start[leaf] + place % up.count[leaf]]

    def draw(
        self, flows: Flows, rng: np.random.Generator, hashes: Ints64 | None = None, turns: Ints64 | None = None
    ) -> tuple[Ints64, Flags]:
        """(links of each flow, int64 [2 heights, flows]; whether it arrives).

        Each switch chooses at random, as hashes of their own do; or with `hashes` by the remainder of a flow's one
        hash; or at the leaf by the flow's turn. Flows that do not arrive are drawn again at random.
        """
        links = np.full((2 * self.heights, len(flows)), 2 * self.links, dtype=np.int64)
        arrived = np.zeros(len(flows), dtype=bool)
        for first in range(0, len(flows), _CHUNK):
            part = slice(first, first + _CHUNK)
            own = (None if each is None else each[part] for each in (hashes, turns))
            links[:, part], arrived[part] = self._walk(flows.part(part), rng, *own)
        for _ in range(_DRAWS):
            lost = np.flatnonzero(~arrived)
            if not len(lost):
                break
            links[:, lost], arrived[lost] = self._walk(flows.part(~arrived), rng, None, None)
        return links, arrived

    def _walk(
        self, flows: Flows, rng: np.random.Generator, hashes: Ints64 | None, turns: Ints64 | None
    ) -> tuple[Ints64, Flags]:
        found = np.full((2 * self.heights, len(flows)), 2 * self.links, dtype=np.int64)
        at = flows.a
        for height, step in enumerate(self._steps):
            choice = _choice(rng, hashes if height or turns is None else turns, len(flows))
            link, there = step.up.chosen(at, choice)
            there &= flows.level > height
            found[height, there] = link[there]
            at = np.where(there, self._ends[1][link], at)
        for height in reversed(range(self.heights)):
            step = self._steps[height]
            slot = np.minimum(step.upper[at] + step.below[flows.b], len(step.down.count) - 1)
            link, there = step.down.chosen(slot, _choice(rng, hashes, len(flows)))
            there &= self._ends[1][link] == at
            found[-1 - height, there] = link[there] + self.links
            at = np.where(there, self._ends[0][link], at)
        return found, at == flows.b


def _choice(rng: np.random.Generator, stated: Ints64 | None, count: int) -> Choices:
    return rng.random(count, dtype=np.float32) if stated is None else stated


def _places(owner: Ints64) -> Ints64:
    """By item, its number among those of its owner."""
    order = np.argsort(owner, kind="stable")
    place = np.empty(len(owner), dtype=np.int64)
    place[order] = np.arange(len(owner)) - np.searchsorted(owner[order], owner[order])
    return place
