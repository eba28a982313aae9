"""What Arista's own templates (pyavd) are to render for a switch, told from the plan: an independent second opinion.

Nothing here reads our templates or what `render/` computes for them; names of ports, lanes, classes and thresholds are
worked out anew from the view of a switch and the facts of EOS.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, TypeAlias

from avd_bonds import bonds
from avd_exits import with_exits
from avd_hosts import access, filters, gateway, option_82, routed
from avd_leaks import with_leaks
from avd_management import management
from avd_overlay import vxlan, with_overlay
from avd_routing import merged, routing

from fabricgen.views.switch import SwitchPort, SwitchView

Structured: TypeAlias = dict[str, Any]

XGS = ("Tomahawk", "Trident")


def structured_config(switch: SwitchView) -> Structured:
    """Everything that AVD is told of a switch."""
    vlans = [service for service in switch.services if service.gateways]
    base: Structured = {
        "hostname": switch.name,
        "service_routing_protocols_model": "multi-agent",
        "spanning_tree": {"mode": "mstp", "edge_port": {"bpduguard_default": True}} if vlans else {"mode": "none"},
        "vlans": [{"id": service.vlan, "name": service.label} for service in vlans],
        "ethernet_interfaces": [*_ports(switch), *_subinterfaces(switch), *_unused(switch)],
        "loopback_interfaces": [_loopback(switch), *_vrf_loopbacks(switch)],
        "vlan_interfaces": [
            {
                "name": f"Vlan{service.vlan}",
                "description": f"gateway of {service.label}",
                "mtu": 9214,
                **({"vrf": service.vrf} if service.vrf else {}),
                **(_anycast(service.gateways) if switch.multihomed else _addresses(service.owns or service.gateways)),
                **(_shared(service.gateways) if service.owns else {}),
                **gateway(
                    service.offers,
                    service.owns or service.gateways,
                    loopback=_relay_loopback(switch, service.vrf) if switch.multihomed and not service.owns else "",
                ),
            }
            for service in vlans
        ],
        **(_qos(switch) if switch.fabric.qos.marks else {}),
        **_macsec(switch),
    }
    own = [line for snippet in switch.snippets if snippet.place != "bgp" for line in snippet.lines]
    by_hand = {"eos_cli": "\n".join(own)} if own else {}
    if switch.pair:
        base["spanning_tree"]["no_spanning_tree_vlan"] = "4094"
    base |= {**filters(switch), **option_82(switch)}
    return merged(
        base,
        bonds(switch),
        management(switch),
        with_leaks(switch, with_exits(switch, with_overlay(switch, routing(switch)))),
        vxlan(switch),
        by_hand,
    )


def _macsec(switch: SwitchView) -> Structured:
    """The profiles of the encrypted spans that end here."""
    spans = {port.span.name: port.span.macsec for port in switch.ports if port.span and port.span.macsec}
    profiles = [
        {
            "name": f"span-{name}",
            "cipher": macsec.cipher,
            "connection_keys": [{"id": macsec.ckn, "encrypted_key": f"<{macsec.cak}>"}],
        }
        for name, macsec in sorted(spans.items())
    ]
    return {"mac_security": {"profiles": profiles}} if profiles else {}


def _addresses(addresses: Iterable[str]) -> Structured:
    return {("ipv6_address" if ":" in address else "ip_address"): address for address in addresses}


def _anycast(gateways: tuple[str, ...]) -> Structured:
    found: Structured = {}
    for address in gateways:
        found |= (
            {"ipv6_address_virtuals": [address], "ipv6_enable": True}
            if ":" in address
            else {"ip_address_virtual": address}
        )
    return found


def _shared(gateways: tuple[str, ...]) -> Structured:
    """The gateways that a switch has with the other of its pair."""
    found: Structured = {}
    for address in gateways:
        word = "ipv6_virtual_router_addresses" if ":" in address else "ip_virtual_router_addresses"
        found.setdefault(word, []).append(address.partition("/")[0])
    return found


def port_name(switch: SwitchView, cage: int, sub: int = 0, ways: int = 1) -> str:
    """What EOS calls a port: slot on a chassis, cage, and its first lane unless the cage has only one."""
    lanes, left = 0, cage
    for kind in switch.profile.cages:
        if left <= kind.count:
            lanes = kind.lanes
            break
        left -= kind.count
    slots = [card.first_slot + n for card in switch.profile.line_cards for n in range(card.count)]
    place = str(cage)
    if slots:
        per_card = switch.profile.line_cards[0].cages
        place = f"{slots[(cage - 1) // per_card]}/{(cage - 1) % per_card + 1}"
    return f"Ethernet{place}" if lanes == 1 else f"Ethernet{place}/{1 + sub * (lanes // ways)}"


def _paused(switch: SwitchView, port: SwitchPort) -> bool:
    """Whether PFC is on: not in lossy fabrics, to far devices, nor over spans that may drop."""
    return switch.fabric.qos.lossless and port.role != "exit" and (port.span is None or port.span.lossless)


def _ports(switch: SwitchView) -> list[Structured]:
    return [_port(switch, port) for port in switch.ports]


def _port(switch: SwitchView, port: SwitchPort) -> Structured:
    own = port.settings
    found: Structured = {
        "name": port_name(switch, port.cage, port.sub, port.ways),
        "description": own.description or f"{port.peer} {port.peer_port} cable {port.cable}",
        "mtu": port.mtu,
        "shutdown": own.shutdown,
        **_addresses(port.addresses),
        **_speed(switch, port),
        **_fec(port),
    }
    mine = [s for s in switch.services if port.role in ("host", "exit") and s.fabric == port.service]
    if port.role == "exit" and port.tenant:
        mine = [s for s in mine if s.tenant == port.tenant]
    service = next((s for s in mine if s.vlan == port.vlan), mine[0] if mine else None)
    if switch.multihomed and port.role == "up":
        found["link_tracking_groups"] = [{"name": "UPLINKS", "direction": "upstream"}]
    if port.bond:
        found["channel_group"] = {"id": port.bond, "mode": "active"}
        found["lacp_timer"] = {"mode": "fast"}
    elif service and service.gateways and not port.addresses:
        found["switchport"] = {"mode": "access", "access_vlan": service.vlan}
        found["spanning_tree_portfast"] = "edge"
        found |= access(switch, port)
    else:
        found["switchport"] = {"enabled": False}
        if service and service.vrf and port.addresses:
            found["vrf"] = service.vrf
    found |= routed(switch, port)
    if port.role != "host" and not port.bond and switch.fabric.underlay == "ebgp-unnumbered":
        found["ipv6_enable"] = True
    if switch.fabric.qos.marks:
        found["service_profile"] = f"ROCE-{port.speed_gbps}G{'' if _paused(switch, port) else '-LOSSY'}"
    if port.span and port.span.macsec:
        found["mac_security"] = {"profile": f"span-{port.span.name}"}
    return found


def _speed(switch: SwitchView, port: SwitchPort) -> Structured:
    kinds = [kind for kind in switch.profile.cages for _ in range(kind.count)]
    if kinds[port.cage - 1].form_factor == "RJ45":
        return {}
    lanes = 4 if port.speed_gbps == 40 else -(-Fraction(port.speed_gbps) // Fraction(port.lane_gbps))
    speed = f"{port.speed_gbps}g" if port.speed_gbps < 40 else f"{port.speed_gbps}g-{lanes}"
    return {"speed": speed}


def _fec(port: SwitchPort) -> Structured:
    words: dict[str, Structured] = {"rs": {"reed_solomon": True}, "fc": {"fire_code": True}, "none": {"enabled": False}}
    wanted = port.settings.fec or ("rs" if port.speed_gbps >= 100 else "")
    return {"error_correction_encoding": words[wanted]} if wanted else {}


def _subinterfaces(switch: SwitchView) -> list[Structured]:
    return [
        {
            "name": f"{port_name(switch, port.cage, port.sub, port.ways)}.{sub.vlan}",
            "description": f"{port.peer} {port.peer_port} vrf {sub.vrf}",
            "mtu": port.mtu,
            "shutdown": False,
            "encapsulation_dot1q": {"vlan": sub.vlan},
            "vrf": sub.vrf,
            **_addresses(sub.addresses),
        }
        for port in switch.ports
        for sub in port.subinterfaces
    ]


def _unused(switch: SwitchView) -> list[Structured]:
    """What is left of a split cage, and the first port of a cage without a cable: shut down."""
    used = {(port.cage, port.sub) for port in switch.ports}
    ways = {port.cage: port.ways for port in switch.ports}
    return [
        {"name": port_name(switch, cage, sub, ways.get(cage, 1)), "shutdown": True}
        for cage in range(1, sum(kind.count for kind in switch.profile.cages) + 1)
        for sub in range(ways.get(cage, 1))
        if (cage, sub) not in used
    ]


def _loopback(switch: SwitchView) -> Structured:
    own = ((switch.loopback, 32), (switch.loopback6, 128))
    addresses = tuple(f"{address}/{length}" for address, length in own if address)
    return {"name": "Loopback0", "description": "router id", **_addresses(addresses)}


def _vrf_loopbacks(switch: SwitchView) -> list[Structured]:
    return [
        {
            "name": f"Loopback{one.number}",
            "description": f"DHCP relay in {one.vrf}",
            "vrf": one.vrf,
            **_addresses(one.prefixes),
        }
        for one in switch.vrf_loopbacks
    ]


def _relay_loopback(switch: SwitchView, vrf: str) -> str:
    """The loopback in a VRF that servers answer to."""
    return f"Loopback{next((one.number for one in switch.vrf_loopbacks if one.vrf == vrf), 0)}"


def _qos(switch: SwitchView) -> Structured:
    """RoCE data in a class of its own with PFC and ECN, CNP before all else, the rest in class 1 (nos-conventions)."""
    qos = switch.fabric.qos
    xgs = switch.profile.asic.startswith(XGS)
    marked = {qos.roce_dscp: qos.roce_class, qos.cnp_dscp: qos.cnp_class}
    lossy = [str(d) for d in range(64) if d not in marked]
    lines = [f"{dscp} to traffic-class {queue}" for dscp, queue in marked.items()]
    watchdog = {
        "action": "drop" if qos.watchdog_action == "drop" else "notify-only",
        "timeout": _seconds(qos.detect_ms),
        "recovery_time": _seconds(qos.restore_ms),
        "polling_interval": _seconds(qos.poll_ms),
    }
    return {
        "qos": {
            "map": {
                "dscp": [f"{' '.join(lossy)} to traffic-class 1", *lines],
                "traffic_class": [f"{queue} to tx-queue {queue}" for queue in (1, *marked.values())],
            }
        },
        **({"priority_flow_control": {"watchdog": watchdog}} if qos.lossless else {}),
        "qos_profiles": [
            _profile(switch, speed, xgs, lossless=lossless)
            for speed, lossless in sorted({(p.speed_gbps, _paused(switch, p)) for p in switch.ports})
        ],
        **({} if xgs else {"hardware_counters": {"features": [{"name": "ecn", "direction": "out"}]}}),
    }


def _seconds(milliseconds: int) -> str:
    """Seconds with two decimals, and a third where it says something."""
    whole, rest = divmod(milliseconds, 1000)
    return f"{whole}.{rest:03}" if rest % 10 else f"{whole}.{rest // 10:02}"


def _profile(switch: SwitchView, speed: int, xgs: bool, *, lossless: bool) -> Structured:
    qos = switch.fabric.qos
    low, high = ((kb * speed) // 400 for kb in ((256, 512) if switch.is_lowest else (512, 768)))
    low, high = next(((low, high) for gbps, low, high in qos.thresholds_by_speed if gbps == speed), (low, high))
    threshold = {"units": "kbytes", "min": low, "max": high, "max_probability": qos.mark_percent, "weight": 0}
    ecn: Structured = {"threshold": threshold, **({"count": True} if xgs else {})}
    shape = {"shape": {"rate": f"{qos.cnp_max_percent} percent"}} if qos.cnp_max_percent else {}
    share = qos.roce_percent
    pfc = {
        "enabled": True,
        "watchdog": {"enabled": True},
        "priorities": [{"priority": qos.roce_class, "no_drop": True}],
    }
    return {
        "name": f"ROCE-{speed}G{'' if lossless else '-LOSSY'}",
        "trust": "dscp",
        **({"priority_flow_control": pfc} if lossless else {}),
        "uc_tx_queues" if xgs else "tx_queues": [
            {"id": 1, "priority": "no priority", "bandwidth_percent": 100 - share},
            {
                "id": qos.roce_class,
                "priority": "no priority",
                "bandwidth_percent": share,
                "random_detect": {"ecn": ecn},
            },
            {"id": qos.cnp_class, "priority": "priority strict", **shape},
        ],
    }
