"""VXLAN in a lab with VRFs: for each VRF over EVPN a tunnel and a bridge, as SONiC and Cumulus Linux have it.

The tunnel is made where the underlay is and moved into the VRF's namespace: packets leave it in the first one (ip-link
manual, `netns`). zebra learns the router's MAC of the bridge, and bgpd sends it along with routes of type 5.
"""

from __future__ import annotations

from fabricgen.render.evpn import ENCAPSULATION_BYTES
from tests.render import frr_lab
from tests.render.lab_files import kernel


def tunnels(running: frr_lab.Lab) -> None:
    """Make the tunnels of all switches that have some, and give ports the MTUs of their files."""
    build = running.build
    for name in build.switches:
        found = build.forms[name].overlay
        if found is None:
            continue
        own = running.vrfs.get(name, {})
        frr_lab.batch(_mtus(running, name), "-n", running.spaces[name])
        for vrf, one in sorted(found.vrfs.items()):
            space = next(own[known] for known in own if known in (vrf, f"Vrf_{vrf}"))
            tunnel = f"link add vx{one.vni} type vxlan id {one.vni} local {found.vtep} dstport 4789 nolearning"
            frr_lab.batch([tunnel, f"link set vx{one.vni} netns {space}"], "-n", running.spaces[name])
            most = min(port.mtu for port in build.forms[name].interfaces.values()) - ENCAPSULATION_BYTES
            frr_lab.batch(_bridge(one.vni, most), "-n", space)


def _bridge(vni: int, mtu: int) -> list[str]:
    return [
        f"link add br{vni} type bridge",
        f"link set vx{vni} mtu {mtu} master br{vni}",
        f"link set vx{vni} up",
        f"link set br{vni} mtu {mtu} up",
    ]


def _mtus(running: frr_lab.Lab, name: str) -> list[str]:
    """MTUs of the links between switches: hosts have smaller packets than they take."""
    switches, links = set(running.build.switches), running.build.links
    ends = [end for link in links if {link.a.device, link.b.device} <= switches for end in (link.a, link.b)]
    ports = running.build.forms[name].interfaces
    return [f"link set {kernel(end.port)} mtu {ports[end.port].mtu}" for end in ends if end.device == name]
