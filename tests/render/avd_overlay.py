"""The overlay half of what AVD is told of a switch: Vxlan1, sessions between loopbacks, and the VRFs' targets."""

from __future__ import annotations

from typing import Any, TypeAlias

from fabricgen.views.switch import SwitchView

Structured: TypeAlias = dict[str, Any]


def passes_nothing_on(switch: SwitchView) -> bool:
    """Whether a switch announces its own routes only: it is of the lowest tier, and none hangs below it."""
    return switch.is_lowest and not any(port.role == "down" for port in switch.ports)


def drain(switch: SwitchView) -> list[str]:
    """What makes a route the last choice of neighbours, in maintenance."""
    return [f"as-path prepend {switch.asn} {switch.asn} {switch.asn}", "community 65535:0 additive"]


def vxlan(switch: SwitchView) -> Structured:
    """The VXLAN interface of a switch with VRFs over EVPN."""
    found = switch.overlay.vrfs if switch.overlay else {}
    vlans = switch.overlay.vlans if switch.overlay else {}
    if not found and not vlans:
        return {}
    qos = {"ecn_propagation": True, "dscp_propagation_encapsulation": True}
    qos |= {"map_dscp_to_traffic_class_decapsulation": True}
    return {
        "vxlan_interface": {
            "vxlan1": {
                "vxlan": {
                    "source_interface": "Loopback0",
                    "udp_port": 4789,
                    "vlans": [{"id": vlan, "vni": one.vni} for vlan, one in vlans.items()],
                    "vrfs": [{"name": name, "vni": one.vni} for name, one in found.items()],
                    **({"qos": qos} if switch.fabric.qos.marks else {}),
                }
            }
        }
    }


def with_overlay(switch: SwitchView, found: Structured) -> Structured:
    """Routing with the sessions for EVPN, and the targets of its VRFs."""
    if switch.overlay is None or "router_bgp" not in found:
        return found
    bgp = found["router_bgp"]
    groups = {f"OVERLAY_{peer.role.upper()}": peer.role for peer in switch.overlay.peers.values()}
    bgp["peer_groups"] += [
        {
            "name": name,
            "update_source": "Loopback0",
            "ebgp_multihop": 3,
            "send_community": "all",
            "maximum_routes": 0,
            **({"allowas_in": {"enabled": True, "times": 1}} if switch.shares_asn and role != "down" else {}),
        }
        for name, role in groups.items()
    ]
    bgp["neighbors"] += [
        {
            "ip_address": address,
            "peer_group": f"OVERLAY_{peer.role.upper()}",
            "remote_as": str(peer.remote_asn),
            "description": peer.description,
        }
        for address, peer in switch.overlay.peers.items()
    ]
    own, has_up = passes_nothing_on(switch), any(port.role == "up" for port in switch.ports)
    members, maps = [], {}
    last = {"set": drain(switch)} if switch.maintenance else {}
    for name, role in groups.items():
        all_to_mates = own and role == "peer" and has_up
        if switch.maintenance or (own and not all_to_mates):
            map_ = "OVERLAY-PEER" if all_to_mates else "OVERLAY-OUT"
            looks_at = {"match": ["as-path OWN"]} if own and not all_to_mates else {}
            maps[map_] = [{"sequence": 10, "type": "permit", **looks_at, **last}]
            members.append({"name": name, "activate": True, "route_map_out": map_})
        else:
            members.append({"name": name, "activate": True})
    bgp["address_family_evpn"] = {"next_hop_unchanged": True, "peer_groups": members}
    if own and "OVERLAY-OUT" in maps:
        maps["OVERLAY-OUT"] += [
            {"sequence": 50 + n, "type": "permit", "match": [f"as-path EXITS-{vrf}"], **last}
            for n, vrf in enumerate(switch.vrfs)
            if switch.exits.peers_in(vrf)
        ]
    found["route_maps"] += [{"name": name, "sequence_numbers": entries} for name, entries in maps.items()]
    third, fourth = map(int, (switch.multihomed or "0.0").split(".")[-2:])
    bgp["vlans"] = [
        {
            "id": vlan,
            "rd": one.distinguisher,
            "route_targets": {"both": [f"{one.vni}:{third * 256 + fourth}"]},
            "redistribute_routes": ["learned"],
        }
        for vlan, one in switch.overlay.vlans.items()
    ]
    for name, one in switch.overlay.vrfs.items():
        (vrf,) = [vrf for vrf in bgp["vrfs"] if vrf["name"] == name]
        targets = [{"address_family": "evpn", "route_targets": [f"{one.vni}:{one.vni}"]}]
        vrf |= {"rd": one.distinguisher, "route_targets": {"import": targets, "export": targets}}
    return found
