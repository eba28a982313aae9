"""The DHCPv6 file of the part `kea` at work: a real Kea reads it, and nodes on routed ports get what is planned.

The leaf runs Cumulus Linux: isc-dhcp-relay with the interfaces of its `service dhcp-relay6` (user guide, DHCP Relays).
Its uplink leads straight to the server, which stands for the fabric between. A relay says in which subnet a request
came in by the address of the port (RFC 8415, 21.1, link-address), so that each port gives out its one address,
whatever MAC address is there.

Needs root, Kea and isc-dhcp-relay, and takes some seconds; elsewhere it is skipped, in CI it must run.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from ipaddress import ip_interface

import pytest
from ruamel.yaml import YAML

from fabricgen.lab.fabric import run_ip_batch, wait_until
from tests.conftest import built_files, example_cluster, require
from tests.render import dhcp6_client
from tests.render.frr_lab import short_folder
from tests.render.ports_up import wait_until_up
from tests.render.rendered import CUMULUS, V6
from tests.render.test_kea_lab import Lab

pytestmark = pytest.mark.daemon

SERVER, GATEWAY, LEAF = "fd00:fab:200::9", "fd00:fab:200::1", "compute-leaf-p1-su01-r1-01"
NODES = ("p1-su01-n001", "p1-su01-n002")
SETS = (*V6, *CUMULUS, f"fabrics.compute.dhcp.servers={SERVER}")
TENTATIVE = ("ip", "-6", "address", "show", "tentative")


def _links(files: dict[str, bytes]) -> dict[str, dict[str, str]]:
    """The link of each node to the leaf, in links.csv."""
    rows = csv.DictReader(files["links.csv"].decode().splitlines())
    return {row["a_device"]: row for row in rows if row["b_device"] == LEAF and row["a_device"] in NODES}


@pytest.fixture
def lab() -> Iterator[Lab]:
    """The leaf, two of its nodes, the server, Kea and the relay."""
    lacking = [tool for tool in ("kea-dhcp6", "dhcrelay", "ip") if not shutil.which(tool)]
    root = "" if os.geteuid() == 0 else "root"
    install = "`apt-get install kea-dhcp6-server isc-dhcp-relay iproute2`, run as root"
    require(f"the lab lacks {', '.join(lacking) or root}: {install}" if lacking or root else "")
    files = built_files(example_cluster("leaf-spine", *SETS), "kea", "links", "configs")
    (item,) = YAML(typ="safe").load(files[f"configs/{LEAF}/startup.yaml"].decode())
    (relay,) = item["set"]["service"]["dhcp-relay6"].values()
    uplink = next(iter(relay["interface"]["upstream"]))
    with short_folder() as folder:
        found = Lab(files, folder)
        found.spaces = {name: f"fgs{os.getpid()}-{i}" for i, name in enumerate([LEAF, "server", *NODES])}
        try:
            run_ip_batch([f"netns add {space}" for space in found.spaces.values()])
            ports = _cable(found, uplink)
            assert set(ports) <= set(relay["interface"]["downstream"])
            _serve(found)
            (server,) = relay["interface"]["upstream"][uplink]["server-address"]
            below = [word for port in ports for word in ("-l", port)]
            found.spawn(LEAF, "dhcrelay", "-6", "-d", "--no-pid", *below, "-u", f"{server}%{uplink}")
            yield found
        finally:
            for process in found.running:
                process.kill()
                process.wait()
            for space in found.spaces.values():
                subprocess.run(["ip", "netns", "del", space], check=False, capture_output=True)


def _cable(lab: Lab, uplink: str) -> list[str]:
    """Cable nodes and server to the leaf, whose ports have the addresses of links.csv; return the nodes' ports."""
    leaf, links = lab.spaces[LEAF], _links(lab.files)
    ends = [(link["b_port"], link["b_ip"], node, link["a_port"]) for node, link in links.items()]
    for port, address, device, far in [*ends, (uplink, f"{GATEWAY}/64", "server", "eth1")]:
        run_ip_batch([f"link add name {port} netns {leaf} type veth peer name {far} netns {lab.spaces[device]}"])
        run_ip_batch([f"link set {far} up"], "-n", lab.spaces[device])
        run_ip_batch([f"link set {port} up", f"address add {address} dev {port} nodad"], "-n", leaf)
    run_ip_batch(
        [f"address add {SERVER}/64 dev eth1 nodad", f"route add default via {GATEWAY}"], "-n", lab.spaces["server"]
    )
    for space in lab.spaces.values():
        command = ["ip", "netns", "exec", space, *TENTATIVE]
        wait_until(partial(_is_silent, command), f"no address of {space} is tentative")
    return [port for port, *_ in ends]


def _is_silent(command: list[str]) -> bool:
    return not subprocess.run(command, check=True, capture_output=True).stdout


def _serve(lab: Lab) -> None:
    """Kea with the file as it is, but for the address at which it hears relays, and what it keeps on its disk."""
    told = json.loads(lab.files["kea/kea-dhcp6.json"])
    told["Dhcp6"]["server-id"] = {"type": "EN", "enterprise-id": 32473, "identifier": "01", "persist": False}
    told["Dhcp6"]["lease-database"]["name"] = str(lab.folder / "leases.csv")
    told["Dhcp6"]["interfaces-config"]["interfaces"] = [f"eth1/{SERVER}"]
    (lab.folder / "kea.json").write_text(json.dumps(told))
    where = {"KEA_LOCKFILE_DIR": str(lab.folder), "KEA_PIDFILE_DIR": str(lab.folder)}
    wait_until_up(lab.spaces["server"], "eth1")
    lab.spawn("server", "kea-dhcp6", "-c", str(lab.folder / "kea.json"), **where)


def test_nodes_on_routed_ports_get_the_addresses_of_their_ports(lab: Lab) -> None:
    assert len(_links(lab.files)) == len(NODES)
    for node, link in _links(lab.files).items():
        client = [sys.executable, dhcp6_client.__file__, link["a_port"], "300", "unadvertised"]
        within = ["ip", "netns", "exec", lab.spaces[node], *client]
        said = json.loads(subprocess.run(within, check=True, capture_output=True, text=True).stdout)
        logs = "\n".join(path.read_text() for path in sorted(lab.folder.glob("*.log")))
        assert said["given"] == str(ip_interface(link["a_ip"]).ip), logs
