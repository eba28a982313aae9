"""`fabricgen check`: judge configurations of SONiC, or compare what devices run with the plan."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fabricgen.cli.options import SEVERITIES, parse_day, phase_option, reading_options
from fabricgen.cli.output import reaches_limit
from fabricgen.reports.formats import list_formats, write_report

if TYPE_CHECKING:
    from fabricgen.cli.built_archives import BuiltPlaces
    from fabricgen.lint.report import FileReport

DRIFT_REPORTS = "fabricgen.verify.drift.reports"


@click.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--format", "form", type=click.Choice(list_formats(DRIFT_REPORTS)), default="text", show_default=True)
@click.option(
    "--yang",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Also validate against the YANG models in a folder, src/sonic-yang-models of sonic-buildimage.",
)
@click.option(
    "--running",
    metavar="DIR",
    help="Compare running configurations in a folder with the plan: PATH is a blueprint or a built folder.",
)
@click.option("--strict", is_flag=True, help="With --running: foreign differences are errors, too.")
@click.option("--as-of", metavar="YYYY-MM-DD", help="Day by which waivers of drift are judged.  [default: today]")
@reading_options
@phase_option
@click.option("--jobs", type=click.IntRange(1, 256), default=None, help="Processes at work.  [default: processors]")
@click.option(
    "--fail-on",
    type=click.Choice([*SEVERITIES, "never"]),
    default="error",
    show_default=True,
    help="Exit with 1 on problems of this severity or worse.",
)
def command(
    paths: tuple[Path, ...],
    form: str,
    yang: Path | None,
    running: str | None,
    strict: bool,
    as_of: str | None,
    sets: tuple[str, ...],
    allow_outside: bool,
    phase: str | None,
    jobs: int | None,
    fail_on: str,
) -> int:
    """Judge config_db.json files, or those in folders that were built: tables, fields, references, lanes, speeds.

    With --running, compare what devices run with the plan instead, by every field, line and leaf. Each difference is
    neutral (it changes nothing: a default, another spelling), foreign (it cannot touch the plan: somebody's user, a
    control-plane access list) or an error at its place; `drift.waive` of a blueprint accepts some.

    Problems exit with 1, files that cannot be read with 2.
    """
    from fabricgen.cli.built_archives import open_built_places

    if running is not None:
        if len(paths) != 1 or yang is not None:
            raise click.UsageError("--running compares with one BLUEPRINT or built folder, without --yang")
        read = (sets, allow_outside, phase)
        return _check_running(running, paths[0], read, (strict, parse_day(as_of)), jobs or 0, form, fail_on)
    if sets or allow_outside or phase is not None or jobs is not None or strict or as_of is not None:
        raise click.UsageError("--set, --allow-outside, --phase, --jobs, --strict and --as-of go with --running")
    with open_built_places() as places:
        return _check_files([Path(places.folder_of(str(path))) for path in paths], places, form, yang, fail_on)


def _check_running(
    folder: str,
    path: Path,
    reading: tuple[tuple[str, ...], bool, str | None],
    judging: tuple[bool, str],
    jobs: int,
    form: str,
    fail_on: str,
) -> int:
    """Compare what the devices of a folder run with a blueprint or built folder at `path`, and print a report; return
    the exit code.

    `reading` is (`--set`, `--allow-outside`, `--phase`), with which a blueprint is compiled; `judging` is (`--strict`,
    the day of `--as-of`). Raises UsageError if options of `reading` are given for a built folder.
    """
    from fabricgen.cli.built_archives import open_built_places, refuse_for_a_build, replace_names
    from fabricgen.pipeline import compile_cluster, compile_design
    from fabricgen.verify.drift import planned
    from fabricgen.verify.drift.checking import CheckRequest, check_running
    from fabricgen.verify.drift.finding import list_waivers

    (sets, allow_outside, phase), (strict, day) = reading, judging
    with open_built_places() as places:
        built, running = places.folder_of(str(path)), places.folder_of(folder)
        if not Path(built).is_dir():
            design = compile_design(str(path), sets, allow_outside=allow_outside)
            settings = CheckRequest(strict, list_waivers(design.loaded), day)
            drift = check_running(running, planned.RenderedConfigs(compile_cluster(design, phase)), jobs, settings)
        else:
            refuse_for_a_build(path, set=sets, allow_outside=allow_outside, phase=phase)
            drift = check_running(running, planned.read_build(built), jobs, CheckRequest(strict, (), day))
        click.echo(replace_names(write_report(DRIFT_REPORTS, form, drift), places.shown))
    return int(reaches_limit(max((finding.severity for finding in drift.list_findings()), default=None), fail_on))


def _check_files(paths: Sequence[Path], places: BuiltPlaces, form: str, yang: Path | None, fail_on: str) -> int:
    """Judge configurations of SONiC at paths and print the findings; return the exit code, 2 for an unreadable file."""
    from fabricgen.catalog.loader import Catalog
    from fabricgen.kernel.diagnostics import InputError
    from fabricgen.lint.report import FileReport
    from fabricgen.publish.reading import Surroundings
    from fabricgen.render.checks.config_files import check_file, find_missing_files, list_config_files

    further_checks = []
    if yang is not None:
        from fabricgen.render.checks.yang import CODE, YangModels

        further_checks.append((CODE, YangModels(yang).list_problems))
    catalog, builds, reports, unusable = Catalog(), Surroundings(), [], False
    missing = [finding for path in paths for finding in find_missing_files(path, builds)]
    reports += [FileReport(str(finding.span.file), (finding,)) for finding in missing if finding.span]
    for file in dict.fromkeys(file for path in paths for file in list_config_files(path)):
        try:
            reports.append(FileReport(str(file), check_file(file, catalog, further_checks, builds)))
        except InputError as error:
            reports.append(FileReport(str(file), error.diagnostics, usable=False))
            unusable = True
    _print_findings(form, reports, places)
    worst = max((finding.severity for report in reports for finding in report.findings), default=None)
    return 2 if unusable else int(reaches_limit(worst, fail_on))


def _print_findings(form: str, reports: list[FileReport], places: BuiltPlaces) -> None:
    """Print the findings, without the line of the file itself, which may contain a secret."""
    from fabricgen.cli.built_archives import replace_names
    from fabricgen.lint import report as lint_report

    if form == "text":
        findings = [diagnostic.text() for report in reports for diagnostic in report.findings]
        files = f"{len(reports)} file{'s' * (len(reports) != 1)}"
        text = "\n".join([*findings, f"{files}: {len(findings)} problem{'s' * (len(findings) != 1)}"])
    else:
        text = lint_report.write_report(form, reports)
    click.echo(replace_names(text, places.shown))
