"""`fabricgen lab`: a fabric at work on this machine, with FRR in network namespaces."""

from __future__ import annotations

import signal
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fabricgen.cli.options import F, blueprint_argument, lab_option, phase_option, reading_options

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.lab.fabric import Lab
    from fabricgen.lab.inside import Inside
    from fabricgen.lab.state import LabState

TABLES = ("addresses", "devices", "links")
"""The parts of a build that say how large a lab is; its configurations are rendered once it is known to fit."""

MANY_LINKS = 100_000
"""A plan with more links is checked before its lists are written, which takes longer than wiring it."""


@click.group()
def command() -> None:
    """Run a fabric on this machine: FRR on every switch, in network namespaces.

    Needs Linux, root, iproute2 and FRR.
    """


def state_option(command: F) -> F:
    """Add `--state` (`-o`), the folder in which a lab keeps its state."""
    return click.option(
        "-o",
        "--state",
        metavar="DIR",
        type=click.Path(path_type=Path, file_okay=False),
        help="The lab's folder; its name is the lab's.  [default: /run/fabricgen/NAME, with up that of the blueprint]",
    )(command)


@command.command()
@blueprint_argument
@reading_options
@phase_option
@lab_option
@state_option
@click.option("--wait", type=click.IntRange(1), default=300, show_default=True, help="Seconds to wait for sessions.")
def up(
    blueprint: str,
    sets: tuple[str, ...],
    allow_outside: bool,
    phase: str | None,
    lab: str | None,
    state: Path | None,
    wait: int,
) -> int:
    """Start a lab of a BLUEPRINT, or of a folder that `build` wrote, and wait until its sessions are up.

    Each device is a network namespace and each link a veth pair; every switch runs FRR with a configuration that is
    derived from its own. The lab goes on when the command ends, until `lab down`. Exits with 1 where sessions stay
    down.
    """
    from fabricgen.lab.machine import require_machine
    from fabricgen.lab.state import LABS

    require_machine()
    started = time.monotonic()
    name, plan = _plan_lab(blueprint, sets, phase, lab, allow_outside=allow_outside)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C, so that it cleans up
    return _start_lab((state or LABS / name).resolve(), plan, wait, started)


def _plan_lab(
    blueprint: str, sets: tuple[str, ...], phase: str | None, lab: str | None, *, allow_outside: bool
) -> tuple[str, Inside]:
    """Return the name of a lab and what is in it; `blueprint` may be a built folder or archive as well.

    Raises InputError: FG172 if it does not fit on this machine, and those of `_read_built_files` for what was built.
    """
    from fabricgen.cli.built_archives import open_built_places, refuse_for_a_build
    from fabricgen.lab.files import Build
    from fabricgen.lab.inside import cut_to_lab
    from fabricgen.lab.machine import require_room

    with open_built_places() as places:
        folder = Path(places.folder_of(blueprint))
        if folder.is_dir():
            refuse_for_a_build(blueprint, set=sets, phase=phase, lab=lab)
            plan = cut_to_lab(Build(_read_built_files(folder)))
            _require_fit(plan)
            name = Path(blueprint).resolve().name
            # an archive was opened in another folder; its name is that of the lab without `.tar` and its like
            return (name if folder == Path(blueprint) else name.partition(".")[0]), plan
    from fabricgen.cli.output import tell_left_out
    from fabricgen.pipeline import compile_cluster, compile_design

    design = compile_design(blueprint, sets, allow_outside=allow_outside)
    cluster = compile_cluster(design, phase, lab=lab)
    # room is asked for as early as it is known: by counts alone, by lists, and by what configurations add
    if len(cluster.plan.links) > MANY_LINKS:
        require_room(len(cluster.switch_rows()), len(cluster.plan.devices), len(cluster.plan.links))
    tell_left_out(cluster)
    lists = _make_files(cluster, *TABLES)
    _require_fit(cut_to_lab(Build(lists)))
    plan = cut_to_lab(Build({**lists, **_make_files(cluster, "configs")}))
    _require_fit(plan)
    return design.loaded.blueprint.name, plan


def _require_fit(plan: Inside) -> None:
    """Raise InputError if the machine has no room for a lab, or kernel tables too small for its neighbours."""
    from fabricgen.lab.machine import require_neighbours, require_room

    require_room(*plan.numbers)
    require_neighbours(plan.neighbours)


def _read_built_files(folder: Path) -> dict[str, str]:
    """Return the lists and configurations of a built folder, by path.

    Raises InputError: FG028 or FG054 for files that are missing or not as built, FG001 for a configuration that is no
    text.
    """
    from fabricgen.diff.folder import parse_list
    from fabricgen.kernel.diagnostics import fault
    from fabricgen.kernel.text_input import MAX_BUILT_BYTES, decode_text
    from fabricgen.publish.reading import NO_BUILD, open_built

    built = open_built(folder)
    configs = sorted(file.relative_to(folder).as_posix() for file in folder.glob("configs/*/*") if file.is_file())
    if not configs:
        hint = "build it with the parts devices, links, addresses and configs"
        raise fault(NO_BUILD, f"{folder} has no configurations", hint=hint)
    for name in TABLES:
        parse_list(folder / f"{name}.csv", built.read_as_built(f"{name}.csv"), name)
    return {
        path: decode_text(built.read_as_built(path), str(folder / path), limit=MAX_BUILT_BYTES, kind="files of a lab")
        for path in (*(f"{name}.csv" for name in TABLES), *configs)
    }


def _make_files(cluster: Cluster, *parts: str) -> dict[str, str]:
    """Return the files of some parts of a build by path, with references in place of secrets, which a lab does not
    need.
    """
    from fabricgen.pipeline import BuildOptions, build_bundles

    bundles = build_bundles(cluster, dict, BuildOptions(parts, redact_secrets=True))
    files = (file for bundle in bundles for file in bundle.make())
    return {path: (content if isinstance(content, bytes) else b"".join(content)).decode() for path, content in files}


def _start_lab(folder: Path, plan: Inside, wait: int, started: float) -> int:
    """Bring a lab up, wait for its sessions and print what there is; return 1 if sessions stay down, else 0."""
    from fabricgen.kernel.diagnostics import fault
    from fabricgen.lab.report import describe_size
    from fabricgen.lab.state import CODE, remove_if_empty

    try:
        folder.mkdir(parents=True, exist_ok=True)
        state, lab, up, sessions = _bring_lab_up(folder, plan, wait)
    except OSError as error:
        message = f"{folder} cannot be the folder of a lab: {error.strerror or error}"
        raise fault(CODE, message, hint="name another folder with --state") from None
    finally:
        remove_if_empty(folder)
    seconds = time.monotonic() - started
    click.echo(f"{state.name}: {describe_size(lab)}, {up} of {sessions} sessions up, in {seconds:.1f} s")
    for sentence in plan.left_out:
        click.echo(f"left out: {sentence}")
    switch, host = lab.build.switches[0], lab.build.hosts[0]
    click.echo(f"a switch: ip netns exec {lab.spaces[switch]} vtysh --vty_socket {state.sockets / switch}")
    click.echo(f"a host:   ip netns exec {lab.spaces[host]} bash")
    if up < sessions:
        click.echo(f"sessions are down after {wait} s: `fabricgen lab check` says which", err=True)
    return int(up < sessions)


def _bring_lab_up(folder: Path, plan: Inside, wait: int) -> tuple[LabState, Lab, int, int]:
    """Bring a lab up; if that fails or is interrupted, remove it again. Return also how many sessions are up, and
    how many there are.
    """
    from fabricgen.lab.start import bring_lab_up, wait_for_sessions
    from fabricgen.lab.state import hold_folder, new_state, remove_lab, require_empty

    with hold_folder(folder) as descriptor:
        require_empty(folder)
        state = new_state(folder, plan)
        try:
            state.write(plan.build)
            lab = state.open_lab()
            tell = partial(click.echo, err=True)
            bring_lab_up(lab, tell, descriptor)
            up, sessions = wait_for_sessions(lab, tell, wait)
            state.save(up=True)
        except BaseException:
            click.echo("taking the lab down again", err=True)
            remove_lab(state)
            raise
    return state, lab, up, sessions


@command.command()
@state_option
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True)
def check(state: Path | None, form: str) -> int:
    """Compare a lab with its plan: cables, sessions, routes over all equal paths, leaks, and pings between leaves.

    With links that `lab break` took down, their sessions are told as lost, and routes and pings are held to what is
    left. Exits with 0 where all is as planned, with 1 where it is not.
    """
    from fabricgen.lab.report import judge_lab, write_report

    lab_state, lab = _find_lab(state)
    judgement = judge_lab(lab)
    click.echo(write_report(form, lab_state.name, lab, judgement))
    return int(bool(judgement.findings))


@command.command("break")
@click.argument("link")
@state_option
def break_(link: str, state: Path | None) -> int:
    """Take a LINK down, at both ends: a cable or link of links.csv, DEVICE:PORT of an end, or all links of a DEVICE."""
    from fabricgen.lab.breaking import break_links, find_links

    _, lab = _find_lab(state)
    links = find_links(lab, link)
    break_links(lab, links)
    for cable in links:
        click.echo(f"broken: {cable.a} to {cable.b}")
    return 0


@command.command()
@click.argument("link")
@state_option
def mend(link: str, state: Path | None) -> int:
    """Bring a LINK back that `lab break` took down, and wait for its sessions; exits with 1 where they stay down."""
    from fabricgen.lab.breaking import find_broken_links, find_links, mend_links

    _, lab = _find_lab(state)
    links = [cable for cable in find_links(lab, link) if cable in find_broken_links(lab)]
    if not links:
        click.echo(f"{link} is not broken", err=True)
    down = mend_links(lab, links)
    for cable in links:
        click.echo(f"mended: {cable.a} to {cable.b}")
    for finding in down:
        click.echo(str(finding))
    return int(bool(down))


@command.command()
@state_option
def down(state: Path | None) -> int:
    """End a lab: its daemons, its namespaces and its folder, and nothing else; also one that came up in part, or whose
    files are damaged.
    """
    from fabricgen.lab.machine import require_rights
    from fabricgen.lab.state import choose_lab, find_state_to_end, hold_folder, remove_lab

    folder = choose_lab(state)
    if folder is None or not folder.exists():
        click.echo("no lab is there", err=True)
        return 0
    require_rights()
    with hold_folder(folder):
        lab_state = find_state_to_end(folder)
        remove_lab(lab_state)
    click.echo(f"{lab_state.name}: {len(lab_state.spaces)} namespaces are gone", err=True)
    if folder.exists():
        click.echo(f"{folder} stays: it holds files that are not the lab's", err=True)
    return 0


def _find_lab(folder: Path | None) -> tuple[LabState, Lab]:
    """Return the state and the lab of a folder, or the only lab. Raises InputError (FG172, FG173) if no lab is up,
    or it cannot be reached.
    """
    from fabricgen.kernel.diagnostics import fault
    from fabricgen.lab.machine import require_machine
    from fabricgen.lab.state import CODE, LABS, choose_lab, read_state

    require_machine()
    lab_folder = choose_lab(folder)
    if lab_folder is None:
        raise fault(CODE, f"there is no lab in {LABS}", hint="`fabricgen lab up BLUEPRINT` starts one")
    state = read_state(lab_folder)
    if not state.up:
        hint = f"wait for `lab up`, or `fabricgen lab down --state {lab_folder}` takes away what was interrupted"
        raise fault(CODE, f"the lab {state.name} is not up", hint=hint)
    return state, state.open_lab()
