"""`fabricgen build`: everything, as a folder or an archive."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
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
    from rich.progress import Progress

    from fabricgen.publish import FileBundle, PublishReport, Told


_NAMED = 20
"""How many edited files are named; further ones are counted."""


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
    topograph; to boot machines: dns, infra-controller, kea, ztp; to run them: ansible, gnmic, prometheus,
    ptm; for a lab: containerlab, containerlab-frr; for records: nautobot, netbox; for simulators: astra-sim,
    astra-sim-ns3, infragraph, simai.
    """
    from fabricgen import pipeline
    from fabricgen.cli.lock_file import check_locked, keep_lock
    from fabricgen.cli.output import (
        exceeds_limit,
        print_findings,
        read_prices,
        refuse_impossible,
        tell_idle_prices,
        tell_left_out,
    )
    from fabricgen.lint.engine import Judgement

    _check_target(output, archive)
    started = time.monotonic()
    parts, renders = _choose_parts(only, archive)
    options = pipeline.BuildOptions(parts, templates, read_prices(prices), redact_secrets, allow_outside)
    design = pipeline.compile_design(blueprint, sets, allow_outside=allow_outside, settings=settings)
    cluster = pipeline.compile_cluster(design, phase, lab=lab)
    if locked:
        check_locked(cluster)
    judgement = Judgement(design, cluster, pipeline.collect_other_findings(cluster, templates, configured=renders))
    bundles = pipeline.build_bundles(cluster, judgement.count_severities, options, judgement.list_findings)
    refuse_impossible(judgement.result)
    header = pipeline.make_header(design)
    with show_progress(bundles) as progress:
        report = _publish(bundles, output, archive, parts, header=header, jobs=jobs, progress=progress, force=force)
    keep_lock(cluster, trial="values were --set" if sets else "a lab changes no lock" if lab else "")
    tell_left_out(cluster)
    tell_idle_prices(prices, cluster)
    print_findings(judgement.result)
    _tell_of_written(report, archive or output, time.monotonic() - started)
    return 1 if exceeds_limit(judgement.result, design.loaded.project, fail_on) else 0


def _choose_parts(only: Sequence[str], archive: Path | None) -> tuple[tuple[str, ...], bool]:
    """Return (the parts that `--only` names, sorted; whether configurations are written).

    Without `--only` the parts are (), which means all usual ones. Raises UsageError if `--only` names no part, and for
    an option that changes nothing of what is written, such as `--prices` without the bill.
    """
    from fabricgen.pipeline import CONFIGS, check_parts

    names = {name.strip() for text in only for name in text.split(",")} - {""}
    if only and not names:
        raise click.UsageError("--only names no part; leave it out to write all of the usual ones")
    parts = tuple(sorted(check_parts(names)))
    renders = not parts or CONFIGS in parts
    refuse_idle("templates", used=renders, why=f"--only leaves out the part {CONFIGS}")
    refuse_idle("prices", used=not parts or "bom" in parts, why="--only leaves out the part bom")
    refuse_idle("force", used=archive is None, why="an archive is written anew")
    return parts, renders


def _check_target(output: Path | None, archive: Path | None) -> None:
    """Raise click.UsageError unless exactly one target is named; print a note if a folder is named like an archive."""
    if output is not None and archive is not None:
        raise click.UsageError("-o FOLDER and --archive FILE are two targets; name one of them")
    if output is None and archive is None:
        raise click.UsageError("say where to write: -o FOLDER or --archive FILE")
    if str(output) == "-":
        raise click.UsageError("-o names a folder, which standard output is not; `--archive -` writes a .tar there")
    if output is not None and output.suffix:
        from fabricgen.publish.archive import FORMATS

        if output.name.endswith(tuple(FORMATS)):
            click.echo(f"{output} will be a folder; `--archive {output}` writes an archive", err=True)


def _tell_of_written(report: PublishReport, target: Path | None, seconds: float) -> None:
    """Say on standard error how many files were written where, and which edited files were kept."""
    changed = f"{report.written} files written, {report.unchanged} unchanged, {report.removed} removed"
    if report.kept:
        click.echo("kept, since edited (`--force` replaces or removes them):", err=True)
        for path, beside in list(report.kept.items())[:_NAMED]:
            where = f"the new content is in {beside}" if beside else "no longer built, and yours from now on"
            click.echo(f"  {path}: {where}", err=True)
        if len(report.kept) > _NAMED:
            click.echo(f"  and {len(report.kept) - _NAMED} more", err=True)
        changed += f", {len(report.kept)} kept (edited since the last build)"
    place = "standard output" if str(target) == "-" else target
    click.echo(f"{place}: {changed} in {seconds:.1f} s", err=True)


def _publish(
    bundles: Sequence[FileBundle],
    output: Path | None,
    archive: Path | None,
    parts: tuple[str, ...],
    *,
    header: Mapping[str, object],
    jobs: int | None,
    progress: Told,
    force: bool,
) -> PublishReport:
    """Write the bundles to an archive if one is named, else to the folder `output`; if `parts` are named, only these.

    The archive `-` is a tar archive on standard output. It is made in a temporary folder first: what is written out is
    whole, and after an error nothing is. Raises InputError if a file cannot be written; click.UsageError for an archive
    on a terminal, and for one that would replace a file that the command reads, or YAML.
    """
    from fabricgen.cli.output import refuse_input, standard_output
    from fabricgen.publish import publish_folder
    from fabricgen.publish.workers import count_processors

    chosen, jobs = frozenset(parts) or None, jobs or count_processors()
    if archive is None:
        assert output is not None  # noqa: S101 - the command has checked
        return publish_folder(output, bundles, header=header, parts=chosen, jobs=jobs, told=progress, force=force)
    from fabricgen.publish.archive import publish_archive

    if str(archive) != "-":
        refuse_input(Path(archive).resolve(), str(archive))
        return publish_archive(archive, bundles, header=header, parts=chosen, jobs=jobs, tell=progress)
    import shutil
    import tempfile

    with (
        standard_output("an archive is no text for a terminal; name a file, or pipe it: `| tar -x`") as stream,
        tempfile.TemporaryDirectory(prefix="fabricgen-") as folder,
    ):
        file = Path(folder) / "build.tar"
        report = publish_archive(file, bundles, header=header, parts=chosen, jobs=jobs, tell=progress)
        with file.open("rb") as content:
            shutil.copyfileobj(content, stream, 1 << 20)
    return report


# Progress of long builds, shown on a terminal only.

SHOWN_FROM = 500
"""A build of so many bundles takes long enough for a bar; most bundles are switches."""
_UNITS = {"configs": "switches"}
_PAUSE_S = 0.1
"""Seconds between updates of the bar."""


@contextmanager
def show_progress(bundles: Sequence[FileBundle]) -> Iterator[Told]:
    """Within this context, show a progress bar for a large build, on a terminal only.

    The yielded function is to be called with each bundle that is done.
    """
    if len(bundles) < SHOWN_FROM or not sys.stderr.isatty():
        from fabricgen.publish import ignore_bundle

        yield ignore_bundle
        return
    with _make_bars() as bars:
        yield _Watch(bars, bundles)


def _make_bars() -> Progress:
    """Return progress bars on standard error, which vanish when the build is done."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    # Refreshed on each call: a refreshing thread would prevent forking workers.
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        auto_refresh=False,
    )


class _Watch:
    """A progress bar for each part with several bundles, and one for all other parts."""

    def __init__(self, bars: Progress, bundles: Sequence[FileBundle]) -> None:
        counts = Counter(bundle.part for bundle in bundles)
        single = sum(count == 1 for count in counts.values())
        self._bars = bars
        self._shown = 0.0
        self._others = bars.add_task("other parts", total=single, visible=bool(single), rate="")
        self._tasks = {
            part: bars.add_task(part, total=count, rate="") for part, count in sorted(counts.items()) if count > 1
        }

    def __call__(self, bundle: FileBundle) -> None:
        """Count a finished bundle."""
        self._bars.advance(self._tasks.get(bundle.part, self._others))
        now = time.monotonic()
        if now - self._shown < _PAUSE_S:
            return
        self._shown = now
        for part, task in self._tasks.items():
            speed = self._bars.tasks[task].speed
            self._bars.update(task, rate=f"{speed:,.0f} {_UNITS.get(part, 'bundles')}/s" if speed else "")
        self._bars.refresh()
