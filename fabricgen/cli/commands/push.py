"""`fabricgen push`: tell a system of record what the plan says."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

from fabricgen.cli.netbox import open_netbox, token_option
from fabricgen.cli.options import F, blueprint_argument, phase_option, reading_options
from fabricgen.kernel.diagnostics import make_printable

if TYPE_CHECKING:
    from fabricgen.addons.netbox_objects.kinds import Kind
    from fabricgen.api import ClusterView
    from fabricgen.push.state import NetboxChange, NetboxChanges
    from fabricgen.push.verdicts import Verdict

_LOG_EVERY_S = 60.0
"""After how many seconds a line of progress is printed where standard error is no terminal."""
_NAMED = 10
"""How many changes of a kind are listed; further ones are counted."""

PIECES = (4, 5)
"""The first release of NetBox with profiles of cables, and ports of panels that lead to positions of others."""


@click.group()
def command() -> None:
    """Tell a system of record what the plan says."""


def push_options(command: F) -> F:
    """Add the options that every command of this group takes."""
    options = (
        blueprint_argument,
        reading_options,
        phase_option,
        click.option("--url", required=True, help="Where it is, for example https://netbox.example.com."),
        token_option(required=True),
        click.option("--apply", "write", is_flag=True, help="Write it.  [default: say what would be written]"),
        click.option(
            "--delete",
            is_flag=True,
            help="Delete what an earlier push of this blueprint made and the plan has no more.",
        ),
        click.option(
            "--verify",
            "report",
            metavar="REPORT.json",
            help="Tell cables' status as `verify --format json` found them, and tag drift-NAME what is to be mended.",
        ),
        click.option("--all", "every", is_flag=True, help="List every change."),
    )
    for option in reversed(options):
        command = option(command)
    return command


@command.command()
@push_options
def netbox(**options: Any) -> int:
    """Compare NetBox with the plan of a BLUEPRINT, and write what differs.

    Objects are known by their names. What is made has the tag `fabricgen-NAME`, and nothing else is ever deleted. A
    push that was broken off goes on where it ended. Exits with 0 where NetBox is as planned, with 1 where it is not.
    """
    from fabricgen.addons.netbox import list_objects

    return _push("NetBox", lambda view, release: list_objects(view, pieces=release >= PIECES), **options)


@command.command()
@push_options
def nautobot(**options: Any) -> int:
    """Compare Nautobot with the plan of a BLUEPRINT, and write what differs.

    As `push netbox` does: what is made has the tag `fabricgen-NAME`, and nothing else is ever deleted.
    """
    from fabricgen.addons.nautobot import list_objects

    return _push("Nautobot", lambda view, _: list_objects(view), **options)


def _push(
    title: str,
    list_objects: Callable[[ClusterView, tuple[int, ...]], Iterable[Kind]],
    *,
    blueprint: str,
    sets: tuple[str, ...],
    allow_outside: bool,
    phase: str | None,
    url: str,
    token: str,
    plain_http: bool,
    write: bool,
    delete: bool,
    report: str | None,
    every: bool,
) -> int:
    """Compare a system of record with the plan and, if `write`, write the differences; return the exit code.

    `title` is what messages call the system. `list_objects` makes the objects that it should hold, for its release.
    """
    from fabricgen.addons.netbox_objects.kinds import make_slug
    from fabricgen.api import ClusterView
    from fabricgen.cli.main import EXIT_INTERRUPTED
    from fabricgen.cli.output import refuse_unbuildable
    from fabricgen.pipeline import compile_cluster, compile_design
    from fabricgen.push.apply import Pusher
    from fabricgen.push.state import NetboxState
    from fabricgen.push.verdicts import judge_trunks, read_verdicts

    cluster = compile_cluster(compile_design(blueprint, sets, allow_outside=allow_outside), phase)
    refuse_unbuildable(cluster)
    verdicts = read_verdicts(report, cluster) if report else {}
    target = open_netbox(url, token, plain_http=plain_http, title=title)
    view = ClusterView(cluster)
    kinds = list(list_objects(view, target.release))
    judged = verdicts | judge_trunks(view, verdicts)
    state = NetboxState(target, kinds, make_slug(cluster.design.loaded.blueprint.name), judged)
    differences = state.compare_all()
    if report:
        _print_verdicts(list(verdicts.values()), len(cluster.cable_ids), differences.kept_status)
    _print_changes(differences, [kind.name for kind in kinds], every=every, delete=delete)
    if not write or not differences.differs(delete=delete):
        return int(differences.differs(delete=delete))
    if any(change.kind.name == "devices" for change in differences.blocked):
        click.echo("nothing is written: another push made devices of the same names at the same sites")
        return 1
    try:
        undeleted = Pusher(target, state, _Progress()).apply_differences(differences, delete=delete)
    except KeyboardInterrupt:
        click.echo(f"fabricgen: interrupted; what {title} took stays, and the same command goes on there", err=True)
        return EXIT_INTERRUPTED
    for text in undeleted:
        click.echo(f"not deleted, since in use: {make_printable(text)}")
    return int(bool(undeleted) or any(not (delete and change.number) for change in differences.blocked))


def _print_changes(differences: NetboxChanges, names: Sequence[str], *, every: bool, delete: bool) -> None:
    """Print what is to be done, by kind in the order of `names`: new objects as a number, other changes by name.

    Of the changes of a kind the first are listed, all if `every`. `delete` says whether objects will be deleted; if
    not, the last line says that they are with --delete.
    """
    for name in names:
        new_objects = [change for change in differences.make if change.kind.name == name]
        if new_objects:
            click.echo(f"+ {name}: {len(new_objects):,}")
            _list_changes(new_objects, "+", every=every, most=0)
        for sign, changes in (
            ("~", [*differences.change, *differences.marks]),
            ("!", differences.blocked),
            ("-", differences.delete),
        ):
            _list_changes([change for change in changes if change.kind.name == name], sign, every=every, most=_NAMED)
    counts = (
        len(differences.make),
        len(differences.change) + len(differences.marks),
        len(differences.delete),
        len(differences.blocked),
    )
    to_make, changed, gone, blocked = (f"{count:,}" for count in counts)
    not_without = "" if delete or not differences.delete else " (with --delete)"
    click.echo(f"{to_make} to make, {changed} to change, {gone} to delete{not_without}, {blocked} in the way")


def _print_verdicts(verdicts: Sequence[Verdict], cables: int, kept_status: Sequence[str]) -> None:
    """Print what `verify` found in the hall, and which status NetBox keeps."""
    connected = sum(verdict.status == "connected" for verdict in verdicts)
    drifting = sum(verdict.drifts for verdict in verdicts)
    unseen = cables - len(verdicts)
    click.echo(f"verify: {connected:,} cables connected, {drifting:,} to be mended, {unseen:,} unseen, which stay")
    for text in kept_status[:_NAMED]:
        click.echo(make_printable(f"status is an operator's, and stays: cables {text}"))
    if len(kept_status) > _NAMED:
        click.echo(f"and of {len(kept_status) - _NAMED:,} cables more")


def _list_changes(changes: Sequence[NetboxChange], sign: str, *, every: bool, most: int) -> None:
    """Print changes, one a line, with a sign such as + or - before each; further ones than `most` are counted."""
    shown = changes if every else changes[:most]
    for change in shown:
        text = f"{sign} {change.kind.name} {' '.join(change.key)}" + (
            f": {change.difference}" if change.difference else ""
        )
        click.echo(make_printable(text))
    if len(changes) > len(shown) and most:
        click.echo(f"{sign} and {len(changes) - len(shown):,} more (--all lists them)")


class _Progress:
    """Prints on standard error how far a push is.

    A terminal sees one line, written over until a kind is done; a file gets a line each minute, and one at the end.
    """

    def __init__(self) -> None:
        self._printed_at = monotonic()

    def __call__(self, kind: str, finished: int, count: int, rate: float) -> None:
        """Print that `finished` of `count` objects of a kind are written, at `rate` a second, if it is time to."""
        overwritten = finished < count and sys.stderr.isatty()
        if overwritten or finished == count or monotonic() - self._printed_at > _LOG_EVERY_S:
            self._printed_at = monotonic()
            click.echo(f"{kind}: {finished:,} of {count:,}, {rate:.1f}/s", err=True, nl=not overwritten)
            if overwritten:
                click.echo("\r", err=True, nl=False)
