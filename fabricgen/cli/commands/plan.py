"""`fabricgen plan`: what a change does."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fabricgen.cli.netbox import token_option
from fabricgen.cli.options import complete_files, prices_option, refuse_idle
from fabricgen.kernel import discovery
from fabricgen.kernel.diagnostics import fault

if TYPE_CHECKING:
    from fabricgen.cli.sides import PlanOptions
    from fabricgen.diff.compare import ClusterChange

REPORTS = "fabricgen.diff.reports"


@click.command()
@click.argument("old", metavar="OLD", shell_complete=complete_files)
@click.argument("new", metavar="NEW", shell_complete=complete_files)
@click.option(
    "--set",
    "--set-new",
    "sets",
    multiple=True,
    metavar="PATH=VALUE",
    help="Change one value of NEW, for example pods.p1.su=3; may be repeated.",
)
@click.option("--set-old", multiple=True, metavar="PATH=VALUE", help="Change one value of OLD; may be repeated.")
@click.option(
    "--release",
    "released",
    multiple=True,
    metavar="PATH",
    help="Release something of the lock of NEW, as `lock --release` would, for example 'compute spine count'.",
)
@click.option("--phase", metavar="NAME", help="What is there of NEW at a phase.  [default: all]")
@click.option("--phase-old", metavar="NAME", help="What is there of OLD at a phase.  [default: all]")
@token_option()
@click.option("--allow-outside", is_flag=True, help="Let includes leave the blueprint's folder.")
@prices_option
@click.option(
    "--templates",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder whose templates replace built-in ones of the same path, on both sides.",
)
@click.option("--configs", is_flag=True, help="Render every configuration that can differ, and show the lines.")
@click.option("--all", "every", is_flag=True, help="Leave nothing out of text and Markdown.")
@click.option(
    "--stages", is_flag=True, help="Say in which order to push the configurations that change; pushes nothing."
)
@click.option(
    "--at-once",
    default="10%",
    show_default=True,
    metavar="N|N%",
    help="With --stages: the most switches of a tier at once.",
)
@click.option(
    "--rollback",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Write the configurations that OLD has for the switches that change.",
)
@click.option(
    "--fail-on", default="any", show_default=True, metavar="WORD,...", help="Exit with 1 only if this happens."
)
@click.option("--format", "form", type=click.Choice(discovery.list_modules(REPORTS)), default="text", show_default=True)
def command(
    old: str,
    new: str,
    sets: tuple[str, ...],
    set_old: tuple[str, ...],
    released: tuple[str, ...],
    phase: str | None,
    phase_old: str | None,
    token: str | None,
    plain_http: bool,
    allow_outside: bool,
    prices: Path | None,
    templates: Path | None,
    configs: bool,
    every: bool,
    stages: bool,
    at_once: str,
    rollback: Path | None,
    fail_on: str,
    form: str,
) -> int:
    """Say which devices, cables, optics, addresses, sessions and configs change from OLD to NEW.

    Either is a blueprint, a folder that `build` wrote, or git:REV:path of one. OLD may be netbox:URL, with --token:
    what that NetBox holds of the blueprint NEW. Exits with 1 when there are differences.

    \b
    --fail-on: any, none, added-device, removed-device, renamed-device, moved-device, replaced-device, renumbered,
    added-cable, removed-cable, moved-cable, replaced-cable, swapped-optic, session-flap, removed-session,
    changed-config, cost
    """
    from dataclasses import replace

    from fabricgen.cli.sides import PlanOptions, compare_sources
    from fabricgen.diff.fail_on import matches_any, parse_fail_on
    from fabricgen.diff.stages import parse_at_once, plan_stages

    _refuse_misuse(old, new, stages)
    words, share = parse_fail_on(fail_on), parse_at_once(at_once)
    refuse_filled(rollback)
    every_config = configs or stages or rollback is not None or "changed-config" in words
    options = PlanOptions(
        old_sets=set_old,
        new_sets=sets,
        allow_outside=allow_outside,
        price_file=prices,
        templates=templates,
        every_config=every_config,
        released=released,
        phases=(phase_old, phase),
        token=token,
        plain_http=plain_http,
    )
    change = replace(compare_sources(old, new, options), show_diffs=configs)
    order = plan_stages(change, share) if stages else None
    click.echo(discovery.load_module(REPORTS, form).report(change, every=every, stages=order), nl=form != "markdown")
    if rollback is not None:
        click.echo(write_rollback(rollback, old, change, options), err=True)
    return 1 if matches_any(change, words) else 0


def _refuse_misuse(old: str, new: str, stages: bool) -> None:
    """Raise UsageError if both sides are standard input, or an option is given that has no use here.

    `--at-once` has a use only with `--stages`, and options of a NetBox only if the old side is one.
    """
    if old == "-" and new == "-":
        raise click.UsageError("only one side can be standard input")
    refuse_idle("at_once", used=stages, why="it is of --stages")
    refuse_idle("token", "plain_http", used=old.startswith("netbox:"), why="OLD is no NetBox")


# `--rollback`: the configurations to go back to, of exactly the switches whose configurations change.

ROLLBACK_CODE = "FG144"


def refuse_filled(folder: Path | None) -> None:
    """Raise InputError (FG144) if a named folder exists and is not empty: it would mix two changes."""
    if folder and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise fault(ROLLBACK_CODE, f"'{folder}' is not an empty folder", hint="name one that is not there yet")


def write_rollback(folder: Path, old: str, change: ClusterChange, options: PlanOptions) -> str:
    """Write the files as OLD has them, with secrets, readable by their owner alone; return in words what was written.

    Raises InputError for configurations that cannot be rendered or read (FG051, FG054).
    """
    from fabricgen.cli.sides import read_raw_configs

    names = {new: old_name for old_name, new in change.renamed.items()}
    files = change.configs.files if change.configs else ()
    devices = sorted({names.get(file.device, file.device) for file in files if file.state != "added"})
    with ExitStack() as stack:
        count = _write_files(folder, read_raw_configs(old, devices, options, stack))
    return f"{folder}: {count} configuration files of {len(devices)} switches, as {old} has them"


def _write_files(folder: Path, files: Iterable[tuple[str, bytes]]) -> int:
    """Write files, all or none, and return how many. Raises InputError (FG023) if the system refuses one."""
    count, is_new = 0, not folder.exists()
    try:
        for path, content in files:
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
                stream.write(content)
            count += 1
    except BaseException as error:
        # a new folder goes; one that was there, and empty, is emptied again
        for leftover in [folder] if is_new else list(folder.iterdir()) if folder.is_dir() else []:
            shutil.rmtree(leftover, ignore_errors=True)
        if isinstance(error, OSError):
            raise fault("FG023", f"cannot write '{folder}': {error.strerror}", hint="nothing of it is left") from error
        raise
    return count
