"""DHCP in a VRF over EVPN with EVPN multihoming: replies of a real Kea come to the leaf that asked, by its loopback.

Two leaves have the same gateway, and announce the same subnet by routes of type 5. FRR runs what the files of Cumulus
Linux come to, and isc-dhcp-relay the servers and interfaces of their `service dhcp-relay`, with the options that NVUE
gives it (`-a -U`: Cumulus Linux user guide, DHCP Relays, Control the Gateway IP Address with RFC 3527). The kernel here
has no VRF devices: a namespace stands for the VRF, and an interface of its name in it for the device. Debian's relay
has the VLAN as circuit id, not the port, and hears no interface without an address: that of the VNI has the loopback's.

Needs root, FRR, Kea and isc-dhcp-relay; elsewhere it is skipped, in CI it must run.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from ipaddress import ip_interface
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from fabricgen.lab.fabric import Lab, run_ip_batch, wait_until
from fabricgen.lab.files import Build, BuiltEnd, Link
from fabricgen.switch.model import Switch
from tests.conftest import require
from tests.render import dhcp_client, vrf_lab
from tests.render.lab_files import built
from tests.render.rendered import EVPN_PAIRS_CUMULUS

pytestmark = [pytest.mark.daemon, vrf_lab.TRIED_TWICE]

VRF = "inband"
ASKING = ("compute-leaf-p1-su01-01", "compute-leaf-p1-su01-02")
SERVING = ("compute-leaf-p1-su02-01", "compute-leaf-p1-su02-02")
SERVER_PLACE = 100
"""The place of the server in the subnet of its leaves, beyond those of hosts."""


class SwitchesAlone(Build):
    """A build without its hosts, whose bonds the kernel here does not have."""

    @property
    def hosts(self) -> tuple[str, ...]:  # type: ignore[override]
        """None."""
        return ()

    @property
    def links(self) -> tuple[Link, ...]:  # type: ignore[override]
        """Those between switches."""
        every = Build(self.files).links
        return tuple(link for link in every if {link.a.device, link.b.device} <= set(self.switches))

    @cached_property
    def forms(self) -> dict[str, Switch]:
        """What the files of each switch say, without ports of hosts."""
        cabled = {end for link in self.links for end in (link.a, link.b)}
        return {
            name: replace(
                form, interfaces={p: own for p, own in form.interfaces.items() if BuiltEnd(name, p) in cabled}
            )
            for name, form in Build(self.files).forms.items()
        }


def _gateway(build: Build, leaf: str) -> tuple[int, str]:
    """(VLAN, gateway with prefix length) of the hosts in the VRF."""
    ((number, vlan),) = ((n, v) for n, v in build.forms[leaf].vlans.items() if v.vrf == VRF)
    (gateway,) = vlan.gateways
    return number, gateway


@dataclass
class Desk:
    """Where hosts and the server are plugged in."""

    lab: Lab
    folder: Path
    spaces: list[str] = field(default_factory=list)
    running: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def plug(self, name: str, leaves: tuple[str, ...]) -> str:
        """A namespace with `eth0` in the VLAN of the VRF at some leaves: a bridge stands for the bond over two."""
        space = f"fe{os.getpid()}-{name}"
        run_ip_batch([f"netns add {space}"])
        self.spaces.append(space)
        run_ip_batch(["link set lo up", "link add name eth0 type bridge", "link set eth0 up"], "-n", space)
        for place, leaf in enumerate(leaves):
            number, _ = _gateway(self.lab.build, leaf)
            inside = vrf_lab.space_of(self.lab, leaf, VRF)
            run_ip_batch([f"link add name port{place} netns {space} type veth peer name {name} netns {inside}"])
            run_ip_batch([f"link set port{place} master eth0 up"], "-n", space)
            run_ip_batch([f"link set {name} master vlan{number} up"], "-n", inside)
        return space

    def spawn(self, space: str, name: str, *command: str, **more: str) -> None:
        """Start a program that stays."""
        with (self.folder / f"{name}.log").open("wb") as log:
            within = ["ip", "netns", "exec", space, *command]
            self.running.append(subprocess.Popen(within, stdout=log, stderr=log, env={**os.environ, **more}))

    def logs(self) -> str:
        """What the programs said."""
        return "\n".join(file.read_text() for file in sorted(self.folder.glob("*.log")))


@pytest.fixture(autouse=True)
def programs() -> None:
    """What the lab starts besides FRR."""
    lacking = ", ".join(tool for tool in ("kea-dhcp4", "dhcrelay") if not shutil.which(tool))
    require(f"the lab lacks {lacking}: `apt-get install kea-dhcp4-server isc-dhcp-relay`" if lacking else "")


@contextmanager
def _desk(lab: Lab, folder: Path) -> Iterator[Desk]:
    desk = Desk(lab, folder)
    try:
        yield desk
    finally:
        for process in desk.running:
            process.kill()
            process.wait()
        for space in desk.spaces:
            subprocess.run(["ip", "netns", "del", space], check=False, capture_output=True)


def test_replies_come_to_the_leaf_that_asked(short_path: Path) -> None:
    """A host behind each leaf of a pair gets an address, though both leaves have the gateway that it asks."""
    plain = SwitchesAlone(built("evpn-guests", *EVPN_PAIRS_CUMULUS))
    _, gateway = _gateway(plain, SERVING[0])
    server = str(ip_interface(gateway).network[SERVER_PLACE])
    build = SwitchesAlone(built("evpn-guests", *EVPN_PAIRS_CUMULUS, f"fabrics.inband.dhcp.servers={server}"))
    assert not plain.forms[ASKING[0]].vrf_loopbacks
    with vrf_lab.lab(build, short_path) as lab, _desk(lab, short_path) as desk:
        seat = desk.plug("server", SERVING)
        run_ip_batch([f"address add {server}/{gateway.partition('/')[2]} dev eth0"], "-n", seat)
        run_ip_batch([f"route add default via {gateway.partition('/')[0]}"], "-n", seat)
        _serve(desk, seat, build)
        given = {}
        for place, leaf in enumerate(ASKING):
            _reaches(desk, seat, build, leaf)
            _relay(desk, build, leaf)
            host = desk.plug(f"host{place}", (leaf,))
            command = ["ip", "netns", "exec", host, sys.executable, dhcp_client.__file__, "eth0"]
            asked = subprocess.run(command, check=True, capture_output=True, text=True, timeout=600)
            given[leaf] = asked.stdout.split()
        for leaf, said in given.items():
            subnet = ip_interface(_gateway(build, leaf)[1])
            assert said, f"{leaf} gave its host nothing\n{desk.logs()}"
            assert ip_interface(f"{said[0]}/{said[1]}").network == subnet.network
            assert said[2] == str(subnet.ip)
        assert given[ASKING[0]][0] != given[ASKING[1]][0], "two hosts have an address each"


def _reaches(desk: Desk, seat: str, build: Build, leaf: str) -> None:
    """Wait until the server reaches the loopback of a leaf in the VRF."""
    (own,) = build.forms[leaf].vrf_loopbacks[VRF]
    command = ["ip", "netns", "exec", seat, "ping", "-c1", "-W1", own.partition("/")[0]]

    def answers() -> bool:
        return subprocess.run(command, check=False, capture_output=True, timeout=600).returncode == 0

    wait_until(answers, f"{own} of {leaf} is not reached in VRF {VRF}")


def _serve(desk: Desk, seat: str, build: Build) -> None:
    """Kea, with a pool in the subnet of the leaves that ask: it is found by the link selection alone."""
    _, gateway = _gateway(build, ASKING[0])
    subnet = ip_interface(gateway).network
    told: dict[str, Any] = {
        "interfaces-config": {"interfaces": ["eth0"], "dhcp-socket-type": "udp"},
        "lease-database": {"type": "memfile", "name": str(desk.folder / "leases.csv")},
        "subnet4": [
            {
                "id": 1,
                "subnet": str(subnet),
                "pools": [{"pool": f"{subnet[10]} - {subnet[20]}"}],
                "option-data": [{"name": "routers", "data": gateway.partition("/")[0]}],
            }
        ],
    }
    (desk.folder / "kea.json").write_text(json.dumps({"Dhcp4": told}))
    where = {"KEA_LOCKFILE_DIR": str(desk.folder), "KEA_PIDFILE_DIR": str(desk.folder)}
    desk.spawn(seat, "kea", "kea-dhcp4", "-c", str(desk.folder / "kea.json"), **where)


def _relay(desk: Desk, build: Build, leaf: str) -> None:
    """The relay of the VRF of a leaf, of its startup.yaml; the VNI's interface is called otherwise here."""
    (item,) = YAML(typ="safe").load(build.select_config_files(leaf)["startup.yaml"])
    own, overlay = item["set"]["service"]["dhcp-relay"][VRF], build.forms[leaf].overlay
    assert overlay
    (group,) = own["server-group"].values()
    vni = f"vlan{item['set']['vrf'][VRF]['evpn']['vlan']}_l3"
    assert set(group["upstream-interface"]) == {vni}
    ways = [word for name in own["downstream-interface"] for word in ("-id", name)]
    ways += ["-iu", f"l3vni{overlay.vrfs[VRF].vni}"]
    ((source, row),) = own["gateway-interface"].items()
    assert f"{row['address']}/32" in build.forms[leaf].vrf_loopbacks[source]
    inside = vrf_lab.space_of(desk.lab, leaf, VRF)
    run_ip_batch([f"address add {row['address']}/32 dev {ways[-1]}"], "-n", inside)
    command = ("dhcrelay", "-d", "--no-pid", "-a", "-U", source, *ways, *sorted(group["server"]))
    desk.spawn(inside, f"relay-{leaf}", *command)
