"""Collectives: time and bus bandwidth over message size, by algorithm, and where they are crowded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from textwrap import wrap
from typing import Any

from fabricgen.analyze.asked import Job, Question
from fabricgen.analyze.collectives.model import (
    Team,
    Timed,
    find_domain_profile,
    find_protocol,
    find_scale_up_efficiency,
    make_team,
    time_stages,
)
from fabricgen.analyze.hash_shares import QUEUE_PAIRS, find_mode
from fabricgen.analyze.network import Network
from fabricgen.analyze.reckoned import WIDTH, Reckoning, cite_sources
from fabricgen.kernel import discovery

ORDER = 2
ALGORITHMS = "fabricgen.analyze.collectives.algorithms"
KINDS = ("ring", "tree", "in_switch")
"""Kinds of steps that constants tell apart."""
FORMULA = (
    "us: launch_us + steps x (scale_up_us or nic_us, and beyond a leaf latency of switches and cables) + bytes / "
    "bandwidth of the busiest link, less what goes up both trees until the first bytes come down, with the quickest "
    "algorithm and protocol; busbw_gbytes: bytes / us / 1,000 x 2(n - 1)/n of an all-reduce of n ranks, x 1 of a "
    "broadcast, x (n - 1)/n of others; scale_up_share: bytes that stay in domains over all; network_gbps_per_rank, "
    "scale_up_gbps_per_rank: the rate of the slowest rank x network_reached, scale_up_reached; of two tiers the latter "
    "is of the first, beyond_first_tier_gbps_per_rank of all that leaves first tiers; slowdown: what uplinks are to "
    "carry over what they can, crossing: the share of bytes that leaves a component"
)
FORMULA_SOURCE = "Hockney, The communication challenge for MPP, 1994, and nccl-tests, doc/PERFORMANCE.md"
COLLECTIVES = ("all-reduce", "all-gather", "reduce-scatter", "broadcast", "all-to-all")


def bus_factor(collective: str, ranks: int) -> float:
    """Return the ratio of bus bandwidth to message size over time, as nccl-tests defines it (doc/PERFORMANCE.md)."""
    return {"all-reduce": 2 * (ranks - 1) / ranks, "broadcast": 1.0}.get(collective, (ranks - 1) / ranks)


def figures(network: Network, job: Job, question: Question) -> dict[str, Any]:
    """Return the times of the collectives of a job by size of message, and the constants they are computed with."""
    team = make_team(network, job, question.constants)
    return {
        "job": job.text,
        "ranks": team.ranks,
        "domains": team.domains,
        "ranks_per_domain": team.ranks_per_domain,
        "network_gbps_per_rank": round(team.rail_gbps, 3),
        "scale_up_gbps_per_rank": round(team.domain_gbps, 3),
        **_describe_first_tiers(team),
        "balancing": find_mode(network),
        "crowding": {name: _describe_crowding(team, name) for name in ("ring", "tree", "everyone") if team.domains > 1},
        "collectives": {name: list(_list_times(team, name, question)) for name in COLLECTIVES},
        "formula": FORMULA,
        "constants": _list_constants(team),
        "source": _list_sources(team),
    }


def _describe_first_tiers(team: Team) -> dict[str, Any]:
    """Return how many first tiers a job is in and what a rank reaches out of its own; {} if domains have one tier."""
    tiers = team.tiers
    if tiers.first_tiers == team.domains:
        return {}
    return {"first_tiers": tiers.first_tiers, "beyond_first_tier_gbps_per_rank": round(tiers.beyond_gbps, 3)}


def find_quickest(team: Team, collective: str, size: int) -> tuple[str, Timed] | None:
    """Return (name, time) of the quickest algorithm for a message of `size` bytes; None if none does it."""
    times = _time_algorithms(team, collective, size)
    return _pick_least(times) if times else None


def _time_algorithms(team: Team, collective: str, size: int) -> dict[str, Timed]:
    """Return the time of every algorithm that does a collective, by name."""
    names = discovery.list_modules(ALGORITHMS)
    algorithm_times = ((name, time_algorithm(team, name, collective, size)) for name in names)
    return {name: timed for name, timed in algorithm_times if timed}


def _pick_least(times: Mapping[str, Timed]) -> tuple[str, Timed]:
    # of two that take equally long the first by name, so that every run reports the same one
    return min(times.items(), key=lambda named_time: (named_time[1].us, named_time[0]))


def time_algorithm(team: Team, algorithm: str, collective: str, size: int) -> Timed | None:
    """Return the time of an algorithm for `size` bytes; None if it does not do the collective."""
    module = discovery.load_module(ALGORITHMS, algorithm)
    stages = module.stages(collective, team)
    return None if stages is None else time_stages(team, stages, module.KIND, size)


def busbw_gbytes(team: Team, collective: str, size: int, us: float) -> float:
    """Return the bus bandwidth of a collective of `size` bytes that takes `us` us, GB/s, to two decimals."""
    return round(size / us / 1000 * bus_factor(collective, team.ranks), 2)


def _list_times(team: Team, collective: str, question: Question) -> Iterator[dict[str, Any]]:
    """Yield the time of a collective at each size of message, by the quickest algorithm and by every other."""
    measured = question.constants.efficiency.find_measured(find_domain_profile(team.network, int(team.job.ranks[0])))
    for size in question.sizes:
        times = _time_algorithms(team, collective, size)
        if not times:
            continue
        name, timed = _pick_least(times)
        yield {
            "bytes": size,
            "us": round(timed.us, 2),
            "busbw_gbytes": busbw_gbytes(team, collective, size, timed.us),
            "busbw_range_gbytes": _find_range(team, collective, size, timed.us),
            "algorithm": name,
            "protocol": timed.protocol,
            "scale_up_share": round(timed.scale_up_share, 4),
            "by_algorithm_us": {key: round(algorithm_time.us, 2) for key, algorithm_time in times.items()},
            **({"remark": f"{measured.says} ({measured.source})"} if measured and name == "in_switch" else {}),
        }


def _find_range(team: Team, collective: str, size: int, us: float) -> list[float] | None:
    """Return the least and greatest bus bandwidth, GB/s, that measurements suggest for a small message.

    `us` is the time that the model gives. Return None for a large message, or if nothing was measured.
    """
    small = team.constants.efficiency.small
    kind = "domain" if team.domains == 1 else find_protocol(team.network)
    if small is None or size >= small.below_bytes or kind not in small.measured:
        return None
    least, greatest = small.measured[kind]
    busbw = size / us / 1000 * bus_factor(collective, team.ranks)
    return [round(busbw * least, 2), round(busbw * greatest, 2)]


def _describe_crowding(team: Team, name: str) -> dict[str, Any]:
    """Return how crowded a pattern of traffic is, at which tier most, and which fraction crosses each tier."""
    crowded = getattr(team, name)
    tiers = [sorted({key.name for key in level.tiers}) for level in team.network.levels]
    words = ["/".join(names) or "links between sites" for names in tiers]
    return {
        "slowdown": round(crowded.slowdown, 4),
        "balanced_share": round(crowded.balanced, 4),
        "narrowest": words[crowded.narrowest] if crowded.narrowest >= 0 else None,
        "crossing": {word: round(share, 4) for word, share in zip(words, crowded.crossing, strict=True)},
    }


def _list_constants(team: Team) -> dict[str, Any]:
    """Return the constants that times are computed with, by kind of algorithm and protocol."""
    latency, domain = team.constants.latency, find_scale_up_efficiency(team.network, team.job, team.constants)
    return {kind: {name: steps.model_dump() for name, steps in getattr(latency, kind).protocols} for kind in KINDS} | {
        "network_reached": team.constants.efficiency.network.find_reached(find_protocol(team.network)),
        "scale_up_reached": domain.reached,
        "in_switch_reached": domain.in_switch,
    }


def _list_sources(team: Team) -> dict[str, str]:
    """Return where each of the constants was published."""
    domain = find_scale_up_efficiency(team.network, team.job, team.constants)
    return {kind: getattr(team.constants.latency, kind).source for kind in KINDS} | {
        "network_reached": team.constants.efficiency.network.source,
        "scale_up_reached": domain.source,
        "formula": FORMULA_SOURCE,
    }


_WHOLE = 0.995
"""Shares from here on are shown as the whole rate: they round to 100 %."""
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


def format_size(size: int) -> str:
    """Return a number of bytes in the largest unit that divides it, such as 16 MiB."""
    unit = 0
    while size and size % 1024 == 0 and unit < len(_UNITS) - 1:
        size, unit = size // 1024, unit + 1
    return f"{size:,} {_UNITS[unit]}"


def lines(results: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of what ranks reach, and of a table with time and bus bandwidth of each collective."""
    reached = f"{results['network_gbps_per_rank']:,.4g} Gb/s in the network"
    if results["scale_up_gbps_per_rank"]:
        reached += f", {results['scale_up_gbps_per_rank']:,.4g} in its domain"
        if "first_tiers" in results:
            beyond = results["beyond_first_tier_gbps_per_rank"]
            reached += f"'s first tier, of {results['first_tiers']:,}, and {beyond:,.4g} out of it"
    elif results["ranks_per_domain"] > 1:
        reached += "; in its domain is not known: the node's profile names no `scale_up`, and no collective is told"
    domains = f"{results['domains']:,} scale-up domain{'s' * (results['domains'] != 1)}"
    yield f"job of {results['job']}: {domains} of {results['ranks_per_domain']}"
    yield f"a rank reaches {reached}"
    for name, crowded in results["crowding"].items():
        if crowded["slowdown"] > 1:
            yield f"  {name}: {crowded['slowdown']:.3g} times slower at {crowded['narrowest'] or 'NICs'}"
        if crowded["balanced_share"] < _WHOLE:
            share = f"{crowded['balanced_share']:.0%} of the rate"
            yield f"  {name}: {share}, as switches choose paths by {results['balancing']}"
    yield ""
    yield f"  {'collective':<16}{'message':>10}{'us':>14}{'bus GB/s':>14}  {'algorithm':<22}{'scale-up':>9}"
    for collective, rows in results["collectives"].items():
        for row in rows:
            algorithm = f"{mark_remark(row)} {row['algorithm']}, {row['protocol']}"
            yield (
                f"  {collective:<16}{format_size(row['bytes']):>10}{row['us']:>14,.1f}{format_busbw(row):>14}"
                f"{algorithm:<24}{row['scale_up_share']:>9.0%}"
            )
    yield from list_remarks(row for rows in results["collectives"].values() for row in rows)


def headlines(results: Mapping[str, Any]) -> Iterator[str]:
    """Yield the most important lines: what ranks reach, and each collective at the greatest size of message."""
    greatest = {name: rows[-1:] for name, rows in results["collectives"].items()}
    yield from (line for line in lines({**results, "collectives": greatest}) if not line.startswith("    "))


def format_busbw(row: Mapping[str, Any]) -> str:
    """Return a bus bandwidth, or for small messages the range that measurements suggest, GB/s, as text."""
    if row["busbw_range_gbytes"] is None:
        return f"{row['busbw_gbytes']:,.1f}"
    return " to ".join(f"{busbw:.3g}" for busbw in row["busbw_range_gbytes"])


def mark_remark(row: Mapping[str, Any]) -> str:
    """Return the mark of a bus bandwidth: `*` if it has a remark."""
    return "*" if "remark" in row else " "


def list_remarks(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the lines of the remarks of marked figures, each remark once and with a shortened source."""
    texts = dict.fromkeys(str(row["remark"]) for row in rows if "remark" in row)
    return [line for words in texts for line in wrap(f"* {words.partition(';')[0]})", WIDTH - 2, **_BELOW)]


_BELOW: Any = {"initial_indent": "  ", "subsequent_indent": "    ", "break_long_words": False}


def reckoning(results: Mapping[str, Any]) -> Iterator[Reckoning]:
    """Yield how times were computed, with the constants of the algorithms and protocols that are quickest at a size."""
    constants, source = results["constants"], results["source"]
    rows = [row for rows in results["collectives"].values() for row in rows]
    steps = sorted({(discovery.load_module(ALGORITHMS, row["algorithm"]).KIND, row["protocol"]) for row in rows})
    crowded = any(pattern["slowdown"] > 1 for pattern in results["crowding"].values())
    ranged = any(row["busbw_range_gbytes"] for row in rows)
    balanced = any(pattern["balanced_share"] < _WHOLE for pattern in results["crowding"].values())
    overlaps = [_OVERLAPS] if any(kind != "ring" for kind, _ in steps) else []
    yield (
        "formula",
        (
            *_FORMULAS[:1],
            *(_FORMULAS[1:] if rows else ()),
            *overlaps,
            *([_SLOWER] if crowded else []),
            *([_BALANCED] if balanced else []),
            *([_RANGE] if ranged else []),
        ),
    )
    reached = f"reached: {constants['network_reached']:.4g} of the network's rate"
    used = {kind: source[kind] for kind, _ in steps} | {"network": source["network_reached"]}
    if results["scale_up_gbps_per_rank"]:
        reached += f", {constants['scale_up_reached']:.4g} of the domain's"
        used["domain"] = source["scale_up_reached"]
    if "in_switch" in used:
        reached += f", {constants['in_switch_reached']:.4g} of it in its switches"
    step_texts = "; ".join(f"{kind} {protocol} {_format_steps(constants[kind][protocol])}" for kind, protocol in steps)
    yield "constants", (*([_STEPS, step_texts] if step_texts else []), reached)
    yield "source", cite_sources(used | {"formula": source["formula"]})


_FORMULAS = (
    "a rank reaches = Gb/s of its ports, or of its links in the domain, x the share that is reached",
    "us = start + steps x latency + bytes / rate of the busiest link, by the quickest algorithm",
    "latency of a step: as below, and beyond a leaf that of switches and cables, as in structure",
    "bus GB/s = bytes / us / 1,000 x 2(n-1)/n of an all-reduce, x 1 of a broadcast, else x (n-1)/n",
    "scale-up = share of all bytes that stay in domains",
)
_STEPS = "start / step in the domain / step from NIC to NIC, us, / share of the rate:"
_OVERLAPS = "up and down trees, what goes up before the first bytes come down takes no time of its own"
_SLOWER = "times slower = what the uplinks of a tier are to carry over what they can"


_BALANCED = (
    f"of the rate = as in load balance, {QUEUE_PAIRS} queue pairs; ring, tree: slowest pair; everyone: mean of pairs"
)
_RANGE = "a to b: what was measured of small messages, of what this reckons (docs/collectives.md); us is the least"


def _format_steps(steps: Mapping[str, float]) -> str:
    return "/".join(f"{steps[key]:.4g}" for key in ("launch_us", "scale_up_us", "nic_us", "bandwidth_share"))
