"""`fabricgen as-built`: what the technician wrote into the wiring list comes back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fabricgen.cli.options import blueprint_argument, reading_options

if TYPE_CHECKING:
    from fabricgen.as_built.sheets.importing import AsBuiltImport


@click.command()
@blueprint_argument
@click.argument("sheets", metavar="SHEET...", nargs=-1, required=True)
@reading_options
@click.option(
    "-o",
    "--output",
    metavar="OVERLAY.yaml",
    type=click.Path(dir_okay=False, allow_dash=True),
    help="Overlay to write or bring up to date; - is standard output.  [default: write nothing]",
)
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True)
def command(
    blueprint: str, sheets: tuple[str, ...], sets: tuple[str, ...], allow_outside: bool, output: str | None, form: str
) -> int:
    """Take redlines of SHEETs (.xlsx or .csv) into an overlay of the BLUEPRINT: moved cages, lengths, remarks.

    A sheet is the wiring list of the technician, or any with the columns of cables.csv and done, built_a_cage,
    built_b_cage, built_length_m, remark. The overlay holds `cable_of`; the blueprint takes it with `include:`.
    Without -o it says what would change, and exits with 1 when something would.
    """
    from fabricgen.as_built.sheets.importing import import_sheets
    from fabricgen.cli.output import write_output
    from fabricgen.cli.overlays import included_as, tell_to_include
    from fabricgen.pipeline import compile_design

    design = compile_design(blueprint, sets, allow_outside=allow_outside)
    file = None if output in (None, "-") else output
    found = import_sheets(design, sheets, file, included_as(blueprint, file))
    if output is not None and (found.changes or output == "-" or not Path(output).exists()):
        write_output(output, found.overlay.encode())
    click.echo(_report(found, form), err=output == "-")
    if file and not found.included:
        tell_to_include(blueprint, file)
    return 1 if found.changes and output is None else 0


def _report(found: AsBuiltImport, form: str) -> str:
    import json

    from fabricgen.as_built.sheets import report

    if form == "json":
        return json.dumps(report.as_json(found), indent=2, ensure_ascii=False)
    return report.text(found)
