"""Routes of flows over the wired graph, as switches choose them among equal paths.

A flow goes up until a tier joins it with its destination, then down. At each switch it takes one of the links to next
hops, parallel links being members of their own (RFC 2992, Analysis of an Equal-Cost Multi-Path Algorithm). With
`weights: link-bandwidth` all ways from its leaf to its destination are as probable.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from fabricgen.analyze.network import NONE, Network
from fabricgen.design.linked import weighs_paths
from fabricgen.wiring.arrays import Flags, Floats, Ints, Ints64, rank_within

if TYPE_CHECKING:
    import numpy.typing as npt


Choices: TypeAlias = "npt.NDArray[np.float32] | Ints64"
_CHUNK = 1 << 16
"""Flows that are routed at a time, so that the columns of a step stay small: half a megabyte each."""
_DRAWS = 32
"""How often a flow is drawn again that has come to a switch without a way to its destination."""


@dataclass(frozen=True, slots=True)
class Flows:
    """Flows between ports of ranks that use uplinks, as columns of one length.

    `pair` is the number of the pair of ranks, `a` and `b` are the device rows of their leaves, and `level` is the
    lowest level that joins the two leaves; all int64. `gbps` (float64) is the lesser speed of the two ports.
    """

    pair: Ints64
    a: Ints64
    b: Ints64
    level: Ints64
    gbps: Floats

    def __len__(self) -> int:
        return len(self.pair)

    def select_rows(self, rows: Flags | slice) -> Flows:
        """Return the flows of some rows, given by a mask or a slice."""
        return Flows(self.pair[rows], self.a[rows], self.b[rows], self.level[rows], self.gbps[rows])


@dataclass(frozen=True, slots=True)
class _NextHops:
    """Links that switches choose among, in slots: a slot has `count` links of `order`, from `start` on."""

    order: Ints64
    start: Ints64
    count: Ints64

    @classmethod
    def group_links(cls, link: Ints64, slot: Ints64, port: Ints, slots: int) -> _NextHops:
        """Return the links of each of `slots` slots, ordered by port, as switches list their next hops.

        `link`, `slot` and `port` have the number, the slot and the port of each link.
        """
        count = np.bincount(slot, minlength=slots)
        return cls(link[np.lexsort((port, slot))], np.cumsum(count) - count, count)

    def choose_links(self, slot: Ints64, choice: Choices) -> tuple[Ints64, Flags]:
        """Return (a link of each slot, whether the slot has any link).

        A choice is a random float below 1, or an integer (a hash or a turn), whose remainder by the number of links
        counts. For a slot without links the link is meaningless.
        """
        count = self.count[slot]
        is_random = choice.dtype.kind == "f"
        index = (choice * count).astype(np.int64) if is_random else choice % np.maximum(count, 1)
        has_any = count > 0
        return self.order[np.where(has_any, self.start[slot] + index, 0)], has_any


@dataclass(frozen=True, slots=True)
class _Step:
    """Links between the switches of one height and the switches above them, grouped for their choices.

    A slot of `up` is a lower switch (its device row). A slot of `down` is an upper switch with a component below it.
    Its number is the sum of two columns by device row: `upper` of the switch and `below` of any leaf in the component.
    """

    up: _NextHops
    down: _NextHops
    upper: Ints64
    below: Ints64


class Routes:
    """Draws routes in a network. Links have the numbers of `network.uplinks` upwards, then others downwards."""

    def __init__(self, network: Network) -> None:
        self.network, uplinks = network, network.uplinks
        self.links = len(uplinks.lower)
        # upward, then the same links downward, then no link, which is never the narrowest of a route
        self.gbps = np.r_[uplinks.gbps, uplinks.gbps, np.inf]
        """Gb/s by number of a link; the last entry stands for a hop that a flow does not use."""
        self.heights = int(uplinks.height.max(initial=-1)) + 1
        self.labels = tuple(level.component for level in network.levels[: self.heights + 1])
        self._ends = (np.r_[uplinks.lower, 0], np.r_[uplinks.upper, 0])
        self._steps = tuple(self._make_step(height) for height in range(self.heights))
        self.weighted = weighs_paths(network.cluster.design.loaded.blueprint, network.fabric.name)
        """Whether paths are weighed, so that all ways between two leaves are equally probable."""
        # the greatest product of the numbers of choices on a way, without the choice at the leaf
        counts = [int(step.down.count.max(initial=1)) for step in self._steps]
        self._most_choices = float(np.prod([*counts, *(int(step.up.count.max(initial=1)) for step in self._steps[1:])]))

    def _make_step(self, height: int) -> _Step:
        """Return the choices between the switches of a height and the switches above it, upwards and downwards."""
        uplinks, links = self.network.uplinks, self.network.cluster.plan.links
        links_here = np.flatnonzero(uplinks.height == height)
        row, lower, upper = uplinks.row[links_here], uplinks.lower[links_here], uplinks.upper[links_here]
        devices = len(self.labels[0])
        # each component above is a block of slots: one slot for each of its switches and each component below
        block_of_link = np.unique(self.labels[height + 1][lower], return_inverse=True)[1]
        tops, first_link_of_top = np.unique(upper, return_index=True)
        components, first_link_of_component = np.unique(self.labels[height][lower], return_index=True)
        components_per_block = np.bincount(block_of_link[first_link_of_component])
        slots_per_block = np.bincount(block_of_link[first_link_of_top]) * components_per_block
        slots = int(slots_per_block.sum())
        first_slot = np.full(devices, slots, dtype=np.int64)
        block = block_of_link[first_link_of_top]
        first_slot_of_block = np.cumsum(slots_per_block) - slots_per_block
        first_slot[tops] = first_slot_of_block[block] + rank_within(block) * components_per_block[block]
        position = np.zeros(devices, dtype=np.int64)
        position[components] = rank_within(block_of_link[first_link_of_component])
        below = position[self.labels[height]]
        # the last slot is for switches that are not above this height: it has no links
        down = _NextHops.group_links(links_here, first_slot[upper] + below[lower], links.b_port[row], slots + 1)
        return _Step(_NextHops.group_links(links_here, lower, links.a_port[row], devices), down, first_slot, below)

    def number_uplinks(self) -> tuple[Ints64, Ints64]:
        """Return for each link its number among the uplinks of its lower switch, and how many these are; int64."""
        number, counts = np.zeros(self.links, dtype=np.int64), np.ones(self.links, dtype=np.int64)
        for step in self._steps:
            lower = self.network.uplinks.lower[step.up.order]
            number[step.up.order] = np.arange(len(lower)) - step.up.start[lower]
            counts[step.up.order] = step.up.count[lower]
        return number, counts

    def count_parallel_links(self, height: int) -> Ints64:
        """Return for each switch above a height, by device row, its most links to one component below; int64."""
        down, most_links = self._steps[height].down, np.zeros(len(self.labels[0]), dtype=np.int64)
        slots_with_links = np.flatnonzero(down.count)
        first_links = down.order[down.start[slots_with_links]]
        np.maximum.at(most_links, self.network.uplinks.upper[first_links], down.count[slots_with_links])
        return most_links

    def deal_uplinks(self, leaf: Ints64, position: Ints64, rng: np.random.Generator) -> Ints64:
        """Return for each flow the number of the uplink of its leaf whose turn it is; each leaf has a random order.

        `leaf` is the leaf of each flow, `position` its number among the flows of that leaf.
        """
        up = self._steps[0].up
        lower = self.network.uplinks.lower[up.order]
        # a fraction below 1 shuffles the links of each leaf and keeps leaves apart
        order = np.argsort(lower + rng.random(len(lower))) - up.start[lower]
        return order[up.start[leaf] + position % up.count[leaf]]

    def draw_routes(
        self, flows: Flows, rng: np.random.Generator, hashes: Ints64 | None = None, turns: Ints64 | None = None
    ) -> tuple[Ints64, Flags]:
        """Return (the links of each flow, int64 [2 heights, flows]; whether it arrives).

        Each switch chooses at random, as if it had a hash function of its own. With `hashes`, all switches choose by
        the remainder of the flow's hash; with `turns`, leaves choose by the flow's turn. Flows that do not arrive are
        drawn again at random, up to `_DRAWS` times. A hop that a flow does not use has the number `2 * links`.
        """
        # `2 * links` is the number of no link: upward links come first, then the same ones downward
        links = np.full((2 * self.heights, len(flows)), 2 * self.links, dtype=np.int64)
        arrived = np.zeros(len(flows), dtype=bool)
        # in parts, or the columns of a large job would not fit into memory
        for start in range(0, len(flows), _CHUNK):
            rows = slice(start, start + _CHUNK)
            choices = (None if column is None else column[rows] for column in (hashes, turns))
            links[:, rows], arrived[rows] = self._walk_flows(flows.select_rows(rows), rng, *choices)
        for draw in range(_DRAWS):
            lost_flows = np.flatnonzero(~arrived)
            if not len(lost_flows):
                break
            # in the last draw every flow that arrives is kept, however probable its way was
            links[:, lost_flows], arrived[lost_flows] = self._walk_flows(
                flows.select_rows(~arrived), rng, None, None, weighing=draw < _DRAWS - 1
            )
        return links, arrived

    def _walk_flows(
        self,
        flows: Flows,
        rng: np.random.Generator,
        hashes: Ints64 | None,
        turns: Ints64 | None,
        *,
        weighing: bool = True,
    ) -> tuple[Ints64, Flags]:
        """Walk each flow once, up to the level that joins its leaves and down; return what `draw_routes` returns.

        If paths are weighed, a way is kept with a chance in proportion to the number of choices on it, which makes all
        ways equally probable; a flow whose way is not kept counts as one that does not arrive.
        """
        routes = np.full((2 * self.heights, len(flows)), 2 * self.links, dtype=np.int64)
        # the switch where each flow is, and the product of the numbers of choices on its way
        switch, choices_on_way = flows.a, np.ones(len(flows))
        for height, step in enumerate(self._steps):
            choice = _draw_choices(rng, hashes if height or turns is None else turns, len(flows))
            link, moves = step.up.choose_links(switch, choice)
            moves &= flows.level > height
            if height:
                choices_on_way[moves] *= step.up.count[switch[moves]]
            routes[height, moves] = link[moves]
            switch = np.where(moves, self._ends[1][link], switch)
        for height in reversed(range(self.heights)):
            step = self._steps[height]
            # flows that turn further down are at no switch of this height; their slot has no links
            slot = np.minimum(step.upper[switch] + step.below[flows.b], len(step.down.count) - 1)
            link, moves = step.down.choose_links(slot, _draw_choices(rng, hashes, len(flows)))
            # only down from where the flow is
            moves &= self._ends[1][link] == switch
            choices_on_way[moves] *= step.down.count[slot[moves]]
            routes[-1 - height, moves] = link[moves] + self.links
            switch = np.where(moves, self._ends[0][link], switch)
        arrived = switch == flows.b
        if self.weighted and weighing and hashes is None and turns is None:
            arrived &= rng.random(len(flows)) * self._most_choices < choices_on_way
        return routes, arrived


def _draw_choices(rng: np.random.Generator, fixed: Ints64 | None, count: int) -> Choices:
    return rng.random(count, dtype=np.float32) if fixed is None else fixed


# Flows of a pattern of traffic, and what share of their rate each gets where routes are chosen without their load.
# A flow gets 1 / n of its rate where the most crowded link of its route is asked for n times what it carries: what
# slow flows leave free elsewhere is not counted. A pair of ranks gets the mean of its queue pairs.


@dataclass(frozen=True, slots=True)
class Rates:
    """Fractions of their rate that pairs get: the mean, the worst, and the mean of each pair's slowest flow."""

    mean: float
    worst: float
    slowest: float


def list_flows(network: Network, routes: Routes, source: Ints64, target: Ints64) -> Flows:
    """Return the flows between pairs of ranks that use uplinks; a pair has one for each of its ports.

    It goes to the port of the same number, so that planes stay apart. Ports that only links between sites join have no
    flow.
    """
    flows_by_port = []
    for port in range(network.leaf.shape[1]):
        a, b = network.leaf[source, port], network.leaf[target, port]
        pair = np.flatnonzero((a != NONE) & (b != NONE) & (a != b))
        a, b = a[pair], b[pair]
        level = np.full(len(pair), NONE, dtype=np.int64)
        # from the top down: the lowest level that joins both leaves is written last
        for number in range(len(routes.labels) - 1, -1, -1):
            level[routes.labels[number][a] == routes.labels[number][b]] = number
        gbps = np.minimum(network.gbps[source[pair], port], network.gbps[target[pair], port])
        flows_by_port.append(Flows(pair, a, b, level, gbps).select_rows(level != NONE))
    return Flows(*(np.concatenate([getattr(flows, name) for flows in flows_by_port]) for name in Flows.__slots__))


def permute_ranks(network: Network, routes: Routes, ranks: Ints64, rng: np.random.Generator) -> tuple[Ints64, Ints64]:
    """Return (source, target) of a random permutation of ranks, int64; ranks without a port are left out.

    A rank sends only to ranks that uplinks join to it, by the first port of each, and perhaps to itself.
    """
    leaf = network.leaf[ranks]
    leaf = leaf[np.arange(len(ranks)), (leaf != NONE).argmax(axis=1)]
    ranks, joined = ranks[leaf != NONE], routes.labels[-1][leaf[leaf != NONE]]
    order = np.argsort(joined, kind="stable")
    bounds = np.flatnonzero(np.diff(joined[order])) + 1
    mixed = [rng.permutation(part) for part in np.split(order, bounds)]
    return ranks[order], ranks[np.concatenate(mixed)]


def pair_in_rings(network: Network, ranks: Ints64) -> tuple[Ints64, Ints64]:
    """Return (source, target) of rings: each rank sends to the rank of its place in the next scale-up domain.

    The ranks of a domain are side by side in `ranks`. Places that not all domains of the job have are left out.
    """
    domain = network.ranks.domain[ranks]
    # a row of `grid` for each domain, a column for each place: the row below is the next domain
    starts = np.flatnonzero(np.r_[True, domain[1:] != domain[:-1]])
    places = int(np.diff(np.r_[starts, len(ranks)]).min(initial=len(ranks)))
    grid = ranks[starts[:, None] + np.arange(places)]
    return grid.ravel(), np.roll(grid, -1, axis=0).ravel()


def rate_sprayed(network: Network, flows: Flows) -> Rates:
    """Return the rates if packets are sprayed: what leaves a component is spread evenly over all of its uplinks."""
    crowded = np.ones(len(flows))
    for number, level in enumerate(network.levels):
        for end in (flows.a, flows.b):
            crossing, inside = flows.level > number, level.component[end]
            load = np.bincount(inside[crossing], flows.gbps[crossing], len(level.component))
            ratio = load / np.where(level.out_gbps > 0, level.out_gbps, np.inf)
            crowded[crossing] = np.maximum(crowded[crossing], ratio[inside[crossing]])
    return _summarize_rates(1 / crowded[None, :], flows)


def draw_rates(
    routes: Routes, flows: Flows, queue_pairs: Sequence[int], rng: np.random.Generator, balancing: str
) -> Iterator[Rates]:
    """Yield the rates of one trial for each number of `queue_pairs`, which ascend.

    With `balancing` `hash` every switch has a hash of its own; with `shared` all have the same. With `dynamic` leaves
    take the least loaded uplink for each flow, which deals flows over them in turn, and switches above them hash.
    """
    routed = _route_flows(routes, flows, rng, balancing, queue_pairs[-1])
    load, loaded_pairs = np.zeros(len(routes.gbps)), 0
    for number in queue_pairs:
        # loads add up: more queue pairs are those of fewer, and others
        for hop in (hop for links in routed[loaded_pairs:number] for hop in links):
            load += np.bincount(hop, flows.gbps, len(load))
        loaded_pairs = number
        shares = 1 / np.maximum(load / number / routes.gbps, 1)
        yield _summarize_rates(np.stack([shares[links].min(axis=0) for links in routed[:number]]), flows)


def _route_flows(routes: Routes, flows: Flows, rng: np.random.Generator, balancing: str, number: int) -> list[Ints64]:
    """Return for each of `number` queue pairs the links of each flow, as `Routes.draw_routes` does."""
    rounds = range(number)
    if balancing == "shared":
        return [routes.draw_routes(flows, rng, hashes=rng.integers(0, 2**31, len(flows)))[0] for _ in rounds]
    if balancing == "hash":
        return [routes.draw_routes(flows, rng)[0] for _ in rounds]
    positions = np.concatenate([_shuffle_places(flows.a, rng, start) for start in rounds])
    turns_by_round = routes.deal_uplinks(np.tile(flows.a, number), positions, rng).reshape(number, len(flows))
    return [routes.draw_routes(flows, rng, turns=turns)[0] for turns in turns_by_round]


def _shuffle_places(leaf: Ints64, rng: np.random.Generator, start: int) -> Ints64:
    """Return for each flow its place in a random order of the flows of its leaf, from 0; `leaf` is by flow.

    Places go on behind those of `start` earlier queue pairs: with 4 flows on a leaf and `start` 1 they are 4 to 7.
    """
    return rank_within(leaf, rng.random(len(leaf))) + start * np.bincount(leaf)[leaf]


def _summarize_rates(shares: Floats, flows: Flows) -> Rates:
    """Return the rates of pairs from the fractions that their flows get, [queue pairs, flows], weighted by speed."""
    weight = np.bincount(flows.pair, flows.gbps)
    used = weight > 0
    mean = np.bincount(flows.pair, shares.mean(axis=0) * flows.gbps)[used] / weight[used]
    slowest = np.ones(len(weight))
    np.minimum.at(slowest, flows.pair, shares.min(axis=0))
    return Rates(float(mean.mean()), float(mean.min()), float(slowest[used].mean()))
