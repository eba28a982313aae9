"""`fabricgen plan`: what a change does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fabricgen.cli.options import reading_options

if TYPE_CHECKING:
    from fabricgen.diff.inventory import Inventory


@click.command()
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@reading_options
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(old: str, new: str, sets: tuple[str, ...], allow_outside: bool, form: str) -> int:
    """Say which devices, cables, addresses and sessions change from OLD to NEW.

    Either is a blueprint or a folder that `build` wrote; --set changes NEW. Exits with 1 when there are differences.
    """
    import json

    from fabricgen.diff.compare import compare
    from fabricgen.diff.report import as_json, text

    if old == "-" and new == "-":
        raise click.UsageError("only one side can be standard input")
    change = compare(_side(old, (), allow_outside), _side(new, sets, allow_outside))
    click.echo(json.dumps(as_json(change), indent=2) if form == "json" else text(change))
    return 1 if change else 0


def _side(place: str, sets: tuple[str, ...], allow_outside: bool) -> Inventory:
    from fabricgen.compiler import compile_cluster, compile_design
    from fabricgen.diff.inventory import from_cluster, from_folder

    if Path(place).is_dir():
        if sets:
            raise click.UsageError(f"--set changes a blueprint, {place} is a built folder")
        return from_folder(Path(place))
    return from_cluster(compile_cluster(compile_design(place, sets, allow_outside=allow_outside)))
