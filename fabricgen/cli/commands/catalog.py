"""`fabricgen catalog`: the hardware that blueprints can name."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("name", required=False, metavar="[ID]")
@click.option("--own", type=click.Path(file_okay=False, path_type=Path), help="A blueprint's own catalog folder.")
def command(name: str | None, own: Path | None) -> None:
    """List the profiles of the catalogue, or show one."""
    from fabricgen.catalog.loader import Catalog
    from fabricgen.catalog.models import PROFILE_KINDS
    from fabricgen.kernel.diagnostics import did_you_mean, fault

    catalog = Catalog(own)
    kinds = {kind: catalog.ids(kind) for kind in PROFILE_KINDS}
    if name is None:
        for kind, ids in kinds.items():
            click.echo(f"{kind}:")
            for profile in ids:
                click.echo(f"  {profile}")
        return
    kinds_of_name = [kind for kind, ids in kinds.items() if name in ids]
    if not kinds_of_name:
        all_ids = [i for ids in kinds.values() for i in ids]
        raise fault("FG011", f"no profile '{name}' in the catalogue", hint=did_you_mean(name, all_ids))
    for kind in kinds_of_name:
        shown = catalog.profile(kind, name)
        click.echo(shown.model_dump_json(indent=2, exclude_defaults=True))
