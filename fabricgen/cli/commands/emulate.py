"""`fabricgen emulate`: what the devices of a hall would say of their neighbours, without a hall."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fabricgen.addons.emulation.dumps import FORMATS, NATIVE
from fabricgen.cli.options import view_options

if TYPE_CHECKING:
    from fabricgen.api import ClusterView

DUMPS = "dumps"
"""The folder of what devices say, to be given to `verify`."""
FAULTS = "faults.csv"


@click.command()
@view_options
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="Folder to write to.")
@click.option("--faults", type=click.IntRange(0, 10_000), default=0, help="Lay in so many faults.  [default: none]")
@click.option("--seed", type=int, default=0, help="Other faults for another number.  [default: 0]")
@click.option(
    "--format",
    "form",
    type=click.Choice((NATIVE, *FORMATS)),
    default=NATIVE,
    help="Of all dumps.  [default: as each device tells it]",
)
def command(view: ClusterView, output: Path, faults: int, seed: int, form: str) -> None:
    """Write what the devices of a BLUEPRINT would say of their neighbours, for tests without a hall.

    The dumps of a folder are those of one hall, which is as planned but for the faults; what was laid in is in
    faults.csv. `verify` reads them, as does other software that is made for such dumps.
    """
    from fabricgen.addons.emulation.emulate import emulate_hall
    from fabricgen.cli.output import publish_files
    from fabricgen.reports.table import Table, write_table

    emulated = emulate_hall(view, faults, seed)
    texts = emulated.write_dumps(form)
    if not texts:
        raise click.UsageError(f"--format {form}: {view.name} has no network that is told of in this format")
    files = {f"{DUMPS}/{name}": text.encode() for name, text in texts.items()}
    laid = emulated.laid
    columns = {"fault": [fault.fault for fault in laid], "what": [fault.text for fault in laid]}
    files[FAULTS] = write_table(Table("faults", columns), "csv")
    publish_files(output, "emulate", view, files)
    count = f"{len(texts)} dump{'s' * (len(texts) > 1)}, {len(laid)} fault{'s' * (len(laid) != 1)}"
    click.echo(f"{output}: {count}", err=True)
