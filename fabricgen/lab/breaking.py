"""Links that are taken down and brought back, as if a cable were pulled: both ends lose the link."""

from __future__ import annotations

import time
from collections.abc import Iterable

from fabricgen.kernel.diagnostics import did_you_mean, fault
from fabricgen.lab import inside
from fabricgen.lab.check import Check, LabFinding, ask_each, ask_neighbours, list_peers
from fabricgen.lab.fabric import Lab, run_ip_batch
from fabricgen.lab.files import Link, kernel_name
from fabricgen.lab.start import list_port_commands, wait_for_routes

CODE = "FG174"
"""The code of a link that a lab does not have."""


def find_links(lab: Lab, name: str) -> tuple[Link, ...]:
    """Return the links that a name stands for.

    A name is DEVICE:PORT of either end, a link or a cable of links.csv, or a DEVICE for all of its links. Raises
    InputError (FG174) for a name that the lab does not have.
    """
    names = lab.build.names
    if name in lab.spaces:
        return tuple(link for link in lab.build.links if name in (link.a.device, link.b.device))
    if name not in names:
        device = name.partition(":")[0]
        ports = [end_name for end_name in names if end_name.partition(":")[0] == device]
        hint = did_you_mean(name, ports or names)
        raise fault(
            CODE,
            f"the lab has no link '{name}'; a link is a cable of links.csv, DEVICE:PORT or all of a DEVICE",
            hint=hint,
        )
    return names[name]


def find_broken_links(lab: Lab) -> frozenset[Link]:
    """Return the links that have an end that is down."""
    ports_by_device = ask_each(lambda device: inside.read_ports(lab, device), lab.spaces)
    down = {end for end in lab.build.far if kernel_name(end.port) in ports_by_device[end.device].down}
    return frozenset(link for link in lab.build.links if link.a in down or link.b in down)


def break_links(lab: Lab, links: Iterable[Link]) -> None:
    """Take both ends of links down."""
    for link in links:
        for end in (link.a, link.b):
            run_ip_batch([f"link set {kernel_name(end.port)} down"], "-n", lab.spaces[end.device])


def mend_links(lab: Lab, links: Iterable[Link], seconds: float = 300) -> list[LabFinding]:
    """Bring both ends of links up, with the routes and IPv6 addresses that the kernel forgets of a port that is down,
    and call their BGP neighbours.

    Waits until the sessions over these links are up, at most `seconds`, and then for routes. Returns a finding for each
    session that is still down; routes are not waited for then.
    """
    mended_ends, broken_links = set(), tuple(links)
    break_links(lab, broken_links)  # one end of a link may be up, and have what is given now
    for link in broken_links:
        for near, far in ((link.a, link.b), (link.b, link.a)):
            run_ip_batch(list_port_commands(lab.build, near, far), "-n", lab.spaces[near.device])
            mended_ends.add(near)
    for device in sorted({end.device for end in mended_ends if (end.device, "bgpd") in inside.list_daemons(lab)}):
        # neighbours over a mended port, which FRR would call only after a while
        neighbours = [neighbour for near, neighbour, _ in list_peers(lab.build, device) if near in mended_ends]
        lab.ask_frr(device, *(f"clear bgp {neighbour}" for neighbour in neighbours))
    deadline = time.monotonic() + seconds
    while True:
        sessions_down = list(
            Check(lab, lab.build, ask_neighbours(lab, lab.build)).check_sessions(lambda near: near in mended_ends)
        )
        if not sessions_down:
            wait_for_routes(lab, find_broken_links(lab))
        if not sessions_down or time.monotonic() > deadline:
            return sessions_down
        time.sleep(0.2)
