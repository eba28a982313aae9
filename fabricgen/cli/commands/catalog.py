"""`fabricgen catalog`: the hardware that blueprints can name."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("name", required=False, metavar="[ID]")
@click.option("--own", type=click.Path(file_okay=False, path_type=Path), help="A blueprint's own catalog folder.")
@click.option(
    "--copy", "copy_to", type=click.Path(file_okay=False, path_type=Path), help="Copy it here, to state more."
)
def command(name: str | None, own: Path | None, copy_to: Path | None) -> None:
    """List the profiles of the catalogue, or show one.

    `--copy catalog`, run in the blueprint's folder, saves a copy that you can edit; it replaces the built-in profile.
    """
    from fabricgen.catalog.loader import Catalog
    from fabricgen.catalog.models import PROFILE_KINDS
    from fabricgen.kernel.diagnostics import did_you_mean, fault

    if copy_to and name is None:
        raise click.UsageError("--copy needs the ID of a profile")
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
    if copy_to:
        _copy_profiles({catalog.find_file(kind, name): copy_to / kind / f"{name}.yaml" for kind in kinds_of_name})
        return
    for kind in kinds_of_name:
        shown = catalog.profile(kind, name)
        click.echo(shown.model_dump_json(indent=2, exclude_defaults=True))


def _copy_profiles(targets: dict[Path, Path]) -> None:
    """Copy files of profiles to targets that do not exist: all of them or none. Raises InputError (FG023) if one
    exists or cannot be written.
    """
    from fabricgen.kernel.diagnostics import fault
    from fabricgen.publish.files import replace_file

    for target in filter(Path.exists, targets.values()):
        raise fault("FG023", f"{target} exists; it is left as it is", hint="edit it, or name another folder")
    for file, target in targets.items():
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            replace_file(target, file.read_bytes())
        except OSError as error:
            raise fault("FG023", f"cannot write {target}: {error.strerror}") from error
        click.echo(f"{target} written", err=True)
