"""Arista EOS: one `DEVICE.cfg`, the startup configuration, named after the device.

The management port is in a VRF of its own, so that its default route never draws fabric traffic; SSH listens there.
A switch that is managed in-band has no management address and keeps SSH in the default VRF.

Static routes name their port beside the next hop, so that this is never looked up through another route. With
`underlay: none`, ports between switches are routed ports without an address: up, and carrying nothing until a
controller says so.

A guest fabric in a VRF has its ports or its SVI there; its routes travel in sessions over 802.1Q sub-interfaces, under
`vrf` in `router bgp`, with route-maps of their own.

Sources: Arista EOS user manual (BGP: `neighbor interface`, RFC 5549; QoS; PFC watchdog); the commands and their nesting
agree with the templates of aristanetworks/avd (pyavd 6.4), the RoCE profile with Arista's AI networking guides.
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
        "loopback": switch.loopback,
        "management": [(switch.management, switch.management_gateway)] if switch.management_gateway else [],
        "management_port": catalog.naming("eos").management_of(switch.profile),
        "unnumbered": unnumbered,
        "mtu": MTU,
        "ports": [_port_row(switch, port) for port in switch.ports],
        "unused": _unused(switch, catalog),
        "vlans": [(s.vlan, token(s.fabric), s.gateway, s.vrf and token(s.vrf)) for s in switch.services if s.gateway],
        "vrfs": [token(vrf) for vrf in switch.vrfs],
        "subinterfaces": [_subinterface_row(p, sub) for v in switch.vrfs for p, sub in switch.links_in(v)],
        "static_routes": [
            (route.prefix, [(token(hop.port), hop.address) for hop in route.hops], route.discard, DISCARD_DISTANCE)
            for route in switch.routes
        ],
        **_bgp(switch),
        **_qos(switch),
    }


def speed_word(port: SwitchPort, lane_gbps: float, cage: CageClass) -> str:
    """The `speed` of a port, such as 400g-4: Gb/s and how many lanes; "" for a copper port, which negotiates."""
    if cage.form_factor == "RJ45":
        return ""
    if port.speed_gbps <= 25:
        return f"{port.speed_gbps}g"
    lanes = min(cage.lanes // port.ways, -int(-port.speed_gbps // lane_gbps))
    return f"{port.speed_gbps}g-{lanes}"


def _port_row(switch: SwitchView, port: SwitchPort) -> tuple[object, ...]:
    """(name, description, speed, with FEC, access VLAN, VRF, address, link-local only, QoS profile); "", 0: none."""
    cage = switch.profile.cage(port.cage)
    service = switch.service_of(port)
    link_local = port.role != "host" and switch.fabric.underlay == "ebgp-unnumbered"
    return (
        token(port.name),
        one_line(f"{port.peer} {port.peer_port} cable {port.cable}"),
        speed_word(port, port.lane_gbps, cage),
        port.speed_gbps >= FEC_FROM_GBPS,
        service.vlan if service and service.gateway and not port.address else 0,
        token(service.vrf) if service and service.vrf and port.address else "",
        port.address,
        link_local,
        profile_name(port.speed_gbps) if switch.fabric.qos.lossless else "",
    )


def _subinterface_row(port: SwitchPort, sub: Subinterface) -> tuple[object, ...]:
    """(name, description, VLAN, VRF, address) of a VRF's way over a link."""
    description = one_line(f"{port.peer} {port.peer_port} vrf {sub.vrf}")
    return f"{token(port.name)}.{sub.vlan}", description, sub.vlan, token(sub.vrf), sub.address


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
    for port in peers:
        if not port.address:
            by_asn[port.role.upper(), port.peer_asn].append(token(port.name))
    return {
        "loopback_rules": bgp.loopback_rules(switch),
        "host_rules": bgp.host_rules(switch),
        "only_own_routes": switch.is_lowest,
        "shares_asn": switch.shares_asn,
        "keepalive": bgp.KEEPALIVE_S,
        "hold": bgp.HOLD_S,
        "max_paths": min(switch.ecmp_width, MAX_ECMP),
        "bfd": switch.fabric.bfd,
        "groups": bgp.groups(peers),
        "peers": [
            (bgp.bare(p.peer_address), p.role.upper(), p.peer_asn, one_line(f"{p.peer} {p.peer_port}", 80))
            for p in peers
            if p.address
        ],
        "interface_peers": [(interface_range(names), *key) for key, names in by_asn.items()],
        "bgp_instances": [_bgp_vrf(switch, vrf) for vrf in switch.vrfs if bgp.vrf_sessions(switch, vrf)],
    }


def _bgp_vrf(switch: SwitchView, vrf: str) -> tuple[object, ...]:
    """(VRF, rules of its host prefixes, sessions) of a VRF with sub-interfaces."""
    peers = [
        (bgp.bare(sub.peer_address), sub.peer_asn, one_line(f"{port.peer} {port.peer_port}", 80), port.role != "down")
        for port, sub in bgp.vrf_sessions(switch, vrf)
    ]
    return token(vrf), bgp.host_rules(switch, vrf), peers


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
        "queue": "uc-tx-queue" if switch.profile.asic.startswith(_UNICAST_QUEUE_CHIPS) else "tx-queue",
        "watchdog": tuple(
            f"{ms / 1000:.2f}" for ms in (roce.WATCHDOG_DETECT_MS, roce.WATCHDOG_RESTORE_MS, roce.WATCHDOG_POLL_MS)
        ),
    }


def profile_name(speed_gbps: int) -> str:
    """The QoS profile of ports of a speed."""
    return f"ROCE-{speed_gbps}G"
