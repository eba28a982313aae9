"""The MLAG pair that a switch is part of: what it configures towards the other switch over their peer link.

The ports of the peer link are one bond that carries all VLANs. The two switches speak IP, and the protocol of the pair,
in a VLAN of their own, with the addresses of the first peer link; sessions in a VRF run in the VLAN of the VRF, between
the switches' own addresses if hosts of it are there. On SONiC, where they have none in VLANs of hosts, each VRF has a
VLAN of the peer link.

The MAC of a pair is of the range that NVIDIA reserves for them, 44:38:39:ff:00:00 to 44:38:39:ff:ff:ff (Cumulus Linux
user guide, Multi-Chassis Link Aggregation), with the last 16 bits of the first switch's router id, which no two pairs
share.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace
from ipaddress import IPv4Address

from fabricgen.catalog.nos_configuration import PairFacts
from fabricgen.switch.interfaces import MlagPair, Subinterface
from fabricgen.switch.ordered import OrderedSet
from fabricgen.views.switch import SwitchPort, SwitchView
from fabricgen.wiring.bonds import PAIR_VLAN

LINK_LOCAL = ("169.254.255.0/31", "169.254.255.1/31")
"""Of the first switch of a pair and the second, where they have no IPv4 addresses to talk over (RFC 3927)."""


def add_mlag_pair(switch: SwitchView, mlag_peer: SwitchView, vlans: Mapping[str, int], *, first: bool) -> SwitchView:
    """Return a switch with its MLAG pair; the same switch if it has no bonded peer links.

    The ports of the peer link become members of the pair and lose their addresses. `first`: whether the switch is the
    first of the two; `vlans`: the VLANs of VRFs over the peer links of SONiC, by VRF.
    """
    peer_ports = tuple(port for port in switch.ports if port.role == "peer" and port.bond)
    if not peer_ports:
        return switch
    # addresses of the peer link are planned at one of its ports
    addressed_port = next((port for port in peer_ports if port.addresses or port.subinterfaces), peer_ports[0])
    configuration = switch.naming.configuration
    name = configuration.pair_interface.format(vlan=PAIR_VLAN)
    vrf_subinterfaces = _list_vrf_subinterfaces(switch, mlag_peer, addressed_port)
    if configuration.pairs.vlans_of_vrfs:
        vrf_subinterfaces = tuple(replace(sub, vlan=vlans[sub.vrf]) for sub in vrf_subinterfaces)
    end = replace(addressed_port, name=name, bond=0, subinterfaces=vrf_subinterfaces)
    first_switch = switch if first else mlag_peer
    members = tuple(_make_bond_member(port) for port in peer_ports)
    member_by_name, (own_address, far_address) = (
        {port.name: port for port in members},
        _find_pair_addresses(addressed_port, configuration.pairs, first=first),
    )
    talk_addresses = OrderedSet(filter(None, (own_address, *end.addresses)))
    links: dict[int, tuple[str, Set[str]]] = {PAIR_VLAN: ("", talk_addresses)}
    links |= {sub.vlan: (sub.vrf, sub.addresses) for sub in vrf_subinterfaces if not sub.in_gateway}
    mac = make_pair_mac(first_switch.router_id)
    names = {"first-switch": first_switch.name, "mac": mac, "number": str(number_pair(mac))}
    pair = MlagPair(
        members=OrderedSet(member_by_name),
        name=names[configuration.pairs.name],
        backup=_find_backup_address(mlag_peer, configuration.pairs.backup),
        vlans=links,
        mate=mlag_peer.name,
        peer=far_address.partition("/")[0],
        number=addressed_port.bond,
        mtu=peer_ports[0].mtu,
    )
    ports = tuple(member_by_name.get(port.name, port) for port in switch.ports)
    return replace(switch, ports=ports, pair=pair, pair_end=end)


def _find_pair_addresses(addressed_port: SwitchPort, facts: PairFacts, *, first: bool) -> tuple[str, str]:
    """Return (own, far) address that the pair talks over, each with its prefix length; ("", "") if there is none.

    They are those of the peer link, or link-local ones if it has no IPv4 and the NOS uses such addresses. `first`:
    whether the switch is the first of the two.
    """
    if addressed_port.address or not facts.link_local:
        return next((pair for pair in addressed_port.pairs if pair[0]), ("", ""))
    return LINK_LOCAL if first else LINK_LOCAL[::-1]


def _find_backup_address(mlag_peer: SwitchView, over: str) -> tuple[str, str]:
    """Return (address, VRF) by which the MLAG peer is reached if the peer link is lost; the VRF is "management", or ""
    for the default one. ("", "") if there is no such address.

    `over` is what the NOS allows: "none", "any" for the loopback as well, else management addresses alone.
    """
    managements = [address.partition("/")[0] for address, gateway in mlag_peer.managements if gateway]
    if managements and over != "none":
        return managements[0], "management"
    return (mlag_peer.loopback or mlag_peer.loopback6 if over == "any" else ""), ""


def number_pair(mac: str) -> int:
    """Return a number from 1 to 4095 that the two switches share, from the last 16 bits of the pair's MAC."""
    return int(mac.replace(":", "")[-4:], 16) % 4095 + 1


def _make_bond_member(port: SwitchPort) -> SwitchPort:
    """Return a port of the peer link, which has neither addresses nor sessions of its own."""
    return replace(port, address="", address6="", peer_address="", peer_address6="", peer_asn=0, subinterfaces=())


def make_pair_mac(router_id: str) -> str:
    """Return the shared MAC of an MLAG pair, made from the router id of its first switch."""
    high_byte, low_byte = divmod(int(IPv4Address(router_id)) & 0xFFFF, 256)
    return f"44:38:39:ff:{high_byte:02x}:{low_byte:02x}"


def _list_vrf_subinterfaces(
    switch: SwitchView, mlag_peer: SwitchView, addressed_port: SwitchPort
) -> tuple[Subinterface, ...]:
    """Return the sub-interfaces by which the two switches of a pair talk to each other in VRFs.

    They are those of the peer link. A VRF without one there gets one that stands for the interface of a gateway, if the
    switch runs BGP: in the first VLAN of the VRF that both switches have and in which this one has an address of its
    own.
    """
    peer_services = {(service.fabric, service.vlan): service for service in mlag_peer.services}
    subinterfaces = list(addressed_port.subinterfaces)
    for vrf in switch.vrfs:
        services_of_both = [
            (s, peer_services[s.fabric, s.vlan])
            for s in switch.services
            if s.vrf == vrf and (s.fabric, s.vlan) in peer_services
        ]
        if any(sub.vrf == vrf for sub in subinterfaces) or not switch.asn:
            continue
        subinterfaces += [
            Subinterface(
                vrf=vrf,
                addresses=OrderedSet(service.owns),
                vlan=service.vlan,
                pairs=((service.own, peer_service.own), (service.own6, peer_service.own6)),
                peer_asn=mlag_peer.asn,
                in_gateway=True,
            )
            for service, peer_service in services_of_both
            if service.owns
        ][:1]
    return tuple(subinterfaces)
