"""The MLAG pair that a switch is one of: what it says to the other switch over their peer link.

The ports of the peer link are one bond that carries all VLANs. Routed, and for the protocol of the pair, the two talk
in a VLAN of their own, with the addresses of the first peer link; sessions in a VRF run in the VLAN of the VRF, between
the switches' own addresses where hosts of it are there. On SONiC, where they have none in VLANs of hosts, each VRF has
a VLAN of the peer link.

The MAC of a pair is of the range that NVIDIA keeps for them, 44:38:39:ff:00:00 to 44:38:39:ff:ff:ff (Cumulus Linux user
guide, Multi-Chassis Link Aggregation), with the last 16 bits of the first switch's router id, which no two share.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from ipaddress import IPv4Address

from fabricgen.catalog.loader import Catalog
from fabricgen.views.switch import Pair, Subinterface, SwitchPort, SwitchView
from fabricgen.wiring.bonds import PAIR_VLAN


def with_pair(
    switch: SwitchView, mate: SwitchView, catalog: Catalog, vlans: Mapping[str, int], *, first: bool
) -> SwitchView:
    """A switch as one of a pair with its mate; `first`: whether it is the first of the two; `vlans`: those of VRFs over
    the peer links of SONiC.
    """
    linked = tuple(port for port in switch.ports if port.role == "peer" and port.bond)
    if not linked:
        return switch
    lead = next((port for port in linked if port.addresses or port.subinterfaces), linked[0])
    configuration = catalog.naming(switch.nos).configuration
    name = configuration.pair_interface.format(vlan=PAIR_VLAN)
    between = _in_vrfs(switch, mate, lead)
    if configuration.pairs.vlans_of_vrfs:
        between = tuple(replace(sub, vlan=vlans[sub.vrf]) for sub in between)
    end = replace(lead, name=name, bond=0, subinterfaces=between)
    one = switch if first else mate
    managements = [address.partition("/")[0] for address, gateway in mate.managements if gateway]
    members = tuple(_as_member(port) for port in linked)
    plain = {port.name: port for port in members}
    pair = Pair(
        name=one.name,
        mate=mate.name,
        mac=pair_mac(one.router_id),
        number=lead.bond,
        ports=members,
        end=end,
        backup=next(iter(managements), mate.loopback or mate.loopback6),
        in_management=bool(managements),
    )
    return replace(switch, ports=tuple(plain.get(port.name, port) for port in switch.ports), pair=pair)


def _as_member(port: SwitchPort) -> SwitchPort:
    """A port of the peer link, which has neither addresses nor sessions of its own."""
    return replace(port, address="", address6="", peer_address="", peer_address6="", peer_asn=0, subinterfaces=())


def pair_mac(router_id: str) -> str:
    """The MAC of the pair whose first switch has a router id."""
    high, low = divmod(int(IPv4Address(router_id)) & 0xFFFF, 256)
    return f"44:38:39:ff:{high:02x}:{low:02x}"


def _in_vrfs(switch: SwitchView, mate: SwitchView, lead: SwitchPort) -> tuple[Subinterface, ...]:
    """The sessions with the mate in VRFs: over what a peer link has for them, or between both gateways."""
    far = {(service.fabric, service.vlan): service for service in mate.services}
    found = list(lead.subinterfaces)
    for vrf in switch.vrfs:
        both = [(s, far[s.fabric, s.vlan]) for s in switch.services if s.vrf == vrf and (s.fabric, s.vlan) in far]
        if any(sub.vrf == vrf for sub in found) or not switch.asn:
            continue
        found += [
            Subinterface(
                vlan=own.vlan,
                vrf=vrf,
                address=own.own,
                peer_address=other.own,
                peer_asn=mate.asn,
                address6=own.own6,
                peer_address6=other.own6,
                in_gateway=True,
            )
            for own, other in both
            if own.owns
        ][:1]
    return tuple(found)
