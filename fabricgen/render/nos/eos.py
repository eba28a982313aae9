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

from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import CageClass
from fabricgen.render import bgp, roce
from fabricgen.render.escape import one_line, token
from fabricgen.render.static import DISCARD_DISTANCE
from fabricgen.switch_view import Subinterface, SwitchPort, SwitchView

MTU = 9214
MAX_ECMP = 600
"""The largest `maximum-paths N ecmp N` that EOS takes."""

FEC_FROM_GBPS = 100
LOSSY_CLASS = 1
"""The traffic class that EOS gives unmarked packets (DSCP 0-7)."""

_UNICAST_QUEUE_CHIPS = ("Tomahawk", "Trident")
"""XGS chips, whose unicast queues are `uc-tx-queue`; on DNX chips a queue is a `tx-queue`."""


def files(switch: SwitchView) -> tuple[tuple[str, str], ...]:
    """The one file of a switch."""
    return (("DEVICE.cfg.j2", f"{switch.name}.cfg"),)


def values(switch: SwitchView, catalog: Catalog) -> dict[str, Any]:
    """What the templates of `templates/eos` name."""
    unnumbered = switch.fabric.underlay == "ebgp-unnumbered"
    return {
        "hostname": token(switch.name),
        "asn": switch.asn,
        "router_id": switch.router_id,
        "loopbacks": [
            (family_word(address), f"{address}/{length}")
            for address, length in ((switch.loopback, 32), (switch.loopback6, 128))
            if address
        ],
        "management": [(family_word(a), a, any_prefix(a), gateway) for a, gateway in switch.managements if gateway],
        "routes_v4": switch.has_v4,
        "routes_v6": switch.has_v6,
        "management_port": catalog.naming("eos").management_of(switch.profile),
        "unnumbered": unnumbered,
        "mtu": MTU,
        "ports": [_port_row(switch, port) for port in switch.ports],
        "unused": _unused(switch, catalog),
        "vlans": [
            (s.vlan, token(s.label), [(family_word(g), g) for g in s.gateways], s.vrf and token(s.vrf))
            for s in switch.services
            if s.gateways
        ],
        "vrfs": [token(vrf) for vrf in switch.vrfs],
        "subinterfaces": [_subinterface_row(p, sub) for v in switch.vrfs for p, sub in switch.links_in(v)],
        "static_routes": [
            (
                family_word(route.prefix),
                route.prefix,
                [(token(hop.port), hop.address) for hop in route.hops],
                route.discard,
                DISCARD_DISTANCE,
            )
            for route in switch.routes
        ],
        **_bgp(switch),
        **_qos(switch),
    }


def family_word(address: str) -> str:
    """What EOS calls the family of an address or prefix: `ip` or `ipv6`."""
    return "ipv6" if bgp.is_v6(address) else "ip"


def any_prefix(address: str) -> str:
    """The prefix of a default route in the family of an address."""
    return "::/0" if bgp.is_v6(address) else "0.0.0.0/0"


def speed_word(port: SwitchPort, lane_gbps: float, cage: CageClass) -> str:
    """The `speed` of a port, such as 400g-4: Gb/s and how many lanes; "" for a copper port, which negotiates."""
    if cage.form_factor == "RJ45":
        return ""
    if port.speed_gbps <= 25:
        return f"{port.speed_gbps}g"
    rate = 10 if port.speed_gbps == 40 else lane_gbps  # 40G has lanes of 10G, whatever the cage can do
    lanes = min(cage.lanes // port.ways, -int(-port.speed_gbps // rate))
    return f"{port.speed_gbps}g-{lanes}"


def _port_row(switch: SwitchView, port: SwitchPort) -> tuple[object, ...]:
    """(name, description, speed, with FEC, access VLAN, VRF, addresses, link-local only, QoS profile); "", 0: none."""
    cage = switch.profile.cage(port.cage)
    service = switch.service_of(port)
    link_local = port.role != "host" and switch.fabric.underlay == "ebgp-unnumbered"
    return (
        token(port.name),
        one_line(f"{port.peer} {port.peer_port} cable {port.cable}"),
        speed_word(port, port.lane_gbps, cage),
        port.speed_gbps >= FEC_FROM_GBPS,
        service.vlan if service and service.gateways and not port.addresses else 0,
        token(service.vrf) if service and service.vrf and port.addresses else "",
        [(family_word(address), address) for address in port.addresses],
        link_local,
        profile_name(port.speed_gbps) if switch.fabric.qos.lossless else "",
    )


def _subinterface_row(port: SwitchPort, sub: Subinterface) -> tuple[object, ...]:
    """(name, description, VLAN, VRF, addresses) of a VRF's way over a link."""
    description = one_line(f"{port.peer} {port.peer_port} vrf {sub.vrf}")
    addresses = [(family_word(address), address) for address in sub.addresses]
    return f"{token(port.name)}.{sub.vlan}", description, sub.vlan, token(sub.vrf), addresses


def _unused(switch: SwitchView, catalog: Catalog) -> list[str]:
    """Ports with no cable: what is left of split cages, and the first port of each empty cage."""
    naming, ways = catalog.naming("eos"), {port.cage: port.ways for port in switch.ports}
    cabled = {port.name for port in switch.ports}
    names: list[str] = []
    for number, cage in enumerate((c for c in switch.profile.cages for _ in range(c.count)), 1):
        split = ways.get(number, 1)
        names += (naming.port(number, sub, split, cage, None, switch.profile.slot_of(number)) for sub in range(split))
    return [name for name in names if name not in cabled]


def _bgp(switch: SwitchView) -> dict[str, Any]:
    peers = bgp.sessions(switch)
    by_asn: dict[tuple[str, int], list[str]] = defaultdict(list)
    for session in peers:
        if not session.address:
            by_asn[session.group, session.asn].append(token(session.port.name))
    found, unnumbered = bgp.groups(peers), switch.fabric.underlay == "ebgp-unnumbered"
    return {
        "prefix_lists": [row for family in _words(switch) for row in _lists(switch, *family)],
        "matches": [
            (seq, word, f"{name}{ending}")
            for v6, word, ending in _words(switch)
            for seq, name in zip((30, 40) if v6 else (10, 20), ("LOOPBACKS", "HOSTS"), strict=True)
            if name == "LOOPBACKS" or bgp.host_rules(switch, v6=v6)
        ],
        "bgp_families": [(word, bgp.groups_of(found, v6=v6, unnumbered=unnumbered)) for v6, word, _ in _words(switch)],
        "only_own_routes": switch.is_lowest,
        "shares_asn": switch.shares_asn,
        "keepalive": bgp.KEEPALIVE_S,
        "hold": bgp.HOLD_S,
        "max_paths": min(switch.ecmp_width, MAX_ECMP),
        "bfd": switch.fabric.bfd,
        "groups": found,
        "peers": [(s.peer_address, s.group, s.asn, _at_far_end(s)) for s in peers if s.address],
        "interface_peers": [(interface_range(names), *key) for key, names in by_asn.items()],
        "bgp_instances": [_bgp_vrf(switch, vrf) for vrf in switch.vrfs if bgp.vrf_sessions(switch, vrf)],
    }


def _words(switch: SwitchView) -> list[tuple[bool, str, str]]:
    """(whether IPv6, EOS's word for a family, what ends the names of its lists) of each family routed."""
    return [*([(False, "ip", "")] if switch.has_v4 else []), *([(True, "ipv6", "6")] if switch.has_v6 else [])]


_LONGER_HOSTS = {False: " le 31", True: " le 127"}


def _lists(switch: SwitchView, v6: bool, word: str, ending: str) -> list[tuple[object, ...]]:
    """(word, name, what follows a pool that holds longer prefixes, rules) of the lists of hosts and of loopbacks."""
    hosts = bgp.host_rules(switch, v6=v6)
    found: list[tuple[object, ...]] = [(word, f"HOSTS{ending}", _LONGER_HOSTS[v6], hosts)] if hosts else []
    more = " ge 128" if v6 else " ge 32"
    return [*found, (word, f"LOOPBACKS{ending}", more, bgp.loopback_rules(switch, v6=v6))]


def _at_far_end(session: bgp.Session) -> str:
    return one_line(f"{session.port.peer} {session.port.peer_port}", 80)


def _bgp_vrf(switch: SwitchView, vrf: str) -> tuple[object, ...]:
    """(VRF, prefix lists, what its route-maps match, sessions, families as (word, peers)) of a VRF."""
    found = bgp.vrf_sessions(switch, vrf)
    peers = [(s.peer_address, s.asn, _at_far_end(s), s.port.role != "down") for s in found]
    lists, matches = [], []
    for v6, word, ending in _words(switch):
        name = f"HOSTS{ending}-{token(vrf)}"
        lists.append((word, name, _LONGER_HOSTS[v6], bgp.host_rules(switch, vrf, v6=v6)))
        matches.append((20 if v6 else 10, word, name))
    families = [
        (word, [s.peer_address for s in found if bgp.is_v6(s.peer_address) == v6]) for v6, word, _ in _words(switch)
    ]
    return token(vrf), lists, matches, peers, families


def interface_range(names: list[str]) -> str:
    """Interfaces in the comma form of EOS: Ethernet1/1,2/1."""
    first, *rest = names
    return ",".join([first, *(name.removeprefix("Ethernet") for name in rest)])


def _qos(switch: SwitchView) -> dict[str, Any]:
    """RoCE classes, and a profile per port speed; no profiles where the fabric is best-effort."""
    qos = switch.fabric.qos
    if not qos.lossless:
        return {"profiles": []}
    marked = {qos.roce_dscp: roce.ROCE_CLASS, qos.cnp_dscp: roce.CNP_CLASS}
    classes = set(marked.values())
    speeds = {port.speed_gbps for port in switch.ports}
    return {
        "profiles": [(profile_name(s), *roce.ecn_thresholds_kb(qos, switch.is_lowest, s)) for s in sorted(speeds)],
        "dscp_classes": sorted(marked.items()),
        "lossy_class": LOSSY_CLASS,
        "lossy_dscps": [d for d in range(64) if d not in marked and d // 8 in classes],
        "roce_class": roce.ROCE_CLASS,
        "cnp_class": roce.CNP_CLASS,
        "roce_percent": roce.ROCE_SHARE,
        "lossy_percent": roce.REST_SHARE,
        "mark_percent": roce.MARK_PERCENT,
        "unicast_queues": switch.profile.asic.startswith(_UNICAST_QUEUE_CHIPS),
        "watchdog": tuple(
            f"{ms / 1000:.2f}" for ms in (roce.WATCHDOG_DETECT_MS, roce.WATCHDOG_RESTORE_MS, roce.WATCHDOG_POLL_MS)
        ),
    }


def profile_name(speed_gbps: int) -> str:
    """The QoS profile of ports of a speed."""
    return f"ROCE-{speed_gbps}G"
