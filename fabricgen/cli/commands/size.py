"""`fabricgen size`: which designs there are for so many accelerators."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fabricgen.cli.options import F, prices_option
from fabricgen.kernel import discovery
from fabricgen.kernel.diagnostics import InputError

if TYPE_CHECKING:
    from fabricgen.size.search import SearchResult

LISTS = {
    "shape": ("clos,dragonfly,hyperx", "Tiers that meet in full, or switches that meet in one tier.  [default: clos]"),
    "widths": ("N x M,...", "Groups x switches of a dragonfly, or of each dimension of a HyperX: 9x8."),
    "switch": ("A,B", "Switch profiles, each tried in all tiers.  [default: one of each face]"),
    "planes": ("N,...", "Planes.  [default: all that the NICs can be split into]"),
    "tiers": ("N,...", "Tiers of switches.  [default: 1,2,3]"),
    "oversubscription": ("N:M,...", "Downlink : uplink bandwidth of leaves.  [default: 1:1]"),
    "unit_size": ("N,...", "Nodes of a scalable unit.  [default: those that fill leaves]"),
    "attach": ("rail,group,tor", "A leaf a rail, for several rails, or for a rack.  [default: all]"),
    "rails": ("meet,apart", "Whether rails meet in some tier.  [default: meet]"),
    "max_power": ("POWER", "What nodes, switches and optics may draw together, for example 12MW."),
    "axes": ("NAME,...", "What candidates are compared by.  [default: switches,optics,power,hops,loss,left]"),
}
NUMBERS = {
    "gpus": "Accelerators.",
    "growth_to": "Accelerators that it is to grow to.",
    "spare_ports": "Down ports that each leaf keeps free.",
    "nodes_per_rack": "Nodes of a rack.  [default: as many as fit]",
}


def _wish_options(command: F) -> F:
    """Add an option for each wish: what may be asked of a design, such as `--gpus`, `--node` or `--max-power`."""
    for name, (metavar, words) in reversed(LISTS.items()):
        flag = f"--{name.replace('_', '-')}"
        command = click.option(flag, name, metavar=metavar, multiple=name == "shape", help=words)(command)
    command = click.option("--node", metavar="PROFILE", help="Node profile, for example dgx-b300.")(command)
    for name, words in reversed(NUMBERS.items()):
        command = click.option(f"--{name.replace('_', '-')}", name, type=int, metavar="N", help=words)(command)
    return command


@click.command()
@_wish_options
@prices_option
@click.option("--wishes", type=click.Path(dir_okay=False), help="A YAML file of wishes: the options by their names.")
@click.option("--all", "every", is_flag=True, help="The whole front with details, and what it beats; takes longer.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder to write the blueprints to.")
@click.option("--jobs", type=click.IntRange(1, 256), default=None, help="Processes at work.  [default: processors]")
@click.option(
    "--format",
    "form",
    type=click.Choice(discovery.list_modules("fabricgen.size.reports")),
    default="text",
    show_default=True,
)
def command(
    wishes: str | None,
    prices: Path | None,
    every: bool,
    output: Path | None,
    jobs: int | None,
    form: str,
    shape: tuple[str, ...],
    **stated: str | int | None,
) -> None:
    """Find the designs that carry so many GPUs, and those that no other beats.

    Every one is a blueprint that lints clean. At most eight are shown, the design that the
    maker of the nodes publishes among them. A price file adds the axis price, --growth-to the
    axis growth.
    """
    from fabricgen.cli.output import write_output
    from fabricgen.publish.workers import count_processors
    from fabricgen.size.idle import find_idle_search_prices, find_idle_wishes
    from fabricgen.size.search import search_designs
    from fabricgen.size.wishes import locate_error, read_wishes

    options = {name: value for name, value in stated.items() if value is not None}
    if shape:  # `--shape clos --shape dragonfly` is `--shape clos,dragonfly`
        options["shape"] = ",".join(shape)
    if prices is not None:
        options["prices"] = str(prices.absolute())
    wishes_read, source = read_wishes(wishes, options)
    folder = Path(wishes).parent if wishes else Path()
    try:
        candidates = search_designs(wishes_read, folder=folder, jobs=jobs or count_processors(), every=every)
    except InputError as error:
        raise locate_error(error, source) from error
    if output is not None:
        _write_candidates(candidates, output, folder, jobs=jobs or count_processors(), every=every)
    idle = (*find_idle_wishes(wishes_read, candidates.tried), *find_idle_search_prices(candidates, folder))
    for diagnostic in locate_error(InputError(idle), source).diagnostics if idle else ():
        click.echo(diagnostic.text(), err=True)
    write_output("-", discovery.load_module("fabricgen.size.reports", form).report(candidates, every=every))


def _write_candidates(candidates: SearchResult, output: Path, folder: Path, *, jobs: int, every: bool) -> None:
    """Write the pages, the figures and the plots, all or none."""
    from fabricgen.publish import publish_folder
    from fabricgen.size.files import list_bundles, make_header
    from fabricgen.start.sized_page import write_pages

    pages = write_pages(candidates, jobs, every=every)
    report = publish_folder(output, list_bundles(candidates, pages, folder, every=every), header=make_header())
    kept_note = f", {len(report.kept)} kept (edited)" if report.kept else ""
    changed = f"{report.written} files written, {report.unchanged} unchanged, {report.removed} removed{kept_note}"
    click.echo(f"{output}: {changed}", err=True)
