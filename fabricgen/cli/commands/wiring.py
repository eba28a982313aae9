"""`fabricgen wiring`: the wiring list as a table."""

from __future__ import annotations

import click

from fabricgen.cli.options import (
    blueprint_argument,
    choose_format,
    output_option,
    phase_option,
    reading_options,
    table_format_option,
)


@click.command()
@blueprint_argument
@reading_options
@phase_option
@output_option
@click.option("--by", type=click.Choice(["cable", "link"]), default="cable", show_default=True)
@table_format_option
def command(
    blueprint: str,
    sets: tuple[str, ...],
    allow_outside: bool,
    phase: str | None,
    output: str,
    by: str,
    form: str | None,
) -> None:
    """Write the wiring list of a BLUEPRINT: what to pull, by cable, or which ports meet, by link.

    A workbook by cable has columns to redline, which `fabricgen as-built` reads.
    """
    from fabricgen.as_built.sheet import HAND, THROUGH_PANELS
    from fabricgen.cli.output import refuse_unbuildable, write_output
    from fabricgen.cli.watched_files import list_read_files
    from fabricgen.export.files import cables, links
    from fabricgen.pipeline import compile_cluster, compile_design, warn_of_face_names
    from fabricgen.reports.table import Table, write_table

    form = choose_format(form, output)
    cluster = compile_cluster(compile_design(blueprint, sets, allow_outside=allow_outside), phase)
    refuse_unbuildable(cluster)
    for finding in warn_of_face_names(cluster):
        click.echo(finding.text(), err=True)
    table = cables.make_table(cluster) if by == "cable" else links.make_table(cluster)
    if by == "cable" and form == "xlsx":
        by_hand = {name: [""] * len(table) for name in HAND}
        if (patching := cluster.plan.patching) is not None:
            patched = patching.policy[cluster.plan.cables.end_cable] >= 0
            by_hand["built_length_m"] = [THROUGH_PANELS if through else "" for through in patched.tolist()]
        table = Table(table.name, {**table.columns, **by_hand})
    read = list_read_files(cluster.design.loaded)
    write_output(output, write_table(table, form), binary=form == "xlsx", read=read)
