"""Load balance: what share of its rate a pair of accelerators gets when flows choose among equal paths."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fabricgen.analyze.asked import Job, Question
from fabricgen.analyze.flow_routes import (
    Flows,
    Rates,
    Routes,
    draw_rates,
    list_flows,
    pair_in_rings,
    permute_ranks,
    rate_sprayed,
)
from fabricgen.analyze.network import Network
from fabricgen.analyze.reckoned import Reckoning
from fabricgen.design.fabric_model import TierKey
from fabricgen.views.balancing import find_balancing
from fabricgen.wiring.arrays import Flags, Floats, Ints64, unique_values

ORDER = 3
MOST_FLOWS = 2**22
"""A Monte Carlo ends with the trial in which it has drawn so many flows; of so many, more trials tell nothing new."""
_WHOLE = 0.995
WAYS = {"hash": "hash", "dynamic": "dynamic, leaves by load", "shared": "hash, one seed for all"}


def figures(network: Network, job: Job, question: Question) -> dict[str, Any]:
    """Shares of their rate that pairs get of a random permutation of a job's ranks, and of its ring; polarisation."""
    routes, blueprint = Routes(network), network.cluster.design.loaded.blueprint
    fabric = network.fabric
    mode = find_balancing(blueprint.fabrics[fabric.name].routing, blueprint.routing).mode

    around = _make_pattern(routes, *pair_in_rings(network, job.ranks))

    def permute(rng: np.random.Generator) -> _Pattern:
        return _make_pattern(routes, *permute_ranks(network, routes, job.ranks, rng))

    return {
        "configured": "subnet manager" if fabric.protocol == "infiniband" else mode,
        "patterns": [
            _figure_pattern(routes, "random permutation", permute, question),
            _figure_pattern(routes, "ring on each rail", lambda _: around, question),
        ],
        "polarisation": [
            {
                "tier": tier_use.tier.text,
                "kind": tier_use.way,
                "links": tier_use.links,
                "share_in_use": round(tier_use.share, 4),
            }
            for tier_use in list_polarised(routes)
        ],
        "formula": "share of a flow = 1 / max(1, load of the most crowded link of its route / what that carries); a "
        "pair has the mean of its queue pairs, as many on each port; expected: load 1 + Binomial(F - 1, 1/N) of F "
        "flows over N links at each hop; sprayed: load of a component / its uplinks; links in use where tiers hash "
        "alike: m / gcd(n, m) of m",
        "constants": {
            "seed": question.seed,
            "trials": question.trials,
            "queue_pairs": sorted(set(question.queue_pairs)),
        },
        "source": "RFC 2992 (equal-cost multi-path by hash); Raab and Steger, Balls into Bins, RANDOM 1998; Al-Fares "
        "et al., SIGCOMM 2008",
    }


@dataclass(frozen=True, slots=True)
class _Pattern:
    """Pairs of ranks, their flows that have a route over uplinks, and how many have none."""

    pairs: int
    flows: Flows
    lost: int


def _make_pattern(routes: Routes, source: Ints64, target: Ints64) -> _Pattern:
    flows = list_flows(routes.network, routes, source, target)
    arrived = routes.draw(flows, np.random.Generator(np.random.PCG64(0)))[1]
    return _Pattern(len(source), flows.part(arrived), len(flows) - int(arrived.sum()))


def _figure_pattern(
    routes: Routes, name: str, pattern: Callable[[np.random.Generator], _Pattern], question: Question
) -> dict[str, Any]:
    """The figures of one pattern of traffic, which may be another one in each trial."""
    rng = np.random.Generator(np.random.PCG64(question.seed))
    first, queue_pairs = pattern(rng), sorted(set(question.queue_pairs))
    crossing = int(np.count_nonzero(np.bincount(first.flows.pair)))
    named: dict[str, Any] = {
        "name": name,
        "pairs": first.pairs,
        "crossing_share": round(crossing / first.pairs, 4) if first.pairs else 0.0,
        "flows_without_route": first.lost,
    }
    if not crossing:
        return named | {"sprayed": None, "rows": []}
    formula, rows = Formula(routes, first.flows), []
    trials = _run_trials(routes, pattern, queue_pairs, rng, question.trials)
    for balancing in WAYS:
        for number in queue_pairs:
            expected = None if balancing == "shared" else _make_row(formula.rates(number, dealt=balancing == "dynamic"))
            drawn_rates = _average_rates(trials[balancing, number]) if trials else None
            rows.append({"kind": balancing, "queue_pairs": number, "expected": expected, "drawn": drawn_rates})
    return named | {"sprayed": _make_row(rate_sprayed(routes.network, first.flows)), "rows": rows}


def _run_trials(
    routes: Routes,
    pattern: Callable[[np.random.Generator], _Pattern],
    queue_pairs: list[int],
    rng: np.random.Generator,
    trials: int,
) -> dict[tuple[str, int], list[Rates]]:
    """By way and number of queue pairs, the rates of each trial of a Monte Carlo."""
    rates_by_kind: dict[tuple[str, int], list[Rates]] = {}
    for trial in range(trials):
        flows = pattern(rng).flows
        numbers = [number for number in queue_pairs if not trial or trial * number * len(flows) < MOST_FLOWS]
        for balancing in WAYS if numbers and len(flows) else ():
            for number, rates in zip(numbers, draw_rates(routes, flows, numbers, rng, balancing), strict=True):
                rates_by_kind.setdefault((balancing, number), []).append(rates)
    return rates_by_kind


def _average_rates(rates: list[Rates]) -> dict[str, float]:
    """The means over trials, and how many these were."""
    count = len(rates)
    means = (sum(getattr(trial_rates, name) for trial_rates in rates) / count for name in Rates.__slots__)
    return _make_row(Rates(*means)) | {"trials": count}


def _make_row(rates: Rates) -> dict[str, float]:
    """Rates as the JSON of an analysis has them."""
    return {
        "mean_share": round(rates.mean, 4),
        "worst_share": round(rates.worst, 4),
        "slowest_queue_pair_share": round(rates.slowest, 4),
    }


def lines(results: Mapping[str, Any]) -> Iterator[str]:
    """The load balance as a table for each pattern of traffic."""
    yield f"share of its rate that a pair gets whose leaves differ; the blueprint asks for: {results['configured']}"
    for pattern in results["patterns"]:
        crossing = f"{pattern['crossing_share']:.1%} of them over uplinks"
        yield from ("", f"  {pattern['name']}: {pattern['pairs']:,} pairs, {crossing}")
        if pattern["flows_without_route"]:
            yield f"  {pattern['flows_without_route']:,} flows have no way up and down again, and are left out"
        rows = [row for row in pattern["rows"] if row["expected"] or row["drawn"]]
        if all(
            row[kind] is None or row[kind]["worst_share"] > _WHOLE for row in rows for kind in ("expected", "drawn")
        ):
            if rows:
                yield "  all of its rate for every pair, whatever the way"
            continue
        yield from _format_table(rows, pattern["sprayed"])
    if results["polarisation"]:
        yield from ("", "  links in use where each tier hashes with the seed of the one below it")
    for row in results["polarisation"]:
        used = f"{row['share_in_use'] * row['links']:,.4g} of {row['links']:,}"
        yield f"  {row['tier'] + ', ' + row['kind']:<38}{used:>12}{row['share_in_use']:>9.0%}"


def _format_table(rows: list[Mapping[str, Any]], sprayed_row: Mapping[str, float]) -> Iterator[str]:
    """The shares of a pattern by kind of balancing and queue pairs, expected and drawn."""
    is_drawn = any(row["drawn"] for row in rows)
    head = f"{'mean':>8}{'worst':>8}{'slowest':>9}"
    yield f"  {'':<26}{'':>12}{'expected':>25}" + (f"{'drawn':>29}" if is_drawn else "")
    yield f"  {'':<26}{'queue pairs':>12}{head}" + (f"{'':>4}{head}{'trials':>8}" if is_drawn else "")
    yield f"  {'per-packet spraying':<26}{'':>12}{_format_cells(sprayed_row)}"
    for row in rows:
        drawn_cells = f"{'':>4}{_format_cells(row['drawn'])}{row['drawn']['trials']:>8}" if row["drawn"] else ""
        yield f"  {WAYS[row['kind']]:<26}{row['queue_pairs']:>12}{_format_cells(row['expected'])}{drawn_cells}"


def _format_cells(row: Mapping[str, float] | None) -> str:
    if row is None:
        return f"{'':>25}"
    return f"{row['mean_share']:>8.2f}{row['worst_share']:>8.2f}{row['slowest_queue_pair_share']:>9.2f}"


def reckoning(results: Mapping[str, Any]) -> Iterator[Reckoning]:
    """How shares were reckoned, expected and drawn."""
    constants = results["constants"]
    trials = constants["trials"]
    more = [f"drawn = mean of {trials:,} trials in which flows choose at random on the wired graph"] if trials else []
    if results["polarisation"]:
        more.append("links in use = m / gcd(n, m) of m, where the same hash chose among n before")
    yield (
        "formula",
        (
            "share of a flow = 1 / load of the most crowded link on its way, 1 at most; a pair: mean of flows",
            "worst: of all pairs; slowest: mean of the slowest queue pair of each",
            "expected: a link of N that F flows choose from carries 1 + Binomial(F - 1, 1/N), at each hop",
            "per-packet spraying: load of all uplinks of a leaf, and of what is joined above it, together",
            *more,
        ),
    )
    pairs = ", ".join(str(number) for number in constants["queue_pairs"])
    yield "constants", (f"queue pairs: {pairs}" + (f"; seed of the trials: {constants['seed']}" if trials else ""),)
    yield "source", (results["source"],)


# What share of their rate hashed flows get, by formula: balls into bins at every hop.
# A flow shares a link with those of the other F - 1 flows that chose it among N: binomial, F - 1 of 1 / N (balls into
# bins: Raab and Steger, Balls into Bins, RANDOM 1998). Its route is asked for the most of its hops, these taken as
# independent; a pair has the mean of its queue pairs. How many of P pairs are as slow as the worst is taken as
# Poisson: of P pairs, or where each has one flow, of P over the flows on such a link, which are slow together.

_GRID = 2000
"""Steps of the shares that distributions are reckoned with."""
_ALIKE = 8
"""Numbers of flows are alike whose logarithms are so many to the unit: within 13 %."""


def list_binomial_chances(number: int, chance: float) -> Floats:
    """How probable 0, 1, 2 and so on of a number of events are, up to where that is below 1e-15."""
    # twelve standard deviations above the mean, and a few more for small means: beyond that nothing is above 1e-15
    most = min(number, int(number * chance + 12 * (number * chance) ** 0.5 + 30))
    steps = np.arange(1, most + 1)
    # in logarithms, since binomials of thousands of flows pass what a float holds
    log_choices = np.r_[0.0, np.cumsum(np.log((number - steps + 1) / steps))]
    at = np.arange(most + 1)
    return np.asarray(np.exp(log_choices + at * np.log(chance) + (number - at) * np.log1p(-chance)))


@dataclass(frozen=True, slots=True)
class _Choice:
    """Components whose uplinks are chosen among alike: `flows` over `links`, each asking for `demand` of one.

    `share` of the flows asked about pass them.
    """

    flows: float
    links: int
    demand: float
    share: float

    def load(self, queue_pairs: int, *, dealt: bool) -> tuple[Floats, Floats]:
        """(load on the link that a flow has, over what that carries; how probable each is)."""
        flows = max(round(self.flows * queue_pairs), 1)
        on_link, chance = (_spread_in_turn if dealt else _spread_at_random)(flows, self.links)
        return on_link * self.demand / queue_pairs, chance * self.share


class Formula:
    """Expected rates of the pairs of some flows."""

    def __init__(self, routes: Routes, flows: Flows) -> None:
        self._ports = max(round(len(flows) / np.count_nonzero(np.bincount(flows.pair))), 1)
        self._levels: list[tuple[int, list[list[_Choice]]]] = []
        for level in range(1, len(routes.labels)):
            at_level = flows.level == level
            if at_level.any():
                hops = [
                    _list_choices(routes, flows, at_level, height, end) for height in range(level) for end in ("a", "b")
                ]
                self._levels.append((int(at_level.sum()), hops))

    def rates(self, queue_pairs: int, *, dealt: bool = False) -> Rates:
        """The rates of pairs; with `dealt` leaves deal flows over their uplinks in turn."""
        number, steps = queue_pairs * self._ports, np.arange(_GRID + 1) / _GRID
        mean, slowest, as_slow = 0.0, 0.0, np.zeros(_GRID)
        for flows, hops in self._levels:
            share = _find_share_chances(
                [_merge_choices(hop, queue_pairs, dealt=dealt and not at) for at, hop in enumerate(hops)]
            )
            mean += flows * float(share @ steps)
            slowest += flows * float(((1 - np.clip(np.cumsum(share)[:-1], 0, 1)) ** number).sum() / _GRID)
            size = _GRID * number + 1
            wide = 1 << size.bit_length()  # powers of two are quick
            # the sum of so many flows' shares: its distribution is that of one, convolved with itself
            of_pair = np.fft.irfft(np.fft.rfft(share, wide) ** number, wide)[:size]
            on_its_own = steps if number == 1 else np.ones(size)
            as_slow += flows / self._ports * np.cumsum(np.clip(of_pair, 0, 1) * on_its_own)[:-1:number]
        total = sum(flows for flows, _ in self._levels)
        return Rates(mean / total, float(np.exp(-as_slow).sum() / _GRID), slowest / total)


def _merge_choices(hop: list[_Choice], queue_pairs: int, *, dealt: bool) -> tuple[Floats, Floats]:
    """(loads at a hop, ascending; how probable each is)"""
    load, chance = np.hstack([choice.load(queue_pairs, dealt=dealt) for choice in hop])
    order = np.argsort(load, kind="stable")
    return load[order], chance[order]


def _list_choices(routes: Routes, flows: Flows, asked_flows: Flags, height: int, end: str) -> list[_Choice]:
    """The choices among the uplinks of components at a height, by one end of the flows that are asked about.

    Components with as many links and nearly as many flows count as alike.
    """
    uplinks, label = routes.network.uplinks, routes.labels[height]
    crossing, at_height, size = flows.level > height, uplinks.height == height, len(label)
    inside, lower = label[getattr(flows, end)], label[uplinks.lower[at_height]]
    flow_counts, links = np.bincount(inside[crossing], minlength=size), np.bincount(lower, minlength=size)
    demanded = np.bincount(inside[crossing], flows.gbps[crossing], size)
    carried = np.bincount(lower, uplinks.gbps[at_height], size)
    share = np.bincount(inside[asked_flows], minlength=size) / asked_flows.sum()
    at = np.flatnonzero(share)
    share, flow_counts, links, demand = (
        share[at],
        flow_counts[at],
        links[at],
        demanded[at] / flow_counts[at] * links[at] / carried[at],
    )
    kind = np.stack([links, np.round(_ALIKE * np.log(flow_counts)), np.round(demand, 6)])
    kinds, kind_index = np.unique(kind, axis=1, return_inverse=True)
    weight = np.bincount(kind_index.ravel(), share)
    mean = np.bincount(kind_index.ravel(), share * flow_counts) / weight
    return [_Choice(f, int(n), d, w) for f, (n, _, d), w in zip(mean, kinds.T.tolist(), weight, strict=True)]


def _spread_at_random(flows: int, links: int) -> tuple[Floats, Floats]:
    """(flows on the link of a flow; how probable each number is) where each takes one at random."""
    if links == 1:
        return np.array([float(flows)]), np.ones(1)
    chance = list_binomial_chances(flows - 1, 1 / links)
    return np.arange(1, len(chance) + 1, dtype=np.float64), chance


def _spread_in_turn(flows: int, links: int) -> tuple[Floats, Floats]:
    """(flows on the link of a flow; how probable each number is) where links are taken in turn."""
    few, more = divmod(flows, links)
    fuller = more * (few + 1) / flows
    return np.array([few, few + 1.0]), np.array([1 - fuller, fuller])


def _find_share_chances(hops: list[tuple[Floats, Floats]]) -> Floats:
    """How probable each share of its rate is for a flow, in steps of the grid from 0 to 1."""
    loads = np.sort(np.concatenate([load for load, _ in hops]))
    most = np.ones(len(loads))
    for load, chance in hops:
        # the greatest load of a way is at most so much where that of each hop is
        most *= np.r_[0.0, np.cumsum(chance)][np.searchsorted(load, loads, side="right")]
    chance, at = np.diff(most, prepend=0.0), _GRID / np.maximum(loads, 1)
    low = np.floor(at).astype(np.int64)
    # a share between two steps of the grid is divided over both, so that the mean stays exact
    weights = np.bincount(low, chance * (low + 1 - at), _GRID + 2) + np.bincount(
        low + 1, chance * (at - low), _GRID + 2
    )
    return np.asarray(weights[:-1], dtype=np.float64)


# Polarisation: which of its links a switch uses that hashes as the switch below it does.
# A switch with n uplinks takes that of number h mod n for a flow whose hash is h. What comes up one of them has one
# remainder, and the switch above, which chooses among m with the same hash, uses just m / gcd(n, m) of its own for
# it. What comes up several links uses the sum. FG747 tells where seeds are alike.


@dataclass(frozen=True, slots=True)
class Polarised:
    """The links among which the switches of a tier choose, up or down to one place, and the share of them in use."""

    tier: TierKey
    way: str
    links: int
    share: float


def list_polarised(routes: Routes) -> Iterator[Polarised]:
    """For each tier above the leaves that has a choice, the share of its links in use where all hash alike.

    The mean over its switches; of those that differ in links, the most common number of these.
    """
    network, uplinks = routes.network, routes.network.uplinks
    number, counts = routes.number_uplinks()
    up = np.bincount(uplinks.lower, minlength=len(routes.labels[0]))
    devices = network.cluster.plan.devices
    for height in range(routes.heights):
        links_here = np.flatnonzero(uplinks.height == height)
        upper = uplinks.upper[links_here]
        for direction, members in (("up", up), ("down", routes.parallel(height))):
            share = _find_link_shares(upper, number[links_here], counts[links_here], members[upper])
            choosing = np.flatnonzero(np.bincount(upper) * (members[: len(share)] > 1))
            for cls in unique_values(devices.device_class[choosing]):
                tier_switches = choosing[devices.device_class[choosing] == cls]
                links = int(np.bincount(members[tier_switches]).argmax())
                yield Polarised(devices.classes[cls].key, direction, links, float(share[tier_switches].mean()))


def _find_link_shares(upper: Ints64, number: Ints64, counts: Ints64, members: Ints64) -> Floats:
    """By row of a switch, the share of its links in use; where lower switches differ, the most that those alike use."""
    # a hash that chose among n links before takes only every gcd(n, m)-th of m
    divisor, base = np.gcd(counts, members), int(counts.max(initial=0)) + 1
    keys = np.sort((upper * base + divisor) * base + number % np.maximum(divisor, 1))
    distinct = keys[np.flatnonzero(np.diff(keys, prepend=-1))]
    alike, count = np.unique(distinct // base, return_counts=True)
    share = np.zeros(int(upper.max(initial=-1)) + 1)
    np.maximum.at(share, alike // base, count / np.maximum(alike % base, 1))
    return share
