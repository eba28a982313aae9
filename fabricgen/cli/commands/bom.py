"""`fabricgen bom`: the bill of materials, its totals, what a part is for, and what differs from an older one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fabricgen.cli.options import (
    TABLE_FORMATS,
    blueprint_argument,
    choose_format,
    output_option,
    phase_option,
    prices_option,
    reading_options,
    refuse_idle,
)

if TYPE_CHECKING:
    from fabricgen.bom.prices import PriceList
    from fabricgen.cluster import Cluster


@click.command()
@blueprint_argument
@reading_options
@phase_option
@output_option
@prices_option
@click.option(
    "--by",
    metavar="KEY,...",
    help="Totals instead of lines, by one or several of: site, pod, su, rack, fabric, tier, kind.",
)
@click.option("--trace", metavar="PART", help="The cables, devices and racks that need a part.")
@click.option(
    "--diff",
    "old",
    metavar="OLD",
    help="What to buy beyond OLD: a blueprint, a built folder, a bom.csv or .json, or git:REV:path of these.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(("text", *TABLE_FORMATS)),
    default=None,
    help="Format.  [default: by the file's suffix, else csv; text with --by and --diff]",
)
def command(
    blueprint: str,
    sets: tuple[str, ...],
    allow_outside: bool,
    phase: str | None,
    output: str,
    prices: Path | None,
    by: str | None,
    trace: str | None,
    old: str | None,
    form: str | None,
) -> int:
    """Write the bill of materials of a BLUEPRINT: nodes, switches, optics, cables, power cords and racks.

    With --diff, exits with 1 when there are differences.
    """
    from fabricgen.bom.prices import PriceList, read_price_list
    from fabricgen.cli.output import refuse_unbuildable, tell_idle_prices, write_output
    from fabricgen.cli.watched_files import list_read_files
    from fabricgen.pipeline import compile_cluster, compile_design

    if sum(option is not None for option in (by, trace, old)) > 1:
        raise click.UsageError("--by, --trace and --diff exclude one another")
    refuse_idle("prices", used=trace is None, why="what a part is needed for has no prices")
    keys = _parse_keys(by) if by is not None else ()
    is_summary = output == "-" and (by or old is not None)
    is_text = form is None and (is_summary or output.lower().endswith(".txt"))
    form = "text" if is_text else choose_format(form, output)
    offers = read_price_list(prices) if prices else PriceList()
    cluster = compile_cluster(compile_design(blueprint, sets, allow_outside=allow_outside), phase)
    refuse_unbuildable(cluster)
    tell_idle_prices(prices, cluster)
    if old is not None:
        return _write_difference(cluster, old, offers.unit_prices, form, output, allow_outside=allow_outside)
    read = list_read_files(cluster.design.loaded)
    write_output(output, _write_content(cluster, offers, keys, trace, form), binary=form == "xlsx", read=read)
    return 0


def _parse_keys(by: str) -> tuple[str, ...]:
    """Return the keys of `--by`, each once. Raises UsageError for a key that does not exist."""
    from fabricgen.bom.owners import GROUPINGS
    from fabricgen.kernel.diagnostics import did_you_mean

    keys = tuple(dict.fromkeys(key.strip() for key in by.split(",")))
    for key in keys:
        if key not in GROUPINGS:
            raise click.UsageError(f"--by: there are no totals by '{key}'. {did_you_mean(key, GROUPINGS)}")
    return keys


def _write_content(cluster: Cluster, offers: PriceList, keys: tuple[str, ...], trace: str | None, form: str) -> bytes:
    """Return the bill in a format: its lines, its totals by some keys, or what needs the part `trace`."""
    from fabricgen.bom.bill import make_bill
    from fabricgen.bom.trace import trace_part as traced
    from fabricgen.export.order import TITLE, make_foot_table, make_order_table, make_totals_table, write_order_workbook
    from fabricgen.reports.table import Table, write_table

    bill = make_bill(cluster)
    if trace is not None:
        return write_table(Table("bom-trace", traced(bill, trace)), form)
    if keys:
        return write_table(make_totals_table(bill, keys, offers), form)
    if form == "xlsx":
        return write_order_workbook(bill, offers)
    lines = write_table(make_order_table(bill.lines, offers), form)
    foot = f"\n{TITLE}, to be added by hand:\n".encode() + write_table(make_foot_table(bill), "text")
    return lines + foot if form == "text" else lines


def _write_difference(
    cluster: Cluster, old: str, prices: Mapping[str, float], form: str, output: str, *, allow_outside: bool
) -> int:
    """Write how the bill differs from that of `old`; return the exit code, 1 for a difference."""
    from fabricgen.cli.output import write_output
    from fabricgen.cli.sides import make_bill, read_bill
    from fabricgen.diff.bill import compare_boms, format_bom, list_bom_columns
    from fabricgen.reports.table import Table, write_table

    if old == "-":
        raise click.UsageError("--diff reads a file, not standard input")
    was, old_twice = read_bill(old, prices, allow_outside=allow_outside)
    now, new_twice = make_bill(cluster, prices)
    delta = compare_boms(was, now, prices, (old_twice, new_twice))
    is_text, table = form == "text", Table("bom-diff", list_bom_columns(delta))
    write_output(output, format_bom(delta).encode() if is_text else write_table(table, form), binary=form == "xlsx")
    return 1 if delta else 0
