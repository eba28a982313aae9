"""`fabricgen schema`: the JSON Schema of what users write, or a check of files against it."""

from __future__ import annotations

import click

from fabricgen.cli.options import complete_files, output_option

KINDS = ("blueprint", "catalog", "overlay", "project")
NAMING = ("blueprint", "overlay")
"""The kinds of files that use names of a catalogue."""


@click.command()
@click.argument("files", metavar="[FILE]...", nargs=-1, shell_complete=complete_files)
@click.option("--of", type=click.Choice(KINDS), default="blueprint", show_default=True, help="What to describe.")
@click.option("--check", is_flag=True, help="Check FILEs instead, and write what does not fit at its place.")
@output_option
def command(files: tuple[str, ...], of: str, check: bool, output: str) -> int:
    """Write JSON Schema 2020-12, for editors and checks; with --check, hold FILEs to it.

    For a blueprint FILE, only names of the catalogue and of the catalog/ folder beside it are right; without one the
    schema is for any blueprint, and leaves names open. With --check, a file is taken for a blueprint, which is checked
    with all that it includes, unless its name or place says otherwise: .fabricgen.yaml, NAME.lock.yaml, and
    catalog/KIND/NAME.yaml, or a profile by its `kind`. `--check --of overlay` takes all files for overlays, such as
    that of `as-built`, which state a part of a blueprint.
    """
    if check:
        if not files:
            raise click.UsageError("--check needs files")
        if of not in NAMING:
            raise click.UsageError(f"--check knows files of the kind '{of}' by their names and places: leave out --of")
        return _check_files(files, of)
    if len(files) > 1:
        raise click.UsageError("a schema is for one blueprint; --check takes several files")
    if files and of not in NAMING:
        raise click.UsageError(f"--of {of} has no names of a catalogue: leave out {files[0]}")
    from pathlib import Path

    from fabricgen.blueprint.schema import write_schema_text
    from fabricgen.catalog.loader import Catalog
    from fabricgen.cli.output import write_output
    from fabricgen.kernel.text_input import read_bytes

    catalog = None
    if files:
        path = Path(files[0])
        read_bytes(path, files[0])  # refuses a file that does not exist
        catalog = Catalog(path.parent / "catalog")
    write_output(output, write_schema_text(of, catalog).encode())
    return 0


def _check_files(files: tuple[str, ...], kind: str) -> int:
    """Check files against the schema of their kind and print what is wrong; return the exit code, 2 for a fault."""
    from fabricgen.blueprint.structure import check_overlay, check_structure, describe_kind
    from fabricgen.kernel.diagnostics import InputError
    from fabricgen.lint.report import FileReport, write_report

    reports = []
    for file in dict.fromkeys(files):
        try:
            (check_overlay if kind == "overlay" else check_structure)(file)
        except InputError as error:
            reports.append(FileReport(file, error.diagnostics, usable=False, kind=describe_kind(file)))
        else:
            reports.append(FileReport(file, (), kind=describe_kind(file)))
    click.echo(write_report("text", reports))
    return 2 if any(not report.usable for report in reports) else 0
