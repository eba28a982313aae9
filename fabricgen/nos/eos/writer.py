"""Arista EOS: one `DEVICE.cfg`, the startup configuration, named after the device.

The management port is in a VRF of its own, so that its default route never draws fabric traffic; SSH listens there, and
LLDP tells its address. A switch that is managed in-band has no management address and keeps SSH in the default VRF.

Spanning tree runs where hosts are bridged, with BPDU guard towards them, and not on a switch that only routes. A route
is announced once it is in the hardware (`update wait-install`): a booting switch draws no traffic that it would drop.
AVD's designs do so too (eos_designs: `bgp_update_wait_install`).

Static routes name their port beside the next hop, so that this is never looked up through another route. With
`underlay: none`, ports between switches are routed ports without an address: up, and carrying nothing until a
controller says so.

A guest fabric in a VRF has its ports or its SVI there; its routes travel in sessions over 802.1Q sub-interfaces, under
`vrf` in `router bgp`, with route-maps of their own.

Sources: Arista EOS user manual (BGP: `neighbor interface`, RFC 5549; QoS; PFC watchdog); the commands and their nesting
agree with the templates of aristanetworks/avd (pyavd 6.4), which the tests hold them to; the RoCE profile with Arista's
AI Network Fabric Deployment Guide. Marked packets are counted as each chip can: `random-detect ecn count` in a unicast
queue (AMD Instinct cluster networking guide, 7388), `hardware counter feature ecn out` on Jericho.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from fabricgen.blueprint.sections.routing import HOLD_S, KEEPALIVE_S
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import CageClass
from fabricgen.nos.eos.writing.balancing import balancing_values
from fabricgen.nos.eos.writing.exits import exit_policy, exit_sessions
from fabricgen.nos.eos.writing.host_services import (
    CIRCUIT_TYPE,
    circuit_forms,
    filters,
    gateway_values,
    loopback_name,
    relay_values,
    switchport_values,
    vlan_gateway,
)
from fabricgen.nos.eos.writing.leaks import evpn_imports, leak_policy, leak_targets
from fabricgen.nos.eos.writing.macsec import macsec_profiles
from fabricgen.nos.eos.writing.management import management_values
from fabricgen.nos.eos.writing.overlay import overlay_values
from fabricgen.nos.eos.writing.pair import GATEWAY_MAC, family_word, pair_values
from fabricgen.nos.eos.writing.qos import profile_name, qos_values
from fabricgen.nos.eos.writing.segments import segment_of, segment_values
from fabricgen.render import bgp, evpn
from fabricgen.render.escape import one_line, token
from fabricgen.render.nos_protocol import Circuits
from fabricgen.render.ports import lanes_of, unused_ports
from fabricgen.render.static import DISCARD_DISTANCE
from fabricgen.switch.interfaces import Subinterface
from fabricgen.switch.routing import StaticRoute
from fabricgen.views.model.ports import model_bonds, model_interface
from fabricgen.views.service import Service
from fabricgen.views.switch import SwitchPort, SwitchView

KEEPS_ORDER = True

GATEWAY_MTU = 9214
"""Of the gateways of VLANs, bytes: the largest of EOS."""

MAX_ECMP = 600
"""The largest `maximum-paths N ecmp N` that EOS takes."""

MANAGEMENT_VRF = "MGMT"

FEC_WORDS = {"rs": "reed-solomon", "fc": "fire-code", "": ""}

PLACES = ("top", "interfaces", "bgp", "end")
"""Places for a user's own lines."""

WARNING_PERCENT = 80
"""Percentage of the prefix limit at which EOS warns."""


def files(switch: SwitchView) -> tuple[tuple[str, str], ...]:
    """The one file of a switch."""
    return (("DEVICE.cfg.j2", f"{switch.name}.cfg"),)


def values(switch: SwitchView, catalog: Catalog) -> dict[str, Any]:
    """The values for the templates in `templates/eos`."""
    unnumbered = switch.fabric.underlay == "ebgp-unnumbered"
    naming = catalog.naming("eos")
    management = [_management_row(address, gateway) for address, gateway in switch.managements if gateway]
    return {
        "hostname": token(switch.name),
        "asn": switch.asn,
        "router_id": switch.router_id,
        "loopbacks": [
            (family_word(address), f"{address}/{length}")
            for address, length in ((switch.loopback, 32), (switch.loopback6, 128))
            if address
        ],
        "vrf_loopbacks": [
            (loopback_name(own.number), token(own.vrf), [(family_word(prefix), prefix) for prefix in own.prefixes])
            for own in switch.vrf_loopbacks
        ],
        "management": management,
        "routes_v4": switch.has_v4,
        "routes_v6": switch.has_v6,
        "management_port": naming.management_of(switch.profile),
        "unnumbered": unnumbered,
        "mtu": GATEWAY_MTU,
        "ports": [_port_row(switch, port) for port in switch.ports],
        "filters": filters(switch),
        **relay_values(switch),
        "pair": pair_values(switch),
        "gateway_mac": GATEWAY_MAC if switch.multihomed or any(s.owns for s in switch.services) else "",
        "bonds": _bond_rows(switch),
        "unused": unused_ports(switch, naming),
        "vlans": [_vlan_row(switch, service) for service in switch.services if service.gateways],
        "vrfs": [token(vrf) for vrf in switch.vrfs],
        "subinterfaces": [_subinterface_row(p, sub) for p, sub in switch.subinterfaces],
        "static_routes": [_static_route(prefix, route) for (_, prefix), route in switch.routes.items()],
        "discard_distance": DISCARD_DISTANCE,
        "snippets": {place: switch.lines_at(place) for place in PLACES},
        "overlay": overlay_values(switch),
        **segment_values(switch),
        **_bgp(switch),
        **balancing_values(switch),
        **qos_values(switch),
        "macsec_profiles": macsec_profiles(switch),
        **management_values(switch, MANAGEMENT_VRF if management else ""),
    }


def circuits(switch: SwitchView, catalog: Catalog) -> Circuits:  # noqa: ARG001 - one signature for all
    """What requests of hosts say of their ports (`writing/host_services.py`)."""
    return Circuits(circuit_forms(switch), "Port-Channel{number}", {}, CIRCUIT_TYPE)


def any_prefix(address: str) -> str:
    """The prefix of a default route in the address family of an address."""
    return "::/0" if bgp.is_v6(address) else "0.0.0.0/0"


def speed_word(port: SwitchPort, cage: CageClass) -> str:
    """The `speed` of a port, such as 400g-4 (Gb/s and number of lanes); "" for a copper port, which negotiates."""
    if cage.form_factor == "RJ45":
        return ""
    if port.speed_gbps <= 25:
        return f"{port.speed_gbps}g"
    return f"{port.speed_gbps}g-{lanes_of(port, cage)}"


def _management_row(address: str, gateway: str) -> dict[str, str]:
    return {"word": family_word(address), "address": address, "default": any_prefix(address), "gateway": gateway}


def _vlan_row(switch: SwitchView, service: Service) -> dict[str, Any]:
    return {
        "vlan": service.vlan,
        "name": token(service.label),
        "addresses": [(family_word(own), own) for own in service.owns or service.gateways],
        "anycast": bool(switch.multihomed),
        "link_local": bool(switch.multihomed and service.gateway6),
        "shared": [(family_word(gateway), bgp.bare(gateway)) for gateway in service.gateways if service.owns],
        "vrf": service.vrf and token(service.vrf),
        "gateway": vlan_gateway(switch, service),
    }


def _static_route(prefix: str, route: StaticRoute) -> dict[str, Any]:
    """A static route; `hops` are the (port, address) of its next hops."""
    return {
        "word": family_word(prefix),
        "prefix": prefix,
        "hops": [(token(port), address) for port, address in route.hops],
        "discard": route.discard,
    }


def _port_row(switch: SwitchView, port: SwitchPort) -> dict[str, Any]:
    """The values of a port, "" or 0 where it has none; `addresses` are (word for the family, address)."""
    interface = model_interface(switch, port)
    return {
        "name": token(port.name),
        "description": one_line(interface.description),
        "mtu": interface.mtu,
        "speed": speed_word(port, switch.profile.cage(port.cage)),
        "fec": "none" if interface.states_no_fec else FEC_WORDS[interface.fec],
        "bond": port.bond,
        "tracked": "upstream" if interface.tracked else "",
        **switchport_values(interface),
        "gateway": gateway_values(interface.relay, silent=interface.silent),
        "vrf": interface.vrf and token(interface.vrf),
        "addresses": [(family_word(address), address) for address in interface.addresses],
        "link_local": interface.link_local,
        "macsec": port.span.profile if port.span and port.span.macsec else "",
        "qos_profile": profile_name(port.speed_gbps, pauses=port.pauses) if switch.fabric.qos.lossless else "",
        "shutdown": not interface.admin_up,
    }


def _bond_rows(switch: SwitchView) -> list[dict[str, Any]]:
    """The values of port channels of hosts."""
    speeds, lossless = {port.name: port.speed_gbps for port in switch.ports}, switch.fabric.qos.lossless
    return [
        {
            "number": number,
            "mlag": bond.mlag_id,
            **segment_of(bond),
            "description": one_line(bond.description),
            "mtu": bond.mtu,
            "shutdown": not bond.admin_up,
            "fallback": bond.fallback,
            "qos_profile": profile_name(speeds[next(iter(bond.members))]) if lossless else "",
            **switchport_values(bond),
        }
        for number, bond in model_bonds(switch).items()
    ]


def _subinterface_row(port: SwitchPort, sub: Subinterface) -> dict[str, Any]:
    """The sub-interface that carries a VRF over a link."""
    return {
        "name": f"{token(port.name)}.{sub.vlan}",
        "description": one_line(f"{port.peer} {port.peer_port} vrf {sub.vrf}"),
        "mtu": port.mtu,
        "vlan": sub.vlan,
        "vrf": token(sub.vrf),
        "addresses": [(family_word(address), address) for address in sub.addresses],
    }


def _bgp(switch: SwitchView) -> dict[str, Any]:
    peers, bfd = bgp.sessions(switch), switch.fabric.bfd
    by_asn: dict[tuple[str, int], list[str]] = defaultdict(list)
    for session in peers:
        if not session.address:
            by_asn[session.group, session.asn].append(token(session.port.name))
    found, unnumbered = bgp.groups(peers), switch.fabric.underlay == "ebgp-unnumbered"
    return {
        "prefix_lists": [row for family in _words(switch) for row in _prefix_lists(switch, *family)],
        "matches": [
            (seq, word, f"{name}{ending}")
            for v6, word, ending in _words(switch)
            for seq, name in zip((30, 40) if v6 else (10, 20), ("LOOPBACKS", "HOSTS"), strict=True)
            if name == "LOOPBACKS" or bgp.host_rules(switch, v6=v6)
        ],
        "bgp_families": [(word, bgp.groups_of(found, v6=v6, unnumbered=unnumbered)) for v6, word, _ in _words(switch)],
        "only_own_routes": switch.announces_own_only,
        "default_maps": bgp.maps_in(switch),
        "outward": {group: bgp.outward(switch, group) for group in found},
        "drained": switch.maintenance,
        "shares_asn": switch.shares_asn,
        "keepalive": KEEPALIVE_S,
        "hold": HOLD_S,
        "max_paths": min(switch.ecmp_width, MAX_ECMP),
        "bfd": {"interval_ms": bfd.interval_ms, "multiplier": bfd.multiplier} if bfd else None,
        "max_prefixes": switch.fabric.max_prefixes,
        "warning_percent": WARNING_PERCENT,
        "groups": found,
        "peers": [{**_peer(session), "group": session.group} for session in peers if session.address],
        "interface_peers": [(interface_range(names), *key) for key, names in by_asn.items()],
        "bgp_instances": [_bgp_vrf(switch, vrf) for vrf in evpn.speaking_vrfs(switch)],
        "default_instance": exit_sessions(switch, ""),
        "default_leaks": leak_targets(switch, ""),
        **exit_policy(switch),
        **leak_policy(switch),
    }


def _words(switch: SwitchView) -> list[tuple[bool, str, str]]:
    """(whether IPv6, EOS's word for the family, suffix of its list names) of each family routed."""
    return [*([(False, "ip", "")] if switch.has_v4 else []), *([(True, "ipv6", "6")] if switch.has_v6 else [])]


_LONGER_HOSTS = {False: " le 31", True: " le 127"}


def _prefix_lists(switch: SwitchView, v6: bool, word: str, ending: str) -> list[dict[str, Any]]:
    """The prefix lists of one family: of hosts, if there are any, and of loopbacks."""
    hosts, loopbacks = bgp.host_rules(switch, v6=v6), bgp.loopback_rules(switch, v6=v6)
    longer = " ge 128" if v6 else " ge 32"
    found = [_prefix_list(word, f"HOSTS{ending}", _LONGER_HOSTS[v6], hosts)] if hosts else []
    return [*found, _prefix_list(word, f"LOOPBACKS{ending}", longer, loopbacks)]


def _prefix_list(word: str, name: str, longer: str, rules: bgp.Rules) -> dict[str, Any]:
    """A prefix list; `longer` is the suffix for pools that match longer prefixes."""
    return {"word": word, "name": name, "longer": longer, "rules": rules}


def _peer(session: bgp.Session) -> dict[str, Any]:
    port = session.port
    return {
        "neighbor": session.peer_address,
        "asn": session.asn,
        "description": one_line(f"{port.peer} {port.peer_port}", 80),
    }


def _bgp_vrf(switch: SwitchView, vrf: str) -> dict[str, Any]:
    """BGP in a VRF: prefix lists and route-maps as in the default VRF, and peers without groups.

    `families` are (word, addresses of the peers that carry it).
    """
    found = bgp.vrf_sessions(switch, vrf)
    lists, matches = [], []
    for v6, word, ending in _words(switch):
        name = f"HOSTS{ending}-{token(vrf)}"
        lists.append(_prefix_list(word, name, _LONGER_HOSTS[v6], bgp.host_rules(switch, vrf, v6=v6)))
        matches.append((20 if v6 else 10, word, name))
    return {
        "vrf": token(vrf),
        "evpn": evpn_imports(switch, vrf),
        "leaks": leak_targets(switch, vrf),
        "maps": bgp.maps_in(switch, vrf),
        "prefix_lists": lists,
        "matches": matches,
        **exit_sessions(switch, vrf),
        "peers": [
            {
                **_peer(session),
                "from_above": session.port.role != "down",
                "outward": bgp.outward(switch, session.group),
            }
            for session in found
        ],
        "families": [
            (word, [s.peer_address for s in found if bgp.is_v6(s.peer_address) == v6]) for v6, word, _ in _words(switch)
        ]
        if found or switch.exits.peers_in(vrf)
        else [],
    }


def interface_range(names: list[str]) -> str:
    """Interfaces in EOS's comma form: Ethernet1/1,2/1."""
    first, *rest = names
    return ",".join([first, *(name.removeprefix("Ethernet") for name in rest)])
