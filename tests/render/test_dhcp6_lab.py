"""DHCPv6 and router advertisements at work: a real Kea behind real relays, and hosts that hear radvd and zebra.

What runs on a leaf is started by its own files:

- SONiC: radvd as its router advertiser writes radvd.conf of VLAN_INTERFACE (sonic-buildimage, dockers/
  docker-router-advertiser, radvd.conf.j2 and docker-router-advertiser.supervisord.conf.j2). isc-dhcp-relay stands for
  dhcp6relay, which needs SONiC's databases: it takes requests of the VLANs in DHCP_RELAY to their `dhcpv6_servers`,
  from the address of the VLAN, which is the link address, too (sonic-dhcp-relay, dhcp6relay/src/relay.cpp,
  prepare_vlan_sockets and relay_client). That source is here one of the kernel's route.
- Cumulus Linux: isc-dhcp-relay with the interfaces of `service dhcp-relay6` (user guide, DHCP Relays: `-l vlan10`,
  `-u SERVER%swp51`), and FRR with what `neighbor-discovery` comes to (user guide, Neighbor Discovery - ND, the tabs of
  vtysh) and routes by BGP. The relay's packets leave with the address of the port, to which the fabric has no route,
  unless routes have the loopback as source: `ipv6 protocol bgp route-map`.

EOS advertises and relays by programs of its own, which nobody has without it. VLANs are Linux bridges. Needs root, FRR,
Kea, radvd and isc-dhcp-relay, and takes some seconds; elsewhere it is skipped, in CI it must run.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_interface
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from fabricgen.lab import fabric, machine
from fabricgen.lab.fabric import run_ip_batch
from fabricgen.lab.files import Build, BuiltEnd
from fabricgen.lab.start import configure_switches, start_daemons
from tests.conftest import require
from tests.render import dhcp6_client, frr_lab
from tests.render.lab_files import built
from tests.render.rendered import BRIDGED, CUMULUS, V6

pytestmark = pytest.mark.daemon

ASKING = ("compute-leaf-p1-su01-r1-01", "compute-leaf-p1-su02-r1-01")
SERVING = "compute-leaf-p1-su02-r2-01"
LEAVES, SPINE = (*ASKING, SERVING), "compute-spine-01"
SERVER, RESOLVER = "fd00:fab:100:3::64", "fd00:fab:100:3::53"
"""In the subnet of the leaf that serves, beyond the places of hosts."""
SERVED = (*BRIDGED, *V6, f"fabrics.compute.dhcp.servers={SERVER}")
BUILDS = {
    "sonic": (*SERVED, "fabrics.compute.router_advertisements=true"),
    "cumulus": (
        *(*SERVED, *CUMULUS),
        f"fabrics.compute.router_advertisements={{other: true, lifetime_s: 900, resolvers: '{RESOLVER}'}}",
    ),
}
SAID = {
    "sonic": {"managed": True, "other": False, "lifetime_s": 540, "resolvers": []},
    "cumulus": {"managed": True, "other": True, "lifetime_s": 900, "resolvers": [RESOLVER]},
}
"""What hosts are told; SONiC's router advertiser has no words for the rest."""
SILENCE_S = 1.5
"""How long nobody advertises where nobody should; a router answers within half a second (RFC 4861, section 10)."""


@dataclass
class Lab:
    """Namespaces of three leaves, a spine, a server, the first hosts of two leaves, and a stranger at spare ports."""

    build: Build
    nos: str
    folder: Path
    spaces: dict[str, str] = field(default_factory=dict)
    running: list[subprocess.Popen[bytes]] = field(default_factory=list)
    asked: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What the host of each leaf heard and was given."""

    def __post_init__(self) -> None:
        self.hosts = {leaf: self._host(leaf) for leaf in ASKING}
        devices = [*LEAVES, SPINE, "server", "stranger", *(end.device for end in self.hosts.values())]
        self.spaces = {name: f"fg6{os.getpid()}-{place}" for place, name in enumerate(devices)}

    def _host(self, leaf: str) -> BuiltEnd:
        return next(link.a for link in self.build.links if link.b.device == leaf and link.a.device in self.build.hosts)

    def within(self, device: str, *command: str) -> list[str]:
        """A command in the namespace of a device."""
        return ["ip", "netns", "exec", self.spaces[device], *command]

    def run(self, device: str, *command: str) -> str:
        """What a command says in the namespace of a device."""
        done = subprocess.run(self.within(device, *command), check=False, capture_output=True, text=True, timeout=600)
        return done.stdout

    def ip(self, device: str, *commands: str) -> None:
        """Set up a device."""
        run_ip_batch(commands, "-n", self.spaces[device])

    def spawn(self, device: str, name: str, *command: str, **more: str) -> None:
        """Start a program that stays."""
        with (self.folder / f"{device}-{name}.log").open("wb") as log:
            environment = {**os.environ, **more}
            self.running.append(
                subprocess.Popen(self.within(device, *command), stdout=log, stderr=log, env=environment)
            )

    def asks(self, ends: list[BuiltEnd], seconds: float) -> list[dict[str, Any]]:
        """What is heard and given at some ports, all at once."""
        client = (sys.executable, dhcp6_client.__file__)
        commands = [self.within(end.device, *client, end.port, str(seconds)) for end in ends]
        clients = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for command in commands]
        return [json.loads(each.communicate(timeout=600)[0]) for each in clients]

    def planned(self, leaf: str) -> str:
        """The IPv6 address of the first host of a leaf, with prefix length, in addresses.csv."""
        return next(address for address in self.build.addresses[self.hosts[leaf]] if ":" in address)

    def vlan(self, leaf: str) -> tuple[int, str]:
        """(number, IPv6 gateway with prefix length) of the one VLAN of a leaf, in its files."""
        ((number, vlan),) = self.build.forms[leaf].vlans.items()
        return number, _six(vlan.gateways)

    def bridge(self, leaf: str) -> str:
        """The interface of the VLAN of a leaf."""
        return f"{'Vlan' if self.nos == 'sonic' else 'vlan'}{self.vlan(leaf)[0]}"

    def tables(self, leaf: str) -> dict[str, Any]:
        """The tables of a leaf of SONiC."""
        found: dict[str, Any] = json.loads(self.build.select_config_files(leaf)["config_db.json"])
        return found

    def tree(self, leaf: str) -> dict[str, Any]:
        """What is set on a leaf of Cumulus Linux."""
        (item,) = YAML(typ="safe").load(self.build.select_config_files(leaf)["startup.yaml"])
        found: dict[str, Any] = item["set"]
        return found

    def spare(self, leaf: str) -> BuiltEnd:
        """The first port of a leaf that the plan has no cable for."""
        used = {end.port for link in self.build.links for end in (link.a, link.b) if end.device == leaf}
        names = self.tables(leaf)["PORT"] if self.nos == "sonic" else self.tree(leaf)["interface"]
        return BuiltEnd(leaf, next(name for name in names if name.startswith(("Ethernet", "swp")) and name not in used))

    def uplink(self, leaf: str) -> tuple[BuiltEnd, BuiltEnd]:
        """(end at a leaf, end at the spine) of the link between them."""
        link = next(link for link in self.build.links if {link.a.device, link.b.device} == {leaf, SPINE})
        return (link.a, link.b) if link.a.device == leaf else (link.b, link.a)

    def logs(self) -> str:
        """What the programs said."""
        return "\n".join(f"{file.name}\n{file.read_text()}" for file in sorted(self.folder.glob("*.log")))


def _six(addresses: frozenset[str]) -> str:
    (found,) = (address for address in addresses if ":" in address)
    return found


def _bare(address: str) -> str:
    return address.partition("/")[0]


@pytest.fixture(params=BUILDS)
def lab(request: pytest.FixtureRequest) -> Iterator[Lab]:
    """The namespaces, cabled, with the addresses of the files, all programs started, and hosts that have asked."""
    programs = ("kea-dhcp6", "dhcrelay", "radvd")
    lacking = [machine.explain_lack(), *(program for program in programs if not shutil.which(program))]
    install = "`apt-get install frr kea-dhcp6-server isc-dhcp-relay radvd iproute2 iputils-ping`, run as root"
    require(f"the lab lacks {', '.join(filter(None, lacking))}: {install}" if any(lacking) else "")
    build = Build(built("leaf-spine", *BUILDS[request.param]))
    with frr_lab.short_folder() as folder:
        found = Lab(build, request.param, folder)
        try:
            _cable(found)
            _serve(found)
            _route(found)
            for leaf in ASKING:
                _start(found, leaf)
            found.asked = dict(zip(ASKING, found.asks(list(found.hosts.values()), 300), strict=True))
            yield found
        finally:
            for process in found.running:
                process.kill()
            for process in found.running:
                process.wait()
            for space in found.spaces.values():
                subprocess.run(["ip", "netns", "del", space], check=False, capture_output=True)


def _cable(lab: Lab) -> None:
    run_ip_batch([f"netns add {space}" for space in lab.spaces.values()])
    for device in lab.spaces:
        settings = [f"net.ipv6.conf.all.forwarding={int(device in (*LEAVES, SPINE))}"]
        settings += [f"net.ipv6.conf.{some}.accept_dad=0" for some in ("all", "default")]
        lab.run(device, "sysctl", "-qw", *settings)
        lab.ip(device, "link set lo up")
    for leaf in LEAVES:
        _leaf(lab, leaf)
    lab.ip("server", f"address add {SERVER}/64 dev eth1 nodad", f"route add default via {_bare(lab.vlan(SERVING)[1])}")
    for device in lab.spaces:
        _settled(lab, device)


def _leaf(lab: Lab, leaf: str) -> None:
    """A leaf with the bridge of its VLAN, what is at its ports, and the spine's end of a link."""
    form, bridge, (number, gateway) = lab.build.forms[leaf], lab.bridge(leaf), lab.vlan(leaf)
    near, far = lab.uplink(leaf)
    host = lab.hosts.get(leaf, BuiltEnd("server", "eth1"))
    port = next(link.b for link in lab.build.links if link.b.device == leaf and link.a.device in lab.build.hosts)
    spare, stranger = lab.spare(leaf), BuiltEnd("stranger", leaf[-11:])
    for a, b in ((host, port), (near, far), (stranger, spare)):
        ends = (f"{end.port} netns {lab.spaces[end.device]}" for end in (a, b))
        run_ip_batch(["link add name {} type veth peer name {}".format(*ends)])
        lab.ip(a.device, f"link set {a.port} up")
        lab.ip(b.device, f"link set {b.port} up")
    bridged = [name for name, own in form.interfaces.items() if own.access_vlan == number]
    lab.ip(
        leaf,
        f"link add name {bridge} type bridge",
        *(f"link set {end.port} master {bridge}" for end in (port, spare) if end.port in bridged),
        f"link set {bridge} up",
        f"address add {_six(form.loopbacks)} dev lo nodad",
        f"address add {gateway} dev {bridge} nodad",
        f"address add {_six(form.interfaces[near.port].addresses)} dev {near.port} nodad",
    )
    lab.ip(SPINE, f"address add {_six(lab.build.forms[SPINE].interfaces[far.port].addresses)} dev {far.port} nodad")


def _settled(lab: Lab, device: str, seconds: float = 300) -> None:
    """Wait until what is plugged in is up and no address is tentative: Kea opens no socket on a port that is not."""
    deadline, told = time.monotonic() + seconds, (("-6", "address", "show", "tentative"), ("-br", "link", "show", "up"))
    while any(mark in lab.run(device, "ip", *words) for words, mark in zip(told, ("inet6", " DOWN "), strict=True)):
        assert time.monotonic() < deadline, f"{device}: ports and addresses do not come up"
        time.sleep(0.05)


def _serve(lab: Lab) -> None:
    """Kea in a subnet of its own: no pools, the planned address for each host in the subnet of its relay.

    Hosts are known by MAC address. SONiC's relay tells it (RFC 6939); from Debian's, Kea has it from the client's DUID.
    """
    assert ip_address(SERVER) in ip_interface(lab.vlan(SERVING)[1]).network
    macs = {end: lab.run(end.device, "cat", f"/sys/class/net/{end.port}/address").strip() for end in lab.hosts.values()}
    subnets = [
        {
            "id": number,
            "subnet": str(ip_interface(lab.planned(leaf)).network),
            "reservations": [{"hw-address": macs[lab.hosts[leaf]], "ip-addresses": [_bare(lab.planned(leaf))]}],
        }
        for number, leaf in enumerate(ASKING, 1)
    ]
    told = {
        "interfaces-config": {"interfaces": [f"eth1/{SERVER}"]},
        "lease-database": {"type": "memfile", "name": str(lab.folder / "leases.csv")},
        "server-id": {"type": "EN", "enterprise-id": 32473, "identifier": "01", "persist": False},
        "mac-sources": ["client-link-addr-option", "duid"],
        "host-reservation-identifiers": ["hw-address"],
        "subnet6": subnets,
    }
    (lab.folder / "kea.json").write_text(json.dumps({"Dhcp6": told}))
    where = {"KEA_LOCKFILE_DIR": str(lab.folder), "KEA_PIDFILE_DIR": str(lab.folder)}
    lab.spawn("server", "kea", "kea-dhcp6", "-c", str(lab.folder / "kea.json"), **where)


def _route(lab: Lab) -> None:
    """What the fabric announces is reached: prefixes of hosts and loopbacks, not the addresses of links."""
    if lab.nos == "sonic":
        for leaf in LEAVES:
            near, far = (_bare(_six(lab.build.forms[e.device].interfaces[e.port].addresses)) for e in lab.uplink(leaf))
            gateway = ip_interface(lab.vlan(leaf)[1])
            lab.ip(leaf, f"route add default via {far} src {gateway.ip}")
            lab.ip(SPINE, f"route add {gateway.network} via {near}")
        return
    switches = (*LEAVES, SPINE)
    running = fabric.Lab(lab.folder, lab.spaces, lab.build)
    lab.running += start_daemons(running, switches)
    told = {name: f"{lab.build.make_frr_config(name)}\n{_neighbour_discovery(lab.tree(name))}" for name in switches}
    configure_switches(running, told)


def _neighbour_discovery(tree: dict[str, Any]) -> str:
    """The lines of FRR that `neighbor-discovery` of interfaces comes to, in the order in which FRR writes them.

    What turns advertisements on is last: until it knows better, FRR advertises the prefix of the interface for
    autoconfiguration.
    """
    lines = []
    for name, row in tree["interface"].items():
        if own := row.get("ipv6", {}).get("neighbor-discovery"):
            flags = own["router-advertisement"]
            lines.append(f"interface {name}")
            lines += [
                f"ipv6 nd {key}-flag" for key in ("managed-config", "other-config") if flags.get(key) == "enabled"
            ]
            for prefix, said in own.get("prefix", {}).items():
                lines.append(f"ipv6 nd prefix {prefix}{' no-autoconfig' * (said.get('autoconfig') == 'disabled')}")
            lines += [f"ipv6 nd ra-lifetime {flags['lifetime']}"] if "lifetime" in flags else []
            lines += [f"ipv6 nd rdnss {resolver}" for resolver in own.get("rdnss", {})]
            lines.append(f"{'no ' * (flags['state'] == 'enabled')}ipv6 nd suppress-ra")
    return "\n".join(lines)


def _radvd(tables: dict[str, Any]) -> str:
    """The radvd.conf of SONiC's router advertiser, which runs on leaves whose container is not off."""
    assert tables["FEATURE"].get("radv") != {"state": "disabled"}
    assert "ToRRouter" in tables["DEVICE_METADATA"]["localhost"]["type"]
    found: dict[str, list[str]] = {}
    for name, _, address in (key.partition("|") for key in tables["VLAN_INTERFACE"]):
        if ":" in address:
            found.setdefault(name, []).append(str(ip_interface(address).network))
    every = "IgnoreIfMissing on; AdvSendAdvert on; MinRtrAdvInterval 60; MaxRtrAdvInterval 180; AdvManagedFlag on;"
    every += "AdvOtherConfigFlag off; AdvCurHopLimit 0; AdvLinkMTU 0; AdvHomeAgentFlag off;"
    of_prefix = "AdvOnLink on; AdvAutonomous off; AdvRouterAddr off;"
    of_prefix += "AdvValidLifetime infinity; AdvPreferredLifetime infinity;"
    return "\n".join(
        f"interface {name} {{ {every} {' '.join(f'prefix {prefix} {{ {of_prefix} }};' for prefix in prefixes)} }};"
        for name, prefixes in found.items()
    )


def _relays(lab: Lab, leaf: str) -> Iterator[tuple[str, ...]]:
    """The options of each relay of a leaf, over the uplink that is there."""
    here = lab.uplink(leaf)[0].port
    if lab.nos == "sonic":
        tables = lab.tables(leaf)
        assert tables["FEATURE"]["dhcp_relay"] == {"state": "enabled"}
        for vlan, row in tables["DHCP_RELAY"].items():
            assert any(key.startswith(f"{vlan}|") and ":" in key for key in tables["VLAN_INTERFACE"])
            yield "-l", vlan, *(word for server in row["dhcpv6_servers"] for word in ("-u", f"{server}%{here}"))
        return
    for row in lab.tree(leaf)["service"]["dhcp-relay6"].values():
        down, up = row["interface"]["downstream"], row["interface"]["upstream"]
        ways = (("-u", f"{server}%{port}") for port in up if port == here for server in up[port]["server-address"])
        yield *(word for name in down for word in ("-l", name)), *(word for way in ways for word in way)


def _start(lab: Lab, leaf: str) -> None:
    """What relays and, unless that is FRR, what advertises on a leaf."""
    if lab.nos == "sonic":
        file = lab.folder / f"{leaf}.conf"
        file.write_text(_radvd(lab.tables(leaf)))
        lab.spawn(leaf, "radvd", "radvd", "-n", "-C", str(file), "-p", str(lab.folder / f"{leaf}.pid"))
    for place, options in enumerate(_relays(lab, leaf)):
        lab.spawn(leaf, f"relay{place}", "dhcrelay", "-6", "-d", "--no-pid", *options)


def test_hosts_are_told_and_given_what_is_planned(lab: Lab) -> None:
    """A default route and no address of their own making, the planned address, and a way to each other with these."""
    for leaf in ASKING:
        _hears_of_its_gateway(lab, leaf)
        assert lab.asked[leaf]["given"] == _bare(lab.planned(leaf)), lab.logs()
    for leaf, host in lab.hosts.items():
        lab.ip(host.device, f"address add {lab.asked[leaf]['given']}/128 dev {host.port} nodad")
    for address in (lab.asked[ASKING[1]]["given"], SERVER):
        assert " 0% packet loss" in lab.run(lab.hosts[ASKING[0]].device, "ping", "-c1", "-W5", address), address
    _nothing_is_advertised_elsewhere(lab)


def _hears_of_its_gateway(lab: Lab, leaf: str) -> None:
    """The subnet of the plan, on the link, and a default route by the gateway's link-local address."""
    host, heard = lab.hosts[leaf], lab.asked[leaf]["heard"]
    assert heard, lab.logs()
    subnet, router = str(ip_interface(lab.planned(leaf)).network), heard["router"]
    assert heard == {
        **SAID[lab.nos],
        "prefixes": {subnet: {"on_link": True, "autoconfig": False}},
        "router": router,
    }
    assert f" {router}/64 " in lab.run(leaf, "ip", "-6", "address", "show", lab.bridge(leaf))
    (route,) = json.loads(lab.run(host.device, "ip", "-6", "-j", "route", "show", "default"))
    assert (route["gateway"], route["dev"], route["protocol"]) == (router, host.port, "ra")
    assert not lab.run(host.device, "ip", "-6", "address", "show", "dev", host.port, "scope", "global")


def _nothing_is_advertised_elsewhere(lab: Lab) -> None:
    """Not to the spine, nor at ports that the plan leaves spare."""
    ends = [lab.uplink(leaf)[1] for leaf in ASKING] + [BuiltEnd("stranger", leaf[-11:]) for leaf in ASKING]
    assert [each["heard"] for each in lab.asks(ends, SILENCE_S)] == [None] * len(ends)
