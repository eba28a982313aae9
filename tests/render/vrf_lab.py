"""A fabric of FRR daemons with VRFs: a namespace each VRF of a switch, and what is in it by the switch's own files.

The kernel here has neither VRFs nor 802.1Q: `zebra -n` takes namespaces for VRFs, a bridge of a VLAN's ports stands for
the VLAN, and a veth pair for the sub-interface of a link.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from fabricgen.lab import fabric
from fabricgen.lab.fabric import run_ip_batch
from fabricgen.lab.files import Build, BuiltEnd, kernel_name
from fabricgen.lab.start import configure_switches, start_daemons
from tests.render import frr_lab

TRIED_TWICE = pytest.mark.flaky(reruns=1)
"""For tests of such a lab: about once in a hundred starts FRR 8.4 with namespaces for VRFs never installs what it was
told of other switches. A fault of a configuration is there the second time too."""

FORWARDS = ("net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1", "net.ipv6.conf.default.accept_dad=0")

IN_VRFS = """
set -e
keep=$1; shift; mkdir -p "$keep"; mount --rbind /run/netns "$keep"; mount -t tmpfs none /run/netns
while [ "$1" != -- ]; do : > "/run/netns/${1#*=}"; mount --bind "$keep/${1%%=*}" "/run/netns/${1#*=}"; shift; done
shift; exec "$@"
"""
"""Starts a daemon that sees the namespaces of one switch's VRFs alone, each by the name of the VRF: `zebra -n` takes
every namespace that has a name for a VRF (docs.frrouting.org, zebra: `--vrfwnetns`)."""


@dataclass
class Lab(fabric.Lab):
    """A lab whose switches have a namespace each VRF, by its name in FRR."""

    vrfs: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def make_daemon_command(self, device: str, name: str) -> list[str]:
        plain = super().make_daemon_command(device, name)
        if not self.vrfs[device]:
            return plain
        within = ["unshare", "--mount", "sh", "-c", IN_VRFS, "sh", str(self.folder / device / "spaces")]
        within += [*(f"{space}={vrf}" for vrf, space in sorted(self.vrfs[device].items())), "--"]
        return [*plain[:4], *within, *plain[4:], *["-n"] * (name == "zebra")]


@contextlib.contextmanager
def lab(build: Build, folder: Path) -> Iterator[Lab]:
    """Start the switches of a build, with the VRFs of their files, and its hosts, by their own files.

    Daemons come last: zebra forgets an address that it hears of before the interface that has just been made
    (github.com/FRRouting/frr/issues/13288, in 8.4), and then the connected route is missing.
    """
    devices = [*build.switches, *build.hosts]
    spaces = {name: f"fv{os.getpid()}-{i}" for i, name in enumerate(devices)}
    vrfs = {name: {vrf: f"{spaces[name]}-{vrf}" for vrf in _names(build, name)} for name in build.switches}
    running = Lab(folder, spaces, build, vrfs=vrfs)
    everywhere = [*spaces.values(), *(space for some in vrfs.values() for space in some.values())]
    daemons: list[subprocess.Popen[bytes]] = []
    try:
        run_ip_batch([f"netns add {space}" for space in everywhere])
        for space in (space for name in build.switches for space in (spaces[name], *vrfs[name].values())):
            _set(space, "\n".join(FORWARDS))
        run_ip_batch([*_cables(running), *_subinterfaces(running)])
        for name in build.switches:
            _tunnels(running, name)
            _switch(running, name)
        for name in build.hosts:
            _set(spaces[name], build.files[f"hosts/{name}/90-fabric.conf"])
            lines = list(_host(build, name))
            rules6 = [line for line in lines if line.startswith("rule ") and ":" in line]
            run_ip_batch([line for line in lines if line not in rules6], "-n", spaces[name])
            run_ip_batch(rules6, "-6", "-n", spaces[name])
        daemons += start_daemons(running, build.switches)
        configure_switches(running, {name: build.make_frr_config(name) for name in build.switches})
        yield running
    finally:
        frr_lab.ended(running, daemons, everywhere)


def _names(build: Build, name: str) -> list[str]:
    """The VRFs of a switch, as its FRR calls them: SONiC's begin with Vrf_."""
    said = set(re.findall(r"^router bgp \d+ vrf (\S+)", build.make_frr_config(name), re.M))
    return sorted({*said, *(_named(said, vrf) for vrf in build.forms[name].vrfs)})


def _named(said: set[str], vrf: str) -> str:
    return next((name for name in said if name in (vrf, f"Vrf_{vrf}")), vrf)


def space_of(running: Lab, device: str, vrf: str) -> str:
    """The namespace of a VRF of a switch; "" is the default one, and a host has no other."""
    own = running.vrfs.get(device, {})
    return own[_named(set(own), vrf)] if vrf else running.spaces[device]


def _vrf_of(build: Build, end: BuiltEnd) -> str:
    """The VRF that a port is in: its own, or that of the gateway of its VLAN."""
    form = build.forms.get(end.device)
    if form is None or end.port not in form.interfaces:
        return ""
    port = form.interfaces[end.port]
    return form.vlans[port.access_vlan].vrf if port.access_vlan else port.vrf


def _cables(running: Lab) -> Iterator[str]:
    for link in running.build.links:
        ends = (
            f"{kernel_name(e.port)} netns {space_of(running, e.device, _vrf_of(running.build, e))}"
            for e in (link.a, link.b)
        )
        yield "link add name {} type veth peer name {}".format(*ends)


def _subinterfaces(running: Lab) -> Iterator[str]:
    """A pair for each tag that both ends of a link have; a tag that one end alone has leads nowhere."""
    forms = running.build.forms
    for link in running.build.links:
        if link.a.device in forms and link.b.device in forms:
            tags = [{tag for port, tag in forms[e.device].subinterfaces if port == e.port} for e in (link.a, link.b)]
            for tag in sorted(tags[0] & tags[1]):
                ends = []
                for end in (link.a, link.b):
                    vrf = forms[end.device].subinterfaces[end.port, tag].vrf
                    ends.append(f"{_tagged(end.port, tag)} netns {space_of(running, end.device, vrf)}")
                yield f"link add name {ends[0]} type veth peer name {ends[1]}"


def _tagged(port: str, tag: int) -> str:
    """The name of a sub-interface: at most 15 characters, as SONiC shortens them."""
    return f"{kernel_name(port).replace('Ethernet', 'Eth')}.{tag}"


def _switch(running: Lab, name: str) -> None:
    """The ports, sub-interfaces and VLANs of a switch, by its files, in the namespaces of their VRFs."""
    build, form = running.build, running.build.forms[name]
    commands: dict[str, list[str]] = {vrf: ["link set lo up"] for vrf in ("", *form.vrfs)}
    commands[""] += [f"address add {address} dev lo" for address in sorted(form.loopbacks)]
    for vrf, own in sorted(form.vrf_loopbacks.items()):
        made = f"link add name {vrf} type veth peer name {vrf[:8]}-end"
        commands[vrf] += [made, f"link set {vrf} up", f"link set {vrf[:8]}-end up"]
        commands[vrf] += [_address(address, vrf) for address in sorted(own)]
    for number, vlan in sorted(form.vlans.items()):
        commands[vlan.vrf] += [f"link add name vlan{number} type bridge", f"link set vlan{number} up"]
        commands[vlan.vrf] += [_address(address, f"vlan{number}") for address in sorted(vlan.gateways)]
    for port in sorted(form.interfaces):
        commands[_vrf_of(build, BuiltEnd(name, port))] += [
            *_up(build, BuiltEnd(name, port)),
            *_addresses(build, BuiltEnd(name, port)),
        ]
    for (port, tag), sub in sorted(form.subinterfaces.items()):
        commands[sub.vrf].append(f"link set {_tagged(port, tag)} up")
        commands[sub.vrf] += [_address(address, _tagged(port, tag)) for address in sorted(sub.addresses)]
    for vrf, lines in commands.items():
        run_ip_batch(lines, "-n", space_of(running, name, vrf))


def _up(build: Build, end: BuiltEnd) -> list[str]:
    """A switch port up, and in its VLAN."""
    vlan = build.forms[end.device].interfaces[end.port].access_vlan
    return [
        f"link set {kernel_name(end.port)} up",
        *([f"link set {kernel_name(end.port)} master vlan{vlan}"] if vlan else []),
    ]


def _addresses(build: Build, end: BuiltEnd) -> list[str]:
    found = build.forms[end.device].interfaces[end.port]
    return [_address(address, kernel_name(end.port)) for address in sorted(found.addresses)]


def becomes(running: Lab, build: Build) -> None:
    """Ports of a running lab move to the VRFs of another build; switches whose FRR's files it changes get them."""
    was, running.build = running.build, build
    for end in sorted((e for link in build.links for e in (link.a, link.b) if e.device in build.forms), key=str):
        old, new = (space_of(running, end.device, _vrf_of(each, end)) for each in (was, build))
        if old != new:
            run_ip_batch([f"link set {kernel_name(end.port)} netns {new}"], "-n", old)
            run_ip_batch(_up(build, end), "-n", new)
            _known(running, end, new)
            run_ip_batch(_addresses(build, end), "-n", new)
    configure_switches(
        running,
        {n: build.make_frr_config(n) for n in build.switches if build.make_frr_config(n) != was.make_frr_config(n)},
    )


def _known(running: Lab, end: BuiltEnd, space: str, seconds: float = 300) -> None:
    """Wait until zebra has a port in the VRF that it has moved to (see `lab`)."""
    vrf = next((vrf for vrf, each in running.vrfs[end.device].items() if each == space), "default")
    deadline = time.monotonic() + seconds
    while not re.search(
        rf"^{kernel_name(end.port)} ", running.ask_frr(end.device, f"show interface vrf {vrf} brief"), re.M
    ):
        assert time.monotonic() < deadline, f"{end}: zebra has not seen it in {vrf}"
        time.sleep(0.05)


def _tunnels(running: Lab, name: str) -> None:
    """A VXLAN interface and its bridge for the VNI of each VRF: made where the tunnels end, moved to where the VRF is.

    After FRR's own test of routes of type 5 (FRRouting/frr, tests/topotests/bgp_evpn_rt5/test_bgp_evpn.py).
    """
    overlay = running.build.forms[name].overlay
    for vrf, found in sorted(overlay.vrfs.items()) if overlay else ():
        space, vni = space_of(running, name, vrf), found.vni
        local = overlay.vtep.partition("/")[0]
        made = f"link add vxlan{vni} type vxlan id {vni} dstport 4789 local {local} nolearning"
        run_ip_batch([made, f"link set vxlan{vni} netns {space}"], "-n", running.spaces[name])
        bridged = [f"link add l3vni{vni} type bridge", f"link set vxlan{vni} master l3vni{vni}"]
        run_ip_batch([*bridged, f"link set l3vni{vni} up", f"link set vxlan{vni} up"], "-n", space)


def _address(address: str, port: str) -> str:
    return f"address add {address} dev {port}" + (" nodad" if ":" in address else "")


def _set(space: str, settings: str) -> None:
    """Set the lines of a file of sysctl.d in a namespace."""
    command = ["ip", "netns", "exec", space, "sysctl", "-qp", "-"]
    subprocess.run(command, input=settings, check=True, capture_output=True, text=True)


def _host(build: Build, name: str) -> Iterator[str]:
    """The addresses, routes and rules of a host, as its netplan file has them."""
    yield "link set lo up"
    said = YAML(typ="safe").load(build.files[f"hosts/{name}/60-fabric.yaml"])["network"]["ethernets"]
    for port, found in sorted(said.items()):
        yield f"link set {kernel_name(port)} up"
        yield from (_address(address, kernel_name(port)) for address in found["addresses"])
        for route in found["routes"]:
            to = {"default": "::/0" if ":" in route.get("via", "") else "0.0.0.0/0"}.get(route["to"], route["to"])
            words = [f"{word} {route[word]}" for word in ("via", "scope", "metric", "table") if word in route]
            yield f"route add {to} dev {kernel_name(port)} {' '.join(words)}"
        for rule in found.get("routing-policy", ()):
            yield f"rule add from {rule['from']} table {rule['table']} priority {rule['priority']}"


def first_ports(build: Build) -> dict[str, BuiltEnd]:
    """The first port of each host: the one that asks, and whose address is asked."""
    return {link.a.device: link.a for link in reversed(build.links) if link.a.device in build.hosts}


def reach_their_own(running: Lab, owner: Mapping[str, str], seconds: float = 300) -> None:
    """Each host comes to reach the hosts of its owner, and then reaches no others."""
    assert set(owner) == set(running.build.hosts)
    pairs = {(one, other) for one in owner for other in owner if one != other}
    own = {pair for pair in pairs if owner[pair[0]] == owner[pair[1]]}
    missing, deadline = own, time.monotonic() + seconds
    while missing := missing - reached(running, missing, 0.4):
        assert time.monotonic() < deadline, f"{sorted(missing)}\n{_describe_tunnels(running)}"
        time.sleep(0.1)
    assert not (others := reached(running, pairs - own)), sorted(others)


def _describe_tunnels(running: Lab) -> str:
    """What each switch knows of its sessions, VNIs, tunnels and routes in VRFs: for who reads why a lab failed."""
    asked = (
        "show bgp summary",
        "show evpn vni",
        "show evpn rmac vni all",
        "show bgp vrf all ipv4",
        "show ip route vrf all",
    )
    return "\n".join(f"{name}:\n{running.ask_frr(name, *asked)}" for name in running.build.switches)


def reached(running: Lab, pairs: set[tuple[str, str]], seconds: float = 1) -> set[tuple[str, str]]:
    """The pairs of hosts of which the first has an answer from the other in some time, asked all at once."""
    first = first_ports(running.build)

    def one(pair: tuple[str, str]) -> bool:
        address = running.build.addresses[first[pair[1]]][0].partition("/")[0]
        return running.answers_ping(pair[0], first[pair[0]].port, address, seconds)

    with ThreadPoolExecutor(64) as pool:
        asked = sorted(pairs)
        return {pair for pair, answers in zip(asked, pool.map(one, asked), strict=True) if answers}
