"""The part of a switch in the EVPN overlay: VRFs with ports here, and sessions with its neighbours' loopbacks.

Sessions run between loopbacks (`ebgp-multihop`) and not on the links, as in Arista's designs (aristanetworks/avd,
eos_designs: EVPN-OVERLAY-PEERS). So they are the same over numbered and unnumbered links, a switch has one for each
neighbour and not for each link, and the policies of the links' sessions do not change. Between switches of two NOSes
both ends have to agree, and all three NOSes document this way. Every switch passes EVPN routes on with the next hop
unchanged, which is the VTEP at the other end of the tunnel; a switch without the VRF keeps the routes for those beyond
it.

A route target is `VNI:VNI`, since every leaf has an AS number of its own, and targets that a NOS derives would differ
(RFC 8365, 5.1.2.1, derives it of the AS number).
"""

from __future__ import annotations

from dataclasses import replace
from ipaddress import IPv4Address
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.blueprint.sections.routing import HOLD_S, KEEPALIVE_S
from fabricgen.switch.routing import EvpnOverlay, OverlayPeer, OverlayVlan, OverlayVrf
from fabricgen.views.leaks import list_services_of_leaks
from fabricgen.views.service import VrfLoopback
from fabricgen.views.switch import SwitchView

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.design.model import Design
    from fabricgen.views.frames import SwitchFrames


def add_overlay(switch: SwitchView, frames: SwitchFrames, row: int) -> SwitchView:
    """Return a switch with its part in the overlay, if its fabric has one and another switch takes part; the same
    switch otherwise. `row` is its row in the device table.
    """
    design = frames.design
    owners = {owner for owner, _ in design.vnis}
    owners |= {design.fabric(guest).carrier or guest for guest, _ in design.bridged_vnis}
    name = switch.fabric.name
    owner = design.fabric(name).carrier or name
    if owner not in owners or not switch.loopback:
        return switch
    peers = _make_overlay_peers(switch, frames, row)
    if not peers:
        return switch
    vrfs_here = {
        service.vrf for service in switch.services if service.vrf and (service.host_subnet or service.gateways)
    }
    brought = list_services_of_leaks(owner, vrfs_here, frames, row)
    # a VRF is on a switch where it has hosts, what leaks bring there, or an exit
    vrfs_here |= {service.vrf for service in brought}
    vrfs_here |= {vrf for vrf, _ in switch.exits.peers} | {vrf for vrf, _ in switch.exits.routes}
    families = frozenset(switch.fabric.families)
    vrfs = {
        vrf: OverlayVrf(
            vni=vni.vni,
            distinguisher=f"{switch.router_id}:{vni.number}",
            imports=(target := frozenset({f"{vni.vni}:{vni.vni}"})),
            exports=target,
            families=families,
            vlan=vni.vlan,
        )
        for (carrier, vrf), vni in sorted(design.vnis.items())
        if carrier == owner and vrf in vrfs_here
    }
    vlans = dict(_make_overlay_vlans(switch, design)) if switch.multihomed else {}
    vrfs_of_services = {service.vrf for service in switch.services}
    services = (*switch.services, *(service for service in brought if service.vrf not in vrfs_of_services))
    loopbacks = tuple(_list_vrf_loopbacks(owner, frames, row))
    # routes from far devices pass on to neighbours, by the AS number that their path begins with
    outside = frozenset(f"^{peer.remote_asn}_" for (vrf, _), peer in switch.exits.peers.items() if vrf in vrfs)
    overlay = EvpnOverlay(
        source=switch.loopback,
        vtep=switch.loopback if vrfs or vlans else "",
        vrfs=vrfs,
        peers={address: replace(peer, outside=outside) if peer.own_only else peer for address, peer in peers.items()},
        copies_dscp=bool(vrfs or vlans) and switch.fabric.qos.marks and not switch.lacks("vxlan-dscp"),
        vlans=vlans,
    )
    return replace(switch, services=services, overlay=overlay, vrf_loopbacks=loopbacks)


def _list_vrf_loopbacks(owner: str, frames: SwitchFrames, row: int) -> Iterator[VrfLoopback]:
    """Yield the loopbacks of a switch in VRFs of the fabric that owns it, by VRF."""
    for (carrier, vrf), vni in sorted(frames.design.vnis.items()):
        columns = [(family, family.vrf_loopbacks.get((carrier, vrf))) for family in frames.addresses.families]
        # one text for each family; a cluster of one family gets "" for the second
        four, six, *_ = [
            *(family.format_address(column.at(row)) if column is not None else "" for family, column in columns),
            "",
        ]
        if carrier == owner and (four or six):
            yield VrfLoopback(vrf, vni.number, four, six)


def _make_overlay_vlans(switch: SwitchView, design: Design) -> Iterator[tuple[int, OverlayVlan]]:
    """Yield (number, VLAN) of hosts with EVPN multihoming.

    Two switches share their subnet, and so the route target. A VLAN of the same number elsewhere has the same VNI but
    must not be joined with it, so the target is made of the VNI and the last 16 bits of the first switch's router id,
    which no two pairs share.
    """
    for service in switch.services:
        vni = design.bridged_vnis.get((service.fabric, service.tenant))
        if vni and service.gateways:
            pair = int(IPv4Address(switch.multihomed)) & 0xFFFF
            number = switch.naming.configuration.pairs.one_distinguisher or vni.number
            target = frozenset({f"{vni.vni}:{pair}"})
            yield service.vlan, OverlayVlan(vni.vni, f"{switch.router_id}:{number}", target)


def _make_overlay_peers(switch: SwitchView, frames: SwitchFrames, row: int) -> dict[str, OverlayPeer]:
    """Return the overlay sessions of a switch, by IPv4 loopback of the neighbour, in the order of the links.

    A neighbour over several links has one session; neighbours without an AS number or a loopback have none.
    """
    _, link, is_upper = frames.list_link_ends([row])
    far_devices = np.where(is_upper, frames.plan.links.a_device[link], frames.plan.links.b_device[link])
    rows = {frames.names[peer]: peer for peer in far_devices.tolist()}
    v4, peers = frames.addresses.v4, dict[str, OverlayPeer]()
    for port in switch.ends:
        if port.role != "host" and port.peer_asn and port.peer in rows:
            # tunnels end at IPv4 loopbacks
            address = v4.format_address(v4.loopback.at(rows[port.peer]))
            if address and address not in peers:
                peers[address] = OverlayPeer(
                    remote_asn=port.peer_asn,
                    own_only=switch.announces_own_only and not (port.role == "peer" and switch.passes_to_mates),
                    own_as_in=1 if switch.shares_asn and port.role != "down" else 0,
                    keepalive_s=KEEPALIVE_S,
                    hold_s=HOLD_S,
                    description=port.peer,
                    role=port.role,
                )
    return peers
