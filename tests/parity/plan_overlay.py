"""The overlay that the plan asks of a switch, worked out from ports, services and numbers alone."""

from __future__ import annotations

from fabricgen.switch.overlay import Overlay, OverlayPeer, OverlayVlan, OverlayVrf
from fabricgen.views.switch import SwitchView

KEEPALIVE_S, HOLD_S = 3, 9


def vrfs_over_evpn(switch: SwitchView) -> set[str]:
    """The VRFs that a switch has ports or gateways in, where it has an overlay; that of a fabric stays, too, where all
    of its ports there are tenants'. A leak brings the VRF that it is with.
    """
    if switch.overlay is None:
        return set()
    services = {switch.service_of(port) for port in switch.ports if port.addresses}
    own = {service.vrf for service in services if service and service.vrf} | {
        service.vrf
        for service in switch.services
        if service.vrf and (service.gateways or service.host_subnet or service.host_subnet6)
    }
    return own | {source.vrf for leaked in switch.leaks if leaked.vrf in own for source in leaked.sources}


def planned_overlay(switch: SwitchView, *, copies_dscp: bool) -> Overlay | None:
    """A VRF of each service with ports here; sessions with the loopback of every neighbour, once."""
    if switch.overlay is None:
        return None
    known = {one.name: one for one in switch.overlay.vrfs}
    names = vrfs_over_evpn(switch)
    vrfs = {
        name: OverlayVrf(
            vni=known[name].vni,
            distinguisher=known[name].distinguisher,
            imports=frozenset({f"{known[name].vni}:{known[name].vni}"}),
            exports=frozenset({f"{known[name].vni}:{known[name].vni}"}),
            families=frozenset(switch.fabric.families),
        )
        for name in names
    }
    near = {port.peer: (port.peer_asn, port.role) for port in switch.ends if port.role != "host" and port.peer_asn}
    loopbacks = {peer.name: peer.address for peer in switch.overlay.peers}
    assert near.keys() == loopbacks.keys()
    roles = {port.role for port in switch.ports}
    own_only = {
        role: switch.is_lowest and "down" not in roles and not (role == "peer" and "up" in roles)
        for _, role in near.values()
    }
    outside = frozenset(f"^{peer.asn}_" for peer in switch.exits.peers if peer.vrf in names)
    outside |= {"^4294967294$"} if switch.nos != "eos" and any(leaked.sources for leaked in switch.leaks) else set()
    peers = {
        loopbacks[name]: OverlayPeer(
            remote_asn=asn,
            own_only=own_only[role],
            own_as_in=1 if switch.shares_asn and role != "down" else 0,
            keepalive_s=KEEPALIVE_S,
            hold_s=HOLD_S,
            description=name,
            outside=outside if own_only[role] else frozenset(),
        )
        for name, (asn, role) in near.items()
    }
    pair = 0
    if switch.multihomed:
        *_, third, fourth = map(int, switch.multihomed.split("."))
        pair = third * 256 + fourth
    vlans = {
        one.vlan: OverlayVlan(one.vni, one.distinguisher, frozenset({f"{one.vni}:{pair}"}))
        for one in switch.overlay.vlans
    }
    bridged = {service.vlan for service in switch.services if service.gateways}
    assert set(vlans) == (bridged if switch.multihomed else set())
    tunnels = bool(names or vlans)
    copies = copies_dscp and tunnels and switch.fabric.qos.lossless
    return Overlay(switch.loopback, switch.loopback if tunnels else "", vrfs, peers, copies, vlans)


def segment_of(switch: SwitchView, number: int) -> str:
    """A MAC of the router id of the first of two multihomed switches and of the bond's number; "" without one."""
    if not switch.multihomed:
        return ""
    *_, second, third, fourth = map(int, switch.multihomed.split("."))
    return ":".join(f"{byte:02x}" for byte in (2, second, third, fourth, number // 256, number % 256))
