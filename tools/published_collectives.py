"""Published figures of collectives beside an analysis: for docs/collectives.md, and for the test of their error."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from math import ceil, floor
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from fabricgen.analyze.asked import read_job
from fabricgen.analyze.collectives.model import Team, Timed, find_protocol, make_team
from fabricgen.analyze.network import list_networks
from fabricgen.analyze.sections.collectives import bus_factor, find_quickest, time_algorithm
from fabricgen.blueprint.beside.lock import Lock
from fabricgen.blueprint.load import LoadedBlueprint
from fabricgen.blueprint.models import Blueprint
from fabricgen.catalog.loader import Catalog
from fabricgen.cluster import build_cluster
from fabricgen.design.build import build_design
from fabricgen.models.validation import validate
from fabricgen.yaml.located import parse_located

ROOT = Path(__file__).resolve().parent.parent
FIGURES = ROOT / "tests/reference/collectives.yaml"
NODES_PER_RACK = {"gb200-tray": 18, "gb300-tray": 18}
ALGORITHMS = {"ring": "ring", "in-switch": "in_switch"}
"""What a source says ran -> the algorithm of an analysis; others are left to what is the quickest."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A published point beside the analysis: bytes, bus bandwidth in GB/s of both, what the analysis took."""

    figure: dict[str, Any]
    size: int
    published: float
    analysis: float
    algorithm: str
    is_fitted: bool
    """Whether constants are fitted to it: every second point in the order of the file is; the others judge them."""

    @property
    def error(self) -> float:
        """How far the analysis is above the published figure, as a share of that."""
        return self.analysis / self.published - 1

    @property
    def kind(self) -> str:
        """The kind of network: ethernet, infiniband, or domain where no network is crossed."""
        return str(self.figure.get("network", {}).get("protocol", "domain"))


LARGE, SMALL = 2**30, 2**27
"""Bytes of messages, from which on and below which constants are fitted and judged."""
LATENCIES = (0, 1, 2, 5, 10, 20, 50, 100)
"""What a step may take longer than the library's constants have it, us."""
NEAR = 0.15
"""How far an analysis of large messages may be off."""


def fit_reached(protocol: str) -> float:
    """The share of the line rate, in steps of 0.005, with which most fitted points of large messages are near; the
    greatest of several such shares.
    """

    def count_far(share: float) -> int:
        points = [point for point in compared(share) if point.is_fitted and point.size >= LARGE]
        return sum(abs(point.error) > NEAR for point in points if point.kind == protocol)

    return min((step / 200 for step in range(199, 159, -1)), key=count_far)


def fit_small(kind: str) -> tuple[float, float] | None:
    """Least and greatest of measured over told of fitted points of small messages, rounded outwards; None for none."""
    points = [point for point in compared() if point.is_fitted and point.size < SMALL and point.kind == kind]
    ratios = [point.published / point.analysis for point in points]
    return (floor(100 * min(ratios)) / 100 or 0.01, ceil(100 * max(ratios)) / 100) if ratios else None


def fit_latency(kind: str) -> int:
    """The us, one of `LATENCIES`, that each step of a kind of network takes longer so that fitted points of small
    messages are measured over told most alike; the least of several.
    """

    def spread(more_us: int) -> float:
        ratios = list_small_ratios(kind, more_us, is_fitted=True)
        return max(ratios) / min(ratios)

    return min(LATENCIES, key=spread)


def count_held(kind: str, more_us: float) -> tuple[int, int]:
    """(rows of small messages that were not fitted to and lie in the range of those that were, all such rows)."""
    fitted, judged = (list_small_ratios(kind, more_us, is_fitted=fitted) for fitted in (True, False))
    return sum(min(fitted) <= ratio <= max(fitted) for ratio in judged), len(judged)


def list_small_ratios(kind: str, more_us: float, *, is_fitted: bool) -> list[float]:
    """Measured over told of points of small messages, with so much more latency in each step."""
    points = [p for p in compared(more_us=more_us) if p.is_fitted == is_fitted and p.size < SMALL and p.kind == kind]
    return [point.published / point.analysis for point in points]


def _slow_steps(team: Team, field: str, more_us: float) -> Team:
    """A team whose steps take longer, those across a network (`nic_us`) or within a domain (`scale_up_us`)."""
    latency = team.constants.latency
    algorithms = {}
    for name in ("ring", "tree", "in_switch"):
        protocols = getattr(latency, name).protocols
        slower = {key: steps.model_copy(update={field: getattr(steps, field) + more_us}) for key, steps in protocols}
        algorithms[name] = getattr(latency, name).model_copy(update=slower)
    slow = latency.model_copy(update=algorithms)
    return replace(team, constants=team.constants.model_copy(update={"latency": slow}))


def compared(reached: float | None = None, more_us: float = 0) -> Iterator[Compared]:
    """Every published point beside the analysis of a cluster of the same nodes; `reached` of the line rate, else what
    the constants say, and `more_us` more latency in each step of its kind of network.
    """
    number = 0
    for figure in YAML(typ="safe").load(FIGURES.read_text(encoding="utf-8"))["figures"]:
        network = figure.get("network", {})
        team = _team(
            figure["node"], figure["nodes"], figure["ranks"], network.get("gbps", 0), network.get("protocol", "")
        )
        if reached is not None:
            told = team.constants.efficiency.network.find_reached(find_protocol(team.network))
            team = replace(team, rail_gbps=team.rail_gbps / told * reached)
        if more_us:
            team = _slow_steps(team, "nic_us" if network else "scale_up_us", more_us)
        for size, busbw, *_ in figure["points"]:
            name, timed = _timed(team, figure, size)
            found = size / timed.us / 1000 * bus_factor(figure["collective"], figure["ranks"])
            yield Compared(figure, size, busbw, found, name, number % 2 == 0)
            number += 1


def _timed(team: Team, figure: dict[str, Any], size: int) -> tuple[str, Timed]:
    stated = ALGORITHMS.get(figure.get("algorithm", ""))
    timed = time_algorithm(team, stated, figure["collective"], size) if stated else None
    if stated and timed:
        return stated, timed
    best = find_quickest(team, figure["collective"], size)
    if best is None:
        raise ValueError(f"nothing is told of {figure['id']}")
    return best


@cache
def _team(node: str, nodes: int, ranks: int, gbps: int, protocol: str) -> Team:
    """The ranks of a cluster of some nodes under one tier of leaves and one of spines, 1:1."""
    catalog = Catalog()
    profile = catalog.node(node)
    per_rack = NODES_PER_RACK.get(node, 1)
    each = max(nodes, 2 * per_rack)
    switch = "qm9700" if protocol == "infiniband" else "sn5600"
    fabric: dict[str, Any] = {
        "protocol": protocol if protocol == "infiniband" else "roce",
        "attach": "compute",
        "tiers": {"leaf": {"switch": switch, "per": ["rail"]}, "spine": {"switch": switch}},
        # these networks spread packets over equal paths, by adaptive routing or by their NICs
        "routing": {"load_balance": "spray"},
    }
    if gbps:
        fabric["speed"] = f"{gbps}G"
    tree = {
        "fabricgen": 1,
        "name": "published",
        "scalable_unit": {"nodes": f"{each} x {node}", "racks": {"nodes_per_rack": per_rack}},
        "pods": {"p1": {"su": 1}},
        "scale_up": {"domain": {"domain": profile.scale_up, "per": "rack" if per_rack > 1 else "node"}},
        "fabrics": {"compute": fabric},
        "pools": {"loopback": "10.0.0.0/16", "fabric": "10.64.0.0/10", "hosts": "172.16.0.0/12"},
    }
    source = parse_located(json.dumps(tree), "published.yaml")
    design = build_design(LoadedBlueprint(validate(Blueprint, source), source, ROOT, Lock()))
    (network,) = list_networks(build_cluster(design))
    return make_team(network, read_job(network, str(ranks)), catalog.constants())


def is_in_range(point: Compared) -> bool:
    """Whether a point of small messages is in the range that is shown."""
    small = Catalog().constants().efficiency.small
    ranges = {str(kind): bounds for kind, bounds in small.measured.items()} if small else {}
    least, greatest = ranges[point.kind]
    return least <= point.published / point.analysis <= greatest


def collectives_page() -> Iterator[str]:
    """Every published point beside the analysis, with the error, and where each was read."""
    yield "# Collectives, measured and analyzed"
    yield ""
    yield "Generated by `tools/generate.py` from `tests/reference/collectives.yaml`: what others measured, beside what"
    yield "`fabricgen analyze` says of a cluster of the same nodes, 1:1, with its usual constants and packets spread"
    yield "over equal paths ([analyze.md](analyze.md)). What a network reaches of its line rate, one share for Ethernet"
    yield "and one for InfiniBand, and the ranges of messages below 128 MiB are fitted to every second row (`f`) in the"
    yield "order of that file; the others judge them. Bytes are as `--sizes` takes them, figures bus GB/s:"
    yield ""
    points = list(compared())
    judged = [point for point in points if not point.is_fitted and point.size >= LARGE]
    near = sum(abs(point.error) <= NEAR for point in judged)
    yield f"- From 1 GiB on, {near} of the {len(judged)} rows that were not fitted to are within 15 %."
    small = [point for point in points if not point.is_fitted and point.size < SMALL and fit_small(point.kind)]
    within = [point for point in small if is_in_range(point)]
    yield f"- Below 128 MiB, {len(within)} of {len(small)} such rows are in the range that is shown; none is shown over"
    yield "  InfiniBand, where no row could be fitted to."
    yield "- Racks of NVL72 reach less than is told: 13 % for one rack at 8 GiB, and 2.3 times less over 20 racks at"
    yield "  16 GiB."
    yield "- Small messages are reckoned far too quick, so that ranges are wide: the quickest algorithm and protocol"
    yield "  are taken, with what NCCL's tuning assumes of latency; libraries choose others, and networks of clouds"
    yield "  have more of it. Compare designs by them, do not promise them."
    yield "- A latency that is fitted likewise, one a kind of network, would do no better, so that NCCL's own stay:"
    for kind, words in (("domain", "within a domain"), ("ethernet", "over Ethernet, all of it of one cloud")):
        more_us = fit_latency(kind)
        (held, number), (before, _) = count_held(kind, more_us), count_held(kind, 0)
        yield f"  {more_us} us more a step {words}: {held} of {number} rows would be in the range, {before} are."
    for title in dict.fromkeys(point.figure["title"] for point in points):
        yield from ("", f"## {title}", "")
        mine = [point for point in points if point.figure["title"] == title]
        sources = dict.fromkeys(point.figure["source"] for point in mine)
        yield from (f"Source: {source}." for source in sources if source != "the same")
        for (collective, ranks, wire), rows in groupby(mine, _name_job):
            yield from ("", f"{collective}, {ranks} ranks{wire}:", "")
            yield "| bytes | measured | analyzed | error | by |"
            yield "|---|---|---|---|---|"
            for point in rows:
                yield (
                    f"| {_name_size(point.size)} | {point.published:,.2f} | {point.analysis:,.2f} | {point.error:+.0%} "
                    f"| {point.algorithm.replace('_', '-')}{', f' if point.is_fitted else ''} |"
                )


def _name_job(point: Compared) -> tuple[str, int, str]:
    """What was run: collective, ranks, and the network if one is crossed."""
    figure, network = point.figure, point.figure.get("network")
    return figure["collective"], figure["ranks"], f", {network['gbps']}G {network['protocol']}" if network else ""


def _name_size(size: int) -> str:
    """So many bytes by the greatest unit that divides them: `16M`."""
    power = max(power for power in range(4) if size % 1024**power == 0)
    return f"{size // 1024**power}{' KMG'[power].strip()}"
