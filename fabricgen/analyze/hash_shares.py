"""The fraction of their rate that flows get if switches choose among equal paths by hash or by load, by formula."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fabricgen.analyze.flow_routes import Flows, Rates, Routes, list_flows, permute_ranks
from fabricgen.analyze.network import Network
from fabricgen.cluster import Cluster
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.srv6 import names_each_link
from fabricgen.views.balancing import find_balancing
from fabricgen.wiring.arrays import Flags, Floats, Ints64

# Balls into bins at every hop.
# A flow shares a link with those of the other F - 1 flows that chose it among N: binomial, F - 1 of 1 / N (balls into
# bins: Raab and Steger, Balls into Bins, RANDOM 1998). Its route is asked for the most of its hops, these taken as
# independent; a pair has the mean of its queue pairs. How many of P pairs are as slow as the worst is taken as
# Poisson: of P pairs, or where each has one flow, of P over the flows on such a link, which are slow together.

_GRID = 2000
"""Steps of the shares that distributions are reckoned with."""
_ALIKE = 8
"""Numbers of flows count as alike if their natural logarithms differ by less than 1 / 8, so by less than 13 %."""


def list_binomial_chances(number: int, chance: float) -> Floats:
    """Return the probabilities of 0, 1, 2 and so on of `number` events, each of probability `chance`; float64.

    The array ends where probabilities are below 1e-15.
    """
    # twelve standard deviations above the mean, and some more for small means: beyond, all are below 1e-15
    most_events = min(number, int(number * chance + 12 * (number * chance) ** 0.5 + 30))
    steps = np.arange(1, most_events + 1)
    # in logarithms, since binomials of thousands of flows pass what a float holds
    log_choices = np.r_[0.0, np.cumsum(np.log((number - steps + 1) / steps))]
    events = np.arange(most_events + 1)
    return np.asarray(np.exp(log_choices + events * np.log(chance) + (number - events) * np.log1p(-chance)))


@dataclass(frozen=True, slots=True)
class _UplinkChoice:
    """Components whose uplinks are chosen in the same way: `flows` flows over `links` links.

    Each flow asks for the fraction `demand` of a link. `flows` counts all flows over these links, `share` is the
    fraction that passes them of the flows whose rates are computed.
    """

    flows: float
    links: int
    demand: float
    share: float

    def find_loads(self, queue_pairs: int, *, dealt: bool) -> tuple[Floats, Floats]:
        """Return (loads that the link of a flow may have, over its bandwidth; the probability of each, times `share`).

        Flows choose at random, or with `dealt` take links in turn.
        """
        flows = max(round(self.flows * queue_pairs), 1)
        on_link, chance = (_spread_in_turn if dealt else _spread_at_random)(flows, self.links)
        return on_link * self.demand / queue_pairs, chance * self.share


class Formula:
    """Computes the expected rates of the pairs of some flows from probabilities, without drawing routes."""

    def __init__(self, routes: Routes, flows: Flows) -> None:
        # flows of a pair, on average: one for each of its ports
        self._ports = max(round(len(flows) / np.count_nonzero(np.bincount(flows.pair))), 1)
        self._levels: list[tuple[int, list[list[_UplinkChoice]]]] = []
        for level in range(1, len(routes.labels)):
            at_level = flows.level == level
            if at_level.any():
                hops = [
                    _list_choices(routes, flows, at_level, height, end) for height in range(level) for end in ("a", "b")
                ]
                self._levels.append((int(at_level.sum()), hops))

    def compute_rates(self, queue_pairs: int, *, dealt: bool = False) -> Rates:
        """Return the rates of pairs with `queue_pairs` each; with `dealt` leaves deal flows over uplinks in turn."""
        number, steps = queue_pairs * self._ports, np.arange(_GRID + 1) / _GRID
        mean, slowest, as_slow = 0.0, 0.0, np.zeros(_GRID)
        for flows, hops in self._levels:
            share = _find_share_chances(
                [_merge_choices(hop, queue_pairs, dealt=dealt and not step) for step, hop in enumerate(hops)]
            )
            mean += flows * float(share @ steps)
            slowest += flows * float(((1 - np.clip(np.cumsum(share)[:-1], 0, 1)) ** number).sum() / _GRID)
            size = _GRID * number + 1
            fft_size = 1 << size.bit_length()  # powers of two are quick
            # the sum of so many flows' shares: its distribution is that of one, convolved with itself
            chances_of_pair = np.fft.irfft(np.fft.rfft(share, fft_size) ** number, fft_size)[:size]
            # flows on one link are slow together: a pair of one flow with share s counts as s pairs that are slow alone
            pairs_slow_alone = steps if number == 1 else np.ones(size)
            as_slow += flows / self._ports * np.cumsum(np.clip(chances_of_pair, 0, 1) * pairs_slow_alone)[:-1:number]
        total = sum(flows for flows, _ in self._levels)
        return Rates(mean / total, float(np.exp(-as_slow).sum() / _GRID), slowest / total)


def _merge_choices(hop: list[_UplinkChoice], queue_pairs: int, *, dealt: bool) -> tuple[Floats, Floats]:
    """Return (the loads that a flow may meet at a hop, ascending; the probability of each).

    `hop` has the kinds of components that the flow may pass there.
    """
    load, chance = np.hstack([choice.find_loads(queue_pairs, dealt=dealt) for choice in hop])
    order = np.argsort(load, kind="stable")
    return load[order], chance[order]


def _list_choices(routes: Routes, flows: Flows, asked_flows: Flags, height: int, end: str) -> list[_UplinkChoice]:
    """Return how flows choose among the uplinks of components at a height, at their ends `end` (`a` or `b`).

    `asked_flows` flags the flows whose rates are computed; components that none of them passes are left out. Components
    with equally many links and nearly as many flows are merged.
    """
    uplinks, label = routes.network.uplinks, routes.labels[height]
    crossing, at_height, size = flows.level > height, uplinks.height == height, len(label)
    inside, lower = label[getattr(flows, end)], label[uplinks.lower[at_height]]
    flow_counts, links = np.bincount(inside[crossing], minlength=size), np.bincount(lower, minlength=size)
    demanded = np.bincount(inside[crossing], flows.gbps[crossing], size)
    carried = np.bincount(lower, uplinks.gbps[at_height], size)
    share = np.bincount(inside[asked_flows], minlength=size) / asked_flows.sum()
    asked = np.flatnonzero(share)  # components that flows asked about pass
    share, flow_counts, links, demand = (
        share[asked],
        flow_counts[asked],
        links[asked],
        demanded[asked] / flow_counts[asked] * links[asked] / carried[asked],
    )
    kind = np.stack([links, np.round(_ALIKE * np.log(flow_counts)), np.round(demand, 6)])
    kinds, kind_index = np.unique(kind, axis=1, return_inverse=True)
    weight = np.bincount(kind_index.ravel(), share)
    mean = np.bincount(kind_index.ravel(), share * flow_counts) / weight
    return [_UplinkChoice(f, int(n), d, w) for f, (n, _, d), w in zip(mean, kinds.T.tolist(), weight, strict=True)]


def _spread_at_random(flows: int, links: int) -> tuple[Floats, Floats]:
    """Return (possible numbers of flows on the link of a flow, their probabilities) if each takes a link at random."""
    if links == 1:
        return np.array([float(flows)]), np.ones(1)
    chance = list_binomial_chances(flows - 1, 1 / links)
    return np.arange(1, len(chance) + 1, dtype=np.float64), chance


def _spread_in_turn(flows: int, links: int) -> tuple[Floats, Floats]:
    """Return (possible numbers of flows on the link of a flow, their probabilities) if links are taken in turn."""
    flows_per_link, fuller_links = divmod(flows, links)
    chance_of_fuller = fuller_links * (flows_per_link + 1) / flows
    return np.array([flows_per_link, flows_per_link + 1.0]), np.array([1 - chance_of_fuller, chance_of_fuller])


def _find_share_chances(hops: list[tuple[Floats, Floats]]) -> Floats:
    """Return the probability of each fraction of its rate that a flow may get, in steps of 1 / `_GRID` from 0 to 1.

    `hops` has (loads, ascending; their probabilities) of each hop, which are taken as independent.
    """
    loads = np.sort(np.concatenate([load for load, _ in hops]))
    chance_of_at_most = np.ones(len(loads))
    for load, chance in hops:
        # the probability that the greatest load of a way is at most each of the loads: a product over the hops
        chance_of_at_most *= np.r_[0.0, np.cumsum(chance)][np.searchsorted(load, loads, side="right")]
    # the share at each load, in steps of the grid
    chance, grid_step = np.diff(chance_of_at_most, prepend=0.0), _GRID / np.maximum(loads, 1)
    step_below = np.floor(grid_step).astype(np.int64)
    # a share between two steps of the grid is divided over both, so that the mean stays exact
    weights = np.bincount(step_below, chance * (step_below + 1 - grid_step), _GRID + 2)
    weights += np.bincount(step_below + 1, chance * (grid_step - step_below), _GRID + 2)
    return np.asarray(weights[:-1], dtype=np.float64)


# The fraction that collectives are computed with: that of the blueprint's `load_balance`.

QUEUE_PAIRS = 4
"""Queue pairs of a pair of ranks that collectives reckon with. Chosen: the middle of the numbers that load balance is
told for (1, 4, 16), since libraries open one or more for each of several channels; no usual number is published.
"""


def find_mode(network: Network) -> str:
    """Return how the switches of a network choose among equal paths, as `find_balancing_mode` does."""
    return find_balancing_mode(network.cluster, network.fabric)


def find_balancing_mode(cluster: Cluster, fabric: FabricDesign) -> str:
    """Return how the switches of a fabric choose among equal paths: the blueprint's mode of balancing.

    It is `spray` for InfiniBand, whose switches choose by load, and if NICs name each link of a path, so that the NIC
    spreads packets and switches choose nothing.
    """
    if fabric.protocol == "infiniband" or names_each_link(cluster.design, fabric):
        return "spray"
    blueprint = cluster.design.loaded.blueprint
    return find_balancing(blueprint.fabrics[fabric.name].routing, blueprint.routing).mode


def find_share_of_pairs(network: Network, source: Ints64, target: Ints64) -> float:
    """Return the fraction of its rate that the slowest of some pairs of ranks gets, for which a ring waits."""
    return _find_rates(network, Routes(network), source, target).worst


def find_share_of_all(network: Network, ranks: Ints64) -> float:
    """Return the fraction of their rate that pairs get on average if each rank sends to one other rank at a time."""
    routes, rng = Routes(network), np.random.Generator(np.random.PCG64(1))
    return _find_rates(network, routes, *permute_ranks(network, routes, ranks, rng)).mean


def _find_rates(network: Network, routes: Routes, source: Ints64, target: Ints64) -> Rates:
    """Return the rates of pairs of ranks with the blueprint's balancing; 1 if packets are spread or no flow crosses."""
    mode = find_mode(network)
    flows = list_flows(network, routes, source, target)
    if mode == "spray" or not len(flows):
        return Rates(1.0, 1.0, 1.0)
    # leaves that see loads, or take links in turn, deal flows
    return Formula(routes, flows).compute_rates(QUEUE_PAIRS, dealt=mode in ("dynamic", "cluster"))
