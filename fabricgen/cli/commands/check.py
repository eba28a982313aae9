"""`fabricgen check`: judge configurations of SONiC."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fabricgen.cli.options import SEVERITIES

if TYPE_CHECKING:
    from fabricgen.lint.report import FileReport


@click.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True)
@click.option(
    "--yang",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Also validate against the YANG models in a folder, src/sonic-yang-models of sonic-buildimage.",
)
@click.option(
    "--fail-on",
    type=click.Choice([*SEVERITIES, "never"]),
    default="error",
    show_default=True,
    help="Exit with 1 on problems of this severity or worse.",
)
def command(paths: tuple[Path, ...], form: str, yang: Path | None, fail_on: str) -> int:
    """Judge config_db.json files, or those in folders that were built: tables, fields, references, lanes, speeds.

    Problems exit with 1, files that cannot be read with 2.
    """
    from fabricgen.catalog.loader import Catalog
    from fabricgen.kernel.diagnostics import InputError, Severity
    from fabricgen.lint.report import FileReport
    from fabricgen.publish.reading import Surroundings
    from fabricgen.render.checks.config_files import check_file, config_files, missing_files

    others = []
    if yang is not None:
        from fabricgen.render.checks.yang import CODE, YangModels

        others.append((CODE, YangModels(yang).problems))
    catalog, builds, reports, unusable = Catalog(), Surroundings(), [], False
    gone = [finding for path in paths for finding in missing_files(path, builds)]
    reports += [FileReport(str(finding.span.file), (finding,)) for finding in gone if finding.span]
    for file in dict.fromkeys(file for path in paths for file in config_files(path)):
        try:
            reports.append(FileReport(str(file), check_file(file, catalog, others, builds)))
        except InputError as error:
            reports.append(FileReport(str(file), error.diagnostics, usable=False))
            unusable = True
    _print(form, reports)
    if unusable:
        return 2
    worst = max((d.severity for report in reports for d in report.findings), default=None)
    return 1 if fail_on != "never" and worst is not None and worst >= Severity.parse(fail_on) else 0


def _print(form: str, reports: list[FileReport]) -> None:
    """Print the findings; without the line of the file itself, which may contain a secret."""
    from fabricgen.lint.report import write_report

    if form == "json":
        click.echo(write_report(form, reports))
        return
    found = [diagnostic for report in reports for diagnostic in report.findings]
    for diagnostic in found:
        click.echo(diagnostic.text())
    files = f"{len(reports)} file{'s' * (len(reports) != 1)}"
    click.echo(f"{files}: {len(found)} problem{'s' * (len(found) != 1)}")
