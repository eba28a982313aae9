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
from fabricgen.analyze.hash_shares import Formula
from fabricgen.analyze.network import Network
from fabricgen.analyze.reckoned import Reckoning
from fabricgen.design.fabric_model import TierKey
from fabricgen.design.srv6 import names_each_link
from fabricgen.views.balancing import find_balancing
from fabricgen.wiring.arrays import Floats, Ints64, unique_values

ORDER = 3
MOST_FLOWS = 2**22
"""A Monte Carlo ends with the trial in which it has drawn this many flows: more trials would tell nothing new."""
_WHOLE = 0.995
"""Shares above this are shown as the whole rate: they round to 1.00."""
WAYS = {"hash": "hash", "dynamic": "dynamic, leaves by load", "shared": "hash, one seed for all"}


def figures(network: Network, job: Job, question: Question) -> dict[str, Any]:
    """Return the shares of its rate that a pair gets, in a random permutation of a job's ranks and in its rings.

    `polarisation` has, for each tier, the share of its links that are in use if all tiers hash alike.
    """
    routes, blueprint = Routes(network), network.cluster.design.loaded.blueprint
    fabric = network.fabric
    mode = find_balancing(blueprint.fabrics[fabric.name].routing, blueprint.routing).mode
    dealt = "paths that NICs choose" if names_each_link(network.cluster.design, fabric) else mode
    configured = f"{dealt}, paths weighed by links" if routes.weighted else dealt
    rings = _make_pattern(routes, *pair_in_rings(network, job.ranks))

    def permute(rng: np.random.Generator) -> _Pattern:
        return _make_pattern(routes, *permute_ranks(network, routes, job.ranks, rng))

    return {
        "configured": "subnet manager" if fabric.protocol == "infiniband" else configured,
        "patterns": [
            _figure_pattern(routes, "random permutation", permute, question),
            _figure_pattern(routes, "ring on each rail", lambda _: rings, question),
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
    """A pattern of traffic: the number of its pairs of ranks, the flows of these over uplinks, and the flows lost.

    `lost` is the number of flows over uplinks that have no route; `flows` is without them.
    """

    pairs: int
    flows: Flows
    lost: int


def _make_pattern(routes: Routes, source: Ints64, target: Ints64) -> _Pattern:
    flows = list_flows(routes.network, routes, source, target)
    arrived = routes.draw_routes(flows, np.random.Generator(np.random.PCG64(0)))[1]
    return _Pattern(len(source), flows.select_rows(arrived), len(flows) - int(arrived.sum()))


def _figure_pattern(
    routes: Routes, name: str, pattern: Callable[[np.random.Generator], _Pattern], question: Question
) -> dict[str, Any]:
    """Return the figures of one pattern of traffic: by way to choose paths and queue pairs, expected and drawn rates.

    `pattern` makes the pattern from a random generator. Expected rates are those of the first one that it makes; for
    each trial a new one is made. If none of its pairs uses uplinks, there are no rates.
    """
    rng = np.random.Generator(np.random.PCG64(question.seed))
    first_pattern, queue_pairs = pattern(rng), sorted(set(question.queue_pairs))
    crossing_pairs = int(np.count_nonzero(np.bincount(first_pattern.flows.pair)))
    figures_of_pattern: dict[str, Any] = {
        "name": name,
        "pairs": first_pattern.pairs,
        "crossing_share": round(crossing_pairs / first_pattern.pairs, 4) if first_pattern.pairs else 0.0,
        "flows_without_route": first_pattern.lost,
    }
    if not crossing_pairs:
        return figures_of_pattern | {"sprayed": None, "rows": []}
    formula, rows = Formula(routes, first_pattern.flows), []
    trials = _run_trials(routes, pattern, queue_pairs, rng, question.trials)
    for balancing in WAYS:
        for number in queue_pairs:
            expected = (
                None
                if balancing == "shared"
                else _make_row(formula.compute_rates(number, dealt=balancing == "dynamic"))
            )
            drawn_rates = _average_rates(trials[balancing, number]) if trials else None
            rows.append({"kind": balancing, "queue_pairs": number, "expected": expected, "drawn": drawn_rates})
    sprayed = _make_row(rate_sprayed(routes.network, first_pattern.flows))
    return figures_of_pattern | {"sprayed": sprayed, "rows": rows}


def _run_trials(
    routes: Routes,
    pattern: Callable[[np.random.Generator], _Pattern],
    queue_pairs: list[int],
    rng: np.random.Generator,
    trials: int,
) -> dict[tuple[str, int], list[Rates]]:
    """Return the rates of each trial of a Monte Carlo, by (way to choose paths, number of queue pairs).

    A number of queue pairs has fewer than `trials` trials once it has drawn `MOST_FLOWS` flows.
    """
    rates_by_kind: dict[tuple[str, int], list[Rates]] = {}
    for trial in range(trials):
        flows = pattern(rng).flows
        numbers = [number for number in queue_pairs if not trial or trial * number * len(flows) < MOST_FLOWS]
        for balancing in WAYS if numbers and len(flows) else ():
            for number, rates in zip(numbers, draw_rates(routes, flows, numbers, rng, balancing), strict=True):
                rates_by_kind.setdefault((balancing, number), []).append(rates)
    return rates_by_kind


def _average_rates(rates: list[Rates]) -> dict[str, float]:
    """Return the means of rates over trials, and how many trials there were."""
    trials = len(rates)
    means = (sum(getattr(trial_rates, name) for trial_rates in rates) / trials for name in Rates.__slots__)
    return _make_row(Rates(*means)) | {"trials": trials}


def _make_row(rates: Rates) -> dict[str, float]:
    """Return rates as the JSON of an analysis has them, rounded to four decimals."""
    return {
        "mean_share": round(rates.mean, 4),
        "worst_share": round(rates.worst, 4),
        "slowest_queue_pair_share": round(rates.slowest, 4),
    }


def lines(results: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of load balance: a table for each pattern of traffic, then the links in use by tier.

    A pattern whose pairs get all of their rate has a sentence in place of its table.
    """
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


def headlines(results: Mapping[str, Any]) -> Iterator[str]:
    """Yield the most important lines: the shares of a random permutation with the middle number of queue pairs."""
    queue_pairs = results["constants"]["queue_pairs"]
    middle = queue_pairs[len(queue_pairs) // 2]
    patterns = [
        {**pattern, "rows": [row for row in pattern["rows"] if row["queue_pairs"] == middle]}
        for pattern in results["patterns"][:1]
    ]
    yield from lines({**results, "patterns": patterns, "polarisation": []})


def _format_table(rows: list[Mapping[str, Any]], sprayed_row: Mapping[str, float]) -> Iterator[str]:
    """Yield the lines of a pattern's shares: sprayed packets first, then each way to choose paths by queue pairs.

    Drawn shares have columns only if any were drawn.
    """
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
    """Yield how shares were computed, expected and drawn, with the seed and the source."""
    constants = results["constants"]
    trials = constants["trials"]
    notes = [f"drawn = mean of {trials:,} trials in which flows choose at random on the wired graph"] if trials else []
    if results["polarisation"]:
        notes.append("links in use = m / gcd(n, m) of m, where the same hash chose among n before")
    yield (
        "formula",
        (
            "share of a flow = 1 / load of the most crowded link on its way, 1 at most; a pair: mean of flows",
            "worst: of all pairs; slowest: mean of the slowest queue pair of each",
            "expected: a link of N that F flows choose from carries 1 + Binomial(F - 1, 1/N), at each hop",
            "per-packet spraying: load of all uplinks of a leaf, and of what is joined above it, together",
            *notes,
        ),
    )
    pairs = ", ".join(str(number) for number in constants["queue_pairs"])
    yield "constants", (f"queue pairs: {pairs}" + (f"; seed of the trials: {constants['seed']}" if trials else ""),)
    yield "source", (results["source"],)


# Polarisation: which of its links a switch uses that hashes as the switch below it does.
# A switch with n uplinks takes that of number h mod n for a flow whose hash is h. What comes up one of them has one
# remainder, and the switch above, which chooses among m with the same hash, uses just m / gcd(n, m) of its own for
# it. What comes up several links uses the sum. FG747 tells where seeds are alike.


@dataclass(frozen=True, slots=True)
class Polarised:
    """The links among which the switches of a tier choose, and the share of them in use if all tiers hash alike.

    `way` is `up`, or `down`: then `links` are those to one component below.
    """

    tier: TierKey
    way: str
    links: int
    share: float


def list_polarised(routes: Routes) -> Iterator[Polarised]:
    """Yield the share of links in use of each tier above the leaves if all tiers hash alike.

    Tiers whose switches have no choice are left out. The share is the mean over the switches of the tier. If their
    numbers of links differ, the most common number is given.
    """
    network, uplinks = routes.network, routes.network.uplinks
    uplink_number, uplink_counts = routes.number_uplinks()
    uplinks_of_switch = np.bincount(uplinks.lower, minlength=len(routes.labels[0]))
    devices = network.cluster.plan.devices
    for height in range(routes.heights):
        links_of_height = np.flatnonzero(uplinks.height == height)
        upper = uplinks.upper[links_of_height]
        numbers, counts = uplink_number[links_of_height], uplink_counts[links_of_height]
        # by device row, the links among which a switch chooses
        for direction, choices in (("up", uplinks_of_switch), ("down", routes.count_parallel_links(height))):
            share_in_use = _find_link_shares(upper, numbers, counts, choices[upper])
            choosing_switches = np.flatnonzero(np.bincount(upper) * (choices[: len(share_in_use)] > 1))
            for cls in unique_values(devices.device_class[choosing_switches]):
                tier_switches = choosing_switches[devices.device_class[choosing_switches] == cls]
                links = int(np.bincount(choices[tier_switches]).argmax())
                yield Polarised(devices.classes[cls].key, direction, links, float(share_in_use[tier_switches].mean()))


def _find_link_shares(upper: Ints64, number: Ints64, counts: Ints64, choices: Ints64) -> Floats:
    """Return by device row of an upper switch the share of its links in use if it hashes as lower switches do; float64.

    The arguments have a row for each link: its `upper` switch, its `number` among the uplinks of its lower switch, how
    many uplinks that switch has (`counts`), and among how many links the upper switch chooses (`choices`). A share is
    found for each greatest common divisor of `counts` and `choices` that lower switches have; the highest is returned.
    """
    # a hash that chose among n links before takes only every gcd(n, m)-th of m
    divisor, base = np.gcd(counts, choices), int(counts.max(initial=0)) + 1
    # (upper switch, divisor, remainder of the hash) as one number, in digits to a base above all divisors
    remainder_keys = np.sort((upper * base + divisor) * base + number % np.maximum(divisor, 1))
    distinct_keys = remainder_keys[np.flatnonzero(np.diff(remainder_keys, prepend=-1))]
    groups, remainders = np.unique(distinct_keys // base, return_counts=True)
    share = np.zeros(int(upper.max(initial=-1)) + 1)
    np.maximum.at(share, groups // base, remainders / np.maximum(groups % base, 1))
    return share
