"""`fabricgen as-built`: what the technician wrote into the wiring list comes back."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fabricgen.cli.options import blueprint_argument, complete_files, reading_options

if TYPE_CHECKING:
    from fabricgen.as_built.importing import AsBuiltImport
    from fabricgen.cluster import Cluster
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
    from fabricgen.cli.output import spell_include, tell_to_include, write_output
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
    """Return what was imported, and the labels to print anew, as text or JSON."""
    import json

    from fabricgen.as_built import importing

    if form == "json":
        return json.dumps(
            {**importing.make_json(imported), "labels": list_reprint_values(labels_anew)},
            indent=2,
            ensure_ascii=False,
        )
    return "\n".join(
        (importing.format_report(imported), *((format_reprints(labels_anew),) if imported.changes else ()))
    )


# Labels to print anew, since their cable is plugged in elsewhere than they say.

MOST_LINES = 40
"""How many labels the text lists; further ones are counted."""


def find_reprints(before: Cluster, after: Cluster, cables: Collection[str]) -> Table:
    """Return the rows of labels.csv, after a change, whose cable is among `cables` (ids) and whose text is new."""
    from fabricgen.export.technician.labels import make_label_table
    from fabricgen.export.technician.records import make_records
    from fabricgen.reports.table import Table

    if not cables:
        return Table("labels", {})
    old, new = (make_label_table(make_records(cluster)) for cluster in (before, after))
    old_labels = set(zip(*(old.columns[name] for name in ("code", "line1", "line2", "line3")), strict=True))
    texts = zip(*(new.columns[name] for name in ("cable", "code", "line1", "line2", "line3")), strict=True)
    rows = [i for i, (cable, *text) in enumerate(texts) if cable in cables and tuple(text) not in old_labels]
    return Table("labels", {name: [cells[i] for i in rows] for name, cells in new.columns.items()})


def format_reprints(labels: Table) -> str:
    """Return text that lists the labels to print, one a line: its code and text."""
    rows = list(zip(*(labels.columns.get(name, ()) for name in ("code", "line1", "line2", "line3")), strict=True))
    lines = [f"{len(rows)} label{'' if len(rows) == 1 else 's'} to print anew"]
    lines += [f"  {code}: {near} > {far}, {last_line}" for code, near, far, last_line in rows[:MOST_LINES]]
    if len(rows) > MOST_LINES:
        lines.append(f"  and {len(rows) - MOST_LINES} more; --labels FILE has all")
    return "\n".join(lines)


def list_reprint_values(labels: Table) -> list[dict[str, Any]]:
    """Return the labels as values for JSON: the code and the three lines of each."""
    names = ("code", "line1", "line2", "line3")
    return [
        dict(zip(names, row, strict=True))
        for row in zip(*(labels.columns.get(name, ()) for name in names), strict=True)
    ]
