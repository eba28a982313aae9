"""`fabricgen verify`: does the hall match the plan?"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fabricgen.cli.options import (
    blueprint_argument,
    choose_format,
    complete_files,
    output_option,
    phase_option,
    reading_options,
)
from fabricgen.reports.formats import list_formats

if TYPE_CHECKING:
    from fabricgen.verify.planned import PlannedCluster
    from fabricgen.verify.report import Report
    from fabricgen.verify.verification import Verified


FORMATS = list_formats("fabricgen.verify.reports")


@click.command()
@blueprint_argument
@click.argument("dumps", metavar="DUMP...", nargs=-1, required=True, shell_complete=complete_files)
@reading_options
@phase_option
@click.option(
    "--only",
    multiple=True,
    metavar="PATH",
    help="Verify one place, for example p1/su3: a pod, unit, rack, device, fabric or FABRIC.TIER; may be repeated.",
)
@click.option("--optics", is_flag=True, help="Judge modules, cables and ports, too, as dumps of these tell them.")
@click.option(
    "--since",
    "reports",
    multiple=True,
    metavar="REPORT.json",
    help="Take what an earlier JSON report verified, and say what is new or mended; may be repeated.",
)
@click.option("--accept", metavar="ID,...", default=None, help="Write what these actions found into the overlay -o.")
@click.option(
    "--learn",
    metavar="FILE",
    help="Write the inventory table that the dumps tell: MACs and GUIDs, with those of the blueprint's own.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default=None,
    help="Format of the report.  [default: by the suffix of -o, else text]",
)
@output_option
@click.option("--verbose", "-v", is_flag=True, help="Text with every plug, place, cost and note, however long.")
@click.option("--jobs", type=click.IntRange(1, 256), default=None, help="Processes at work.  [default: processors]")
def command(
    blueprint: str,
    dumps: tuple[str, ...],
    sets: tuple[str, ...],
    allow_outside: bool,
    phase: str | None,
    only: tuple[str, ...],
    optics: bool,
    reports: tuple[str, ...],
    accept: str | None,
    learn: str | None,
    form: str | None,
    output: str,
    verbose: bool,
    jobs: int | None,
) -> int:
    """Compare the hall, as DUMPs of its devices tell it, with a BLUEPRINT or a folder that `build` wrote.

    A DUMP is a file, a folder or an archive of tables of LLDP, InfiniBand or optics; - is standard input. Exits with 0
    where all that is seen is as planned, with 1 where something is not.

    With --accept the hall wins: -o is the overlay of the blueprint, and the report goes to standard output.
    """
    from fabricgen.cli.output import write_output
    from fabricgen.verify.progress.earlier import read_reports
    from fabricgen.verify.report import VerifyRequest, write_report
    from fabricgen.verify.verification import verify

    if (blueprint, *dumps).count("-") > 1:
        raise click.UsageError("only one of BLUEPRINT and DUMPs can be standard input")
    _check_files((blueprint, *dumps), output, learn)
    ids = tuple(dict.fromkeys(action_id.strip() for action_id in (accept or "").split(",") if action_id.strip()))
    if accept is not None and not ids:
        raise click.UsageError("--accept names no action: give ids of a report, or `all`")
    if ids and output == "-":
        raise click.UsageError("--accept writes an overlay of a blueprint; name it, for example with -o as-built.yaml")
    planned = _read_plan(blueprint, sets, allow_outside, phase)
    if ids and planned.cluster is None:
        raise click.UsageError(
            "--accept writes an overlay of a blueprint; give the blueprint in place of what it built"
        )
    earlier = read_reports(reports) if reports else None
    verified = verify(planned, dumps, VerifyRequest(only, earlier, optics), jobs or 0)
    # a file is read at leisure, a terminal at a look
    report = replace(verified.report, terse=not verbose and output == "-")
    table = _write_inventory(planned, verified) if learn else None
    overlay = _write_overlay(blueprint, planned, report, ids, output) if ids else None
    target = "-" if ids else output
    form = choose_format(form, target, FORMATS, "text")
    write_output(target, write_report(form, report), binary=form == "xlsx")
    if learn and table is not None:
        write_output(learn, table)
    if overlay is not None:
        write_output(output, overlay, updates=True)
    return 1 if report.has_differences() else 0


def _check_files(read: tuple[str, ...], output: str, learn: str | None) -> None:
    """Raise UsageError if a file has no name, or if what is written would replace what is read, or each other."""
    if "" in (*read, output, learn):
        raise click.UsageError("the name of a file is empty")
    if learn == output == "-":
        raise click.UsageError("only one of --learn and --output can be standard output")
    read_paths = {os.path.realpath(file) for file in read if file != "-"}
    for file in (output, learn):
        path = Path(os.path.realpath(file)) if file and file != "-" else None
        if path is not None and path.is_file() and str(path) in read_paths:
            raise click.UsageError(f"{file} is read: name another file to write")
    if learn and learn != "-" and os.path.realpath(learn) == os.path.realpath(output):
        raise click.UsageError("--learn and --output name the same file")


def _write_inventory(planned: PlannedCluster, verified: Verified) -> bytes:
    """Return the inventory as CSV, with MACs and GUIDs that devices told; print what is not clear on standard error."""
    from fabricgen.verify.identity.learn import learn_hardware

    inventory = planned.cluster.design.loaded.inventory if planned.cluster else ()
    learnt_macs = learn_hardware(planned.cabling, verified.sightings, verified.identities, inventory)
    for text in learnt_macs.left_out:
        click.echo(f"--learn: {text}", err=True)
    return learnt_macs.table


def _write_overlay(blueprint: str, planned: PlannedCluster, report: Report, ids: tuple[str, ...], file: str) -> bytes:
    """Return the overlay that accepts some actions of a report: with it the plan has what the hall has.

    `ids` are the ids of these actions, or `all`. Prints a note for each action that `all` leaves out, and one if the
    blueprint does not include the overlay yet.
    """
    from fabricgen.as_built.stated import read_overrides
    from fabricgen.cli.output import spell_include, tell_to_include
    from fabricgen.verify.accept.accepting import make_overlay
    from fabricgen.verify.accept.places import ALL, keeps_names

    assert planned.cluster is not None  # noqa: S101 - it is no built folder
    for action in report.actions if ALL in ids else ():
        if action.renamed and keeps_names(report.diagnosis, action):
            click.echo(
                f"--accept all leaves {action.id} out: its boxes have their planned names; give its id", err=True
            )
    overlay = make_overlay(planned.cluster, report.diagnosis, ids, file, spell_include(blueprint, file))
    if not read_overrides(planned.cluster.design.loaded, file).included:
        tell_to_include(blueprint, file)
    return overlay


def _read_plan(blueprint: str, sets: tuple[str, ...], allow_outside: bool, phase: str | None) -> PlannedCluster:
    """Return the plan of a blueprint, or of a built folder or archive, for which no options may be given."""
    from fabricgen.cli.built_archives import open_built_places, refuse_for_a_build
    from fabricgen.pipeline import compile_cluster, compile_design
    from fabricgen.verify.planned import make_plan, read_plan

    with open_built_places() as places:
        folder = Path(places.folder_of(blueprint))
        if folder.is_dir():
            refuse_for_a_build(blueprint, set=sets, phase=phase, allow_outside=allow_outside)
            return read_plan(folder)
    return make_plan(compile_cluster(compile_design(blueprint, sets, allow_outside=allow_outside), phase))
