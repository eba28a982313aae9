"""The routing half of what AVD is told of a switch: VRFs, static routes, policy and BGP, from its view alone."""

from __future__ import annotations

from typing import Any, TypeAlias

from avd_balancing import balancing
from avd_overlay import drain, passes_nothing_on

from fabricgen.switch.interfaces import Subinterface
from fabricgen.views.switch import SwitchPort, SwitchView

Structured: TypeAlias = dict[str, Any]

TIMERS = "3 9"
LAST_RESORT = 250
"""Distance of the route that drops what no next hop takes."""


def routing(switch: SwitchView) -> Structured:
    """VRFs, static routes, and BGP with its policy where the switch has an AS number."""
    has_v4, has_v6 = ("v4" in switch.fabric.families, "v6" in switch.fabric.families)
    unnumbered = switch.fabric.underlay == "ebgp-unnumbered"
    managed = any(gateway for _, gateway in switch.managements)
    routed = {**({"ip_routing": True} if has_v4 else {}), **({"ipv6_routing": True} if has_v6 else {})}
    own = [{"name": vrf, **routed} for vrf in _vrfs(switch)]
    found: Structured = {
        "vrfs": [*([{"name": "MGMT", "ip_routing": False}] if managed else []), *own],
        **({"ip_routing_ipv6_interfaces" if unnumbered else "ip_routing": True} if has_v4 else {}),
        "ipv6_unicast_routing": has_v6 or unnumbered,
    }
    if switch.fabric.bfd and switch.asn:
        every = switch.fabric.bfd.interval_ms
        found["router_bfd"] = {"interval": every, "min_rx": every, "multiplier": switch.fabric.bfd.multiplier}
    return {**found, **balancing(switch), **_static_routes(switch), **(_bgp_and_policy(switch) if switch.asn else {})}


def merged(*parts: Structured) -> Structured:
    """Parts of a structured config as one; lists that several have follow on one another."""
    found: Structured = {}
    for part in parts:
        for key, value in part.items():
            found[key] = [*found[key], *value] if key in found else value
    return found


def _static_routes(switch: SwitchView) -> Structured:
    """Routes of a fabric without BGP: each next hop with its port, and what drops the rest."""
    found: Structured = {"static_routes": [], "ipv6_static_routes": []}
    for (_, prefix), route in switch.routes.items():
        rows = [{"prefix": prefix, "interface": port, "next_hop": address} for port, address in route.hops]
        if route.discard:
            last = {"distance": LAST_RESORT} if route.hops else {}
            rows.append({"prefix": prefix, "interface": "Null0", **last})
        found["ipv6_static_routes" if ":" in prefix else "static_routes"] += rows
    return found


def _vrfs(switch: SwitchView) -> list[str]:
    return sorted({service.vrf for service in switch.services if service.vrf})


def _bare(address: str) -> str:
    return address.partition("/")[0]


def _pools(switch: SwitchView, vrf: str, v6: bool) -> list[str]:
    """Prefixes that nodes of a VRF have their addresses from, without repetition."""
    found = [pool for service in switch.services if service.vrf == vrf for pool in service.host_pools]
    found += [prefix for leaked in switch.leaks if leaked.vrf == vrf for prefix in leaked.prefixes]
    found += [prefix for one in switch.vrf_loopbacks if one.vrf == vrf for prefix in one.prefixes]
    return [pool for pool in dict.fromkeys(found) if (":" in pool) == v6]


def _entries(pools: list[str], longest: int, longer: str) -> list[Structured]:
    return [
        {"sequence": 10 * n, "action": f"permit {pool}{longer if int(pool.partition('/')[2]) < longest else ''}"}
        for n, pool in enumerate(pools, 1)
    ]


def _bgp_and_policy(switch: SwitchView) -> Structured:
    """Only loopbacks and prefixes of nodes travel; the lowest tier announces nothing but its own."""
    found: Structured = {"prefix_lists": [], "ipv6_prefix_lists": [], "route_maps": []}
    matches: dict[str, list[tuple[int, str]]] = {"": []}
    for v6 in _families(switch):
        word, lists, six = ("ipv6", "ipv6_prefix_lists", "6") if v6 else ("ip", "prefix_lists", "")
        whole = 128 if v6 else 32
        loopbacks = [pool for pool in switch.fabric.loopback_pools if (":" in pool) == v6]
        named = [(f"LOOPBACKS{six}", "", 10, _entries(loopbacks, whole, f" ge {whole}"))]
        for vrf in ["", *_speaking(switch)]:
            name = f"HOSTS{six}" + (f"-{vrf}" if vrf else "")
            entries = _entries(_pools(switch, vrf, v6), whole - 1, f" le {whole - 1}")
            named.append((name, vrf, 20 if not vrf else 10, entries))
        for name, vrf, seq, entries in named:
            if not entries:
                continue
            found[lists].append({"name": name, "sequence_numbers": entries})
            step = (20 if not vrf else 10) if v6 else 0
            matches.setdefault(vrf, []).append((seq + step, f"{word} address prefix-list {name}"))
    for vrf, wanted in matches.items():
        found["route_maps"] += _route_maps(switch, vrf, wanted)
    if passes_nothing_on(switch):
        entry = {"type": "permit", "match": "^$", "origin": "any"}
        found["as_path"] = {"access_lists": [{"name": "OWN", "entries": [entry]}]}
    return {**found, "router_bgp": _router_bgp(switch)}


def _families(switch: SwitchView) -> list[bool]:
    """Whether IPv6, of each family routed."""
    return [word == "v6" for word in ("v4", "v6") if word in switch.fabric.families]


def _route_maps(switch: SwitchView, vrf: str, wanted: list[tuple[int, str]]) -> list[Structured]:
    speaks = any(sub.vrf == vrf for port in switch.ends for sub in port.subinterfaces if sub.peer_asn)
    names = ["CONNECTED", "FABRIC-IN", "FABRIC-OUT", *(["FABRIC-PEER"] if mate_in(switch, "") else [])]
    if vrf:
        further = ["IN", "OUT", *(["PEER"] if mate_in(switch, vrf) else [])] if speaks else []
        names = [f"{name}-{vrf}" for name in ("CONNECTED", *further)]
    return [
        {
            "name": name,
            "sequence_numbers": [
                {
                    "sequence": seq,
                    "type": "permit",
                    "match": [*(["as-path OWN"] if passes_nothing_on(switch) and "OUT" in name else []), match],
                    **({"set": drain(switch)} if switch.maintenance and ("OUT" in name or "PEER" in name) else {}),
                }
                for seq, match in wanted
            ],
        }
        for name in names
    ]


def mate_in(switch: SwitchView, vrf: str) -> bool:
    """Whether there is a mate in a VRF that is told what came from above, beside own routes."""
    ends = [port for port in switch.ends if port.role == "peer"]
    speaks = [port for port in ends if (port.peer_asn if not vrf else _speaks_in(port, vrf))]
    return bool(speaks) and passes_nothing_on(switch) and any(port.role == "up" for port in switch.ports)


def _speaks_in(port: SwitchPort, vrf: str) -> bool:
    return any(sub.vrf == vrf and sub.peer_asn for sub in port.subinterfaces)


def _links(switch: SwitchView) -> list[SwitchPort]:
    return [port for port in switch.ends if port.role != "host" and port.peer_asn]


def _speaking(switch: SwitchView) -> list[str]:
    """VRFs that have sessions."""
    carried = {sub.vrf for port in switch.ends for sub in port.subinterfaces if sub.peer_asn}
    carried |= set(switch.overlay.vrfs) if switch.overlay else set()
    return [vrf for vrf in _vrfs(switch) if vrf in carried]


def _group(port: SwitchPort, v6: bool) -> str:
    return {"up": "UP", "down": "DOWN", "peer": "PEER"}[port.role] + ("6" if v6 else "")


def _ends(end: SwitchPort | Subinterface) -> list[str]:
    """Addresses of the far end, of each family that the link has."""
    return [_bare(far) for own, far in end.pairs if own]


def _router_bgp(switch: SwitchView) -> Structured:
    unnumbered = switch.fabric.underlay == "ebgp-unnumbered"
    width = min(600, _width(switch))
    neighbors, interfaces, groups = [], [], []
    for port in _links(switch):
        for far in _ends(port):
            group = _group(port, ":" in far)
            groups.append(group)
            neighbors.append(
                {
                    "ip_address": far,
                    "peer_group": group,
                    "remote_as": str(port.peer_asn),
                    "description": f"{port.peer} {port.peer_port}"[:80],
                }
            )
        if not port.addresses:
            groups.append(_group(port, False))
            interfaces.append({"name": port.name, "peer_group": groups[-1], "remote_as": str(port.peer_asn)})
    families = {
        f"address_family_ipv{6 if v6 else 4}": {
            "peer_groups": [
                _activated(group, originate=unnumbered and not v6)
                for group in sorted(set(groups))
                if unnumbered or group.endswith("6") == v6
            ]
        }
        for v6 in _families(switch)
    }
    own = [line for snippet in switch.snippets if snippet.place == "bgp" for line in snippet.lines]
    return {
        **({"eos_cli": "\n".join(own)} if own else {}),
        "as": str(switch.asn),
        "router_id": switch.router_id,
        "bgp": {"default": {"ipv4_unicast": False}},
        "updates": {"wait_install": True},
        "timers": {"keepalive_time": 3, "hold_time": 9},
        "maximum_paths": {"paths": width, "ecmp": width},
        "peer_groups": [_peer_group(switch, group) for group in sorted(set(groups))],
        "neighbors": neighbors,
        "neighbor_interfaces": interfaces,
        "redistribute": {"connected": {"enabled": True, "route_map": "CONNECTED"}},
        "vrfs": [_bgp_vrf(switch, vrf, width) for vrf in _speaking(switch)],
        **families,
    }


def _width(switch: SwitchView) -> int:
    """Links to the tier above; of a top tier, to the largest tier below."""
    if switch.tier.up:
        return switch.tier.up.count
    return max((run.count for run in switch.tier.downs), default=1)


def _activated(group: str, *, originate: bool) -> Structured:
    next_hop = {"next_hop": {"address_family_ipv6": {"enabled": True, "originate": True}}} if originate else {}
    return {"name": group, "activate": True, **next_hop}


def _peer_group(switch: SwitchView, group: str) -> Structured:
    return {
        "name": group,
        **_safety(switch, from_below=group.startswith("DOWN")),
        **({"send_community": "all"} if switch.maintenance else {}),
        "route_map_in": "FABRIC-IN",
        "route_map_out": "FABRIC-PEER" if group.startswith("PEER") and mate_in(switch, "") else "FABRIC-OUT",
    }


def _safety(switch: SwitchView, *, from_below: bool) -> Structured:
    again = switch.shares_asn and not from_below
    return {
        "maximum_routes": switch.fabric.max_prefixes,
        **({"maximum_routes_warning_limit": "80 percent"} if switch.fabric.max_prefixes else {}),
        **({"bfd": True} if switch.fabric.bfd else {}),
        **({"allowas_in": {"enabled": True, "times": 1}} if again else {}),
    }


def _bgp_vrf(switch: SwitchView, vrf: str, width: int) -> Structured:
    links = [(port, sub) for port in switch.ends for sub in port.subinterfaces if sub.vrf == vrf and sub.peer_asn]
    neighbors = [
        {
            "ip_address": far,
            "remote_as": str(sub.peer_asn),
            "description": f"{port.peer} {port.peer_port}"[:80],
            "route_map_in": f"IN-{vrf}",
            "route_map_out": f"PEER-{vrf}" if port.role == "peer" and mate_in(switch, vrf) else f"OUT-{vrf}",
            **_safety(switch, from_below=port.role == "down"),
            **({"send_community": "all"} if switch.maintenance else {}),
        }
        for port, sub in links
        for far in _ends(sub)
    ]
    families = {
        f"address_family_ipv{6 if v6 else 4}": {
            "neighbors": [
                {"ip_address": n["ip_address"], "activate": True}
                for n in neighbors
                if (":" in str(n["ip_address"])) == v6
            ]
        }
        for v6 in _families(switch)
        if neighbors
    }
    return {
        "name": vrf,
        "router_id": switch.router_id,
        "timers": TIMERS,
        "updates": {"wait_install": True},
        "maximum_paths": {"paths": width, "ecmp": width},
        "neighbors": neighbors,
        "redistribute": {"connected": {"enabled": True, "route_map": f"CONNECTED-{vrf}"}},
        **families,
    }
