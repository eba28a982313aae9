"""`fabricgen bom`: the bill of materials as a table."""

from __future__ import annotations

from pathlib import Path

import click

from fabricgen.cli.options import (
    blueprint_argument,
    output_option,
    prices_option,
    reading_options,
    table_format,
    table_format_option,
)


@click.command()
@blueprint_argument
@reading_options
@output_option
@prices_option
@table_format_option
def command(
    blueprint: str, sets: tuple[str, ...], allow_outside: bool, output: str, prices: Path | None, form: str | None
) -> None:
    """Write the bill of materials of a BLUEPRINT: nodes, switches, transceivers and cables."""
    from fabricgen.cli.output import read_prices, write_output
    from fabricgen.compiler import compile_cluster, compile_design
    from fabricgen.export.parts.bom import table
    from fabricgen.export.table import ExportContext, write_table

    form = table_format(form, output)
    context = ExportContext(prices=read_prices(prices))
    cluster = compile_cluster(compile_design(blueprint, sets, allow_outside=allow_outside))
    write_output(output, write_table(table(cluster, context), form), binary=form == "xlsx")
