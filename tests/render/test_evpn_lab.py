"""Tenants over EVPN with real packets: VRFs are namespaces, VXLAN and bridges are the kernel's.

The files of leaves are SONiC's, or those of EOS and Cumulus Linux in the form that they are read back into.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from fabricgen.lab.fabric import Lab, run_ip_batch, wait_until
from fabricgen.lab.files import Build, BuiltEnd, kernel_name
from fabricgen.views.mtu import VXLAN_BYTES
from tests.render import vrf_lab
from tests.render.lab_files import built
from tests.render.rendered import BRIDGED, UNNUMBERED
from tests.render.test_tenants_lab import NODES, OWNERS, TENANTS

pytestmark = [pytest.mark.daemon, vrf_lab.TRIED_TWICE]

EVPN = ("routing.overlay=evpn",)
EOS_LEAVES = (
    "nos={leaf: eos, spine: sonic}",
    "fabrics.compute.tiers.leaf.switch=7060dx5-32",
    "fabrics.compute.tiers.spine.switch=7060dx5-32",
)
CASES = {
    "bridged hosts, sonic leaves, unnumbered": ("nos={leaf: sonic, spine: cumulus}", *UNNUMBERED, *BRIDGED),
    "routed hosts, eos leaves": EOS_LEAVES,
    "bridged hosts, cumulus leaves": ("nos={leaf: cumulus, spine: sonic}", *BRIDGED),
}
LARGEST_OF_HOSTS, TOO_LARGE = 9000, 9200


@pytest.mark.parametrize("sets", CASES.values(), ids=CASES)
def test_tenants_over_evpn(short_path: Path, sets: tuple[str, ...]) -> None:
    """Who reaches whom; routes lead to the leaf of the host, and spines have no VRF; large packets pass whole."""
    build = Build(built("leaf-spine", *TENANTS, *EVPN, *sets))
    spines = [name for name in build.switches if "spine" in name]
    assert spines
    assert not any(build.forms[name].vrfs or build.forms[name].subinterfaces for name in spines)
    with vrf_lab.lab(build, short_path) as lab:
        _widen(lab)
        vrf_lab.reach_their_own(lab, OWNERS)
        leaf = build.devices[next(name for name in build.switches if "leaf" in name)]["device"]
        overlay = build.forms[leaf].overlay
        assert overlay
        vteps = {form.overlay.vtep for form in build.forms.values() if form.overlay and form.overlay.vtep}
        (routes,) = lab.json(leaf, "show bgp l2vpn evpn route type prefix")
        hops = {path["nexthops"][0]["ip"] for path in _paths(routes)}
        assert hops == vteps
        one, other = NODES["blue"]
        first = vrf_lab.first_ports(build)
        large = _large(lab, first, one, other, build.addresses[first[other]][0].partition("/")[0])
        assert large == (True, False)


PAIRS = (
    "fabrics.compute.tiers.leaf={switch: sn4700, per: su, count: 2, spread: stripe, peer: 2 x 400G, uplinks: 2 x 400G}",
    "fabrics.compute.tiers.spine.count=2",
)


def test_a_mate_tells_of_tunnels_who_has_no_uplinks(short_path: Path) -> None:
    """Without links up a leaf keeps the prefixes of all others in their VRFs, each by the tunnel of its own leaf."""
    build = Build(built("leaf-spine", *TENANTS, *EVPN, *PAIRS, "nos={leaf: sonic, spine: cumulus}"))
    with vrf_lab.lab(build, short_path) as lab:
        vrf_lab.reach_their_own(lab, OWNERS)
        first, mate, *others = (name for name in build.switches if "leaf" in name)
        ends = [(near, far) for link in build.links for near, far in ((link.a, link.b), (link.b, link.a))]
        ups = [near.port for near, far in ends if near.device == first and "spine" in far.device]
        overlays = {name: build.forms[name].overlay for name in others}
        tunnels = {one.vtep for one in overlays.values() if one}
        assert len(ups) == len(tunnels) == 2
        wait_until(lambda: tunnels <= _told_by(lab, first, "spine"), "spines tell of the tunnels of all others")
        for port in ups:
            lab.run(first, "ip", "link", "set", kernel_name(port), "down")
        wait_until(lambda: not _told_by(lab, first, "spine"), "spines are not heard any more")
        wait_until(lambda: tunnels <= _told_by(lab, first, mate), "the mate tells of the tunnels of all others")
        ports = {kernel_name(near.port) for near, far in ends if near.device == first and far.device == mate}
        wait_until(
            lambda: all(_ports_to(lab, first, tunnel) == ports for tunnel in tunnels), "tunnels go by the mate alone"
        )


def _ports_to(lab: Lab, switch: str, address: str) -> set[str]:
    """The ports by which a switch sends what is for an address."""
    found = lab.json(switch, "show ip route bgp")[0].get(f"{address}/32", [])
    return {hop["interfaceName"] for route in found[:1] for hop in route["nexthops"] if hop.get("active")}


def _told_by(lab: Lab, switch: str, neighbor: str) -> set[str]:
    """The tunnels of prefixes that neighbours whose names have a word in them told of."""
    overlay = lab.build.forms[switch].overlay
    assert overlay
    told = {address for address, peer in overlay.peers.items() if neighbor in peer.description}
    (routes,) = lab.json(switch, "show bgp l2vpn evpn route type prefix")
    found = [
        path
        for table in routes.values()
        if isinstance(table, dict)
        for prefix in table.values()
        if isinstance(prefix, dict)
        for ways in prefix.get("paths", ())
        for path in (ways if isinstance(ways, list) else [ways])
    ]
    return {path["nexthops"][0]["ip"] for path in found if path.get("peerId") in told}


def _paths(routes: dict[str, object]) -> Iterator[dict[str, list[dict[str, str]]]]:
    """The paths of all prefixes of a table of EVPN routes."""
    for distinguished in routes.values():
        if isinstance(distinguished, dict):
            for prefix in distinguished.values():
                if isinstance(prefix, dict):
                    for path in prefix.get("paths", ()):
                        yield path[0] if isinstance(path, list) else path


def _widen(lab: Lab) -> None:
    """Give links between switches the MTUs of their files, and tunnels what VXLAN leaves of it."""
    build, switches = lab.build, set(lab.build.switches)
    between = [link for link in build.links if {link.a.device, link.b.device} <= switches]
    for name in build.switches:
        ports = {end.port for link in between for end in (link.a, link.b) if end.device == name}
        mtus = {port: build.forms[name].interfaces[port].mtu for port in sorted(ports)}
        run_ip_batch([f"link set {kernel_name(port)} mtu {mtu}" for port, mtu in mtus.items()], "-n", lab.spaces[name])
        overlay, most = build.forms[name].overlay, min(mtus.values()) - VXLAN_BYTES
        for vrf, one in sorted(overlay.vrfs.items()) if overlay else ():
            commands = [f"link set {kind}{one.vni} mtu {most}" for kind in ("vxlan", "l3vni")]
            run_ip_batch(commands, "-n", vrf_lab.space_of(lab, name, vrf))


def _large(lab: Lab, first: dict[str, BuiltEnd], one: str, other: str, address: str) -> tuple[bool, bool]:
    """Whether the largest packet of a host reaches another whole, and whether one does that no tunnel has room for."""
    for name in (one, other):
        end = first[name]
        link = next(link for link in lab.build.links if link.a == end)
        port, form = link.b.port, lab.build.forms[link.b.device]
        vlan = form.interfaces[port].access_vlan
        vrf = form.vlans[vlan].vrf if vlan else form.interfaces[port].vrf
        space = vrf_lab.space_of(lab, link.b.device, vrf)
        run_ip_batch([f"link set {kernel_name(end.port)} mtu {TOO_LARGE}"], "-n", lab.spaces[name])
        ports = [kernel_name(port), *([f"vlan{vlan}"] if vlan else [])]
        run_ip_batch([f"link set {name} mtu {TOO_LARGE}" for name in ports], "-n", space)
    found = []
    source = ("-I", kernel_name(first[one].port), "-M", "do")
    for size, patience in ((LARGEST_OF_HOSTS, 300), (TOO_LARGE, 1)):  # seconds; the first answer ends it
        sized = ["ping", "-c1", "-w", str(patience), *source, "-s", str(size - 28), address]
        command = ["ip", "netns", "exec", lab.spaces[one], *sized]
        found.append(subprocess.run(command, check=False, capture_output=True, timeout=600).returncode == 0)
    return found[0], found[1]
