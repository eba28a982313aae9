"""`fabricgen schema`: the JSON Schema of what users write, or a check of files against it."""

from __future__ import annotations

import click

from fabricgen.cli.options import output_option

KINDS = ("blueprint", "catalog", "overlay", "project")


@click.command()
@click.argument("files", metavar="[FILE]...", nargs=-1)
@click.option("--of", type=click.Choice(KINDS), default="blueprint", show_default=True, help="What to describe.")
@click.option("--check", is_flag=True, help="Check FILEs instead, and write what does not fit at its place.")
@output_option
def command(files: tuple[str, ...], of: str, check: bool, output: str) -> int:
    """Write JSON Schema 2020-12, for editors and checks; with --check, hold FILEs to it.

    A file is taken for a blueprint, which is checked with all that it includes, unless its name or place says
    otherwise: .fabricgen.yaml, NAME.lock.yaml, and catalog/KIND/NAME.yaml.
    """
    if check != bool(files):
        raise click.UsageError("--check needs files" if check else "files are only given to --check")
    if check:
        return _check(files)
    from fabricgen.blueprint.schema import schema_text
    from fabricgen.cli.output import write_output

    write_output(output, schema_text(of).encode())
    return 0


def _check(files: tuple[str, ...]) -> int:
    from fabricgen.blueprint.structure import check_structure
    from fabricgen.kernel.diagnostics import InputError
    from fabricgen.lint.report import FileReport, write_report

    reports = []
    for file in dict.fromkeys(files):
        try:
            check_structure(file)
        except InputError as error:
            reports.append(FileReport(file, error.diagnostics, usable=False))
        else:
            reports.append(FileReport(file, ()))
    click.echo(write_report("text", reports))
    return 2 if any(not report.usable for report in reports) else 0
