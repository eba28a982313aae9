"""How a lab comes up: namespaces, cables, addresses, then FRR's daemons and their configurations."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor

from fabricgen.export.table import FrrLab
from fabricgen.lab.check import Check, ask_neighbours
from fabricgen.lab.fabric import DAEMON_NAMES, Lab, explain_failure, run_ip_batch, wait_until
from fabricgen.lab.files import Build, BuiltEnd, Link, kernel_name
from fabricgen.lab.inside import cut_to_lab

SETTINGS = (
    "net.ipv4.ip_forward=1",
    "net.ipv4.fib_multipath_hash_policy=1",
    "net.ipv6.conf.all.forwarding=1",
    "net.ipv6.fib_multipath_hash_policy=1",
    "net.ipv6.conf.default.accept_dad=0",
)
"""Kernel settings of every namespace: forwarding, hashing of flows by ports, and addresses that are usable at once."""


ROUTES_ALONE = "no zebra nexthop kernel enable"
"""The kernel is given each route with its ports, and no group of ports.

It takes a port that goes down out of its groups, and zebra of FRR 8.4 holds them for whole once the port is back:
routes went over three of four uplinks (measured; github.com/FRRouting/frr, issue 14160 is alike).
"""


ROUTES_S = 15
"""Seconds to wait for routes once sessions are up; `lab check` reports what is then wrong with them."""


def bring_lab_up(
    lab: Lab, tell: Callable[[str], object] = lambda _: None, holding: int | None = None
) -> list[subprocess.Popen[bytes]]:
    """Start the switches and hosts of a build, cabled as its links.csv says, each with its configuration.

    Returns the daemons, which outlive this process. `tell` hears of each step; the processes that make namespaces keep
    `holding` open. Raises InputError (FG175) if something fails; what was started until then stays.
    """
    build = lab.build
    tell(f"{len(lab.spaces)} namespaces")
    run_ip_batch((f"netns add {space}" for space in lab.spaces.values()), holding=holding)
    for device in lab.spaces:
        lab.run_in_namespace(device, "sysctl", "-qw", *SETTINGS)
    tell(f"{len(build.links)} links")
    run_ip_batch(_list_cable_commands(lab), holding=holding)
    for device, space in lab.spaces.items():
        run_ip_batch(list_interface_commands(build, device), "-n", space)
        for family, rules in (
            ("-4", _list_rule_commands(build, device, v6=False)),
            ("-6", _list_rule_commands(build, device, v6=True)),
        ):
            run_ip_batch(rules, family, "-n", space)
    tell(f"{len(DAEMON_NAMES) * len(build.switches)} daemons")
    daemons = start_daemons(lab, build.switches)
    tell(f"configurations of {len(build.switches)} switches")
    configure_switches(lab, {name: build.make_frr_config(name) for name in build.switches})
    return daemons


def wait_for_sessions(lab: Lab, tell: Callable[[str], object], seconds: float) -> tuple[int, int]:
    """Wait until all sessions are up, at most `seconds`, and then for routes; `tell` hears of each change.

    Returns how many sessions are up, and how many there should be.
    """
    # -1 so that the first count is told, also if it is 0
    deadline, last_up = time.monotonic() + seconds, -1
    while True:
        up, sessions = Check(lab, lab.build, ask_neighbours(lab, lab.build)).count_sessions()
        if up != last_up:
            tell(f"{up} of {sessions} sessions up")
        if up == sessions:
            wait_for_routes(lab)
        if up == sessions or time.monotonic() > deadline:
            return up, sessions
        last_up = up
        time.sleep(0.3)


def wait_for_routes(lab: Lab, broken: frozenset[Link] = frozenset()) -> None:
    """Wait, at most ROUTES_S seconds, until routes are as planned without the broken links; they come some time after
    the sessions that bring them.
    """
    deadline = time.monotonic() + ROUTES_S
    while any(Check(lab, lab.build, {}, broken).check_routes()) and time.monotonic() < deadline:
        time.sleep(0.3)


def _list_cable_commands(lab: Lab) -> Iterator[str]:
    for link in lab.build.links:
        a, b = (f"{kernel_name(end.port)} netns {lab.spaces[end.device]}" for end in (link.a, link.b))
        yield f"link add name {a} type veth peer name {b}"


def list_interface_commands(build: Build, device: str) -> Iterator[str]:
    """Yield commands of `ip` that bring the ports of a device up, with its addresses and routes.

    A switch has the addresses of its configuration, a host those of addresses.csv.
    """
    yield "link set lo up"
    if device in build.forms:
        yield from (f"address replace {address} dev lo" for address in sorted(build.forms[device].loopbacks))
    for near, far in build.far.items():
        if near.device == device:
            yield from list_port_commands(build, near, far)


def list_port_commands(build: Build, near: BuiltEnd, far: BuiltEnd) -> Iterator[str]:
    """Yield commands of `ip` that bring the port `near` up and give it its addresses.

    On a host, also default routes by way of the address at the far end: one in the main table, and one in the table of
    the port, for IPv4 and for IPv6.
    """
    port = kernel_name(near.port)
    yield f"link set {port} up"
    if near.device in build.forms:
        yield from (_spell_address(address, port) for address in build.list_lab_addresses(near))
        return
    # whether it is IPv6, and the address of the switch
    gateways = {":" in address: address.partition("/")[0] for address in build.addresses.get(far, ())}
    for address in build.list_lab_addresses(near):
        is_v6, source = ":" in address, address.partition("/")[0]
        yield _spell_address(address, port)
        if is_v6 in gateways:
            everywhere = "::/0" if is_v6 else "0.0.0.0/0"
            yield f"route append {everywhere} via {gateways[is_v6]} dev {port} metric 100 src {source}"
            yield f"route replace {everywhere} via {gateways[is_v6]} dev {port} table {build.tables[near]}"


def _list_rule_commands(build: Build, device: str, *, v6: bool) -> list[str]:
    """Return commands of `ip` by which a host sends from the address of a port over that port, as in the part `hosts`.

    They are rules: packets from the address use the routing table of the port. `v6` selects IPv6 or IPv4.
    """
    return [
        f"rule add from {address.partition('/')[0]} table {table}"
        for near, table in build.tables.items()
        if near.device == device
        for address in build.addresses.get(near, ())
        if (":" in address) == v6
    ]


def _spell_address(address: str, port: str) -> str:
    # Without `nodad` an IPv6 address is tentative for a moment, and no route may have it as its source.
    return f"address replace {address} dev {port}" + (" nodad" if ":" in address else "")


def start_daemons(lab: Lab, names: Iterable[str]) -> list[subprocess.Popen[bytes]]:
    """Start the daemons of switches, without configurations, and wait until each has met zebra.

    Their sockets lie in the folder of each switch. zebra comes first: a daemon that does not find it tries again after
    ten seconds. Raises InputError (FG175) for daemons that do not start.
    """
    daemons_started, switches = [], tuple(names)
    for name in switches:
        (lab.folder / name).mkdir(parents=True)
        shutil.chown(lab.folder / name, "frr", "frr")
    # zebra, the first, before those that look for it
    for daemons in (DAEMON_NAMES[:1], DAEMON_NAMES[1:]):
        daemons_started += [
            _start_process(lab.make_daemon_command(name, daemon)) for name in switches for daemon in daemons
        ]
        for name in switches:
            sockets = [lab.folder / name / file for file in ("zserv.api", *(f"{daemon}.vty" for daemon in daemons))]
            wait_until(lambda s=sockets: all(file.exists() for file in s), f"{name}: daemons start")  # type: ignore[misc]
    for name in switches:  # a route given to staticd before it has met zebra may be lost
        wait_until(lambda n=name: _has_met_zebra(lab, n), f"{name}: daemons meet zebra")  # type: ignore[misc]
    return daemons_started


def _start_process(command: list[str]) -> subprocess.Popen[bytes]:
    """Start a process that goes on when this one ends or is interrupted."""
    return subprocess.Popen(  # noqa: S603 - no shell
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _has_met_zebra(lab: Lab, name: str) -> bool:
    """Whether the daemons for static routes and BGP are connected to zebra."""
    clients = lab.ask_frr(name, "show zebra client summary")
    return all(client in clients for client in ("static", "bgp"))


def configure_switches(lab: Lab, texts: Mapping[str, str]) -> None:
    """Give switches their configurations, `texts` by name, all at once, and start their sessions again.

    FRR waits ever longer before it calls a neighbour that was not there, or whose configuration has changed; and bgpd
    waits four seconds after a file of `vtysh -f`, so the lines are given as if they were typed. Raises InputError
    (FG175) for a line that FRR refuses.
    """

    def configure_switch(name: str) -> None:
        lines = (line for line in texts[name].splitlines() if line.strip() not in ("", "!"))
        out = lab.ask_frr(name, "configure terminal", ROUTES_ALONE, *lines)
        if "%" in out:
            raise explain_failure(f"{name}: FRR refuses its configuration: {out.strip()}")

    with ThreadPoolExecutor() as pool:
        list(pool.map(configure_switch, texts))
        list(pool.map(lambda name: lab.ask_frr(name, "clear bgp *"), texts))


# What FRR runs of a build in containers: the part of it that a lab of network namespaces has, too.

MOST_PATHS = 64
"""Equal paths that FRR's image is built for (github.com/FRRouting/frr@fbfc8222, alpine/APKBUILD.in: multipath)."""


def plan_frr_lab(files: Mapping[str, str]) -> FrrLab:
    """Return what FRR runs of a build; `files` are its lists and configurations by path in the build."""
    cut = cut_to_lab(Build(files))
    build = cut.build
    conf = {name: _limit_paths(build.make_frr_config(name)) for name in build.switches}
    commands = {name: tuple(list_interface_commands(build, name)) for name in build.switches}
    ends = {(end.device, end.port) for link in build.links for end in (link.a, link.b)}
    hosts = {(end.device, end.port) for end in build.addresses if end.device not in conf}
    return FrrLab(conf, commands, ends, hosts, cut.left_out)


def _limit_paths(text: str) -> str:
    """Return a configuration that asks for no more equal paths than FRR's image supports."""
    return re.sub(r"maximum-paths (\d+)", lambda match: f"maximum-paths {min(MOST_PATHS, int(match[1]))}", text)
