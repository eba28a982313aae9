"""Switches in network namespaces, told by their config_db.json, with the kernel's End and its static routes.

docs.kernel.org has no page of NEXT-C-SID: it came with Linux 6.1 (seg6_local.c, SEG6_LOCAL_FLV_OP_NEXT_CSID;
ip-route(8): `flavors next-csid lblen LEN nflen LEN`).
"""

from __future__ import annotations

import ctypes
import json
import os
import selectors
import socket
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.needs import require
from tests.srv6.fabrics import NicPort
from tests.srv6.walk import Fabric, Port

NEEDS = (
    "needs root, Linux 6.1 or later with CONFIG_IPV6_SEG6_LWTUNNEL and iproute2 6.1: `ip -6 route add ... encap "
    "seg6local action End flavors next-csid` is refused here"
)
PORT, FIRST_SOURCE = 4791, 20_000
NO_CHECK6_TX, NO_CHECK6_RX, SO_RCVBUFFORCE = 101, 102, 33
"""Linux, uapi/linux/udp.h: no checksum. It is made for the whole path, and an outer IPv6 header has none."""
SETTINGS = {
    **{f"conf/{scope}/{key}": "1" for scope in ("all", "default") for key in ("forwarding", "seg6_enabled")},
    **{f"conf/{scope}/accept_dad": "0" for scope in ("all", "default")},
    # as zebra, which takes a route away whose port is down at either end; flows are told apart by their ports
    **{f"conf/{scope}/ignore_routes_with_linkdown": "1" for scope in ("all", "default")},
    "fib_multipath_hash_policy": "1",
}
LONGEST_S, QUIET_S = 60.0, 0.2
"""How long what should arrive is waited for, and then what should not."""


@contextmanager
def inside(space: str) -> Iterator[None]:
    """What this thread opens belongs to a network namespace."""
    setns = ctypes.CDLL(None, use_errno=True).setns
    with Path("/proc/self/ns/net").open() as own, Path("/run/netns", space).open() as other:
        assert setns(other.fileno(), 0) == 0
        try:
            yield
        finally:
            assert setns(own.fileno(), 0) == 0


def ip(*words: str) -> bool:
    return subprocess.run(["ip", *words], capture_output=True, check=False).returncode == 0


def run_lines(lines: list[str], *words: str) -> None:
    """Lines of `ip`, of which each must be taken."""
    batch = ["ip", *words, "-batch", "-"]
    done = subprocess.run(batch, capture_output=True, text=True, check=False, input="\n".join(lines))
    assert done.returncode == 0, done.stderr


@dataclass(frozen=True)
class Packet:
    """Packets of one content: from a NIC port, by a source port, to an address, where they should arrive."""

    a: NicPort
    source: int
    address: str
    b: NicPort


@dataclass
class Lab:
    """Namespaces by device, and a socket of each NIC port; hosts are one port each, called eth0."""

    fabric: Fabric
    ports: list[NicPort]
    prefix: str
    spaces: dict[str, str] = field(default_factory=dict)
    sockets: dict[NicPort, socket.socket] = field(default_factory=dict)
    hosts: dict[Port, str] = field(default_factory=dict)
    lines: dict[Port, list[str]] = field(default_factory=dict)
    """What brings each port of a switch up again, with its addresses and routes."""

    def start(self, files: dict[str, str]) -> None:
        tables = {name: json.loads(files[f"configs/{name}/config_db.json"]) for name in self.fabric.switches}
        self.hosts = {(port.node, port.port): f"{port.node}:{port.port}" for port in self.ports}
        self.spaces = {name: f"{self.prefix}{n}" for n, name in enumerate([*tables, *self.hosts.values()])}
        run_lines([f"netns add {space}" for space in self.spaces.values()])
        for space in self.spaces.values():
            with inside(space):
                for key, value in SETTINGS.items():
                    Path("/proc/sys/net/ipv6", key).write_text(value)
        made = []
        for (device, name), (far, far_name) in self.fabric.far.items():
            if far in tables and ((device, name) in self.hosts or (device in tables and device < far)):
                near, near_name = (self.hosts[device, name], "eth0") if device not in tables else (device, name)
                made.append(
                    f"link add {near_name} netns {self.spaces[near]} type veth peer name {far_name} netns "
                    f"{self.spaces[far]}"
                )
                self.lines |= {end: [f"link set {end[1]} up"] for end in ((near, near_name), (far, far_name))}
        run_lines(made)
        for name, table in tables.items():
            run_lines(list(self._list_lines(name, table)), "-6", "-n", self.spaces[name])
        for port in self.ports:
            self._start_host(port, self.hosts[port.node, port.port], tables[port.leaf])

    def _list_lines(self, name: str, table: dict[str, dict[str, dict[str, str]]]) -> Iterator[str]:
        # what makes a switch of a namespace; identifiers hang on sr0, as on SONiC, which no lost link takes down
        yield from ("link set lo up", "link add sr0 type veth peer name sr1", "link set sr0 up", "link set sr1 up")
        for key in table["INTERFACE"]:
            port, _, address = key.partition("|")
            if address and (name, port) in self.lines:
                self.lines[name, port].append(f"addr add {address} dev {port} nodad")
        shared = []
        for key, row in table["STATIC_ROUTE"].items():
            prefix = key.partition("|")[2]
            hops = zip(row.get("nexthop", "").split(","), row.get("ifname", "").split(","), strict=True)
            used = [(hop, port) for hop, port in hops if (name, port) in self.lines]
            if len(used) == 1:
                ((hop, port),) = used
                self.lines[name, port].append(f"route add {prefix} via {hop} dev {port}")
            elif used:
                shared.append(f"route add {prefix}" + "".join(f" nexthop via {hop} dev {port}" for hop, port in used))
            elif row.get("blackhole") == "true":
                shared.append(f"route add blackhole {prefix}")
        for (device, _), own in self.lines.items():
            yield from own if device == name else ()
        yield from shared
        for locator in table.get("SRV6_MY_LOCATORS", {}).values():
            flavor = f"next-csid lblen {locator['block_len']} nflen {locator['node_len']}"
            for key, row in table["SRV6_MY_SIDS"].items():
                assert row["action"] == "uN"
                yield f"route add {key.partition('|')[2]} encap seg6local action End flavors {flavor} dev sr0"

    def _start_host(self, port: NicPort, device: str, leaf: dict[str, dict[str, dict[str, str]]]) -> None:
        space = self.spaces[device]
        (gateway,) = (key.partition("|")[2] for key in leaf["INTERFACE"] if key.startswith(f"{port.leaf_port}|"))
        lines = ["link set lo up", "link set eth0 up", f"addr add {port.ip}/127 dev eth0 nodad"]
        lines += [f"addr add {port.address}/128 dev eth0 nodad", f"route add default via {gateway.partition('/')[0]}"]
        run_lines(lines, "-6", "-n", space)
        with inside(space):
            sock = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        sock.setsockopt(socket.SOL_UDP, NO_CHECK6_TX, 1)
        sock.setsockopt(socket.SOL_UDP, NO_CHECK6_RX, 1)
        sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 24)
        sock.bind(("::", PORT))
        sock.setblocking(False)
        self.sockets[port] = sock

    def stop(self) -> None:
        for sock in self.sockets.values():
            sock.close()
        for space in self.spaces.values():
            ip("netns", "del", space)

    def lose(self, end: Port) -> None:
        """Take a link away, by its end at a switch."""
        assert ip("-n", self.spaces[end[0]], "link", "set", end[1], "down")

    def mend(self, end: Port) -> None:
        """Bring a link back that no route of several next hops uses."""
        run_lines(self.lines[end], "-6", "-n", self.spaces[end[0]])

    def count_sent(self) -> Counter[Port]:
        """Packets that left each port of a switch."""
        sent: Counter[Port] = Counter()
        for device in self.fabric.switches:
            with inside(self.spaces[device]):
                for line in Path("/proc/self/net/dev").read_text().splitlines()[2:]:
                    name, _, counts = line.partition(":")
                    sent[device, name.strip()] = int(counts.split()[9])
        return sent

    def wait_for(self, packets: list[Packet]) -> None:
        """Ask again until all packets arrive: neighbours have found each other, and ports know that they are up."""
        until = time.monotonic() + LONGEST_S
        while (arrived := self.send(packets, 1, len(packets), 1)) != set(range(len(packets))):
            assert time.monotonic() < until, [packets[i] for i in range(len(packets)) if i not in arrived]

    def send(self, packets: list[Packet], times: int, awaited: int, longest_s: float = LONGEST_S) -> set[int]:
        """Send each packet so many times; the indexes of those of which all arrived where they should.

        At least `awaited` of them are waited for, at most so long; then until nothing arrives for a short while.
        """
        by_host: dict[NicPort, list[int]] = {}
        for index, packet in enumerate(packets):
            by_host.setdefault(packet.a, []).append(index)
        for host, indexes in by_host.items():
            with inside(self.spaces[self.hosts[host.node, host.port]]):
                for index in indexes:
                    self._send_one(packets[index], str(index).encode(), times)
        arrived: Counter[int] = Counter()
        started = last = time.monotonic()
        with selectors.DefaultSelector() as selector:
            for port, sock in self.sockets.items():
                selector.register(sock, selectors.EVENT_READ, port)
            while (now := time.monotonic()) < started + longest_s:
                if sum(arrived.values()) >= awaited * times and now > last + QUIET_S:
                    break
                for key, _ in selector.select(QUIET_S):
                    last = time.monotonic()
                    with suppress(BlockingIOError):
                        while True:
                            index = int(self.sockets[key.data].recv(16))
                            arrived[index] += 1 if packets[index].b == key.data else times + 1
        return {index for index, count in arrived.items() if count == times}

    def _send_one(self, packet: Packet, content: bytes, times: int) -> None:
        # a host whose only link is lost has no route
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as sock, suppress(OSError):
            sock.setsockopt(socket.SOL_UDP, NO_CHECK6_TX, 1)
            sock.bind(("::", packet.source))
            for _ in range(times):
                sock.sendto(content, (packet.address, PORT))


@contextmanager
def start_lab(files: dict[str, str], ports: list[NicPort], name: str = "s6") -> Iterator[Lab]:
    """A lab of a build with some of its NIC ports; where the kernel cannot have one, the test ends."""
    prefix = f"{name}-{os.getpid()}-"
    probe = f"{prefix}probe"
    end = "-6 route add fcbb:bb00:1::/48 encap seg6local action End flavors next-csid lblen 32 nflen 16 dev lo"
    able = os.geteuid() == 0 and ip("netns", "add", probe) and ip("-n", probe, "link", "set", "lo", "up")
    able = able and ip("-n", probe, *end.split())
    ip("netns", "del", probe)
    require("" if able else NEEDS)
    made = Lab(Fabric(files), ports, prefix)
    try:
        made.start(files)
        yield made
    finally:
        made.stop()
