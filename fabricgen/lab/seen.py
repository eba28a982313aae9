"""What is seen of a lab's devices from outside of FRR: ports, addresses, routes and daemons, whoever changed them."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_interface, ip_network
from pathlib import Path
from typing import Any

from fabricgen.lab.fabric import Lab
from fabricgen.lab.files import Build, End
from fabricgen.lab.stop import daemons_of

LOOPBACK = "Loopback0"
KERNEL, BOOT, ADVERTISED, BGP = 2, 3, 9, 186
"""Who made a route: the kernel, of an address; whoever did not say so; a router's advertisement; BGP (Linux,
uapi/linux/rtnetlink.h)."""


@dataclass(frozen=True, slots=True)
class Route:
    """A route of the kernel, and the ports that it leads over; none where it drops what it is for."""

    network: IPv4Network | IPv6Network
    maker: int
    ports: frozenset[str]


def routes(lab: Lab, device: str) -> list[Route]:
    """The main table of a device, the longest prefixes first, and of one prefix what is used first.

    Raises InputError (FG175) where it does not answer.
    """
    found = []
    for family, everywhere in (("-4", "0.0.0.0/0"), ("-6", "::/0")):
        for row in json.loads(lab.run(device, "ip", "-N", "-json", family, "route", "show", "table", "main")):
            network = ip_network(everywhere if row["dst"] == "default" else row["dst"])
            hops = (hop for hop in row.get("nexthops", [row]) if "dead" not in hop["flags"])
            ports = frozenset(hop["dev"] for hop in hops if "dev" in hop and row.get("type") != "blackhole")
            found.append(
                (-network.prefixlen, row.get("metric", 0), Route(network, int(row.get("protocol", BOOT)), ports))
            )
    return [route for *_, route in sorted(found, key=lambda each: each[:2])]


@dataclass(frozen=True, slots=True)
class Ports:
    """The ports of a device that are down, and the addresses of all: not those that the kernel gives by itself."""

    down: frozenset[str]
    addresses: dict[str, frozenset[str]]


def ports(lab: Lab, device: str) -> Ports:
    """What a device's ports are like, by the kernel's names; raises InputError (FG175) where it does not answer."""
    rows = json.loads(lab.run(device, "ip", "-json", "addr", "show"))
    down = frozenset(row["ifname"] for row in rows if "UP" not in row["flags"])
    return Ports(down, {row["ifname"]: frozenset(_addresses(row)) for row in rows})


def _addresses(row: dict[str, Any]) -> Iterator[str]:
    yield from (f"{one['local']}/{one['prefixlen']}" for one in row["addr_info"] if one["scope"] == "global")


def planned(build: Build, end: End) -> frozenset[str]:
    """The addresses that a port or loopback should have."""
    addresses = build.forms[end.device].loopbacks if end.port == LOOPBACK else build.own(end)
    return frozenset(str(ip_interface(address)) for address in addresses)


def daemons(lab: Lab) -> set[tuple[str, str]]:
    """(switch, name) of every daemon that runs."""
    found = set()
    for process in daemons_of(lab.folder):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            words = Path("/proc", str(process), "cmdline").read_bytes().decode().split("\0")
            found.add((Path(words[words.index("--vty_socket") + 1]).name, Path(words[0]).name))
    return found
