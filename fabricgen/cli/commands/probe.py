"""`fabricgen probe`: the fewest probes that tell all links of a fabric apart, and the links that results name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fabricgen.cli.options import complete_files, output_option, view_options
from fabricgen.reports.formats import list_formats

if TYPE_CHECKING:
    from fabricgen.api import ClusterView

HASHES, REPORTS = ("crc32", "xor"), "fabricgen.addons.probing.reports"


@click.group()
def command() -> None:
    """Find lossy and slow links that are up: who has to send to whom, and which links the results name."""


@command.command()
@view_options
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder to write probes.csv and classes.csv to.")
@click.option("--fabric", "fabrics", multiple=True, metavar="NAME", help="Of this fabric alone; may be repeated.")
@click.option("--hash", "model", type=click.Choice(HASHES), help="Switches are known to hash so (docs/probing.md).")
@click.option(
    "--learnt",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="CSV of paths that traceroute found: from,to,source_port,hops.",
)
def plan(
    view: ClusterView, output: Path | None, fabrics: tuple[str, ...], model: str | None, learnt: Path | None
) -> None:
    """Write the fewest probes of a BLUEPRINT that cross every link both ways and tell all links apart.

    Where SRv6 lets packets name their path they do. Else --hash or --learnt say which source port leads where; without,
    a pair's packets are spread over all of its paths, and links that they share stand together.
    """
    from fabricgen.addons.probing.plan import plan_probes, write_tables
    from fabricgen.cli.output import publish_files
    from fabricgen.kernel.diagnostics import did_you_mean

    if model and learnt:
        raise click.UsageError("--hash says what a model has, --learnt what the hall does: state one of them")
    for name in fabrics:
        if name not in view.fabrics:
            raise click.UsageError(f"--fabric {name}: there is none. {did_you_mean(name, view.fabrics)}")
    if learnt and len(fabrics) != 1:
        raise click.UsageError("--learnt has the paths of one fabric: name it with --fabric")
    plans = {name: plan_probes(view, name, model or "", learnt) for name in fabrics or view.fabrics}
    for name, probes in plans.items():
        no_probes = f"{name}: no probes of its own, since no two nodes have ports on it"
        click.echo(probes.describe() if probes else no_probes)
    planned = [probes for probes in plans.values() if probes]
    if not planned:
        raise view.refuse("FG180", f"{view.name} has no network over which two nodes have a path")
    if output:
        publish_files(output, "probe", view, write_tables(planned))


@command.command()
@view_options
@click.argument("results", metavar="RESULTS...", nargs=-1, required=True, shell_complete=complete_files)
@click.option(
    "--plan",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder that `probe plan` wrote.  [default: that of the first of RESULTS]",
)
@click.option("--format", "form", type=click.Choice(list_formats(REPORTS)), default="text", show_default=True)
@output_option
def judge(view: ClusterView, results: tuple[str, ...], folder: Path | None, form: str, output: str) -> int:
    """Name the links of a BLUEPRINT that lose packets, add latency or lack rate, by RESULTS of its probes.

    RESULTS are CSV files: probe, and of sent, lost, median_us, p99_us and gbps what is known. Exits with 1 where a part
    is named.
    """
    from fabricgen.addons.probing.judge import judge_results
    from fabricgen.cli.output import write_output
    from fabricgen.kernel.diagnostics import make_printable
    from fabricgen.reports.formats import write_report

    files = [Path(name) for name in results]
    verdict = judge_results(view, folder or files[0].parent, files)
    lines = write_report(REPORTS, form, verdict).split("\n")
    write_output(output, "".join(f"{make_printable(line)}\n" for line in lines).encode())
    return 1 if verdict.named else 0
