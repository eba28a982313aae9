"""Analyses of several clusters side by side: the figures that a choice between them goes by, where they differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from fabricgen.analyze.reckoned import WIDTH
from fabricgen.analyze.sections.collectives import mark, remarks, size_words
from fabricgen.analyze.sections.failures import worst_of_kinds
from fabricgen.analyze.sections.load_balance import WAYS

Cells = Iterator[tuple[str, str]]
"""(what a figure is, with its unit; the figure), line by line."""


def side_by_side(found: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """A table with a column a cluster, of lines in which they differ; "-" for what one of them has not.

    Clusters that do not fit in a line follow in a table of their own. Fabrics of one name are compared, and those of
    any name where each cluster has one.
    """
    rows: dict[tuple[str, str], list[str]] = {}
    for at, one in enumerate(found):
        for heading, name, value in _figures(one):
            rows.setdefault((heading, name), ["-"] * len(found))[at] = value
    order = list(dict.fromkeys(heading for heading, _ in rows))
    differ = sorted((key for key, cells in rows.items() if len(set(cells)) > 1), key=lambda key: order.index(key[0]))
    names = [str(one["blueprint"]) for one in found]
    first = max((len(name) + 2 for _, name in differ), default=0)
    widths = [
        2 + max(len(names[at]), *(len(rows[key][at]) for key in differ)) if differ else 0 for at in range(len(names))
    ]
    yield "side by side: where they differ; every figure is in --format json"
    for columns in _fitting(widths, WIDTH - first):
        yield ""
        yield " " * first + "".join(names[at].rjust(widths[at]) for at in columns)
        last = ""
        for heading, name in differ:
            cells = [rows[heading, name][at].rjust(widths[at]) for at in columns]
            if all(cell.strip() == "-" for cell in cells):
                continue
            if heading != last:
                yield heading
            last = heading
            yield f"  {name}".ljust(first) + "".join(cells)
    marked = [each["collectives"].values() for one in found for each in one.get("collectives", {}).values()]
    yield from remarks(rows[-1] for each in marked for rows in each if rows)


def _fitting(widths: Sequence[int], most: int) -> Iterator[list[int]]:
    """Columns that fit in a line together, in order; each at least one."""
    columns: list[int] = []
    for at, wide in enumerate(widths):
        if columns and sum(widths[other] for other in columns) + wide > most:
            yield columns
            columns = []
        columns.append(at)
    yield columns


def _figures(one: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """(heading, what a figure is, the figure) of a cluster, section by section."""
    for section, (title, told) in _TOLD.items():
        fabrics = one.get(section, {})
        for fabric, figures in fabrics.items():
            heading = f"{title}, of {fabric}" if len(fabrics) > 1 else title
            for name, value in told(figures):
                yield heading, name, value


def _short(figure: float) -> str:
    return f"{figure:,.0f}" if figure >= 1000 else f"{figure:.4g}"


def _structure(found: Mapping[str, Any]) -> Cells:
    yield "joins", f"{found['ranks']:,} {found['what']}"
    yield "Gb/s of each", _short(found["gbps_per_rank"])
    if found["scale_up_gbps_per_rank"]:
        yield "Gb/s of each in its scale-up domain", _short(found["scale_up_gbps_per_rank"])
    yield "bisection, Gb/s each", _short(found["bisection_gbps_per_rank"])
    shares: dict[str, float] = {}
    for row in found["pairs"]:
        where = f"joined by {row['joined_by']}" if row.get("joined_by") else "joined by nothing"
        where = "in a scale-up domain" if row["place"] == "domain" else where
        shares[where] = shares.get(where, 0) + row["share"]
    for where, share in shares.items():
        yield f"pairs {where}", f"{share:.1%}"
    switched = [row for row in found["pairs"] if row.get("latency_us") is not None]
    farthest = switched[-1] if switched else {}
    for key, unit in _OF_PAIRS:
        if farthest.get(key) is not None:
            yield f"the farthest pair: {unit}", _short(farthest[key])


_OF_PAIRS = (
    ("switches", "switches"),
    ("paths", "paths"),
    ("cable_m", "cable m"),
    ("latency_us", "us"),
    ("gbps", "Gb/s"),
)


def _collectives(found: Mapping[str, Any]) -> Cells:
    yield "scale-up domains", f"{found['domains']:,} of {found['ranks_per_domain']:,}"
    yield "Gb/s that each reaches in the network", _short(found["network_gbps_per_rank"])
    if found["scale_up_gbps_per_rank"]:
        yield "Gb/s that each reaches in its domain", _short(found["scale_up_gbps_per_rank"])
    for name, crowded in found["crowding"].items():
        if crowded["slowdown"] > 1:
            traffic = "all-to-all" if name == "everyone" else name
            yield f"{traffic} over uplinks: times slower", _short(crowded["slowdown"])
    for collective, rows in found["collectives"].items():
        if rows:
            yield f"{collective} of {size_words(rows[0]['bytes'])}, us", f"{rows[0]['us']:,.1f}"
            told = f"{rows[-1]['busbw_gbytes']:,.1f}{mark(rows[-1]).strip()}"
            yield f"{collective} of {size_words(rows[-1]['bytes'])}, bus GB/s", told


def _load_balance(found: Mapping[str, Any]) -> Cells:
    """The mean of random pairs, which is where hashing tells most, with the fewest and the most queue pairs."""
    yield "asked for", str(found["configured"])
    rows = found["patterns"][0]["rows"] if found["patterns"] else []
    for way in dict.fromkeys(row["kind"] for row in rows):
        mine = [row for row in rows if row["kind"] == way and row["expected"]]
        for row in {row["queue_pairs"]: row for row in (*mine[:1], *mine[-1:])}.values():
            pairs = f"{row['queue_pairs']} queue pair{'s' * (row['queue_pairs'] > 1)}"
            yield f"{WAYS[way]}, {pairs}", f"{row['expected']['mean_share']:.2f}"


def _failures(found: Mapping[str, Any]) -> Cells:
    rows = [row for row in worst_of_kinds(found["losses"]) if row["kind"] != "rack"]
    racks = [row for row in found["losses"] if row["kind"] == "rack"]
    if racks:
        rows.append(max(racks, key=lambda row: (row["cut_off"], -(row["bisection_share"] or 0), row["slowed"])))
    for row in rows:
        name = {"node": "node", "nic": "NIC", "plane": "plane", "rack": "rack, the worst"}.get(row["kind"])
        hit = f"{row['cut_off']:,} cut off" if row["cut_off"] else f"{row['slowed']:,} slowed"
        left = "" if row["bisection_share"] is None else f"; {row['bisection_share']:.1%}"
        yield f"one lost {name or row['kind'] + ': ' + row['what']}", f"{hit}{left}"
    often = found["interruptions"]
    for name, key in (("stop the job", "mean_hours"), ("slow it", "mean_hours_slowed")):
        if often[key] is not None:
            yield f"hours between failures that {name}", f"{often[key]:,.1f}"


def _stragglers(found: Mapping[str, Any]) -> Cells:
    yield "one barrier, us", f"{found['all_late']['delay_us']:,.1f}"
    for row in found["collectives"]:
        yield f"{row['collective']}, ms", f"{row['all_late_us'] / 1000:,.2f}"


_TOLD: Mapping[str, tuple[str, Callable[[Mapping[str, Any]], Cells]]] = {
    "structure": ("structure", _structure),
    "collectives": ("collectives", _collectives),
    "load_balance": ("load balance: share of its rate that a pair of a random permutation gets", _load_balance),
    "failures": ("failures: accelerators cut off, or slowed; bisection that is left", _failures),
    "stragglers": ("stragglers: wait where all are late at random, at one barrier or in every step", _stragglers),
}
"""By section: its heading, and the figures of it that are told."""
