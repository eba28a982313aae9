"""`fabricgen verify`: does the hall match the plan?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fabricgen.cli.options import blueprint_argument, output_option, phase_option, reading_options
from fabricgen.kernel import discovery

if TYPE_CHECKING:
    from fabricgen.verify.planned import Planned


@click.command()
@blueprint_argument
@click.argument("dumps", metavar="DUMP...", nargs=-1, required=True)
@reading_options
@phase_option
@click.option(
    "--only",
    multiple=True,
    metavar="PATH",
    help="Verify one place, for example p1/su3: a pod, unit, rack, device, fabric or FABRIC.TIER; may be repeated.",
)
@click.option(
    "--since",
    "reports",
    multiple=True,
    metavar="REPORT.json",
    help="Take what an earlier JSON report verified, and say what is new or mended; may be repeated.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(discovery.module_names("fabricgen.verify.reports")),
    default="text",
    show_default=True,
)
@output_option
@click.option("--jobs", type=click.IntRange(1, 256), default=None, help="Processes at work.  [default: processors]")
def command(
    blueprint: str,
    dumps: tuple[str, ...],
    sets: tuple[str, ...],
    allow_outside: bool,
    phase: str | None,
    only: tuple[str, ...],
    reports: tuple[str, ...],
    form: str,
    output: str,
    jobs: int | None,
) -> int:
    """Compare the hall, as DUMPs of its devices tell it, with a BLUEPRINT or a folder that `build` wrote.

    A DUMP is a file, a folder or an archive of LLDP or InfiniBand tables; - is standard input. Exits with 0 where all
    that is seen is as planned, with 1 where something is not.
    """
    from fabricgen.cli.output import write_output
    from fabricgen.verify.earlier import read_reports
    from fabricgen.verify.report import Asked, is_binary, write_report
    from fabricgen.verify.verification import verify

    if (blueprint, *dumps).count("-") > 1:
        raise click.UsageError("only one of BLUEPRINT and DUMPs can be standard input")
    planned = _planned(blueprint, sets, allow_outside, phase)
    earlier = read_reports(reports) if reports else None
    report = verify(planned, dumps, Asked(only, earlier), jobs or 0)
    write_output(output, write_report(form, report), binary=is_binary(form))
    return 1 if report.differs() else 0


def _planned(blueprint: str, sets: tuple[str, ...], allow_outside: bool, phase: str | None) -> Planned:
    """The plan of a blueprint, or of a built folder, of which nothing can be changed."""
    from fabricgen.pipeline import compile_cluster, compile_design
    from fabricgen.verify.planned import planned_by, planned_in

    if not Path(blueprint).is_dir():
        return planned_by(compile_cluster(compile_design(blueprint, sets, allow_outside=allow_outside), phase))
    if sets:
        raise click.UsageError(f"--set changes a blueprint, {blueprint} is a built folder")
    if phase is not None:
        raise click.UsageError(f"a phase is of a blueprint, {blueprint} is a built folder")
    if allow_outside:
        raise click.UsageError(f"--allow-outside is about a blueprint, {blueprint} is a built folder")
    return planned_in(Path(blueprint))
