"""The MLAG pair that a switch is one of: what it says to the other switch over their peer link.

The ports of the peer link are one bond that carries all VLANs. Routed, and for the protocol of the pair, the two talk
in a VLAN of their own, with the addresses of the first peer link; sessions in a VRF run in the VLAN of the VRF, between
the switches' own addresses where hosts of it are there. On SONiC, where they have none in VLANs of hosts, each VRF has
a VLAN of the peer link.

The MAC of a pair is of the range that NVIDIA keeps for them, 44:38:39:ff:00:00 to 44:38:39:ff:ff:ff (Cumulus Linux user
guide, Multi-Chassis Link Aggregation), with the last 16 bits of the first switch's router id, which no two share.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace
from ipaddress import IPv4Address

from fabricgen.catalog.nos_configuration import PairFacts
from fabricgen.switch.interfaces import Pair, Subinterface
from fabricgen.switch.ordered import OrderedSet
from fabricgen.views.switch import SwitchPort, SwitchView
from fabricgen.wiring.bonds import PAIR_VLAN

LINK_LOCAL = ("169.254.255.0/31", "169.254.255.1/31")
"""Of the first switch of a pair and the second, where they have no IPv4 addresses to talk over (RFC 3927)."""


def with_pair(switch: SwitchView, mate: SwitchView, vlans: Mapping[str, int], *, first: bool) -> SwitchView:
    """A switch as one of a pair with its mate; `first`: whether it is the first of the two; `vlans`: those of VRFs over
    the peer links of SONiC.
    """
    linked = tuple(port for port in switch.ports if port.role == "peer" and port.bond)
    if not linked:
        return switch
    lead = next((port for port in linked if port.addresses or port.subinterfaces), linked[0])
    configuration = switch.naming.configuration
    name = configuration.pair_interface.format(vlan=PAIR_VLAN)
    between = _in_vrfs(switch, mate, lead)
    if configuration.pairs.vlans_of_vrfs:
        between = tuple(replace(sub, vlan=vlans[sub.vrf]) for sub in between)
    end = replace(lead, name=name, bond=0, subinterfaces=between)
    one = switch if first else mate
    members = tuple(_as_member(port) for port in linked)
    plain, (own, far) = {port.name: port for port in members}, _talking(lead, configuration.pairs, first=first)
    talking = OrderedSet(filter(None, (own, *end.addresses)))
    links: dict[int, tuple[str, Set[str]]] = {PAIR_VLAN: ("", talking)}
    links |= {sub.vlan: (sub.vrf, sub.addresses) for sub in between if not sub.in_gateway}
    mac = pair_mac(one.router_id)
    names = {"first-switch": one.name, "mac": mac, "number": str(pair_number(mac))}
    pair = Pair(
        members=OrderedSet(plain),
        name=names[configuration.pairs.name],
        backup=_backup(mate, configuration.pairs.backup),
        vlans=links,
        mate=mate.name,
        peer=far.partition("/")[0],
        number=lead.bond,
        mtu=linked[0].mtu,
    )
    ports = tuple(plain.get(port.name, port) for port in switch.ports)
    return replace(switch, ports=ports, pair=pair, pair_end=end)


def _talking(lead: SwitchPort, facts: PairFacts, *, first: bool) -> tuple[str, str]:
    """(own, far) address of the protocol of the pair, with prefix length: of the first peer link, else link-local."""
    if lead.address or not facts.link_local:
        return next((pair for pair in lead.pairs if pair[0]), ("", ""))
    return LINK_LOCAL if first else LINK_LOCAL[::-1]


def _backup(mate: SwitchView, over: str) -> tuple[str, str]:
    """(address of the mate by another way than the peer link, "management" for the VRF of that); "" for none."""
    managements = [address.partition("/")[0] for address, gateway in mate.managements if gateway]
    if managements and over != "none":
        return managements[0], "management"
    return (mate.loopback or mate.loopback6 if over == "any" else ""), ""


def pair_number(mac: str) -> int:
    """A number of 1 to 4095 that the two switches share: of the last 16 bits of the pair's MAC."""
    return int(mac.replace(":", "")[-4:], 16) % 4095 + 1


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
                vrf=vrf,
                addresses=OrderedSet(own.owns),
                vlan=own.vlan,
                pairs=((own.own, other.own), (own.own6, other.own6)),
                peer_asn=mate.asn,
                in_gateway=True,
            )
            for own, other in both
            if own.owns
        ][:1]
    return tuple(found)
