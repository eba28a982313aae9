"""Analyses of several clusters side by side: the figures that a choice between them goes by, where they differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from fabricgen.analyze.reckoned import WIDTH
from fabricgen.analyze.sections.collectives import format_size, list_remarks, mark_remark
from fabricgen.analyze.sections.failures import pick_worst_by_kind
from fabricgen.analyze.sections.load_balance import WAYS

Cells = Iterator[tuple[str, str]]
"""(what a figure is, with its unit; the figure), line by line."""


def compare_analyses(analyses: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """A table with a column a cluster, of lines in which they differ; "-" for what one of them has not.

    Clusters that do not fit in a line follow in a table of their own. Fabrics of one name are compared, and those of
    any name where each cluster has one.
    """
    rows: dict[tuple[str, str], list[str]] = {}
    for column, analysis in enumerate(analyses):
        for heading, name, value in _list_figures(analysis):
            rows.setdefault((heading, name), ["-"] * len(analyses))[column] = value
    order = list(dict.fromkeys(heading for heading, _ in rows))
    differ = sorted((key for key, cells in rows.items() if len(set(cells)) > 1), key=lambda key: order.index(key[0]))
    names = [str(analysis["blueprint"]) for analysis in analyses]
    name_width = max((len(name) + 2 for _, name in differ), default=0)
    cells_by_column = zip(names, *(rows[key] for key in differ), strict=True)
    widths = [2 + max(map(len, cells)) if differ else 0 for cells in cells_by_column]
    yield "side by side: where they differ; every figure is in --format json"
    for columns in _fit_columns(widths, WIDTH - name_width):
        yield ""
        yield " " * name_width + "".join(names[column].rjust(widths[column]) for column in columns)
        last = ""
        for heading, name in differ:
            cells = [rows[heading, name][column].rjust(widths[column]) for column in columns]
            if all(cell.strip() == "-" for cell in cells):
                continue
            if heading != last:
                yield heading
            last = heading
            yield f"  {name}".ljust(name_width) + "".join(cells)
    marked = [
        results["collectives"].values() for analysis in analyses for results in analysis.get("collectives", {}).values()
    ]
    yield from list_remarks(rows[-1] for results in marked for rows in results if rows)


def _fit_columns(widths: Sequence[int], most: int) -> Iterator[list[int]]:
    """Columns that fit in a line together, in order; each at least one."""
    columns: list[int] = []
    for number, width in enumerate(widths):
        if columns and sum(widths[column] for column in columns) + width > most:
            yield columns
            columns = []
        columns.append(number)
    yield columns


def _list_figures(analysis: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """(heading, what a figure is, the figure) of a cluster, section by section."""
    for section, (title, list_cells) in _SECTIONS.items():
        fabrics = analysis.get(section, {})
        for fabric, figures in fabrics.items():
            heading = f"{title}, of {fabric}" if len(fabrics) > 1 else title
            for name, value in list_cells(figures):
                yield heading, name, value


def _format_figure(figure: float) -> str:
    return f"{figure:,.0f}" if figure >= 1000 else f"{figure:.4g}"


def _list_structure(results: Mapping[str, Any]) -> Cells:
    """Ranks, bandwidth, shares of pairs by what joins them, and the farthest pair."""
    yield "joins", f"{results['ranks']:,} {results['what']}"
    yield "Gb/s of each", _format_figure(results["gbps_per_rank"])
    if results["scale_up_gbps_per_rank"]:
        yield "Gb/s of each in its scale-up domain", _format_figure(results["scale_up_gbps_per_rank"])
    yield "bisection, Gb/s each", _format_figure(results["bisection_gbps_per_rank"])
    shares: dict[str, float] = {}
    for row in results["pairs"]:
        where = f"joined by {row['joined_by']}" if row.get("joined_by") else "joined by nothing"
        where = "in a scale-up domain" if row["place"] in ("first_tier", "domain") else where
        shares[where] = shares.get(where, 0) + row["share"]
    for where, share in shares.items():
        yield f"pairs {where}", f"{share:.1%}"
    switched = [row for row in results["pairs"] if row.get("latency_us") is not None]
    farthest = switched[-1] if switched else {}
    for key, unit in _OF_PAIRS:
        if farthest.get(key) is not None:
            yield f"the farthest pair: {unit}", _format_figure(farthest[key])


_OF_PAIRS = (
    ("switches", "switches"),
    ("paths", "paths"),
    ("cable_m", "cable m"),
    ("latency_us", "us"),
    ("gbps", "Gb/s"),
)


def _list_collectives(results: Mapping[str, Any]) -> Cells:
    """Rates that ranks reach, crowding, and of each collective the least and the largest message."""
    yield "scale-up domains", f"{results['domains']:,} of {results['ranks_per_domain']:,}"
    yield "Gb/s that each reaches in the network", _format_figure(results["network_gbps_per_rank"])
    if results["scale_up_gbps_per_rank"]:
        yield "Gb/s that each reaches in its domain", _format_figure(results["scale_up_gbps_per_rank"])
    for name, crowded in results["crowding"].items():
        if crowded["slowdown"] > 1:
            traffic = "all-to-all" if name == "everyone" else name
            yield f"{traffic} over uplinks: times slower", _format_figure(crowded["slowdown"])
    for collective, rows in results["collectives"].items():
        if rows:
            yield f"{collective} of {format_size(rows[0]['bytes'])}, us", f"{rows[0]['us']:,.1f}"
            bandwidth = f"{rows[-1]['busbw_gbytes']:,.1f}{mark_remark(rows[-1]).strip()}"
            yield f"{collective} of {format_size(rows[-1]['bytes'])}, bus GB/s", bandwidth


def _list_load_balance(results: Mapping[str, Any]) -> Cells:
    """The mean of random pairs, which is where hashing tells most, with the fewest and the most queue pairs."""
    yield "asked for", str(results["configured"])
    rows = results["patterns"][0]["rows"] if results["patterns"] else []
    for balancing in dict.fromkeys(row["kind"] for row in rows):
        expected_rows = [row for row in rows if row["kind"] == balancing and row["expected"]]
        for row in {row["queue_pairs"]: row for row in (*expected_rows[:1], *expected_rows[-1:])}.values():
            pairs = f"{row['queue_pairs']} queue pair{'s' * (row['queue_pairs'] > 1)}"
            yield f"{WAYS[balancing]}, {pairs}", f"{row['expected']['mean_share']:.2f}"


def _list_failures(results: Mapping[str, Any]) -> Cells:
    """What one lost part of each kind leaves, of racks the worst, and hours between failures."""
    rows = [row for row in pick_worst_by_kind(results["losses"]) if row["kind"] != "rack"]
    racks = [row for row in results["losses"] if row["kind"] == "rack"]
    if racks:
        rows.append(max(racks, key=lambda row: (row["cut_off"], -(row["bisection_share"] or 0), row["slowed"])))
    for row in rows:
        name = {"node": "node", "nic": "NIC", "plane": "plane", "rack": "rack, the worst"}.get(row["kind"])
        hit = f"{row['cut_off']:,} cut off" if row["cut_off"] else f"{row['slowed']:,} slowed"
        share_text = "" if row["bisection_share"] is None else f"; {row['bisection_share']:.1%}"
        yield f"one lost {name or row['kind'] + ': ' + row['what']}", f"{hit}{share_text}"
    often = results["interruptions"]
    for name, key in (("stop the job", "mean_hours"), ("slow it", "mean_hours_slowed")):
        if often[key] is not None:
            yield f"hours between failures that {name}", f"{often[key]:,.1f}"


def _list_stragglers(results: Mapping[str, Any]) -> Cells:
    yield "one barrier, us", f"{results['all_late']['delay_us']:,.1f}"
    for row in results["collectives"]:
        yield f"{row['collective']}, ms", f"{row['all_late_us'] / 1000:,.2f}"


_SECTIONS: Mapping[str, tuple[str, Callable[[Mapping[str, Any]], Cells]]] = {
    "structure": ("structure", _list_structure),
    "collectives": ("collectives", _list_collectives),
    "load_balance": ("load balance: share of its rate that a pair of a random permutation gets", _list_load_balance),
    "failures": ("failures: accelerators cut off, or slowed; bisection that is left", _list_failures),
    "stragglers": ("stragglers: wait where all are late at random, at one barrier or in every step", _list_stragglers),
}
"""By section: its heading, and the figures of it that are told."""
