"""`fabricgen push`: tell a system of record what the plan says."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from fabricgen.cli.netbox import open_netbox, token_option
from fabricgen.cli.options import blueprint_argument, phase_option, reading_options
from fabricgen.kernel.diagnostics import make_printable

if TYPE_CHECKING:
    from fabricgen.push.state import Change, Changes

_NAMED = 10
"""Changes of a kind that are listed; of more, their number."""


@click.group()
def command() -> None:
    """Tell a system of record what the plan says."""


@command.command()
@blueprint_argument
@reading_options
@phase_option
@click.option("--url", required=True, help="Where NetBox is, for example https://netbox.example.com.")
@token_option(required=True)
@click.option("--apply", "write", is_flag=True, help="Write it.  [default: say what would be written]")
@click.option(
    "--delete", is_flag=True, help="Delete what an earlier push of this blueprint made and the plan has no more."
)
@click.option("--all", "every", is_flag=True, help="List every change.")
def netbox(
    blueprint: str,
    sets: tuple[str, ...],
    allow_outside: bool,
    phase: str | None,
    url: str,
    token: str,
    plain_http: bool,
    write: bool,
    delete: bool,
    every: bool,
) -> int:
    """Compare NetBox with the plan of a BLUEPRINT, and write what differs.

    Objects are known by their names. What is made has the tag `fabricgen-NAME`, and nothing else is ever deleted. A
    push that was broken off goes on where it ended. Exits with 0 where NetBox is as planned, with 1 where it is not.
    """
    from fabricgen.cli.findings import refuse_unbuildable
    from fabricgen.export.netbox.kinds import make_slug
    from fabricgen.export.netbox.model import list_objects
    from fabricgen.pipeline import compile_cluster, compile_design
    from fabricgen.push.apply import Pusher
    from fabricgen.push.state import TAGS, State

    cluster = compile_cluster(compile_design(blueprint, sets, allow_outside=allow_outside), phase)
    refuse_unbuildable(cluster)
    target = open_netbox(url, token, plain_http=plain_http)
    kinds = list_objects(cluster)
    state = State(target, kinds, f"{TAGS}{make_slug(cluster.design.loaded.blueprint.name)}")
    found = state.changes()
    _print(found, [kind.name for kind in kinds], every=every, delete=delete)
    if not write or not found.differs(delete=delete):
        return int(found.differs(delete=delete))
    if any(each.kind.name == "devices" for each in found.blocked):
        click.echo("nothing is written: another push made devices of the same names at the same sites")
        return 1
    kept = Pusher(target, state, _told).apply(found, delete=delete)
    for text in kept:
        click.echo(f"not deleted, since in use: {make_printable(text)}")
    return int(bool(kept) or any(not (delete and each.number) for each in found.blocked))


def _print(found: Changes, names: Sequence[str], *, every: bool, delete: bool) -> None:
    """What is to be done, kind by kind: what is made as a number, all else by name."""
    for name in names:
        made = [each for each in found.make if each.kind.name == name]
        if made:
            click.echo(f"+ {name}: {len(made):,}")
            _list(made, "+", every=every, most=0)
        for sign, changes in (("~", [*found.change, *found.marks]), ("!", found.blocked), ("-", found.delete)):
            _list([each for each in changes if each.kind.name == name], sign, every=every, most=_NAMED)
    counts = (len(found.make), len(found.change) + len(found.marks), len(found.delete), len(found.blocked))
    new, changed, gone, blocked = (f"{count:,}" for count in counts)
    kept = "" if delete or not found.delete else " (with --delete)"
    click.echo(f"{new} to make, {changed} to change, {gone} to delete{kept}, {blocked} in the way")


def _list(changes: Sequence[Change], sign: str, *, every: bool, most: int) -> None:
    shown = changes if every else changes[:most]
    for each in shown:
        text = f"{sign} {each.kind.name} {' '.join(each.key)}" + (f": {each.told}" if each.told else "")
        click.echo(make_printable(text))
    if len(changes) > len(shown) and most:
        click.echo(f"{sign} and {len(changes) - len(shown):,} more (--all lists them)")


def _told(what: str, done: int, count: int, rate: float) -> None:
    if done == count or sys.stderr.isatty():
        click.echo(f"{what}: {done:,} of {count:,}, {rate:.1f}/s", err=True, nl=done == count)
        if done < count:
            click.echo("\r", err=True, nl=False)
