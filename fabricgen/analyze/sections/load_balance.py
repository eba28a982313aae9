"""Load balance: what share of its rate a pair of accelerators gets when flows choose among equal paths."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fabricgen.analyze.asked import Asked, Job
from fabricgen.analyze.balance.flows import Rates, drawn, flows_of, permutation, ring, sprayed
from fabricgen.analyze.balance.formulas import Formula
from fabricgen.analyze.balance.polarisation import polarised
from fabricgen.analyze.balance.routes import Flows, Routes
from fabricgen.analyze.network import Network
from fabricgen.analyze.reckoned import Reckoning
from fabricgen.views.balancing import balancing_of
from fabricgen.wiring.tables import Ints64

ORDER = 3
MOST_FLOWS = 2**22
"""A Monte Carlo ends with the trial in which it has drawn so many flows; of so many, more trials tell nothing new."""
_WHOLE = 0.995
WAYS = {"hash": "hash", "dynamic": "dynamic, leaves by load", "shared": "hash, one seed for all"}


def figures(network: Network, job: Job, asked: Asked) -> dict[str, Any]:
    """Shares of their rate that pairs get of a random permutation of a job's ranks, and of its ring; polarisation."""
    routes, blueprint = Routes(network), network.cluster.design.loaded.blueprint
    fabric = network.fabric
    stated = balancing_of(blueprint.fabrics[fabric.name].routing, blueprint.routing).mode

    around = _routed(routes, *ring(network, job.ranks))

    def permuted(rng: np.random.Generator) -> _Pattern:
        return _routed(routes, *permutation(network, routes, job.ranks, rng))

    return {
        "configured": "subnet manager" if fabric.protocol == "infiniband" else stated,
        "patterns": [
            _figures(routes, "random permutation", permuted, asked),
            _figures(routes, "ring on each rail", lambda _: around, asked),
        ],
        "polarisation": [
            {"tier": each.tier.text, "kind": each.way, "links": each.links, "share_in_use": round(each.share, 4)}
            for each in polarised(routes)
        ],
        "formula": "share of a flow = 1 / max(1, load of the most crowded link of its route / what that carries); a "
        "pair has the mean of its queue pairs, as many on each port; expected: load 1 + Binomial(F - 1, 1/N) of F "
        "flows over N links at each hop; sprayed: load of a component / its uplinks; links in use where tiers hash "
        "alike: m / gcd(n, m) of m",
        "constants": {"seed": asked.seed, "trials": asked.trials, "queue_pairs": sorted(set(asked.queue_pairs))},
        "source": "RFC 2992 (equal-cost multi-path by hash); Raab and Steger, Balls into Bins, RANDOM 1998; Al-Fares "
        "et al., SIGCOMM 2008",
    }


@dataclass(frozen=True, slots=True)
class _Pattern:
    """Pairs of ranks, their flows that have a route over uplinks, and how many have none."""

    pairs: int
    flows: Flows
    lost: int


def _routed(routes: Routes, source: Ints64, target: Ints64) -> _Pattern:
    flows = flows_of(routes.network, routes, source, target)
    arrived = routes.draw(flows, np.random.Generator(np.random.PCG64(0)))[1]
    return _Pattern(len(source), flows.part(arrived), len(flows) - int(arrived.sum()))


def _figures(
    routes: Routes, name: str, pattern: Callable[[np.random.Generator], _Pattern], asked: Asked
) -> dict[str, Any]:
    """The figures of one pattern of traffic, which may be another one in each trial."""
    rng = np.random.Generator(np.random.PCG64(asked.seed))
    first, queue_pairs = pattern(rng), sorted(set(asked.queue_pairs))
    crossing = int(np.count_nonzero(np.bincount(first.flows.pair)))
    found: dict[str, Any] = {
        "name": name,
        "pairs": first.pairs,
        "crossing_share": round(crossing / first.pairs, 4) if first.pairs else 0.0,
        "flows_without_route": first.lost,
    }
    if not crossing:
        return found | {"sprayed": None, "rows": []}
    formula, rows = Formula(routes, first.flows), []
    trials = _trials(routes, pattern, queue_pairs, rng, asked.trials)
    for way in WAYS:
        for number in queue_pairs:
            expected = None if way == "shared" else _row(formula.rates(number, dealt=way == "dynamic"))
            drawn_rates = _mean(trials[way, number]) if trials else None
            rows.append({"kind": way, "queue_pairs": number, "expected": expected, "drawn": drawn_rates})
    return found | {"sprayed": _row(sprayed(routes.network, first.flows)), "rows": rows}


def _trials(
    routes: Routes,
    pattern: Callable[[np.random.Generator], _Pattern],
    queue_pairs: list[int],
    rng: np.random.Generator,
    trials: int,
) -> dict[tuple[str, int], list[Rates]]:
    """By way and number of queue pairs, the rates of each trial of a Monte Carlo."""
    found: dict[tuple[str, int], list[Rates]] = {}
    for trial in range(trials):
        flows = pattern(rng).flows
        wanted = [number for number in queue_pairs if not trial or trial * number * len(flows) < MOST_FLOWS]
        for way in WAYS if wanted and len(flows) else ():
            for number, rates in zip(wanted, drawn(routes, flows, wanted, rng, way), strict=True):
                found.setdefault((way, number), []).append(rates)
    return found


def _mean(rates: list[Rates]) -> dict[str, float]:
    """The means over trials, and how many these were."""
    count = len(rates)
    means = (sum(getattr(each, name) for each in rates) / count for name in Rates.__slots__)
    return _row(Rates(*means)) | {"trials": count}


def _row(rates: Rates) -> dict[str, float]:
    return {
        "mean_share": round(rates.mean, 4),
        "worst_share": round(rates.worst, 4),
        "slowest_queue_pair_share": round(rates.slowest, 4),
    }


def lines(found: Mapping[str, Any]) -> Iterator[str]:
    """The load balance as a table for each pattern of traffic."""
    yield f"share of its rate that a pair gets whose leaves differ; the blueprint asks for: {found['configured']}"
    for pattern in found["patterns"]:
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
        yield from _table(rows, pattern["sprayed"])
    if found["polarisation"]:
        yield from ("", "  links in use where each tier hashes with the seed of the one below it")
    for row in found["polarisation"]:
        used = f"{row['share_in_use'] * row['links']:,.4g} of {row['links']:,}"
        yield f"  {row['tier'] + ', ' + row['kind']:<38}{used:>12}{row['share_in_use']:>9.0%}"


def _table(rows: list[Mapping[str, Any]], sprayed_row: Mapping[str, float]) -> Iterator[str]:
    is_drawn = any(row["drawn"] for row in rows)
    head = f"{'mean':>8}{'worst':>8}{'slowest':>9}"
    yield f"  {'':<26}{'':>12}{'expected':>25}" + (f"{'drawn':>29}" if is_drawn else "")
    yield f"  {'':<26}{'queue pairs':>12}{head}" + (f"{'':>4}{head}{'trials':>8}" if is_drawn else "")
    yield f"  {'per-packet spraying':<26}{'':>12}{_cells(sprayed_row)}"
    for row in rows:
        drawn_cells = f"{'':>4}{_cells(row['drawn'])}{row['drawn']['trials']:>8}" if row["drawn"] else ""
        yield f"  {WAYS[row['kind']]:<26}{row['queue_pairs']:>12}{_cells(row['expected'])}{drawn_cells}"


def _cells(row: Mapping[str, float] | None) -> str:
    if row is None:
        return f"{'':>25}"
    return f"{row['mean_share']:>8.2f}{row['worst_share']:>8.2f}{row['slowest_queue_pair_share']:>9.2f}"


def reckoning(found: Mapping[str, Any]) -> Iterator[Reckoning]:
    """How shares were reckoned, expected and drawn."""
    constants = found["constants"]
    trials = constants["trials"]
    more = [f"drawn = mean of {trials:,} trials in which flows choose at random on the wired graph"] if trials else []
    if found["polarisation"]:
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
    yield "source", (found["source"],)
