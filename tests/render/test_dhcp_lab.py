"""DHCP and jumbo frames at work: a real Kea behind a real relay, and the MTUs of the generated files end to end.

The relay is isc-dhcp-relay with the options that SONiC's container gives it (sonic-buildimage, dockers/
docker-dhcp-relay, dhcpv4-relay.agents.j2), taken from the generated config_db.json; VLANs are Linux bridges. What SONiC
adds to the program (`-a %h:%p`, the port as circuit id) Debian's does not have: there the circuit id is the interface,
Vlan100. Routes between leaves and to the server are the kernel's; another lab has them from BGP.

Needs root, Kea and isc-dhcp-relay, and takes some seconds; elsewhere it is skipped, in CI it must run.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from ipaddress import ip_interface
from pathlib import Path
from typing import Any

import pytest

from fabricgen.lab.fabric import run_ip_batch
from fabricgen.lab.files import Build, BuiltEnd
from fabricgen.views.mtu import HOST_MTU
from tests.conftest import require
from tests.render import dhcp_client
from tests.render.lab_files import built
from tests.render.ports_up import wait_until_up
from tests.render.rendered import BRIDGED

pytestmark = pytest.mark.daemon

SERVER = "10.99.0.9"
LEAVES = ("compute-leaf-p1-su01-r1-01", "compute-leaf-p1-su02-r1-01")
SPINE = "compute-spine-01"


@dataclass
class Lab:
    """Namespaces of two leaves, a spine, a server and the first host of each leaf, and what runs in them."""

    build: Build
    folder: Path
    spaces: dict[str, str] = field(default_factory=dict)
    running: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.hosts = {leaf: self._host(leaf) for leaf in LEAVES}
        devices = [*LEAVES, SPINE, "server", *(end.device for end in self.hosts.values())]
        self.spaces = {name: f"fgd{os.getpid()}-{place}" for place, name in enumerate(devices)}

    def _host(self, leaf: str) -> BuiltEnd:
        return next(link.a for link in self.build.links if link.b.device == leaf and link.a.device in self.build.hosts)

    def run(self, device: str, *command: str) -> subprocess.CompletedProcess[str]:
        within = ["ip", "netns", "exec", self.spaces[device]]
        return subprocess.run([*within, *command], check=False, capture_output=True, text=True, timeout=600)

    def ip(self, device: str, *commands: str) -> None:
        run_ip_batch(commands, "-n", self.spaces[device])

    def spawn(self, device: str, *command: str, **more: str) -> None:
        within = ["ip", "netns", "exec", self.spaces[device]]
        with (self.folder / f"{device}.log").open("wb") as log:
            process = subprocess.Popen([*within, *command], stdout=log, stderr=log, env={**os.environ, **more})
        self.running.append(process)

    def planned(self, leaf: str) -> str:
        """The address of the first host of a leaf, with prefix length, in addresses.csv."""
        return self.build.addresses[self.hosts[leaf]][0]

    def tables(self, leaf: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.build.files[f"configs/{leaf}/config_db.json"])
        return found


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """The namespaces, cabled, with the addresses and MTUs of the files, and Kea and the relays started."""
    lacking = [tool for tool in ("kea-dhcp4", "dhcrelay", "ip", "ping") if not shutil.which(tool)]
    root = "" if os.geteuid() == 0 else "root"
    install = "`apt-get install kea-dhcp4-server isc-dhcp-relay iproute2 iputils-ping`, run as root"
    require(f"the lab lacks {', '.join(lacking) or root}: {install}" if lacking or root else "")
    build = Build(built("leaf-spine", *BRIDGED, f"fabrics.compute.dhcp.servers={SERVER}"))
    with tempfile.TemporaryDirectory(prefix="dhcp") as folder:
        found = Lab(build, Path(folder))
        try:
            run_ip_batch([f"netns add {space}" for space in found.spaces.values()])
            for leaf in LEAVES:
                _cable(found, leaf)
            _serve(found)
            for leaf in LEAVES:
                _relay(found, leaf)
            yield found
        finally:
            for process in found.running:
                process.kill()
                process.wait()
            for space in found.spaces.values():
                subprocess.run(["ip", "netns", "del", space], check=False, capture_output=True)


def _cable(lab: Lab, leaf: str) -> None:
    """A leaf with the bridge of its VLAN, its first host and the spine."""
    form, host = lab.build.forms[leaf], lab.hosts[leaf]
    up = next(link for link in lab.build.links if {link.a.device, link.b.device} == {leaf, SPINE})
    own, far = (up.a, up.b) if up.a.device == leaf else (up.b, up.a)
    port = next(link.b.port for link in lab.build.links if link.a == host)
    ((number, vlan),) = form.vlans.items()
    (gateway,) = vlan.gateways
    for a, b in ((host, BuiltEnd(leaf, port)), (own, far)):
        ends = (f"{end.port} netns {lab.spaces[end.device]}" for end in (a, b))
        run_ip_batch(["link add name {} type veth peer name {}".format(*ends)])
    above = lab.build.forms[SPINE].interfaces[far.port]
    ((own_address,), (far_address,)) = (form.interfaces[own.port].addresses, above.addresses)
    lab.ip(
        leaf,
        f"link add name Vlan{number} mtu {form.interfaces[port].mtu} type bridge",
        f"link set {port} mtu {form.interfaces[port].mtu} master Vlan{number} up",
        f"address add {gateway} dev Vlan{number}",
        f"link set Vlan{number} up",
        f"address add {own_address} dev {own.port}",
        f"link set {own.port} mtu {form.interfaces[own.port].mtu} up",
        f"route add default via {far_address.partition('/')[0]}",
    )
    subnet = ip_interface(gateway).network
    lab.ip(
        SPINE,
        f"address add {far_address} dev {far.port}",
        f"link set {far.port} mtu {above.mtu} up",
        f"route add {subnet} via {own_address.partition('/')[0]}",
    )
    lab.ip(host.device, f"link set {host.port} mtu {HOST_MTU} up")
    for device in (leaf, SPINE):
        lab.run(device, "sysctl", "-qw", "net.ipv4.ip_forward=1")


def _serve(lab: Lab) -> None:
    """Kea behind the spine: no pools, a reservation for each leaf by the circuit id of its relay."""
    spine, server = lab.spaces[SPINE], lab.spaces["server"]
    run_ip_batch([f"link add name eth1 netns {server} type veth peer name server netns {spine}"])
    lab.ip(SPINE, "address add 10.99.0.1/24 dev server", "link set server up")
    lab.ip("server", f"address add {SERVER}/24 dev eth1", "link set eth1 up", "route add default via 10.99.0.1")
    subnets = []
    for number, leaf in enumerate(LEAVES, 1):
        ((vlan, form),) = lab.build.forms[leaf].vlans.items()
        (gateway,) = form.gateways
        subnets.append(
            {
                "id": number,
                "subnet": str(ip_interface(gateway).network),
                "option-data": [{"name": "routers", "data": gateway.partition("/")[0]}],
                "reservations": [{"circuit-id": f"'Vlan{vlan}'", "ip-address": lab.planned(leaf).partition("/")[0]}],
            }
        )
    told = {
        "interfaces-config": {"interfaces": ["eth1"], "dhcp-socket-type": "udp"},
        "lease-database": {"type": "memfile", "name": str(lab.folder / "leases.csv")},
        "host-reservation-identifiers": ["circuit-id"],
        "subnet4": subnets,
    }
    (lab.folder / "kea.json").write_text(json.dumps({"Dhcp4": told}))
    where = {"KEA_LOCKFILE_DIR": str(lab.folder), "KEA_PIDFILE_DIR": str(lab.folder)}
    wait_until_up(lab.spaces["server"], "eth1")
    lab.spawn("server", "kea-dhcp4", "-c", str(lab.folder / "kea.json"), **where)


def _relay(lab: Lab, leaf: str) -> None:
    """The relay of each VLAN of a leaf, as SONiC starts it."""
    tables = lab.tables(leaf)
    upstream = sorted({key.partition("|")[0] for key in tables["INTERFACE"]} & set(_interfaces(lab, leaf)))
    for vlan, row in tables["VLAN"].items():
        ways = [word for port in upstream for word in ("-iu", port)]
        lab.spawn(leaf, "dhcrelay", "-d", "--no-pid", "-m", "discard", "-a", "-id", vlan, *ways, *row["dhcp_servers"])


def _interfaces(lab: Lab, device: str) -> list[str]:
    lines = lab.run(device, "ip", "-br", "link").stdout.splitlines()
    return sorted(line.split()[0].partition("@")[0] for line in lines)


@pytest.mark.parametrize("leaf", LEAVES)
def test_a_host_that_asks_gets_its_planned_address(lab: Lab, leaf: str) -> None:
    """The address, the mask and the gateway of the plan, from a server that knows the relay's circuit id alone."""
    host = lab.hosts[leaf]
    said = lab.run(host.device, sys.executable, dhcp_client.__file__, host.port).stdout.split()
    planned = ip_interface(lab.planned(leaf))
    ((_, vlan),) = lab.build.forms[leaf].vlans.items()
    (gateway,) = vlan.gateways
    assert said == [str(planned.ip), str(planned.netmask), gateway.partition("/")[0]], _logs(lab)


def _logs(lab: Lab) -> str:
    return "\n".join(file.read_text() for file in sorted(lab.folder.glob("*.log")))


def test_jumbo_frames_pass_and_larger_ones_do_not(lab: Lab) -> None:
    """From host to host over two leaves and a spine, not fragmented: packets of the hosts' MTU, and the ports' own."""
    one, other = (lab.hosts[leaf] for leaf in LEAVES)
    for leaf, host in lab.hosts.items():
        ((_, vlan),) = lab.build.forms[leaf].vlans.items()
        (gateway,) = vlan.gateways
        lab.ip(
            host.device,
            f"address replace {lab.planned(leaf)} dev {host.port}",
            f"route replace default via {gateway.partition('/')[0]}",
        )
    far = lab.planned(LEAVES[1]).partition("/")[0]

    def passes(octets: int, seconds: int = 1) -> bool:
        command = ("ping", "-c1", "-w", str(seconds), "-M", "do", "-s", str(octets - 28), far)
        return lab.run(one.device, *command).returncode == 0

    assert passes(HOST_MTU, 300)
    assert not passes(HOST_MTU + 1)
    largest = min(port.mtu for port in lab.build.forms[LEAVES[0]].interfaces.values())
    for host in (one, other):
        lab.ip(host.device, f"link set {host.port} mtu {largest + 200}")
    assert passes(largest, 300)
    assert not passes(largest + 1)
    narrow = [port for port in _interfaces(lab, SPINE) if port.startswith("Ethernet")][-1]
    lab.ip(SPINE, f"link set {narrow} mtu {HOST_MTU - 1}")
    assert not passes(HOST_MTU), "a spine's port to the far leaf that is narrower drops"
