"""Junos OS Evolved: one `juniper.conf`, the whole configuration in braces, as `load override` and ZTP take it.

The text follows Juniper's validated designs of AI data centres (github.com/Juniper/jvd, data_center/aidc), which the
tests hold the reader to: `number-of-sub-ports` and `speed` under `interfaces`, the physical MTU and that of a family
apart, external groups with `multipath multiple-as`, load balancing by a policy of the forwarding table, a class without
loss by `congestion-notification-profile`, LLDP with the names of interfaces, and `management-instance`.

The MTU of a port is that of its frames: 14 bytes more than a packet's, and 4 for a tag. FEC is stated, since Junos
chooses it by the optics otherwise (CLI reference, `fec (ether)`: `fec91` is RS-FEC at 25G to 400G). A policy ends with
a term that rejects, as BGP takes and passes on everything otherwise. Junos has no statement that redistributes: what a
switch originates is named in the policies of its sessions, `from protocol direct`, and for all of BGP in `CONNECTED`.

`root` has a hash that no password has: "you will not be able to log in to the device as root" (CLI reference,
`root-authentication`); without any a configuration is not committed.

Unnumbered sessions are `peer-auto-discovery` by neighbour discovery, a group for each AS number, since the list of
those that a neighbour may have is the group's (BGP User Guide, BGP Auto-Discovered Neighbors; Juniper's network
configuration example 225). They take router advertisements on the port.

Access ports run no spanning tree; a port that hears one is shut (`layer2-control bpdu-block`, Spanning-Tree Protocols
User Guide, BPDU protection on interfaces without spanning tree).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fabricgen.catalog.loader import Catalog
from fabricgen.nos.junos.reading.text import quote_word
from fabricgen.nos.junos.writing.bonds import GATEWAY_MAC, list_fallbacks, make_bond_row, make_mac_vrf
from fabricgen.nos.junos.writing.hosts import list_advertisements, list_relays
from fabricgen.nos.junos.writing.management import make_management_values
from fabricgen.nos.junos.writing.qos import make_qos_values
from fabricgen.nos.junos.writing.routing import make_bgp_values
from fabricgen.render.escape import make_one_line, require_token
from fabricgen.render.ports import list_unused_ports
from fabricgen.switch.interfaces import Bond, Interface
from fabricgen.views.model.hosts import model_vlan
from fabricgen.views.model.ports import model_bonds, model_interface
from fabricgen.views.model.routing import list_loopback_prefixes
from fabricgen.views.switch import SwitchPort, SwitchView

KEEPS_ORDER = True

FRAME_BYTES = 18
"""What a frame has beside its packet: addresses and type, and a tag."""

GATEWAY_MTU = 9198
"""Of the gateways of VLANs, bytes: the largest of a port."""

FEC_WORDS = {"rs": "fec91", "fc": "fec74", "": ""}

FAMILIES = {False: "inet", True: "inet6"}
"""Junos's word for a family, by whether it is IPv6."""

PLACES = ("end",)
"""Places for a user's own lines."""


def files(switch: SwitchView) -> tuple[tuple[str, str], ...]:  # noqa: ARG001 - one signature for all
    """The one file of a switch."""
    return (("juniper.conf.j2", "juniper.conf"),)


def values(switch: SwitchView, catalog: Catalog) -> dict[str, Any]:
    """The values for the templates in `templates/junos`."""
    naming, bonds, mac_vrf = catalog.naming("junos"), model_bonds(switch), make_mac_vrf(switch)
    fallbacks = list_fallbacks(bonds)
    return {
        "hostname": require_token(switch.name),
        "asn": switch.asn,
        "router_id": switch.router_id,
        "loopbacks": [
            (0, list_family_rows(list_loopback_prefixes(switch))),
            *((loopback.number, list_family_rows(loopback.prefixes)) for loopback in switch.vrf_loopbacks),
        ],
        "cages": _list_cage_rows(switch),
        "ports": [
            *(_make_port_row(switch, port, forced_up=port.name in fallbacks) for port in switch.ports),
            *(_make_switched_row(switch, bond) | make_bond_row(number, bond) for number, bond in bonds.items()),
        ],
        "aggregates": max(bonds, default=-1) + 1,
        "mac_vrf": mac_vrf,
        "unused": list_unused_ports(switch, naming),
        "vlans": _list_vlan_rows(switch, mac_vrf["of_vlan"] if mac_vrf else {}),
        "frame_mtu": GATEWAY_MTU + FRAME_BYTES,
        "gateway_mtu": GATEWAY_MTU,
        "relays": list_relays(switch, ""),
        "advertising": list(list_advertisements(switch)),
        "management_port": naming.find_management_port(switch.profile),
        "snippets": {place: switch.lines_at(place) for place in PLACES},
        **make_bgp_values(switch),
        **make_qos_values(switch),
        **make_management_values(switch),
    }


def list_family_rows(addresses: tuple[str, ...] | list[str]) -> list[tuple[str, list[str]]]:
    """(family, its addresses), IPv4 before IPv6."""
    addresses_of_family = [
        (word, [address for address in addresses if (":" in address) == v6]) for v6, word in FAMILIES.items()
    ]
    return [(word, family_addresses) for word, family_addresses in addresses_of_family if family_addresses]


def _list_cage_rows(switch: SwitchView) -> list[tuple[str, int, int]]:
    """(cage, ports, Gb/s of each) of split cages: their ports have no speed of their own."""
    port_of_cage = {port.cage: port for port in switch.ports if port.ways > 1}
    return [
        (require_token(port.name.rpartition(":")[0]), port.ways, port.speed_gbps)
        for _, port in sorted(port_of_cage.items())
    ]


def _make_port_row(switch: SwitchView, port: SwitchPort, *, forced_up: bool) -> dict[str, Any]:
    """The values of a port, "" or 0 where it has none; `forced_up`: it carries traffic before a host speaks LACP."""
    interface = model_interface(switch, port)
    families = list_family_rows([*interface.addresses])
    if interface.link_local:
        words = [FAMILIES[family == "v6"] for family in switch.fabric.families]
        families = [(word, []) for word in dict.fromkeys([*words, "inet6"])]
    return {
        **_make_switched_row(switch, interface),
        "name": require_token(port.name),
        "description": quote_word(make_one_line(interface.description)),
        "frame_mtu": 0 if interface.bond else interface.mtu + FRAME_BYTES,
        "mtu": interface.mtu,
        "bond": interface.bond,
        "forced_up": forced_up,
        "speed": interface.speed_gbps if port.ways == 1 else 0,
        "fec": "none" if interface.states_no_fec else FEC_WORDS[interface.fec],
        "families": families,
        "shutdown": not interface.admin_up,
    }


def _make_switched_row(switch: SwitchView, interface: Interface | Bond) -> dict[str, Any]:
    """The VLANs of a port or bond, with the MTU of its frames."""
    names = {service.vlan: require_token(service.label) for service in switch.services}
    tagged = [names[vlan] for vlan in interface.trunk_vlans]
    return {
        "speed": 0,
        "fec": "",
        "families": [],
        "bond": 0,
        "lacp": False,
        "frame_mtu": interface.mtu + FRAME_BYTES,
        "mode": "trunk" if tagged else "access" if interface.access_vlan else "",
        "native": interface.access_vlan if tagged else 0,
        "members": tagged or [names[vlan] for vlan in (interface.access_vlan,) if vlan],
        "guarded": interface.access.bpdu_guard and bool(interface.access_vlan or tagged),
    }


def _list_vlan_rows(switch: SwitchView, over_evpn: Mapping[int, tuple[int, str]]) -> list[dict[str, Any]]:
    """The VLANs of hosts with their gateways, and (VNI, target) of those that go over EVPN."""
    rows = []
    for service in switch.services:
        if service.gateways:
            vni, target = over_evpn.get(service.vlan, (0, ""))
            mac = GATEWAY_MAC if model_vlan(switch, service).anycast else ""
            row = {"name": require_token(service.label), "vlan": service.vlan, "vni": vni, "target": target}
            rows.append(row | {"mac": mac, "families": list_family_rows(service.gateways)})
    return rows
