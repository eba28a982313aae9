"""`fabricgen as-built`: what the technician wrote into the wiring list comes back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fabricgen.cli.options import blueprint_argument, complete_files, reading_options

if TYPE_CHECKING:
    from fabricgen.as_built.importing import AsBuiltImport
    from fabricgen.reports.table import Table


@click.command()
@blueprint_argument
@click.argument("sheets", metavar="SHEET...", nargs=-1, required=True, shell_complete=complete_files)
@reading_options
@click.option(
    "-o",
    "--output",
    metavar="OVERLAY.yaml",
    type=click.Path(dir_okay=False, allow_dash=True),
    help="Overlay to write or bring up to date; - is standard output.  [default: write nothing]",
)
@click.option(
    "--labels",
    metavar="FILE.csv",
    type=click.Path(dir_okay=False),
    help="Write the labels to print anew, in the columns of labels.csv.",
)
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True)
def command(
    blueprint: str,
    sheets: tuple[str, ...],
    sets: tuple[str, ...],
    allow_outside: bool,
    output: str | None,
    labels: str | None,
    form: str,
) -> int:
    """Take redlines of SHEETs (.xlsx or .csv) into an overlay of the BLUEPRINT: moved cages, lengths, remarks.

    A sheet is the wiring list of the technician, or any with the columns of cables.csv and done, built_a_cage,
    built_b_cage, built_length_m, remark. The overlay holds `cable_of`; the blueprint takes it with `include:`.
    Without -o it says what would change, and exits with 1 when something would. Rows of an older plan whose cable is
    the same are taken; the others are listed, and where they have redlines the exit code is 1.
    """
    from fabricgen.as_built.importing import import_sheets
    from fabricgen.cli.output import write_output
    from fabricgen.cli.overlays import spell_include, tell_to_include
    from fabricgen.cli.reprints import find_reprints
    from fabricgen.pipeline import compile_design
    from fabricgen.reports.tables.csv import write_blocks

    design = compile_design(blueprint, sets, allow_outside=allow_outside)
    file = None if output in (None, "-") else output
    imported = import_sheets(design, sheets, file, spell_include(blueprint, file))
    labels_anew = find_reprints(imported.before, imported.after, {change.cable for change in imported.changes})
    if output is not None and (imported.changes or output == "-" or not Path(output).exists()):
        write_output(output, imported.overlay.encode(), updates=True)
    if labels is not None:
        write_output(labels, b"".join(write_blocks(labels_anew)))
    click.echo(_write_report(imported, labels_anew, form), err=output == "-")
    if file and not imported.included:
        tell_to_include(blueprint, file)
    return 1 if (imported.changes and output is None) or any(row.redlined for row in imported.outdated) else 0


def _write_report(imported: AsBuiltImport, labels_anew: Table, form: str) -> str:
    # what was imported, in a form, and the labels to print anew
    import json

    from fabricgen.as_built import importing
    from fabricgen.cli import reprints

    if form == "json":
        return json.dumps(
            {**importing.make_json(imported), "labels": reprints.list_reprint_values(labels_anew)},
            indent=2,
            ensure_ascii=False,
        )
    return "\n".join(
        (importing.format_report(imported), *((reprints.format_reprints(labels_anew),) if imported.changes else ()))
    )
