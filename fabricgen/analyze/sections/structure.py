"""Structure: switches, paths, latency and bandwidth between accelerators by where they stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np

from fabricgen.analyze.asked import Job, Question
from fabricgen.analyze.bisection import bisection_gbps
from fabricgen.analyze.latency import cable_m, count_switches_crossed, latency_us, list_switch_sources, switch_ns
from fabricgen.analyze.network import NONE, Network, find_median
from fabricgen.analyze.reckoned import Reckoning, cite_sources
from fabricgen.wiring.arrays import Floats, Ints64, unique_combinations, unique_inverse, unique_values

ORDER = 1
PLACES = ("unit", "pod", "site", "cluster")
"""Places of two accelerators that share no scale-up domain, the narrowest first."""
EXAMPLES = 4
"""Ranks from which example pairs of a class are taken."""
KINDS = 512
"""The most kinds of ranks, by unit, rail and leaves, of which paths are counted between any two."""

ACROSS = "links between sites"
FORMULA = (
    "latency_us: switches x their latency + cable_m x fibre_ns_per_m, one way, without NICs and queues; paths: "
    "shortest ones over all ports of the pair, parallel links counted apart; gbps: the least of a rank's ports and of "
    "what leaves each component below the level at which the pair meets, over the ranks in it; out_of: the same by "
    "level; bisection_gbps: what crosses the worst cut into halves; bisection_gbps_per_rank: twice that over the "
    "ranks"
)
_SHORT = {ACROSS: "sites"}
_Cell = tuple[int, int, int]
"""A class of pairs: number of the place, 1 for other rails, level at which they meet."""


def figures(network: Network, _job: Job, question: Question) -> dict[str, Any]:
    """The structure of a network: its tiers, and classes of pairs of accelerators."""
    taper = tuple(_list_taper(network))
    bisection = bisection_gbps(network)
    latency = question.constants.latency
    return {
        "ranks": len(network.ranks),
        "what": network.what,
        "gbps_per_rank": network.rank_gbps,
        "scale_up_gbps_per_rank": find_median(network.ranks.domain_gbps) if len(network.ranks) else 0.0,
        "bisection_gbps": bisection,
        "bisection_gbps_per_rank": 2 * bisection / len(network.ranks) if len(network.ranks) else 0.0,
        "out_of": [
            {"joined_by": _name_level(network, number), "components": parts, "gbps_per_rank": gbps}
            for number, (parts, gbps) in enumerate(taper)
        ],
        "pairs": list(_list_pairs(network, question, [gbps for _, gbps in taper])),
        "formula": FORMULA,
        "constants": {
            "fibre_ns_per_m": latency.medium.fibre_ns_per_m,
            "switch_ns": {
                _name_level(network, number): round(switch_ns(network, number, question.constants), 3)
                for number, level in enumerate(network.levels)
                if level.tiers
            },
        },
        "source": {
            "fibre_ns_per_m": latency.medium.source,
            "switch_ns": list_switch_sources(network, question.constants),
        },
    }


def _name_level(network: Network, number: int) -> str:
    """The tier that joins at a level, in words."""
    return "/".join(sorted({key.name for key in network.levels[number].tiers})) or ACROSS


def _list_taper(network: Network) -> Iterator[tuple[int, float]]:
    """By level: components, and what an accelerator of the narrowest of them can send beyond it, Gb/s.

    It is the least of all levels up to it, and 0 where nothing leads further.
    """
    least = rank_gbps = network.rank_gbps
    ports = network.leaf >= 0
    for level in network.levels:
        component = level.component[network.leaf[ports]]
        inside = np.bincount(component, network.gbps[ports], minlength=len(level.component))
        present = np.flatnonzero(inside)
        share = level.out_gbps[present] / inside[present]
        least = min(least, float(share.min(initial=np.inf)) * rank_gbps)
        yield len(present), least


def _list_pairs(network: Network, question: Question, taper: list[float]) -> Iterator[dict[str, Any]]:
    """A row for each class of pairs, the nearest first: same scale-up domain, then by place, rail and level."""
    ranks, top = network.ranks, len(network.levels)
    number = len(ranks)
    pair_count = number * (number - 1)
    if not pair_count:
        return
    # ordered pairs within domains, less each rank with itself
    local, near = (int((np.bincount(of) ** 2).sum()) - number for of in (ranks.domain, ranks.first_tier))
    if 0 < near < local:
        yield {"place": "first_tier", "share": near / pair_count, "gbps": find_median(ranks.first_tier_gbps)}
        local -= near
    if local:
        yield {"place": "domain", "share": local / pair_count, "gbps": find_median(ranks.domain_gbps)}
    rails = int(ranks.rail.max(initial=0)) > 1
    path_counts = _count_paths(network)
    for cell, count in sorted(_count_cells(network).items()):
        place_number, other_rail, level = cell
        row: dict[str, Any] = {"place": PLACES[place_number], "share": count / pair_count}
        if rails:
            row["rail"] = "other" if other_rail else "same"
        if level == top:
            yield row | {"joined_by": "scale-up, then the rail of the other", "gbps": None}
            continue
        fewest, most = path_counts.get(cell, (None, None))
        yield row | {
            "joined_by": _name_level(network, level),
            "switches": count_switches_crossed(network, level),
            "paths": fewest,
            "most_paths": most,
            "cable_m": round(cable_m(network, level), 2),
            "latency_us": round(latency_us(network, level, question.constants), 3),
            "gbps": min([network.rank_gbps, *taper[:level]]),
        }


def _count_cells(network: Network) -> dict[_Cell, int]:
    """Ordered pairs of accelerators of different domains by class."""
    ranks, leaf = network.ranks, network.leaf[:, 0]
    if not _first_ports_suffice(network):
        return _count_cells_by_pair(network)
    examples, number = _group_like_ranks(ranks.unit, leaf, ranks.rail)
    anywhere = np.zeros_like(examples)
    places = [ranks.unit[examples], ranks.pod[examples], ranks.site[examples], anywhere]
    steps = [*(level.component[leaf[examples]] for level in network.levels), anywhere]
    within = {
        (p, other_rail, k): _count_alike_pairs(number, place, step, rail)
        for p, place in enumerate(places)
        for k, step in enumerate(steps)
        for other_rail, rail in enumerate((ranks.rail[examples], anywhere))
    }
    inside = _count_pairs_in_domains(network, leaf)
    cells = {cell: _count_corner(within, *cell) - inside.get(cell, 0) for cell in within}
    return {cell: count for cell, count in cells.items() if count}


def _first_ports_suffice(network: Network) -> bool:
    """Whether first ports meet where any ports do: not so where a single one is cabled otherwise."""
    ports = network.leaf.T
    if (ports[0] == NONE).any():
        return False
    for level, port in ((level, port) for port in ports[1:] for level in network.levels):
        first_labels, port_labels = level.component[ports[0]], level.component[port]
        for a, b in ((first_labels, port_labels), (port_labels, first_labels)):
            partner = np.empty(len(level.component), dtype=np.int64)
            partner[a] = b
            if (port == NONE).any() or (partner[a] != b).any():
                return False
    return True


def _count_cells_by_pair(network: Network) -> dict[_Cell, int]:
    """Ordered pairs by class, over kinds of ranks: those of a unit and rail whose ports are on the same leaves."""
    ranks, wired = network.ranks, _number_wirings(network)
    examples, number = _group_like_ranks(ranks.unit, wired, ranks.rail)
    cells: Counter[_Cell] = Counter()
    for source, count in zip(examples, number, strict=True):
        classes = _classify_pairs(network, np.full(len(examples), source), examples)
        counts = np.bincount(classes, number * count)
        for value in np.flatnonzero(counts).tolist():
            cells[_split_class(network, value)] += int(counts[value])
    cells.subtract(_count_pairs_in_domains(network, wired))
    return {cell: count for cell, count in cells.items() if count}


def _number_wirings(network: Network) -> Ints64:
    """By rank, a number that those have whose ports are on the same leaves."""
    return unique_combinations(*network.leaf.T)[1]


def _count_alike_pairs(number: Ints64, *keys: Ints64) -> int:
    """Ordered pairs, of ranks with themselves too, that agree in all keys; each row stands for a number of ranks."""
    counts = np.bincount(unique_combinations(*keys)[1], number)
    return int((counts * counts).sum())


def _count_pairs_in_domains(network: Network, wired: Ints64) -> Counter[_Cell]:
    """Ordered pairs of accelerators of one domain, of ranks with themselves too, by the class that they would be of;
    `wired` is alike for ranks whose ports are on the same leaves.
    """
    ranks = network.ranks
    examples, number = _group_like_ranks(ranks.domain, ranks.unit, wired, ranks.rail)
    domain = ranks.domain[examples]
    cells: Counter[_Cell] = Counter()
    # those of a domain follow each other: each with itself, then with the next, the one after that and so on
    for shift in range(int(np.bincount(domain).max(initial=0))):
        inside = np.flatnonzero(domain[: len(examples) - shift] == domain[shift:])
        pairs = number[inside] * number[inside + shift]
        counts = np.bincount(_classify_pairs(network, examples[inside], examples[inside + shift]), pairs)
        for value in np.flatnonzero(counts).tolist():
            cells[_split_class(network, value)] += int(counts[value]) * (2 if shift else 1)
    return cells


def _group_like_ranks(*keys: Ints64) -> tuple[Ints64, Ints64]:
    """(an example, how many there are) of every kind of rank, ascending by the keys."""
    first_rows, kind = unique_combinations(*keys)
    return first_rows, np.bincount(kind)


def _classify_pairs(network: Network, source: Ints64, target: Ints64) -> Ints64:
    """By pair of ranks, the number of its class: of place, rail and level."""
    ranks = network.ranks
    places = np.full(len(source), len(PLACES) - 1, dtype=np.int64)
    # the widest place first: the narrowest one that both are in is written last
    for number_of_place, place in reversed(list(enumerate((ranks.unit, ranks.pod, ranks.site)))):
        places[place[source] == place[target]] = number_of_place
    other_rail = (ranks.rail[source] != ranks.rail[target]).astype(np.int64)
    number: Ints64 = (places * 2 + other_rail) * (len(network.levels) + 1) + network.find_joining_level(source, target)
    return number


def _split_class(network: Network, number: int) -> _Cell:
    place_and_rail, level = divmod(number, len(network.levels) + 1)
    return place_and_rail // 2, place_and_rail % 2, level


def _count_corner(within: Mapping[_Cell, int], p: int, other_rail: int, k: int) -> int:
    """What a cell adds to all narrower ones, by inclusion and exclusion: cells are nested in each coordinate."""
    # the corners of a cube with alternating signs
    return sum(
        (-1) ** (a + b + c) * within.get((p - a, other_rail - b, k - c), 0) for a, b, c in product((0, 1), repeat=3)
    )


def _count_paths(network: Network) -> dict[_Cell, tuple[int, int]]:
    """(Fewest, most shortest paths) of every class: of all pairs, or of examples where kinds of ranks are many."""
    keys = network.ranks.unit, _number_wirings(network), network.ranks.rail
    first_examples = _group_like_ranks(*keys)[0]
    last_examples = len(network.ranks) - 1 - _group_like_ranks(*(key[::-1] for key in keys))[0]
    paths, top = PathCounter(network), len(network.levels)
    if len(first_examples) > KINDS or not all(level.tiers for level in network.levels):
        counts = {cell: [paths.count_paths(*pair) for pair in pairs] for cell, pairs in _pick_examples(network).items()}
        return {cell: (min(cell_counts), max(cell_counts)) for cell, cell_counts in counts.items()}
    no_paths = np.zeros((len(first_examples), len(first_examples)))
    between = np.array([*(paths.count_between(first_examples, level) for level in range(top)), no_paths])
    # by class, as `_classify_pairs` numbers them
    least, most = np.full(len(PLACES) * 2 * (top + 1), np.inf), np.zeros(len(PLACES) * 2 * (top + 1))
    # two examples of each kind: a pair within a kind needs two ranks of it
    for sources, targets in product((first_examples, last_examples), repeat=2):
        for kind, source in enumerate(sources.tolist()):
            far_ranks = np.flatnonzero(network.ranks.domain[targets] != network.ranks.domain[source])
            classes = _classify_pairs(network, np.full(len(far_ranks), source), targets[far_ranks])
            path_counts = between[classes % (top + 1), kind, far_ranks]
            np.minimum.at(least, classes, path_counts)
            np.maximum.at(most, classes, path_counts)
    present = np.flatnonzero(np.isfinite(least)).tolist()
    return {_split_class(network, value): (int(least[value]), int(most[value])) for value in present}


def _pick_examples(network: Network) -> dict[_Cell, list[tuple[int, int]]]:
    """Pairs of every class: from a few ranks, the first and the last other rank that is in the class."""
    pairs_by_cell: dict[_Cell, set[tuple[int, int]]] = {}
    number, ranks = len(network.ranks), network.ranks
    # ranks at equal distances from the first to the last, and those that are unlike them
    for source in sorted(
        {(number - 1) * part // (EXAMPLES - 1) for part in range(EXAMPLES)} | _pick_odd_ranks(network)
    ):
        far_ranks = np.flatnonzero(ranks.domain != ranks.domain[source])
        classes = _classify_pairs(network, np.full(len(far_ranks), source), far_ranks)
        for value in np.flatnonzero(np.bincount(classes)).tolist():
            in_class = far_ranks[classes == value]
            pairs_by_cell.setdefault(_split_class(network, value), set()).update(
                (source, int(end)) for end in (in_class[0], in_class[-1])
            )
    return {cell: sorted(pairs) for cell, pairs in pairs_by_cell.items()}


def _pick_odd_ranks(network: Network) -> set[int]:
    """A rank under the leaf that has least to send up with, and one of those that the fewest others are wired like."""
    leaf = network.leaf
    up = np.where(leaf == NONE, np.inf, network.levels[0].out_gbps[leaf]).min(axis=1)
    examples, number = _group_like_ranks(network.ranks.unit, leaf[:, 0], network.ranks.rail)
    return {int(up.argmin()), int(examples[number.argmin()])}


_WORDS = {
    "first_tier": "same first tier of scale-up",
    "domain": "same scale-up domain",
    "unit": "same unit",
    "pod": "same pod, other unit",
    "site": "same site, other pod",
    "cluster": "other site",
}


def lines(results: Mapping[str, Any]) -> Iterator[str]:
    """The structure as a table of classes of pairs."""
    yield (
        f"{results['ranks']:,} {results['what']}, {results['gbps_per_rank']:,g} Gb/s each; bisection "
        f"{results['bisection_gbps_per_rank']:,.4g} Gb/s each"
    )
    for step in results["out_of"]:
        parts = step["components"]
        if step["gbps_per_rank"] or parts > 1:
            beyond = (
                f"{step['gbps_per_rank']:,.4g} Gb/s a rank beyond it" if step["gbps_per_rank"] else "joined by nothing"
            )
            yield f"  {step['joined_by']:<24}{parts:>6} part{'s' * (parts != 1)}, {beyond}"
    yield ""
    yield f"  {'pairs':<34}{'share':>8}{'joined by':>12}{'switches':>10}{'paths':>9}{'cable m':>9}{'us':>8}{'Gb/s':>8}"
    for row in results["pairs"]:
        words = _WORDS[row["place"]] + (f", {row['rail']} rail" if "rail" in row else "")
        head = f"  {words:<34}{row['share']:>8.2%}"
        if "switches" not in row:
            remark = "in it, at a rate that is not known" if row["place"] == "domain" else "through the scale-up domain"
            yield head + (f"{'':>48}{row['gbps']:>8,g}" if row["gbps"] else f"  {remark}")
            continue
        path_text = f"{row['paths']:,}" if row["paths"] is not None else "-"
        joined = f"{_SHORT.get(row['joined_by'], row['joined_by']):>12}"
        figures = (
            f"{row['switches']:>10}{path_text:>9}{row['cable_m']:>9.1f}{row['latency_us']:>8.2f}{row['gbps']:>8,.4g}"
        )
        yield head + joined + figures


def reckoning(results: Mapping[str, Any]) -> Iterator[Reckoning]:
    """How latency, paths and bandwidth were reckoned."""
    constants, source = results["constants"], results["source"]
    yield (
        "formula",
        (
            "us = latency of switches + cable m x that of a metre, one way, without NICs and queues",
            "paths = shortest ones over all ports of a pair, parallel links counted apart",
            "Gb/s = least of a rank's ports and its share of the uplinks of each tier below where a pair meets",
            "bisection = what crosses the worst cut into halves, over half of the ranks",
        ),
    )
    switches = ", ".join(f"{tier} {ns:,.4g} ns" for tier, ns in constants["switch_ns"].items())
    yield "constants", (f"switches: {switches}; cable: {constants['fibre_ns_per_m']:g} ns/m",)
    yield "source", cite_sources({**source["switch_ns"], "cable": source["fibre_ns_per_m"]})


# Equal shortest paths between accelerators, counted on the wired graph.

_NOTHING = np.zeros(0, dtype=np.int64), np.zeros(0)


class PathCounter:
    """Counts shortest paths of a network; parallel links of two switches are paths of their own, as ECMP has it."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._order = np.argsort(network.uplinks.lower, kind="stable")
        self._lower = network.uplinks.lower[self._order]

    def count_paths(self, source: int, target: int) -> int:
        """Shortest paths between two ranks over all of their ports; 0 where no network joins them."""
        network = self._network
        level = int(network.find_joining_level(np.array([source]), np.array([target]))[0])
        if level == len(network.levels):
            return 0
        return sum(self._count_by_port(source, target, port, level) for port in range(network.leaf.shape[1]))

    def count_between(self, ranks: Ints64, level: int) -> Floats:
        """Shortest paths between any two of some ranks that turn at a level, over all of their ports: float64 [n, n].

        The level has tiers: none of links between sites.
        """
        total = np.zeros((len(ranks), len(ranks)))
        for leaf in self._network.leaf[ranks].T:
            leaves, leaf_index = unique_inverse(leaf)
            reached = [self._find_reached(leaf_row, level) if leaf_row != NONE else _NOTHING for leaf_row in leaves]
            tops = np.array(unique_values(np.concatenate([rows for rows, _ in reached])), dtype=np.int64)
            path_counts = np.zeros((len(leaves), len(tops)))
            for number, (rows, count) in enumerate(reached):
                path_counts[number, np.searchsorted(tops, rows)] = count
            total += (path_counts @ path_counts.T)[np.ix_(leaf_index, leaf_index)]
        return total

    def _count_by_port(self, source: int, target: int, port: int, level: int) -> int:
        """Shortest paths between the ports of one number of two ranks that turn at a level."""
        network = self._network
        a, b = (int(network.leaf[rank, port]) for rank in (source, target))
        component = network.levels[level].component
        if NONE in (a, b) or component[a] != component[b]:
            return 0
        if network.levels[level].tiers:
            (up_a, of_a), (up_b, of_b) = self._find_reached(a, level), self._find_reached(b, level)
            _, at_a, at_b = np.intersect1d(up_a, up_b, assume_unique=True, return_indices=True)
            return int((of_a[at_a] * of_b[at_b]).sum())
        (up_a, of_a), (up_b, of_b) = self._find_reached(a, level - 1), self._find_reached(b, level - 1)
        size = len(component)
        ways_a, ways_b = np.zeros(size), np.zeros(size)
        ways_a[up_a], ways_b[up_b] = of_a, of_b
        ends = network.spans
        return int((ways_a[ends[0]] * ways_b[ends[1]] + ways_a[ends[1]] * ways_b[ends[0]]).sum())

    def _find_reached(self, leaf: int, level: int) -> tuple[Ints64, Floats]:
        """(switches so many tiers above a leaf, ascending; in how many ways it reaches each)."""
        rows: Ints64 = np.array([leaf], dtype=np.int64)
        path_counts: Floats = np.ones(1)
        uplinks = self._network.uplinks
        for _ in range(level):
            start, stop = np.searchsorted(self._lower, rows), np.searchsorted(self._lower, rows, side="right")
            count = stop - start
            # all uplinks of all switches at once: a run of numbers from `start` on for each
            link = self._order[np.repeat(start - np.r_[0, np.cumsum(count)[:-1]], count) + np.arange(count.sum())]
            above, at = unique_inverse(uplinks.upper[link])
            rows = np.array(above, dtype=np.int64)
            path_counts = np.bincount(at, np.repeat(path_counts, count), len(above)).astype(np.float64)
        return rows, path_counts
