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
"""The number of evenly spaced ranks from which example pairs of a class are taken."""
KINDS = 512
"""Paths are counted between all kinds of ranks (by unit, rail and leaves) if there are at most this many kinds."""

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
    """Return the structure of a network: its bandwidth, what leaves each tier, and classes of pairs of accelerators."""
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
            {"joined_by": _name_level(network, level), "components": components, "gbps_per_rank": gbps}
            for level, (components, gbps) in enumerate(taper)
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
    """Return the names of the tiers that join at a level; `ACROSS` if links between sites do."""
    return "/".join(sorted({key.name for key in network.levels[number].tiers})) or ACROSS


def _list_taper(network: Network) -> Iterator[tuple[int, float]]:
    """Yield for each level (number of components that have ranks, Gb/s that a rank can send beyond it).

    The bandwidth is that of a rank in the narrowest component. No level lets a rank send more than the levels below it
    do. It is 0 if nothing leads further.
    """
    least_gbps = rank_gbps = network.rank_gbps
    ports = network.leaf >= 0
    for level in network.levels:
        component = level.component[network.leaf[ports]]
        port_gbps = np.bincount(component, network.gbps[ports], minlength=len(level.component))
        with_ranks = np.flatnonzero(port_gbps)
        uplinks_to_ports = level.out_gbps[with_ranks] / port_gbps[with_ranks]
        least_gbps = min(least_gbps, float(uplinks_to_ports.min(initial=np.inf)) * rank_gbps)
        yield len(with_ranks), least_gbps


def _list_pairs(network: Network, question: Question, taper: list[float]) -> Iterator[dict[str, Any]]:
    """Yield a row for each class of pairs of ranks, with its share of all pairs, as the JSON of an analysis has it.

    Pairs in one first tier of scale-up come first, then those in one scale-up domain, then the others by place, rail
    and level. `taper` has for each level what a rank can send beyond it, Gb/s.
    """
    ranks, top = network.ranks, len(network.levels)
    rank_count = len(ranks)
    pair_count = rank_count * (rank_count - 1)
    if not pair_count:
        return
    # ordered pairs within domains, less each rank with itself
    pairs_in_domains, pairs_in_first_tiers = (
        int((np.bincount(group_of_rank) ** 2).sum()) - rank_count for group_of_rank in (ranks.domain, ranks.first_tier)
    )
    # a domain of one tier is its own first tier, and has one row
    if 0 < pairs_in_first_tiers < pairs_in_domains:
        share = pairs_in_first_tiers / pair_count
        yield {"place": "first_tier", "share": share, "gbps": find_median(ranks.first_tier_gbps)}
        pairs_in_domains -= pairs_in_first_tiers
    if pairs_in_domains:
        yield {"place": "domain", "share": pairs_in_domains / pair_count, "gbps": find_median(ranks.domain_gbps)}
    has_rails = int(ranks.rail.max(initial=0)) > 1
    path_counts = _count_paths(network)
    for cell, count in sorted(_count_cells(network).items()):
        place_number, other_rail, level = cell
        row: dict[str, Any] = {"place": PLACES[place_number], "share": count / pair_count}
        if has_rails:
            row["rail"] = "other" if other_rail else "same"
        if level == top:  # no level joins them
            yield row | {"joined_by": "scale-up, then the rail of the other", "gbps": None}
            continue
        fewest_paths, most_paths = path_counts.get(cell, (None, None))
        yield row | {
            "joined_by": _name_level(network, level),
            "switches": count_switches_crossed(network, level),
            "paths": fewest_paths,
            "most_paths": most_paths,
            "cable_m": round(cable_m(network, level), 2),
            "latency_us": round(latency_us(network, level, question.constants), 3),
            "gbps": min([network.rank_gbps, *taper[:level]]),
        }


def _count_cells(network: Network) -> dict[_Cell, int]:
    """Return the number of ordered pairs of ranks of different domains by class; classes without pairs are left out."""
    ranks, leaf = network.ranks, network.leaf[:, 0]
    if not _first_ports_suffice(network):
        return _count_cells_by_pair(network)
    examples, number = _group_like_ranks(ranks.unit, leaf, ranks.rail)
    # zeros: the widest place, rail and component, which all ranks share
    same_for_all = np.zeros_like(examples)
    labels_by_place = [ranks.unit[examples], ranks.pod[examples], ranks.site[examples], same_for_all]
    labels_by_level = [*(level.component[leaf[examples]] for level in network.levels), same_for_all]
    # pairs that meet in a class or in any narrower one
    pairs_within = {
        (place, other_rail, level): _count_alike_pairs(number, place_labels, level_labels, rail_labels)
        for place, place_labels in enumerate(labels_by_place)
        for level, level_labels in enumerate(labels_by_level)
        for other_rail, rail_labels in enumerate((ranks.rail[examples], same_for_all))
    }
    pairs_in_domains = _count_pairs_in_domains(network, leaf)
    cells = {cell: _count_corner(pairs_within, *cell) - pairs_in_domains.get(cell, 0) for cell in pairs_within}
    return {cell: count for cell, count in cells.items() if count}


def _first_ports_suffice(network: Network) -> bool:
    """Whether the first ports of any two ranks tell at which level they meet: their other ports meet there too.

    False if a rank lacks a port, or if another port of some rank is cabled otherwise than the first ports are.
    """
    ports = network.leaf.T
    if (ports[0] == NONE).any():
        return False
    for level, port in ((level, port) for port in ports[1:] for level in network.levels):
        first_labels, port_labels = level.component[ports[0]], level.component[port]
        for a, b in ((first_labels, port_labels), (port_labels, first_labels)):
            # a component of one port must go with a single one of the other: that of its last rank is held to all
            component_of_other_port = np.empty(len(level.component), dtype=np.int64)
            component_of_other_port[a] = b
            if (port == NONE).any() or (component_of_other_port[a] != b).any():
                return False
    return True


def _count_cells_by_pair(network: Network) -> dict[_Cell, int]:
    """Return what `_count_cells` does, from each pair of kinds of ranks.

    Ranks are of one kind if they are of one unit and rail and their ports are on the same leaves.
    """
    ranks, wiring = network.ranks, _number_wirings(network)
    examples, number = _group_like_ranks(ranks.unit, wiring, ranks.rail)
    cells: Counter[_Cell] = Counter()
    for source, count in zip(examples, number, strict=True):
        classes = _classify_pairs(network, np.full(len(examples), source), examples)
        counts = np.bincount(classes, number * count)
        for value in np.flatnonzero(counts).tolist():
            cells[_split_class(network, value)] += int(counts[value])
    cells.subtract(_count_pairs_in_domains(network, wiring))
    return {cell: count for cell, count in cells.items() if count}


def _number_wirings(network: Network) -> Ints64:
    """Return a number for each rank, equal for ranks whose ports are on the same leaves; int64."""
    return unique_combinations(*network.leaf.T)[1]


def _count_alike_pairs(number: Ints64, *keys: Ints64) -> int:
    """Return how many ordered pairs of ranks have the same values in all `keys`, each rank with itself included.

    Row i of each key is that of `number[i]` ranks.
    """
    counts = np.bincount(unique_combinations(*keys)[1], number)
    return int((counts * counts).sum())


def _count_pairs_in_domains(network: Network, wiring: Ints64) -> Counter[_Cell]:
    """Return, by class, how many ordered pairs of ranks are in one scale-up domain, each rank with itself included.

    A pair has the class (place, rail, level) that it would have if its ranks were in different domains. `wiring` is a
    number for each rank, equal for ranks whose ports are on the same leaves.
    """
    ranks = network.ranks
    examples, number = _group_like_ranks(ranks.domain, ranks.unit, wiring, ranks.rail)
    domain = ranks.domain[examples]
    cells: Counter[_Cell] = Counter()
    # examples of a domain follow each other: each with itself, then with the next, the one after that and so on
    for shift in range(int(np.bincount(domain).max(initial=0))):
        in_one_domain = np.flatnonzero(domain[: len(examples) - shift] == domain[shift:])
        pairs = number[in_one_domain] * number[in_one_domain + shift]
        classes = _classify_pairs(network, examples[in_one_domain], examples[in_one_domain + shift])
        counts = np.bincount(classes, pairs)
        for value in np.flatnonzero(counts).tolist():
            # both orders of a pair; a rank with itself, or with one of its kind, has them in the product already
            cells[_split_class(network, value)] += int(counts[value]) * (2 if shift else 1)
    return cells


def _group_like_ranks(*keys: Ints64) -> tuple[Ints64, Ints64]:
    """Return (the first rank of every kind, how many ranks are of it), int64 each, ascending by the keys.

    Ranks are of one kind if they agree in all keys, which have a value for each rank.
    """
    first_rows, kind = unique_combinations(*keys)
    return first_rows, np.bincount(kind)


def _classify_pairs(network: Network, source: Ints64, target: Ints64) -> Ints64:
    """Return for each pair of ranks the number of its class, int64; `_split_class` takes it apart again.

    `source` and `target` are the ranks of the pairs. A class is a place, whether rails differ, and a level.
    """
    ranks = network.ranks
    place_of_pair = np.full(len(source), len(PLACES) - 1, dtype=np.int64)
    # the widest place first: the narrowest one that both are in is written last
    for place, label_of_rank in reversed(list(enumerate((ranks.unit, ranks.pod, ranks.site)))):
        place_of_pair[label_of_rank[source] == label_of_rank[target]] = place
    other_rail = (ranks.rail[source] != ranks.rail[target]).astype(np.int64)
    level = network.find_joining_level(source, target)
    class_of_pair: Ints64 = (place_of_pair * 2 + other_rail) * (len(network.levels) + 1) + level
    return class_of_pair


def _split_class(network: Network, number: int) -> _Cell:
    """Return the (place, 1 for other rails, level) of a class that `_classify_pairs` has numbered."""
    place_and_rail, level = divmod(number, len(network.levels) + 1)
    return place_and_rail // 2, place_and_rail % 2, level


def _count_corner(pairs_within: Mapping[_Cell, int], place: int, other_rail: int, level: int) -> int:
    """Return the pairs of a class alone, from the numbers of pairs that are in a class or in any narrower one.

    Classes are nested in place, rail and level, so that inclusion and exclusion applies.
    """
    # the corners of a cube with alternating signs
    return sum(
        (-1) ** (a + b + c) * pairs_within.get((place - a, other_rail - b, level - c), 0)
        for a, b, c in product((0, 1), repeat=3)
    )


def _count_paths(network: Network) -> dict[_Cell, tuple[int, int]]:
    """Return (fewest, most shortest paths of a pair) of every class.

    All pairs of kinds of ranks are counted. If there are more than `KINDS` kinds, or a level is of links between sites,
    only pairs of `_pick_examples` are.
    """
    keys = network.ranks.unit, _number_wirings(network), network.ranks.rail
    first_examples = _group_like_ranks(*keys)[0]
    last_examples = len(network.ranks) - 1 - _group_like_ranks(*(key[::-1] for key in keys))[0]
    paths, top = PathCounter(network), len(network.levels)
    if len(first_examples) > KINDS or not all(level.tiers for level in network.levels):
        counts = {cell: [paths.count_paths(*pair) for pair in pairs] for cell, pairs in _pick_examples(network).items()}
        return {cell: (min(cell_counts), max(cell_counts)) for cell, cell_counts in counts.items()}
    no_paths = np.zeros((len(first_examples), len(first_examples)))
    between = np.array([*(paths.count_between(first_examples, level) for level in range(top)), no_paths])
    # by class, as `_classify_pairs` numbers them; infinite for a class without pairs
    class_count = len(PLACES) * 2 * (top + 1)
    fewest_paths, most_paths = np.full(class_count, np.inf), np.zeros(class_count)
    # two examples of each kind: a pair within a kind needs two ranks of it
    for sources, targets in product((first_examples, last_examples), repeat=2):
        for kind, source in enumerate(sources.tolist()):
            far_ranks = np.flatnonzero(network.ranks.domain[targets] != network.ranks.domain[source])
            classes = _classify_pairs(network, np.full(len(far_ranks), source), targets[far_ranks])
            # the remainder of a class by the number of levels, and of no level, is its level
            path_counts = between[classes % (top + 1), kind, far_ranks]
            np.minimum.at(fewest_paths, classes, path_counts)
            np.maximum.at(most_paths, classes, path_counts)
    present = np.flatnonzero(np.isfinite(fewest_paths)).tolist()
    return {_split_class(network, value): (int(fewest_paths[value]), int(most_paths[value])) for value in present}


def _pick_examples(network: Network) -> dict[_Cell, list[tuple[int, int]]]:
    """Return a few pairs of ranks of every class of pairs, sorted, as (source, target).

    Sources are EXAMPLES ranks at equal distances and two odd ones (`_pick_odd_ranks`). Of the ranks that are in one
    class with a source, the first and the last are its targets; ranks of its own scale-up domain are none.
    """
    pairs_by_cell: dict[_Cell, set[tuple[int, int]]] = {}
    rank_count, ranks = len(network.ranks), network.ranks
    # ranks at equal distances from the first to the last, and those that are unlike them
    for source in sorted(
        {(rank_count - 1) * step // (EXAMPLES - 1) for step in range(EXAMPLES)} | _pick_odd_ranks(network)
    ):
        far_ranks = np.flatnonzero(ranks.domain != ranks.domain[source])
        classes = _classify_pairs(network, np.full(len(far_ranks), source), far_ranks)
        for value in np.flatnonzero(np.bincount(classes)).tolist():
            in_class = far_ranks[classes == value]
            pairs_by_cell.setdefault(_split_class(network, value), set()).update(
                (source, int(target)) for target in (in_class[0], in_class[-1])
            )
    return {cell: sorted(pairs) for cell, pairs in pairs_by_cell.items()}


def _pick_odd_ranks(network: Network) -> set[int]:
    """Return a rank under the leaf with the least bandwidth upwards, and a rank of the rarest kind."""
    leaf = network.leaf
    least_uplink_gbps = np.where(leaf == NONE, np.inf, network.levels[0].out_gbps[leaf]).min(axis=1)
    examples, number = _group_like_ranks(network.ranks.unit, leaf[:, 0], network.ranks.rail)
    return {int(least_uplink_gbps.argmin()), int(examples[number.argmin()])}


_WORDS = {
    "first_tier": "same first tier of scale-up",
    "domain": "same scale-up domain",
    "unit": "same unit",
    "pod": "same pod, other unit",
    "site": "same site, other pod",
    "cluster": "other site",
}


def lines(results: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of the structure: bandwidth, what leaves each tier, and a table of classes of pairs."""
    yield (
        f"{results['ranks']:,} {results['what']}, {results['gbps_per_rank']:,g} Gb/s each; bisection "
        f"{results['bisection_gbps_per_rank']:,.4g} Gb/s each"
    )
    for step in results["out_of"]:
        components = step["components"]
        if step["gbps_per_rank"] or components > 1:
            beyond = (
                f"{step['gbps_per_rank']:,.4g} Gb/s a rank beyond it" if step["gbps_per_rank"] else "joined by nothing"
            )
            yield f"  {step['joined_by']:<24}{components:>6} part{'s' * (components != 1)}, {beyond}"
    yield ""
    yield f"  {'pairs':<34}{'share':>8}{'joined by':>12}{'switches':>10}{'paths':>9}{'cable m':>9}{'us':>8}{'Gb/s':>8}"
    for row in results["pairs"]:
        place_and_rail = _WORDS[row["place"]] + (f", {row['rail']} rail" if "rail" in row else "")
        head = f"  {place_and_rail:<34}{row['share']:>8.2%}"
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
    """Yield how latency, paths and bandwidth were computed, with the constants and their sources."""
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
"""What a port without a leaf reaches: no switches, in no ways."""


class PathCounter:
    """Counts shortest paths of a network; parallel links of two switches are paths of their own, as ECMP has it."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._order = np.argsort(network.uplinks.lower, kind="stable")
        self._lower = network.uplinks.lower[self._order]

    def count_paths(self, source: int, target: int) -> int:
        """Return the number of shortest paths between two ranks over all of their ports; 0 if no network joins them."""
        network = self._network
        level = int(network.find_joining_level(np.array([source]), np.array([target]))[0])
        if level == len(network.levels):
            return 0
        return sum(self._count_by_port(source, target, port, level) for port in range(network.leaf.shape[1]))

    def count_between(self, ranks: Ints64, level: int) -> Floats:
        """Return the numbers of shortest paths that turn at a level between any two of n ranks; float64 [n, n].

        They are summed over all ports of the ranks. The level must have tiers: it may not be of links between sites.
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
        """Return how many shortest paths that turn at a level join the ports of number `port` of two ranks.

        At a level of links between sites, paths turn at both ends of such a link.
        """
        network = self._network
        a, b = (int(network.leaf[rank, port]) for rank in (source, target))
        component = network.levels[level].component
        if NONE in (a, b) or component[a] != component[b]:
            return 0
        if network.levels[level].tiers:
            (tops_a, paths_a), (tops_b, paths_b) = self._find_reached(a, level), self._find_reached(b, level)
            _, common_in_a, common_in_b = np.intersect1d(tops_a, tops_b, assume_unique=True, return_indices=True)
            return int((paths_a[common_in_a] * paths_b[common_in_b]).sum())
        # Links between sites join this level: a path rises to the tier below, then takes one of them either way.
        (tops_a, paths_a), (tops_b, paths_b) = self._find_reached(a, level - 1), self._find_reached(b, level - 1)
        size = len(component)
        paths_from_a, paths_from_b = np.zeros(size), np.zeros(size)
        paths_from_a[tops_a], paths_from_b[tops_b] = paths_a, paths_b
        one_end, other_end = network.spans
        return int(
            (paths_from_a[one_end] * paths_from_b[other_end] + paths_from_a[other_end] * paths_from_b[one_end]).sum()
        )

    def _find_reached(self, leaf: int, level: int) -> tuple[Ints64, Floats]:
        """Return (the switches `level` tiers above a leaf, rows ascending; by how many paths it reaches each)."""
        rows: Ints64 = np.array([leaf], dtype=np.int64)
        path_counts: Floats = np.ones(1)
        uplinks = self._network.uplinks
        for _ in range(level):
            start, stop = np.searchsorted(self._lower, rows), np.searchsorted(self._lower, rows, side="right")
            uplink_counts = stop - start
            # all uplinks of all switches at once: a run of numbers from `start` on for each
            first_uplinks = np.repeat(start - np.r_[0, np.cumsum(uplink_counts)[:-1]], uplink_counts)
            link = self._order[first_uplinks + np.arange(uplink_counts.sum())]
            upper_switches, upper_of_link = unique_inverse(uplinks.upper[link])
            rows = np.array(upper_switches, dtype=np.int64)
            path_counts = np.bincount(upper_of_link, np.repeat(path_counts, uplink_counts), len(upper_switches)).astype(
                np.float64
            )
        return rows, path_counts
