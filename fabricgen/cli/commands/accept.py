"""`fabricgen accept`: a plan of tests that touches every part of a hall, and the judge of their results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fabricgen.cli.options import F, choose_format, complete_files, output_option, view_options

if TYPE_CHECKING:
    from fabricgen.api import ClusterView

FORMATS = ("text", "json", "xlsx", "html")


@click.group()
def command() -> None:
    """Test a hall under load before it is signed for: which runs, and what their results say."""


def plan_options(decorated: F) -> F:
    """Add the options that say which plan is meant: both commands take them, so that runs have the same names."""
    seed = click.option("--seed", type=int, default=0, help="Other flows for another number.  [default: 0]")
    only = click.option(
        "--only",
        multiple=True,
        metavar="PATH",
        help="What is handed over: a pod, unit (p1/su3), rack, node or fabric; may be repeated.",
    )
    return view_options(only(seed(decorated)))


@command.command()
@plan_options
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="Folder to write to.")
@click.option("--seconds", type=click.IntRange(1, 3600), default=3, help="Traffic of a run.  [default: 3]")
def plan(view: ClusterView, only: tuple[str, ...], seed: int, output: Path, seconds: int) -> None:
    """Write the runs that load every node port and uplink of a BLUEPRINT, in rounds, to a folder.

    They are of ping, ib_write_bw and all_reduce_perf, which scripts in the folder start under Slurm, MPI or by ssh. No
    two runs of a round disturb each other. runs.csv has what each is expected to reach, coverage.csv which links are
    loaded by how many.
    """
    from fabricgen.addons.sign_off.files import write_plan
    from fabricgen.addons.sign_off.runs import plan_runs
    from fabricgen.cli.output import publish_files

    planned = plan_runs(view, only, seconds, seed)
    publish_files(output, "accept", view, write_plan(planned))
    for note in planned.notes:
        click.echo(note, err=True)
    minutes = planned.total_seconds / 60
    click.echo(
        f"{output}: {len(planned.runs):,} runs in {len(planned.round_kinds):,} rounds, {minutes:.1f} min of test time",
        err=True,
    )


@command.command()
@plan_options
@click.argument("results", metavar="RESULTS...", nargs=-1, required=True, shell_complete=complete_files)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default=None,
    help="Format.  [default: by the suffix of -o, else text]",
)
@output_option
def judge(
    view: ClusterView, results: tuple[str, ...], only: tuple[str, ...], seed: int, form: str | None, output: str
) -> int:
    """Judge RESULTS of the runs of a BLUEPRINT: files of what the tools printed, or folders of them.

    RUN.txt is the output of a run, RUN.trace that of traceroute. Exits with 0 where everything was tested and is right,
    with 1 where something is slow, failed or not done.
    """
    from fabricgen.addons.sign_off.files import read_files
    from fabricgen.addons.sign_off.judge import Judge
    from fabricgen.addons.sign_off.protocol import make_protocol
    from fabricgen.addons.sign_off.runs import plan_runs
    from fabricgen.cli.output import write_output
    from fabricgen.reports.protocols import write_protocol

    accepted = Judge(plan_runs(view, only, seed=seed)).judge_results(read_files(view, results))
    form = choose_format(form, output, FORMATS, "text")
    write_output(output, write_protocol(make_protocol(accepted), form), binary=form == "xlsx")
    return 0 if accepted.is_right else 1
