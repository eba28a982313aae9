"""Bonds and VLANs at work: Open vSwitch for what switches and hosts bridge and bond, FRR for what switches route.

Open vSwitch runs in userspace (datapath `netdev`), which needs nothing of the kernel. A switch's ports in VLANs are
those of a bridge, set up as its files were read back; each gateway is an interface of the switch's own namespace. A
host is a namespace with the interfaces of its netplan file: bonds and VLANs are Open vSwitch's too, since not every
kernel has its own.

No free software speaks the protocol of MLAG pairs. The two switches of one have one bridge here, as they are one to
hosts, and no peer link; each routes for itself, and the first has the gateways of both.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from fabricgen.lab import fabric, machine
from fabricgen.lab.fabric import run_ip_batch
from fabricgen.lab.files import Build, BuiltEnd, kernel_name
from fabricgen.lab.start import configure_switches, start_daemons
from fabricgen.switch.model import Switch

SCHEMA = Path("/usr/share/openvswitch/vswitch.ovsschema")
SETTINGS = ("net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1", "net.ipv6.conf.default.accept_dad=0")


def missing() -> str:
    """What this machine lacks for a lab; "" for nothing."""
    tools = [tool for tool in ("ovs-vsctl", "ovs-vswitchd", "ovsdb-server", "ovsdb-tool") if not shutil.which(tool)]
    return ", ".join([*tools, *filter(None, [machine.explain_lack()])])


@dataclass
class Lab:
    """A running lab. `ports` are the names of ports in Open vSwitch, which knows no long ones."""

    build: Build
    netplans: dict[str, dict[str, Any]]
    folder: Path
    spaces: dict[str, str]
    ports: dict[BuiltEnd, str] = field(default_factory=dict)
    bridges: dict[str, str] = field(default_factory=dict)
    """By switch, and by the bond of a host."""
    bonds: dict[tuple[str, str], str] = field(default_factory=dict)
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def routing(self) -> fabric.Lab:
        """The daemons of its switches."""
        return fabric.Lab(self.folder, self.spaces, self.build)

    def run(self, device: str, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the namespace of a device; that of Open vSwitch is ""."""
        whole = ["ip", "netns", "exec", self.spaces[device], *command]
        return subprocess.run(whole, check=False, capture_output=True, text=True, timeout=300)

    def pings(self, device: str, interface: str, address: str) -> bool:
        """Whether an address answers a ping from an interface."""
        return self.run(device, "ping", "-c1", "-W1", "-I", kernel_name(interface), address).returncode == 0

    def vsctl(self, *words: str) -> None:
        """Change the configuration of Open vSwitch."""
        done = self.run("", "ovs-vsctl", f"--db=unix:{self.folder}/db", "--no-wait", *words)
        assert done.returncode == 0, f"{words}\n{done.stderr}"

    def bond(self, device: str, name: str) -> dict[BuiltEnd, bool]:
        """By member of a bond, whether LACP has attached it and the bond sends over it."""
        own = self.bonds[device, name]
        shown = [self.run("", "ovs-appctl", "-t", f"{self.folder}/ctl", word, own).stdout for word in WORDS]
        members = {own: end for end, own in self.ports.items()}
        return {
            members[line.split()[1].rstrip(":")]: "current attached" in line
            and f"{line.split()[1]} enabled" in shown[1]
            for line in shown[0].splitlines()
            if line.startswith("member:")
        }

    def cut(self, end: BuiltEnd) -> None:
        """Pull the cable at a port."""
        assert self.run("", "ip", "link", "set", self.ports[end], "down").returncode == 0


WORDS = ("lacp/show", "bond/show")


@contextlib.contextmanager
def lab(build: Build, netplans: dict[str, str], folder: Path) -> Iterator[Lab]:
    """Start the switches and hosts of a build, cabled as its links.csv says."""
    devices = ["", *build.switches, *build.hosts]
    assert len(devices) <= 40, "a namespace each, and three daemons a switch: this is for small fabrics"
    read = {name: YAML(typ="safe").load(text)["network"] for name, text in netplans.items()}
    running = Lab(build, read, folder, {name: f"fo{os.getpid()}-{i}" for i, name in enumerate(devices)})
    try:
        run_ip_batch([f"netns add {space}" for space in running.spaces.values()])
        for device in devices:
            running.run(device, "sysctl", "-qw", *SETTINGS)
            running.run(device, "ip", "link", "set", "lo", "up")
        _start(running)
        run_ip_batch(_cables(running))
        for name in build.switches:
            _switch(running, name, build.forms[name])
        _bonds(running)
        for name in build.hosts:
            _host(running, name)
        running.processes += start_daemons(running.routing, build.switches)
        configure_switches(running.routing, {name: build.make_frr_config(name) for name in build.switches})
        yield running
    finally:
        for process in running.processes:
            process.kill()
        for process in running.processes:
            process.wait()
        for space in running.spaces.values():
            subprocess.run(["ip", "netns", "del", space], check=False, capture_output=True)


def _start(running: Lab) -> None:
    """Start Open vSwitch with an empty configuration."""
    folder = running.folder
    subprocess.run(["ovsdb-tool", "create", str(folder / "conf.db"), str(SCHEMA)], check=True, capture_output=True)
    _spawn(running, "ovsdb-server", str(folder / "conf.db"), f"--remote=punix:{folder}/db", f"--unixctl={folder}/dbctl")
    _wait((folder / "db").exists)
    running.vsctl("init")
    _spawn(running, "ovs-vswitchd", f"unix:{folder}/db", f"--unixctl={folder}/ctl")
    _wait((folder / "ctl").exists)


def _spawn(running: Lab, program: str, *words: str) -> None:
    command = ["ip", "netns", "exec", running.spaces[""], program, *words, "--log-file=/dev/null"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    running.processes.append(subprocess.Popen(command, **quiet))  # type: ignore[call-overload]


def _wait(done: Any, seconds: float = 300) -> bool:
    """Wait until something is so; returns whether it is."""
    deadline = time.monotonic() + seconds
    while not done() and time.monotonic() < deadline:
        time.sleep(0.1)
    return bool(done())


def _cables(running: Lab) -> Iterator[str]:
    """A pair of interfaces a link: ends that bridge or bond are in the namespace of Open vSwitch."""
    for number, link in enumerate(running.build.links):
        ends = []
        for side, end in zip("ab", (link.a, link.b), strict=True):
            if _is_bridged(running, end):
                running.ports[end] = f"p{number}{side}"
                ends.append(f"p{number}{side} netns {running.spaces['']}")
            else:
                ends.append(f"{kernel_name(end.port)} netns {running.spaces[end.device]}")
        yield f"link add name {ends[0]} type veth peer name {ends[1]}"


def _is_bridged(running: Lab, end: BuiltEnd) -> bool:
    form = running.build.forms.get(end.device)
    if form is None:
        bonds = running.netplans.get(end.device, {}).get("bonds", {}).values()
        return any(end.port in bond["interfaces"] for bond in bonds)
    port = form.interfaces.get(end.port)
    return bool(port and (port.bond or port.access_vlan or port.tagged_vlans))


def _bridge(running: Lab, device: str) -> str:
    running.bridges[device] = name = f"br{len(set(running.bridges.values()))}"
    running.vsctl("add-br", name, "--", "set", "bridge", name, "datapath_type=netdev", "fail_mode=standalone")
    return name


CHECKSUMS = """
import array, fcntl, socket, struct, sys
words = array.array("I", (0x17, 0))  # ETHTOOL_STXCSUM, off
asked = struct.pack("16sP", sys.argv[1].encode(), words.buffer_info()[0])
fcntl.ioctl(socket.socket(), 0x8946, asked)  # SIOCETHTOOL
"""
"""Makes the kernel compute checksums itself: Open vSwitch in userspace passes on what a network card would finish."""


def _link(running: Lab, device: str, interface: str, bridge: str, vlans: Sequence[str]) -> None:
    """An interface of a device's namespace on a bridge."""
    own = f"v{len(running.ports)}-{bridge}"
    running.ports[BuiltEnd(device, interface)] = own
    space, far = running.spaces[device], running.spaces[""]
    run_ip_batch([f"link add name {own} netns {far} type veth peer name {kernel_name(interface)} netns {space}"])
    running.run("", "ip", "link", "set", own, "up")
    running.run(device, "ip", "link", "set", kernel_name(interface), "up")
    assert running.run(device, sys.executable, "-c", CHECKSUMS, kernel_name(interface)).returncode == 0
    running.vsctl("add-port", bridge, own, *vlans)


def _vlans(untagged: int, tagged: frozenset[int]) -> list[str]:
    """The VLANs of a port in the words of Open vSwitch."""
    trunks = ",".join(map(str, sorted(tagged)))
    if not tagged:
        return [f"tag={untagged}", "vlan_mode=access"]
    return [
        f"trunks={trunks}",
        *([f"tag={untagged}", "vlan_mode=native-untagged"] if untagged else ["vlan_mode=trunk"]),
    ]


def _bond(running: Lab, place: tuple[str, str], bridge: str, members: Sequence[BuiltEnd], *vlans: str) -> None:
    """A bond on a bridge; `place` is its device and its name there."""
    own = [running.ports[member] for member in members]
    for port in own:
        running.run("", "ip", "link", "set", port, "up")
    running.bonds[place] = name = f"bond{len(running.bonds)}"
    lacp = ("lacp=active", "bond_mode=balance-tcp", "other_config:lacp-time=fast")
    running.vsctl("add-bond", bridge, name, *own, *lacp, *vlans)


def _switch(running: Lab, device: str, form: Switch) -> None:
    """The bridge, gateways and routed ports of a switch, as its files have them."""
    addresses = [("lo", address) for address in form.loopbacks]
    addresses += [(kernel_name(name), address) for name, port in form.interfaces.items() for address in port.addresses]
    first = next(n for n in running.build.switches if _pair_of(running, n) == _pair_of(running, device))
    if form.vlans:
        bridge = _bridge(running, device) if first == device else running.bridges[first]
        running.bridges[device] = bridge
        for number, vlan in form.vlans.items():
            _link(running, device, f"Vlan{number}", bridge, [f"tag={number}"])
            addresses += [(f"Vlan{number}", a) for a in (*vlan.own, *(vlan.gateways if first == device else ()))]
        for number, (vrf, own) in form.pair.vlans.items() if form.pair else ():
            assert not vrf, "the kernel here has no VRFs"
            _link(running, device, f"pair.{number}", bridge, [f"tag={number}"])
            addresses += [(f"pair.{number}", address) for address in own]
        for name, port in form.interfaces.items():
            if port.access_vlan or port.tagged_vlans:
                own_name = running.ports[BuiltEnd(device, name)]
                running.run("", "ip", "link", "set", own_name, "up")
                running.vsctl("add-port", bridge, own_name, *_vlans(port.access_vlan, port.tagged_vlans))
    for name in form.interfaces:
        running.run(device, "ip", "link", "set", kernel_name(name), "up")
    run_ip_batch([_address(*pair) for pair in sorted(addresses)], "-n", running.spaces[device])


def _pair_of(running: Lab, device: str) -> str:
    """The name of the pair that a switch is one of, else its own."""
    pair = running.build.forms[device].pair
    return f"pair {pair.name}" if pair else device


def _bonds(running: Lab) -> None:
    """The bonds of switches: those of a pair have ports of both."""
    forms = running.build.forms
    members: dict[tuple[str, int], list[BuiltEnd]] = {}
    for device, form in forms.items():
        for number, bond in form.bonds.items():
            ends = [BuiltEnd(device, port) for port in sorted(bond.members)]
            members.setdefault((_pair_of(running, device) if bond.mlag_id else device, number), []).extend(ends)
    for (_, number), ends in members.items():
        bond = forms[ends[0].device].bonds[number]
        vlans, device = _vlans(bond.access_vlan, bond.tagged_vlans), ends[0].device
        _bond(running, (device, str(number)), running.bridges[device], ends, *vlans)
        running.bonds |= {(end.device, str(number)): running.bonds[device, str(number)] for end in ends}


def _address(interface: str, address: str) -> str:
    return f"address add {address} dev {interface}" + (" nodad" if ":" in address else "")


def _host(running: Lab, device: str) -> None:
    """The interfaces, addresses and default routes that a host's netplan file has."""
    network = running.netplans.get(device, {"ethernets": {}})
    for name, bond in network.get("bonds", {}).items():
        words = bond["parameters"]
        assert (words["mode"], words["lacp-rate"]) == ("802.3ad", "fast")
        bridge = _bridge(running, f"{device} {name}")
        _bond(running, (device, name), bridge, [BuiltEnd(device, port) for port in bond["interfaces"]])
        _link(running, device, name, bridge, [])
    for name, vlan in network.get("vlans", {}).items():  # kernels need not have VLANs of their own
        _link(running, device, name, running.bridges[f"{device} {vlan['link']}"], [f"tag={vlan['id']}"])
    for name, one in (pair for kind in ("ethernets", "bonds", "vlans") for pair in network.get(kind, {}).items()):
        running.run(device, "ip", "link", "set", kernel_name(name), "up")
        for address in one.get("addresses", ()):
            run_ip_batch([_address(kernel_name(name), address)], "-n", running.spaces[device])
        for route in one.get("routes", ()):
            if "via" in route:
                table = ["table", str(route["table"])] if "table" in route else []
                running.run(
                    device, "ip", "route", "add", route["to"], "via", route["via"], "dev", kernel_name(name), *table
                )
        for rule in one.get("routing-policy", ()):
            running.run(device, "ip", "rule", "add", "from", rule["from"], "table", str(rule["table"]))
