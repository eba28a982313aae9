"""The paths of NICs on Linux: 32 switches in network namespaces, told by their config_db.json, with the kernel's End.

Packets are counted at every link, and told apart where they arrive. docs.kernel.org has no page of NEXT-C-SID: it came
with Linux 6.1 (seg6_local.c, SEG6_LOCAL_FLV_OP_NEXT_CSID; ip-route(8): `flavors next-csid lblen LEN nflen LEN`).
"""

from __future__ import annotations

import ctypes
import json
import os
import socket
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import permutations
from pathlib import Path

import pytest

from tests.needs import require
from tests.srv6.fabrics import FOUR_PLANES, NamedPath, NicPort, build, nic_ports, paths_between
from tests.srv6.walk import Fabric

NEEDS = (
    "needs root, Linux 6.1 or later with CONFIG_IPV6_SEG6_LWTUNNEL and iproute2 6.1: `ip -6 route add ... encap "
    "seg6local action End flavors next-csid` is refused here"
)
PACKETS, PORT = 20, 4791
NO_CHECK6_TX, NO_CHECK6_RX = 101, 102
"""Linux, uapi/linux/udp.h: no checksum. It is made for the whole path, and an outer IPv6 header has none."""
SETTINGS = {
    **{f"conf/{scope}/{key}": "1" for scope in ("all", "default") for key in ("forwarding", "seg6_enabled")},
    **{f"conf/{scope}/accept_dad": "0" for scope in ("all", "default")},
}


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


def ip(*words: str, lines: list[str] | None = None) -> bool:
    given = "\n".join(lines) if lines is not None else None
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False, input=given)
    return done.returncode == 0


@dataclass
class Lab:
    """Namespaces by device, and a socket of each NIC port; hosts are one port each, called eth0."""

    fabric: Fabric
    ports: list[NicPort]
    prefix: str = f"s6-{os.getpid()}-"
    spaces: dict[str, str] = field(default_factory=dict)
    sockets: dict[NicPort, socket.socket] = field(default_factory=dict)

    def start(self, files: dict[str, str]) -> None:
        tables = {name: json.loads(files[f"configs/{name}/config_db.json"]) for name in self.fabric.switches}
        hosts = {(port.node, port.port): f"{port.node}:{port.port}" for port in self.ports}
        self.spaces = {name: f"{self.prefix}{n}" for n, name in enumerate([*tables, *hosts.values()])}
        assert ip("-batch", "-", lines=[f"netns add {space}" for space in self.spaces.values()])
        for space in self.spaces.values():
            with inside(space):
                for key, value in SETTINGS.items():
                    Path("/proc/sys/net/ipv6", key).write_text(value)
        links = []
        for (device, name), (far, far_name) in self.fabric.far.items():
            if (device, name) in hosts and far in tables:
                links.append((hosts[device, name], "eth0", far, far_name))
            elif device in tables and far in tables and device < far:
                links.append((device, name, far, far_name))
        made = [
            f"link add {p} netns {self.spaces[a]} type veth peer name {q} netns {self.spaces[b]}"
            for a, p, b, q in links
        ]
        assert ip("-batch", "-", lines=made)
        cabled = {(a, p) for a, p, _, _ in links} | {(b, q) for _, _, b, q in links}
        for name, table in tables.items():
            used = {port for device, port in cabled if device == name}
            keys = [key.partition("|") for key in table["INTERFACE"] if "|" in key]
            lines = [f"link set {port} up" for port in ("lo", *sorted(used))]
            lines += [f"addr add {address} dev {port} nodad" for port, _, address in keys if port in used]
            (locator,) = table["SRV6_MY_LOCATORS"].values()
            flavor = f"next-csid lblen {locator['block_len']} nflen {locator['node_len']}"
            for key, row in table["SRV6_MY_SIDS"].items():
                assert row["action"] == "uN"
                end = f"encap seg6local action End flavors {flavor} dev {min(used)}"
                lines.append(f"route add {key.partition('|')[2]} {end}")
            for key, row in table["STATIC_ROUTE"].items():
                if row["ifname"] in used:
                    lines.append(f"route add {key.partition('|')[2]} via {row['nexthop']} dev {row['ifname']}")
            assert ip("-6", "-n", self.spaces[name], "-batch", "-", lines=lines), name
        for port in self.ports:
            self._start_host(port, hosts[port.node, port.port], tables[port.leaf])

    def _start_host(self, port: NicPort, device: str, leaf: dict[str, dict[str, dict[str, str]]]) -> None:
        space = self.spaces[device]
        far = leaf["STATIC_ROUTE"][f"default|{port.address}/48"]["nexthop"]
        (gateway,) = (key.partition("|")[2] for key in leaf["INTERFACE"] if key.startswith(f"{port.leaf_port}|"))
        lines = ["link set lo up", "link set eth0 up", f"addr add {far}/127 dev eth0 nodad"]
        lines += [f"addr add {port.address}/128 dev eth0 nodad", f"route add default via {gateway.partition('/')[0]}"]
        assert ip("-6", "-n", space, "-batch", "-", lines=lines), device
        with inside(space):
            sock = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
            sock.setsockopt(socket.SOL_UDP, NO_CHECK6_TX, 1)
            sock.setsockopt(socket.SOL_UDP, NO_CHECK6_RX, 1)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
            sock.bind(("::", PORT))
        sock.settimeout(1)
        self.sockets[port] = sock

    def stop(self) -> None:
        for sock in self.sockets.values():
            sock.close()
        ip("-force", "-batch", "-", lines=[f"netns del {space}" for space in self.spaces.values()])

    def lose(self, device: str, port: str) -> None:
        assert ip("-n", self.spaces[device], "link", "set", port, "down")

    def count_sent(self) -> Counter[tuple[str, str]]:
        """Packets that left each port of a switch."""
        sent: Counter[tuple[str, str]] = Counter()
        for device in self.fabric.switches:
            with inside(self.spaces[device]):
                for line in Path("/proc/self/net/dev").read_text().splitlines()[2:]:
                    name, _, counts = line.partition(":")
                    sent[device, name.strip()] = int(counts.split()[9])
        return sent

    def send(self, paths: list[tuple[NicPort, NamedPath, NicPort]]) -> set[int]:
        """Send packets on each path; the indexes of those of which all arrived where they should."""
        for index, (a, path, _) in enumerate(paths):
            for _ in range(PACKETS):
                self.sockets[a].sendto(str(index).encode(), (path.address, PORT))
        arrived: Counter[int] = Counter()
        for port, sock in self.sockets.items():
            try:
                while True:
                    index = int(sock.recv(16))
                    arrived[index] += 1 if paths[index][2] == port else PACKETS + 1
            except TimeoutError:
                continue
        return {index for index, count in arrived.items() if count == PACKETS}


@contextmanager
def start_lab(files: dict[str, str], ports: list[NicPort]) -> Iterator[Lab]:
    """A lab of a build with some of its NIC ports; where the kernel cannot have one, the test ends."""
    probe = f"s6-{os.getpid()}-probe"
    end = "-6 route add fcbb:bb00:1::/48 encap seg6local action End flavors next-csid lblen 32 nflen 16 dev lo"
    able = os.geteuid() == 0 and ip("netns", "add", probe) and ip("-n", probe, "link", "set", "lo", "up")
    able = able and ip("-n", probe, *end.split())
    ip("netns", "del", probe)
    require("" if able else NEEDS)
    made = Lab(Fabric(files), ports)
    try:
        made.start(files)
        yield made
    finally:
        made.stop()


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    files = build(FOUR_PLANES)
    with start_lab(files, list({port.leaf: port for port in nic_ports(files)}.values())) as made:
        yield made


@pytest.mark.daemon
@pytest.mark.slow
def test_packets_take_the_links_that_their_paths_name(lab: Lab) -> None:
    files = build(FOUR_PLANES)
    pairs = [(a, b) for a, b in permutations(lab.ports, 2) if a.plane == b.plane]
    paths = [(a, path, b) for a, b in pairs for path in paths_between(files, a, b)]
    assert len(paths) == 4 * 12 * 4
    assert lab.send(paths)  # neighbours find each other first
    before = lab.count_sent()
    assert lab.send(paths) == set(range(len(paths)))
    named = Counter((device, port) for _, path, _ in paths for device, (port,) in path.ports)
    crossed = lab.count_sent() - before
    # neighbours ask for each other meanwhile, which are a few packets a port
    assert {end: count // PACKETS for end, count in crossed.items() if count >= PACKETS} == named

    links = sorted(
        {frozenset((end, lab.fabric.far[end])) for end in named if lab.fabric.far[end][0] in lab.spaces}, key=sorted
    )
    lost: set[tuple[str, str]] = set()
    for broken in ([links[0]], links[9::8]):  # one link, then eight in all
        for link in broken:
            lab.lose(*min(link))
            lost |= link
        alive = {i for i, (_, path, _) in enumerate(paths) if not lost & {(d, p) for d, (p,) in path.ports}}
        assert lab.send(paths) == alive
    assert len(lost) == 2 * (1 + len(links[9::8]))
    assert 0 < len(alive) < len(paths)
