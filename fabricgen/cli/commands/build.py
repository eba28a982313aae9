"""`fabricgen build`: everything, as a folder or an archive."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fabricgen.cli.options import (
    blueprint_argument,
    fail_on_option,
    lab_option,
    phase_option,
    prices_option,
    reading_options,
    refuse_idle,
    settings_option,
)

if TYPE_CHECKING:
    from fabricgen.publish import FileBundle, PublishReport, Told


_NAMED = 20
"""Edited files that are named; of more, their number."""


@click.command()
@blueprint_argument
@reading_options
@phase_option
@lab_option
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder to write.")
@click.option(
    "--archive",
    type=click.Path(path_type=Path),
    help="Write FILE.tar, .tar.zst or .zip instead; - is a .tar to standard output.",
)
@click.option(
    "--only",
    multiple=True,
    metavar="PART,...",
    help="Write these parts and leave the others as they are; may be repeated.",
)
@click.option("--jobs", type=click.IntRange(1, 256), default=None, help="Processes at work.  [default: processors]")
@click.option(
    "--templates",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder whose templates replace built-in ones of the same path.",
)
@click.option("--force", is_flag=True, help="Replace and remove files that were edited since the last build.")
@click.option("--redact-secrets", is_flag=True, help="Write references in place of secrets, which are not looked up.")
@click.option("--locked", is_flag=True, help="Refuse to build when the lock is not up to date.")
@prices_option
@settings_option
@fail_on_option
def command(
    blueprint: str,
    sets: tuple[str, ...],
    allow_outside: bool,
    phase: str | None,
    lab: str | None,
    output: Path | None,
    archive: Path | None,
    only: tuple[str, ...],
    jobs: int | None,
    templates: Path | None,
    force: bool,
    redact_secrets: bool,
    locked: bool,
    prices: Path | None,
    settings: Path | None,
    fail_on: str | None,
) -> int:
    """Build wiring, addresses, switch configs and the bill of materials of a BLUEPRINT; plug-ins add parts.

    \b
    Parts: summary, devices, links, endpoints, cables, racks, addresses, bom, configs;
    of patched fibre: trunks, panels, patches, shuffles; on request: technician, labels, drawings, graph,
    bom-trace, hosts, kubernetes, paths, scale-up, spectrum-x, view; for schedulers: kueue, slurm, slurm-torus,
    topograph; to boot machines: dns, kea, ztp; to run them: ansible, gnmic, prometheus, ptm; for a lab:
    containerlab, containerlab-frr; for records: nautobot, netbox; for simulators: astra-sim, astra-sim-ns3,
    infragraph, simai.
    """
    from fabricgen import pipeline
    from fabricgen.cli.findings import exceeds_limit, print_findings, refuse_impossible
    from fabricgen.cli.lock_file import check_locked, keep_lock
    from fabricgen.cli.output import read_prices, tell_idle_prices, tell_left_out
    from fabricgen.cli.progress import show_progress
    from fabricgen.lint.engine import Judgement
    from fabricgen.publish.workers import count_processors

    _check_target(output, archive)
    started = time.monotonic()
    parts = tuple(sorted(pipeline.check_parts(_parse_parts(only))))
    renders = _refuse_unused(parts, archive)
    options = pipeline.BuildOptions(parts, templates, read_prices(prices), redact_secrets, allow_outside)
    design = pipeline.compile_design(blueprint, sets, allow_outside=allow_outside, settings=settings)
    cluster = pipeline.compile_cluster(design, phase, lab=lab)
    if locked:
        check_locked(cluster)
    judgement = Judgement(design, cluster, pipeline.collect_other_findings(cluster, templates, configured=renders))
    bundles = pipeline.build_bundles(cluster, judgement.count_severities, options, judgement.list_findings)
    refuse_impossible(judgement.result)
    header, workers = pipeline.make_header(design), jobs or count_processors()
    with show_progress(bundles) as progress:
        report = _publish(bundles, output, archive, parts, header=header, jobs=workers, progress=progress, force=force)
    keep_lock(cluster, trial="values were --set" if sets else "a lab changes no lock" if lab else "")
    tell_left_out(cluster)
    tell_idle_prices(prices, cluster)
    print_findings(judgement.result)
    _tell_of_written(report, archive or output, time.monotonic() - started)
    return 1 if exceeds_limit(judgement.result, design.loaded.project, fail_on) else 0


def _refuse_unused(parts: Sequence[str], archive: Path | None) -> bool:
    """Raise UsageError for options that what is written does not use; return whether configurations are written."""
    from fabricgen.pipeline import CONFIGS

    renders = not parts or CONFIGS in parts
    refuse_idle("templates", used=renders, why=f"--only leaves out the part {CONFIGS}")
    refuse_idle("prices", used=not parts or "bom" in parts, why="--only leaves out the part bom")
    refuse_idle("force", used=archive is None, why="an archive is written anew")
    return renders


def _parse_parts(only: Sequence[str]) -> set[str]:
    """Return the parts that `--only` names; raises click.UsageError where it is given and names none."""
    names = {name.strip() for text in only for name in text.split(",")} - {""}
    if only and not names:
        raise click.UsageError("--only names no part; leave it out to write all of the usual ones")
    return names


def _check_target(output: Path | None, archive: Path | None) -> None:
    """Raise click.UsageError unless one target is named, and say that a folder named as an archive is a folder."""
    if output is not None and archive is not None:
        raise click.UsageError("-o FOLDER and --archive FILE are two targets; name one of them")
    if output is None and archive is None:
        raise click.UsageError("say where to write: -o FOLDER or --archive FILE")
    if str(output) == "-":
        raise click.UsageError("-o names a folder, which standard output is not; `--archive -` writes a .tar there")
    if output is not None and output.suffix:
        _tell_of_archives(output)


def _tell_of_archives(output: Path) -> None:
    # tells, on standard error, those who give an archive's name for a folder
    from fabricgen.publish.archive import FORMATS

    if output.name.endswith(tuple(FORMATS)):
        click.echo(f"{output} will be a folder; `--archive {output}` writes an archive", err=True)


def _tell_of_written(report: PublishReport, target: Path | None, seconds: float) -> None:
    """Say how many files were written where, and which were kept."""
    changed = f"{report.written} files written, {report.unchanged} unchanged, {report.removed} removed"
    if report.kept:
        _tell_of_edited(report.kept)
        changed += f", {len(report.kept)} kept (edited since the last build)"
    where = "standard output" if str(target) == "-" else target
    click.echo(f"{where}: {changed} in {seconds:.1f} s", err=True)


def _tell_of_edited(kept_files: Mapping[str, str]) -> None:
    """Say which files were edited and so are kept, and where the new content of each is."""
    click.echo("kept, since edited (`--force` replaces or removes them):", err=True)
    for path, beside in list(kept_files.items())[:_NAMED]:
        where = f"the new content is in {beside}" if beside else "no longer built, and yours from now on"
        click.echo(f"  {path}: {where}", err=True)
    if len(kept_files) > _NAMED:
        click.echo(f"  and {len(kept_files) - _NAMED} more", err=True)


def _publish(
    bundles: Sequence[FileBundle],
    output: Path | None,
    archive: Path | None,
    parts: tuple[str, ...],
    *,
    header: Mapping[str, object],
    jobs: int,
    progress: Told,
    force: bool,
) -> PublishReport:
    # writes an archive, where one is named, else the folder `output`; with `parts` only these
    chosen = frozenset(parts) or None
    if archive is not None:
        from fabricgen.cli.archive_output import write_archive

        return write_archive(archive, bundles, header=header, parts=chosen, jobs=jobs, tell_progress=progress)
    from fabricgen.publish import publish_folder

    assert output is not None  # noqa: S101 - the command has checked
    return publish_folder(output, bundles, header=header, parts=chosen, jobs=jobs, told=progress, force=force)
