"""`fabricgen lock`: the file that keeps slots, numbers and addresses through every later change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from fabricgen.cli.netbox import PREFIX, open_netbox, token_option
from fabricgen.cli.options import complete_files, refuse_idle
from fabricgen.kernel.diagnostics import make_printable

if TYPE_CHECKING:
    from fabricgen.lock.found import Source

_NAMED = 50
"""How many devices that cannot be kept are named."""


@click.command()
@click.argument("blueprints", metavar="BLUEPRINT...", nargs=-1, required=True, shell_complete=complete_files)
@click.option("--allow-outside", is_flag=True, help="Let includes leave the blueprint's folder.")
@click.option(
    "--release",
    "paths",
    multiple=True,
    metavar="PATH",
    help="Release reservations no longer used, e.g. pods/p2, fabrics/storage, or `unused` for all; or a derived size, "
    "e.g. 'compute spine count'; may be repeated.",
)
@click.option(
    "--import",
    "lists",
    multiple=True,
    metavar="CSV|netbox:URL",
    help="Adopt a running fabric: names and numbers of a list of device,name,asn,loopback,mgmt,port,address, or of "
    "devices.csv and links.csv; names, places and management addresses of devices that a NetBox has, or exported as "
    "CSV; may be repeated.",
)
@token_option()
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 when the lock is not up to date.")
def command(
    blueprints: tuple[str, ...],
    allow_outside: bool,
    paths: tuple[str, ...],
    lists: tuple[str, ...],
    token: str | None,
    plain_http: bool,
    check: bool,
) -> int:
    """Write or bring up to date the lock of each BLUEPRINT, beside it: FILE.lock.yaml.

    What the lock holds keeps its numbers, names and ports whatever is added; what is removed leaves a hole until it
    is released. Commit the lock with the blueprint. `build` brings up to date a lock that is there. Imported names and
    numbers that are other than those allocated are kept as `adopted`, until `--release adopted/DEVICE`. A lock stands
    for its blueprint, so that a hook may be given both, and a folder for the blueprints directly in it.
    """
    from fabricgen.blueprint.beside.lock import list_blueprints
    from fabricgen.cli.main import EXIT_INPUT
    from fabricgen.kernel.diagnostics import InputError

    named = list(dict.fromkeys(name for path in blueprints for name in list_blueprints(path)))
    if len(named) > 1 and (paths or lists):
        raise click.UsageError("--release and --import are for one blueprint")
    from_netbox = any(source.startswith(PREFIX) for source in lists)
    refuse_idle("token", "plain_http", used=from_netbox, why=f"nothing is imported from {PREFIX}URL")
    open_source = partial(_read_netbox, token=token, plain_http=plain_http)
    codes = []
    for blueprint in named:
        try:
            codes.append(_update_lock(blueprint, paths, lists, open_source, allow_outside=allow_outside, check=check))
        except InputError as error:
            for diagnostic in error.diagnostics:
                click.echo(diagnostic.text(), err=True)
            codes.append(EXIT_INPUT)
    return max(codes)


def _update_lock(
    blueprint: str,
    paths: Sequence[str],
    lists: Sequence[str],
    open_source: Callable[[str], Source],
    *,
    allow_outside: bool,
    check: bool,
) -> int:
    """Bring the lock of a blueprint up to date or, with `check`, only say whether it is; return the exit code.

    `paths` name what the lock is to release, so that it gets new numbers. `lists` name what the lock is to adopt
    numbers from: files, and NetBoxes that `open_source` opens. Raises UsageError for a blueprint on standard input.
    """
    from fabricgen.cli.lock_file import is_changed, write_lock
    from fabricgen.design.kept.release import describe_hole
    from fabricgen.pipeline import compile_adopted, compile_cluster, compile_released

    if lists:
        files = [source for source in lists if not source.startswith(PREFIX)]
        sources = [open_source(source) for source in lists if source.startswith(PREFIX)]
        design = compile_adopted(
            blueprint, files, paths, allow_outside=allow_outside, sources=sources, told=partial(_tell_not_kept, [])
        )
    else:
        design = compile_released(blueprint, paths, allow_outside=allow_outside)
    cluster = compile_cluster(design)
    lock, path = cluster.lock, design.loaded.lock_path
    if path is None:
        raise click.UsageError("standard input has no lock; name a file")
    changed = is_changed(path, lock)
    for holder, intervals in cluster.holes_of(lock).items():
        click.echo(f"reserved but unused: {describe_hole(holder, intervals)}", err=True)
    if check:
        click.echo(f"{path} {'is not up to date' if changed else 'is up to date'}", err=True)
        return 1 if changed else 0
    if changed:
        write_lock(path, lock)
    click.echo(f"{path} {'written' if changed else 'is up to date'}", err=True)
    return 0


def _read_netbox(url: str, *, token: str | None, plain_http: bool) -> Source:
    """Return a function that reads the devices of a NetBox, to be called when the sites are known."""
    target = open_netbox(url, token, plain_http=plain_http)
    from fabricgen.push.reading import NetboxReading

    return lambda sites: NetboxReading(target, sites).devices


def _tell_not_kept(earlier: list[str], text: str) -> None:
    """Print `text`, which says what of a NetBox cannot be kept, unless `_NAMED` such texts were printed already.

    `earlier` has the texts of earlier calls; `text` is added to it. The first text too many is replaced by a line that
    says that there are more.
    """
    earlier.append(text)
    if len(earlier) <= _NAMED:
        click.echo(f"not kept: {make_printable(text)}", err=True)
    elif len(earlier) == _NAMED + 1:
        click.echo("not kept: more, which are not listed", err=True)
