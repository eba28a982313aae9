"""`fabricgen checksums`: what `sha256sum -c` needs to tell whether files on devices are as they were built."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("built", type=click.Path(path_type=Path))
@click.option("--device", metavar="NAME", default="", help="Of one device, with the names of its files alone.")
def command(built: Path, device: str) -> None:
    """Write the checksums of all files for devices in a BUILT folder, for `sha256sum -c`."""
    from fabricgen.publish.reading import list_checksums

    click.echo("\n".join(list_checksums(built, device)))
