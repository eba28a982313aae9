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
    """Yield a table with a column for each cluster and a line for each figure in which clusters differ.

    A cell is "-" if its cluster has no such figure. Clusters that do not fit in a line follow in a table of their own.
    If each cluster has one fabric, these are compared whatever their names; otherwise fabrics of the same name are. The
    remarks on marked figures come last.
    """
    rows: dict[tuple[str, str], list[str]] = {}
    for column, analysis in enumerate(analyses):
        for heading, name, value in _list_figures(analysis):
            rows.setdefault((heading, name), ["-"] * len(analyses))[column] = value
    order = list(dict.fromkeys(heading for heading, _ in rows))
    # the (heading, name) of figures that are not equal in all clusters, headings in order of their first figure
    differing = sorted((row for row, cells in rows.items() if len(set(cells)) > 1), key=lambda row: order.index(row[0]))
    names = [str(analysis["blueprint"]) for analysis in analyses]
    name_width = max((len(name) + 2 for _, name in differing), default=0)
    cells_by_column = zip(names, *(rows[row] for row in differing), strict=True)
    widths = [2 + max(map(len, cells)) if differing else 0 for cells in cells_by_column]
    yield "side by side: where they differ; every figure is in --format json"
    for columns in _fit_columns(widths, WIDTH - name_width):
        yield ""
        yield " " * name_width + "".join(names[column].rjust(widths[column]) for column in columns)
        heading_above = ""
        for heading, name in differing:
            cells = [rows[heading, name][column].rjust(widths[column]) for column in columns]
            if all(cell.strip() == "-" for cell in cells):
                continue
            if heading != heading_above:
                yield heading
            heading_above = heading
            yield f"  {name}".ljust(name_width) + "".join(cells)
    # only the figure of the greatest message shows its mark; results without times of collectives have [] for them
    times = [
        dict(results["collectives"]).values()
        for analysis in analyses
        for results in analysis.get("collectives", {}).values()
    ]
    yield from list_remarks(by_size[-1] for by_collective in times for by_size in by_collective if by_size)


def _fit_columns(widths: Sequence[int], line_width: int) -> Iterator[list[int]]:
    """Yield the numbers of the columns that fit in a line together, in order; at least one column a line.

    `widths` are the widths of the columns, and `line_width` is that of a line, all in characters.
    """
    columns: list[int] = []
    for number, width in enumerate(widths):
        if columns and sum(widths[column] for column in columns) + width > line_width:
            yield columns
            columns = []
        columns.append(number)
    yield columns


def _list_figures(analysis: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield (heading, what a figure is, the figure as text) of a cluster, section by section.

    A heading names the fabric if the section has figures of several fabrics.
    """
    for section, (title, list_tree_cells) in _SECTIONS.items():
        fabrics = analysis.get(section, {})
        for fabric, figures in fabrics.items():
            heading = f"{title}, of {fabric}" if len(fabrics) > 1 else title
            list_cells = _MESHED.get(section, list_tree_cells) if "within_tier" in figures else list_tree_cells
            for name, value in list_cells(figures):
                yield heading, name, value


def _format_figure(figure: float) -> str:
    return f"{figure:,.0f}" if figure >= 1000 else f"{figure:.4g}"


def _list_structure(results: Mapping[str, Any]) -> Cells:
    """Yield the ranks, their bandwidth, the shares of pairs by what joins them, and figures of the farthest pair."""
    yield "joins", f"{results['ranks']:,} {results['what']}"
    yield "Gb/s of each", _format_figure(results["gbps_per_rank"])
    if results["scale_up_gbps_per_rank"]:
        yield "Gb/s of each in its scale-up domain", _format_figure(results["scale_up_gbps_per_rank"])
    yield "bisection, Gb/s each", _format_figure(results["bisection_gbps_per_rank"])
    share_by_joint: dict[str, float] = {}
    for row in results["pairs"]:
        joint = _describe_joint(row)
        share_by_joint[joint] = share_by_joint.get(joint, 0) + row["share"]
    for joint, share in share_by_joint.items():
        yield f"pairs {joint}", f"{share:.1%}"
    # Rows are in order of distance: the last is of the farthest pairs.
    switched = [row for row in results["pairs"] if row.get("latency_us") is not None]
    farthest = switched[-1] if switched else {}
    for key, unit in _OF_PAIRS:
        if farthest.get(key) is not None:
            yield f"the farthest pair: {unit}", _format_figure(farthest[key])


def _describe_joint(row: Mapping[str, Any]) -> str:
    """Return what joins the pairs of a row of structure, in words; switches that meet within a tier have a distance."""
    if row.get("place") in ("first_tier", "domain"):
        return "in a scale-up domain"
    if row.get("distance") is not None:
        return f"{row['distance']} link{'s' * (row['distance'] != 1)} apart" if row["distance"] else "on one switch"
    return f"joined by {row['joined_by']}" if row.get("joined_by") else "joined by nothing"


_OF_PAIRS = (
    ("switches", "switches"),
    ("paths", "paths"),
    ("cable_m", "cable m"),
    ("latency_us", "us"),
    ("gbps", "Gb/s"),
)


def _list_collectives(results: Mapping[str, Any]) -> Cells:
    """Yield the rates that ranks reach, how crowded uplinks are, and each collective's time and bus bandwidth.

    The time is that of the least message, the bandwidth that of the largest.
    """
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
    """Yield the configured balancing, and by way to choose paths the mean share of its rate that a random pair gets.

    There is a figure for the fewest and one for the most queue pairs. Random pairs show most of what hashing costs.
    """
    yield "asked for", str(results["configured"])
    rows = results["patterns"][0]["rows"] if results["patterns"] else []
    for balancing in dict.fromkeys(row["kind"] for row in rows):
        expected_rows = [row for row in rows if row["kind"] == balancing and row["expected"]]
        for row in {row["queue_pairs"]: row for row in (*expected_rows[:1], *expected_rows[-1:])}.values():
            pairs = f"{row['queue_pairs']} queue pair{'s' * (row['queue_pairs'] > 1)}"
            yield f"{WAYS[balancing]}, {pairs}", f"{row['expected']['mean_share']:.2f}"


def _list_failures(results: Mapping[str, Any]) -> Cells:
    """Yield rows on losses of one part: how many ranks it cuts off or slows, and the share of the bisection bandwidth
    that is left; then the mean hours between failures that stop or slow the job.

    There is a row for the worst part of each kind. Of racks only the worst is listed.
    """
    rows = [row for row in pick_worst_by_kind(results["losses"]) if row["kind"] != "rack"]
    racks = [row for row in results["losses"] if row["kind"] == "rack"]
    if racks:
        # The worst rack: cuts off most ranks, then leaves least of the bisection, then slows most.
        rows.append(max(racks, key=lambda row: (row["cut_off"], -(row["bisection_share"] or 0), row["slowed"])))
    for row in rows:
        name = {"node": "node", "nic": "NIC", "plane": "plane", "rack": "rack, the worst"}.get(row["kind"])
        harm = f"{row['cut_off']:,} cut off" if row["cut_off"] else f"{row['slowed']:,} slowed"
        share_text = "" if row["bisection_share"] is None else f"; {row['bisection_share']:.1%}"
        yield f"one lost {name or row['kind'] + ': ' + row['what']}", f"{harm}{share_text}"
    interruptions = results["interruptions"]
    for effect, figure in (("stop the job", "mean_hours"), ("slow it", "mean_hours_slowed")):
        if interruptions[figure] is not None:
            yield f"hours between failures that {effect}", f"{interruptions[figure]:,.1f}"


def _list_meshed_load_balance(results: Mapping[str, Any]) -> Cells:
    yield "all to all over shortest paths", f"{results['all_to_all']['rate']:.2f}"
    for row in results["neighbours"]:
        yield f"all to the next along {row['along']}", f"{row['rate']:.2f}"


def _list_meshed_failures(results: Mapping[str, Any]) -> Cells:
    for row in results["one_lost"]:
        yield f"one lost {row['lost']}", f"{row['cut_off']:,} cut off; parts: {row['parts']}"


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
"""By section: its heading, and the function that lists its figures."""

_MESHED: Mapping[str, Callable[[Mapping[str, Any]], Cells]] = {
    "collectives": lambda _: iter(()),  # not reckoned
    "load_balance": _list_meshed_load_balance,
    "failures": _list_meshed_failures,
}
"""The functions for networks whose switches meet within a tier, of sections with other figures for these."""
