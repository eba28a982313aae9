"""`fabricgen lab`: a fabric at work on this machine, with FRR in network namespaces."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from fabricgen.cli.options import blueprint_argument, lab_option, phase_option, reading_options

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.lab.fabric import Lab
    from fabricgen.lab.inside import Inside
    from fabricgen.lab.state import State

F = TypeVar("F", bound=Callable[..., Any])

TABLES = ("addresses", "devices", "links")
"""The parts of a build that tell how large a lab is; its configurations are rendered once that is known to fit."""

MANY_LINKS = 100_000
"""A plan of more links is refused before its lists are written, which takes longer than to wire it."""


@click.group()
def command() -> None:
    """Run a fabric on this machine: FRR on every switch, in network namespaces.

    Needs Linux, root, iproute2 and FRR.
    """


def state_option(command: F) -> F:
    """Add `--state`."""
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

    A network namespace a device, a veth pair a link; each switch runs what FRR makes of its own configuration. The lab
    goes on when the command ends, until `lab down`. Exits with 1 where sessions stay down.
    """
    from fabricgen.lab.machine import require_machine
    from fabricgen.lab.state import LABS

    require_machine()
    started = time.monotonic()
    name, made = _made(blueprint, sets, phase, lab, allow_outside=allow_outside)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C, so that it cleans up
    return _start((state or LABS / name).resolve(), made, wait, started)


def _made(
    blueprint: str, sets: tuple[str, ...], phase: str | None, lab: str | None, *, allow_outside: bool
) -> tuple[str, Inside]:
    """The name of a lab and what is in it; raises InputError where it does not fit on this machine (FG172)."""
    from fabricgen.cli.built_archives import built_places, refuse_for_a_build
    from fabricgen.lab.files import Build
    from fabricgen.lab.inside import inside
    from fabricgen.lab.machine import require_room

    with built_places() as places:
        folder = Path(places.folder_of(blueprint))
        if folder.is_dir():
            refuse_for_a_build(blueprint, set=sets, phase=phase, lab=lab)
            made = inside(Build(_built(folder)))
            _require_fit(made)
            name = Path(blueprint).resolve().name
            return (name if folder == Path(blueprint) else name.partition(".")[0]), made
    from fabricgen.cli.output import tell_left_out
    from fabricgen.pipeline import compile_cluster, compile_design

    design = compile_design(blueprint, sets, allow_outside=allow_outside)
    cluster = compile_cluster(design, phase, lab=lab)
    if len(cluster.plan.links) > MANY_LINKS:
        require_room(len(cluster.switch_rows()), len(cluster.plan.devices), len(cluster.plan.links))
    tell_left_out(cluster)
    lists = _files(cluster, *TABLES)
    _require_fit(inside(Build(lists)))
    made = inside(Build({**lists, **_files(cluster, "configs")}))
    _require_fit(made)
    return design.loaded.blueprint.name, made


def _require_fit(made: Inside) -> None:
    from fabricgen.lab.machine import require_neighbours, require_room

    require_room(*made.numbers)
    require_neighbours(made.neighbours)


def _built(folder: Path) -> dict[str, str]:
    """The lists and configurations of a built folder.

    Raises InputError: FG028 or FG054 where they are none or not as built, FG001 for a configuration that is no text.
    """
    from fabricgen.diff.folder import listing_of
    from fabricgen.kernel.diagnostics import fault
    from fabricgen.kernel.text_input import MAX_BUILT_BYTES, decode_text
    from fabricgen.publish.reading import NO_BUILD, open_built

    built = open_built(folder)
    configs = sorted(file.relative_to(folder).as_posix() for file in folder.glob("configs/*/*") if file.is_file())
    if not configs:
        hint = "build it with the parts devices, links, addresses and configs"
        raise fault(NO_BUILD, f"{folder} has no configurations", hint=hint)
    for name in TABLES:
        listing_of(folder / f"{name}.csv", built.read(f"{name}.csv"), name)
    return {
        path: decode_text(built.read(path), str(folder / path), limit=MAX_BUILT_BYTES, kind="files of a lab")
        for path in (*(f"{name}.csv" for name in TABLES), *configs)
    }


def _files(cluster: Cluster, *parts: str) -> dict[str, str]:
    """Files of a build by path, with references in place of secrets: what runs in a lab need not be secret."""
    from fabricgen.pipeline import BuildOptions, build_bundles

    bundles = build_bundles(cluster, dict, BuildOptions(parts, redact_secrets=True))
    made = (file for bundle in bundles for file in bundle.make())
    return {path: (content if isinstance(content, bytes) else b"".join(content)).decode() for path, content in made}


def _start(folder: Path, made: Inside, wait: int, started: float) -> int:
    """Bring a lab up, wait for its sessions and say what there is."""
    from fabricgen.kernel.diagnostics import fault
    from fabricgen.lab.report import size
    from fabricgen.lab.state import CODE, leave

    try:
        folder.mkdir(parents=True, exist_ok=True)
        state, lab, up, sessions = _come_up(folder, made, wait)
    except OSError as error:
        told = f"{folder} cannot be the folder of a lab: {error.strerror or error}"
        raise fault(CODE, told, hint="name another folder with --state") from None
    finally:
        leave(folder)
    seconds = time.monotonic() - started
    click.echo(f"{state.name}: {size(lab)}, {up} of {sessions} sessions up, in {seconds:.1f} s")
    for sentence in made.left_out:
        click.echo(f"left out: {sentence}")
    _ways_in(state, lab)
    if up < sessions:
        click.echo(f"sessions are down after {wait} s: `fabricgen lab check` says which", err=True)
    return int(up < sessions)


def _come_up(folder: Path, made: Inside, wait: int) -> tuple[State, Lab, int, int]:
    """Bring a lab up, and leave nothing of it where that fails or is interrupted; returns sessions that are up too."""
    from fabricgen.lab.start import bring_up, sessions_come_up
    from fabricgen.lab.state import claim, held, new_state, remove

    with held(folder) as descriptor:
        claim(folder)
        state = new_state(folder, made)
        try:
            state.write(made.build)
            lab = state.lab()
            bring_up(lab, _told, descriptor)
            up, sessions = sessions_come_up(lab, _told, wait)
            state.save(up=True)
        except BaseException:
            click.echo("taking the lab down again", err=True)
            remove(state)
            raise
    return state, lab, up, sessions


def _told(text: str) -> None:
    click.echo(text, err=True)


def _ways_in(state: State, lab: Lab) -> None:
    """How to reach a switch and a host, for example."""
    switch = lab.build.switches[0]
    click.echo(f"a switch: ip netns exec {lab.spaces[switch]} vtysh --vty_socket {state.sockets / switch}")
    click.echo(f"a host:   ip netns exec {lab.spaces[lab.build.hosts[0]]} bash")


@command.command()
@state_option
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True)
def check(state: Path | None, form: str) -> int:
    """Compare a lab with its plan: cables, sessions, routes over all equal paths, leaks, and pings between leaves.

    With links that `lab break` took down, their sessions are told as lost, and routes and pings are held to what is
    left. Exits with 0 where all is as planned, with 1 where it is not.
    """
    from fabricgen.lab.report import judge, write

    found, lab = _found(state)
    judged = judge(lab)
    click.echo(write(form, found.name, lab, judged))
    return int(bool(judged.findings))


@command.command("break")
@click.argument("link")
@state_option
def break_(link: str, state: Path | None) -> int:
    """Take a LINK down, at both ends: a cable or link of links.csv, DEVICE:PORT of an end, or all links of a DEVICE."""
    from fabricgen.lab.breaking import break_links, links_of

    lab = _lab(state)
    links = links_of(lab, link)
    break_links(lab, links)
    for each in links:
        click.echo(f"broken: {each.a} to {each.b}")
    return 0


@command.command()
@click.argument("link")
@state_option
def mend(link: str, state: Path | None) -> int:
    """Bring a LINK back that `lab break` took down, and wait for its sessions; exits with 1 where they stay down."""
    from fabricgen.lab.breaking import broken_links, links_of, mend_links

    lab = _lab(state)
    links = [each for each in links_of(lab, link) if each in broken_links(lab)]
    if not links:
        click.echo(f"{link} is not broken", err=True)
    down = mend_links(lab, links)
    for each in links:
        click.echo(f"mended: {each.a} to {each.b}")
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
    from fabricgen.lab.state import held, remove, state_to_end, the_lab

    folder = the_lab(state)
    if folder is None or not folder.exists():
        click.echo("no lab is there", err=True)
        return 0
    require_rights()
    with held(folder):
        found = state_to_end(folder)
        remove(found)
    click.echo(f"{found.name}: {len(found.spaces)} namespaces are gone", err=True)
    if folder.exists():
        click.echo(f"{folder} stays: it holds files that are not the lab's", err=True)
    return 0


def _lab(folder: Path | None) -> Lab:
    return _found(folder)[1]


def _found(folder: Path | None) -> tuple[State, Lab]:
    """The lab that is meant; raises InputError (FG172, FG173) where there is none that is up, or no way to it."""
    from fabricgen.kernel.diagnostics import fault
    from fabricgen.lab.machine import require_machine
    from fabricgen.lab.state import CODE, LABS, read_state, the_lab

    require_machine()
    found = the_lab(folder)
    if found is None:
        raise fault(CODE, f"there is no lab in {LABS}", hint="`fabricgen lab up BLUEPRINT` starts one")
    state = read_state(found)
    if not state.up:
        hint = f"wait for `lab up`, or `fabricgen lab down --state {found}` takes away what was interrupted"
        raise fault(CODE, f"the lab {state.name} is not up", hint=hint)
    return state, state.lab()
