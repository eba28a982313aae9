"""What AVD is told of bonds and of an MLAG pair, from the view of a switch alone."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, TypeAlias

from avd_hosts import access

from fabricgen.views.switch import SwitchPort, SwitchView

Structured: TypeAlias = dict[str, Any]

PAIR_VLAN = 4094
ROUTER_MAC = "00:1c:73:00:dc:01"
LINK_LOCAL = ("169.254.255.0", "169.254.255.1")


def bonds(switch: SwitchView) -> Structured:
    """Port channels of hosts, and what makes a pair of two switches."""
    hosts: dict[int, list[SwitchPort]] = defaultdict(list)
    for port in switch.ports:
        if port.bond and port.role == "host":
            hosts[port.bond].append(port)
    channels = [_channel(switch, number, ports) for number, ports in sorted(hosts.items())]
    if switch.multihomed:
        tracking = [{"name": "UPLINKS", "recovery_delay": 300}]
        common = {"ip_virtual_router_mac_address": ROUTER_MAC, "link_tracking_groups": tracking}
        return {**common, "port_channel_interfaces": channels}
    if not switch.pair:
        return {"port_channel_interfaces": channels} if channels else {}
    return {**_pair(switch), "port_channel_interfaces": [*channels, _peer_link(switch)]}


def _channel(switch: SwitchView, number: int, ports: list[SwitchPort]) -> Structured:
    mine = [s for s in switch.services if s.fabric in (ports[0].service, *ports[0].shared)]
    of_tenant = {s.fabric for s in mine if s.tenant and s.tenant == ports[0].tenant}
    mine = [s for s in mine if s.tenant == (ports[0].tenant if s.fabric in of_tenant else "")]
    tagged = [s.vlan for s in mine if s.tagged and ports[0].shared]
    untagged = [s.vlan for s in mine if s.vlan not in tagged]
    plain = {"mode": "access", "access_vlan": untagged[0]} if not tagged else {}
    native = {"native_vlan": untagged[0]} if untagged else {}
    allowed = ",".join(map(str, [*untagged, *sorted(tagged)]))
    return {
        "name": f"Port-Channel{number}",
        "description": f"{ports[0].peer} bond of {ports[0].service}",
        "mtu": ports[0].mtu,
        "shutdown": False,
        "switchport": plain or {"mode": "trunk", "trunk": {**native, "allowed_vlan": allowed}},
        "spanning_tree_portfast": "edge",
        **access(switch, ports[0]),
        **({"lacp_fallback_mode": "static"} if mine[0].offers.lacp_fallback else {}),
        **({"mlag": number} if ports[0].mlag and switch.pair else {}),
        **(_segment(switch, number) if ports[0].mlag and switch.multihomed else {}),
        **_profile(switch, ports[0].speed_gbps),
    }


def _profile(switch: SwitchView, speed_gbps: int) -> Structured:
    """The QoS profile, which drops where the fabric is lossy."""
    end = "" if switch.fabric.qos.lossless else "-LOSSY"
    return {"service_profile": f"ROCE-{speed_gbps}G{end}"} if switch.fabric.qos.marks else {}


def _segment(switch: SwitchView, number: int) -> Structured:
    """AVD's eos_designs: a short ESI makes identifier, route target and LACP system id (`short_esi`)."""
    *_, second, third, fourth = map(int, switch.multihomed.split("."))
    words = f"02{second:02x}{third:02x}{fourth:02x}{number:04x}"
    short = [words[0:4], words[4:8], words[8:12]]
    target = ":".join(words[start : start + 2] for start in range(0, 12, 2))
    return {
        "evpn_ethernet_segment": {"identifier": f"0000:0000:{':'.join(short)}", "route_target": target},
        "lacp_id": ".".join(short),
        "link_tracking_groups": [{"name": "UPLINKS", "direction": "downstream"}],
    }


def _peer_link(switch: SwitchView) -> Structured:
    assert switch.pair
    return {
        "name": f"Port-Channel{switch.pair.number}",
        "description": f"MLAG peer link to {switch.pair.mate}",
        "mtu": 9214,
        "shutdown": False,
        "switchport": {"mode": "trunk", "trunk": {"groups": ["MLAG"]}},
    }


def _pair(switch: SwitchView) -> Structured:
    pair = switch.pair
    assert pair
    end = switch.pair_end
    assert end
    first = switch.name == pair.name
    address = end.address or f"{LINK_LOCAL[0 if first else 1]}/31"
    subs = [sub for sub in end.subinterfaces if not sub.in_gateway]
    unnumbered = switch.fabric.underlay == "ebgp-unnumbered"
    return {
        "vlans": [{"id": vlan, "name": name, "trunk_groups": ["MLAG"]} for vlan, name in _vlans(switch)],
        "vlan_interfaces": [
            {
                "name": f"Vlan{PAIR_VLAN}",
                "description": "MLAG",
                "mtu": 9214,
                "no_autostate": True,
                "ip_address": address,
                **({"ipv6_address": end.address6} if end.address6 else {}),
                **({"ipv6_enable": True} if unnumbered else {}),
            },
            *(
                {
                    "name": f"Vlan{sub.vlan}",
                    "description": f"MLAG-{sub.vrf}",
                    "mtu": 9214,
                    "no_autostate": True,
                    "vrf": sub.vrf,
                    **{"ipv6_address" if ":" in address else "ip_address": address for address in sub.addresses},
                }
                for sub in subs
            ),
        ],
        "ip_virtual_router_mac_address": ROUTER_MAC,
        "mlag_configuration": {
            "domain_id": pair.name,
            "local_interface": f"Vlan{PAIR_VLAN}",
            "peer_address": end.peer_address.partition("/")[0] or LINK_LOCAL[1 if first else 0],
            "peer_link": f"Port-Channel{pair.number}",
            **(
                {
                    "peer_address_heartbeat": {"peer_ip": pair.backup[0], "vrf": "MGMT"},
                    "dual_primary_detection_delay": 5,
                }
                if pair.backup[1]
                else {}
            ),
        },
    }


def _vlans(switch: SwitchView) -> list[tuple[int, str]]:
    assert switch.pair_end
    subs = [sub for sub in switch.pair_end.subinterfaces if not sub.in_gateway]
    return [(PAIR_VLAN, "MLAG"), *((sub.vlan, f"MLAG-{sub.vrf}") for sub in subs)]
