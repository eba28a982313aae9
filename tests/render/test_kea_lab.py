"""The part `kea` at work: a real Kea reads it, and a real relay says at which port a request came in.

The management leaf runs Cumulus Linux, whose circuit id is the port: what isc-dhcp-relay says by `-a` of an interface
of that name. Machines at several of its ports, whose MACs nobody has listed, get the addresses of their places, and
what they boot from; a machine at a port of nobody's gets nothing.

Needs root, Kea and isc-dhcp-relay, and takes some seconds; elsewhere it is skipped, in CI it must run.
"""

from __future__ import annotations

import csv
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

import pytest

from fabricgen.lab.fabric import run_ip_batch
from tests.conftest import built_files, example_cluster, require
from tests.render import dhcp_client
from tests.render.ports_up import wait_until_up

pytestmark = pytest.mark.daemon

SERVER, LEAF = "10.99.0.9", "oob-leaf-01"
JUNOS = "compute-leaf-p1-su01-rg1-01"
SETS = (
    "fabrics.oob.nos=cumulus",
    f"fabrics.oob.dhcp.servers={SERVER}",
    "fabrics.compute.nos={leaf: junos, spine: eos}",
    "fabrics.compute.tiers.leaf.switch=qfx5240-64od",
    "management.ztp.images={junos: {file: images/junos.iso}}",
)
SPARE = "swp48"
"""A port of the leaf without a cable."""


@dataclass
class Lab:
    """Namespaces of the leaf, the server and machines at ports, by port; and what runs in them."""

    files: dict[str, bytes]
    folder: Path
    spaces: dict[str, str] = field(default_factory=dict)
    running: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def at(self) -> dict[str, str]:
        """By device its port on the leaf, in links.csv."""
        rows = csv.DictReader(self.files["links.csv"].decode().splitlines())
        return {row["a_device"]: row["b_port"] for row in rows if row["b_device"] == LEAF}

    def planned(self, device: str) -> str:
        """The management address of a device with prefix length, in addresses.csv."""
        rows = csv.DictReader(self.files["addresses.csv"].decode().splitlines())
        return next(row["prefix"] for row in rows if row["device"] == device and row["kind"] == "management")

    def spawn(self, space: str, *command: str, **more: str) -> None:
        within = ["ip", "netns", "exec", self.spaces[space]]
        with (self.folder / f"{space}.log").open("wb") as log:
            process = subprocess.Popen([*within, *command], stdout=log, stderr=log, env={**os.environ, **more})
        self.running.append(process)

    def asks(self, port: str, option: int, seconds: int = dhcp_client.SECONDS) -> list[str]:
        """What a machine at a port is given: address, mask, router, and the option."""
        client = [sys.executable, dhcp_client.__file__, "eth0", str(option)]
        within = ["ip", "netns", "exec", self.spaces[port], "timeout", str(seconds)]
        return subprocess.run([*within, *client], check=False, capture_output=True, text=True).stdout.split()


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """The leaf with its ports, three machines and one that nobody planned, the server, Kea and the relay."""
    lacking = [tool for tool in ("kea-dhcp4", "dhcrelay", "ip") if not shutil.which(tool)]
    root = "" if os.geteuid() == 0 else "root"
    install = "`apt-get install kea-dhcp4-server isc-dhcp-relay iproute2`, run as root"
    require(f"the lab lacks {', '.join(lacking) or root}: {install}" if lacking or root else "")
    files = built_files(example_cluster("dual-stack", *SETS), "kea", "links", "addresses")
    with tempfile.TemporaryDirectory(prefix="kea") as folder:
        found = Lab(files, Path(folder))
        ports = [found.at["p1-su01-n003"], found.at["compute-spine-02"], found.at[JUNOS], SPARE]
        found.spaces = {name: f"fgk{os.getpid()}-{i}" for i, name in enumerate([LEAF, "server", *ports])}
        try:
            run_ip_batch([f"netns add {space}" for space in found.spaces.values()])
            _cable(found, ports)
            _serve(found)
            ways = [word for port in ports for word in ("-id", port)]
            found.spawn(LEAF, "dhcrelay", "-d", "--no-pid", "-m", "discard", "-a", *ways, "-iu", "uplink", SERVER)
            yield found
        finally:
            for process in found.running:
                process.kill()
                process.wait()
            for space in found.spaces.values():
                subprocess.run(["ip", "netns", "del", space], check=False, capture_output=True)


def _cable(lab: Lab, ports: list[str]) -> None:
    """Every port of the leaf has the gateway's address: a switch's VLAN, of which the relay says the port."""
    leaf, server = lab.spaces[LEAF], lab.spaces["server"]
    for port in ports:
        run_ip_batch([f"link add name {port} netns {leaf} type veth peer name eth0 netns {lab.spaces[port]}"])
        run_ip_batch([f"address add {_gateway(lab)}/26 dev {port}", f"link set {port} up"], "-n", leaf)
        run_ip_batch(["link set eth0 up"], "-n", lab.spaces[port])
    run_ip_batch([f"link add name uplink netns {leaf} type veth peer name eth1 netns {server}"])
    run_ip_batch(["address add 10.99.0.1/24 dev uplink", "link set uplink up"], "-n", leaf)
    steps = [f"address add {SERVER}/24 dev eth1", "link set eth1 up", "route add default via 10.99.0.1"]
    run_ip_batch(steps, "-n", server)


def _gateway(lab: Lab) -> str:
    """The router of the leaf's subnet in Kea's configuration."""
    subnets = json.loads(lab.files["kea/kea-dhcp4.json"])["Dhcp4"]["subnet4"]
    (found,) = (option["data"] for s in subnets for option in s["option-data"] if option["name"] == "routers")
    return str(found)


def _serve(lab: Lab) -> None:
    """Kea with the file as it is, but for where leases are written."""
    told = json.loads(lab.files["kea/kea-dhcp4.json"])
    told["Dhcp4"]["lease-database"]["name"] = str(lab.folder / "leases.csv")
    (lab.folder / "kea.json").write_text(json.dumps(told))
    where = {"KEA_LOCKFILE_DIR": str(lab.folder), "KEA_PIDFILE_DIR": str(lab.folder)}
    wait_until_up(lab.spaces["server"], "eth1")
    lab.spawn("server", "kea-dhcp4", "-c", str(lab.folder / "kea.json"), **where)


def test_machines_get_the_addresses_of_their_places(lab: Lab) -> None:
    """The address, the mask and the gateway of the plan, and of a switch the URL of what it boots; others nothing."""
    files = {"p1-su01-n003": [], "compute-spine-02": [f"http://{SERVER}/ztp/compute-spine-02/bootstrap"]}
    for device, file in files.items():
        planned = ip_interface(lab.planned(device))
        said = lab.asks(lab.at[device], 67)
        logs = "\n".join(path.read_text() for path in sorted(lab.folder.glob("*.log")))
        assert said == [str(planned.ip), str(planned.netmask), _gateway(lab), *file], logs
    assert lab.asks(SPARE, 67, seconds=2) == [], "nobody planned a machine at that port"


def test_junos_hears_what_lies_in_option_43(lab: Lab) -> None:
    """Image, file and mode by the codes of Juniper's guide, byte by byte; the server's address in option 150."""
    rest, enclosed = bytes.fromhex(lab.asks(lab.at[JUNOS], 43)[3]), dict[int, bytes]()
    while rest:
        enclosed[rest[0]], rest = rest[2 : 2 + rest[1]], rest[2 + rest[1] :]
    assert enclosed == {0: b"/images/junos.iso", 1: f"/configs/{JUNOS}/juniper.conf".encode(), 3: b"http"}
    assert bytes.fromhex(lab.asks(lab.at[JUNOS], 150)[3]) == bytes(map(int, SERVER.split(".")))
