"""The ways out of a switch as AVD is told of them: lists, maps, sessions and static routes, from its view alone."""

from __future__ import annotations

from ipaddress import ip_network
from typing import Any, TypeAlias

from avd_overlay import drain, passes_nothing_on
from avd_routing import mate_in

from fabricgen.switch.routing import Peer, Permit, make_permit
from fabricgen.views.exits import ExitPolicy
from fabricgen.views.switch import SwitchView

Structured: TypeAlias = dict[str, Any]

BACKUP, DRAINED, OUTWARD = 8, 10, 3


def with_exits(switch: SwitchView, found: Structured) -> Structured:
    """Routing with what is beyond exits; nothing without BGP."""
    if "router_bgp" not in found:
        return found
    for vrf in ("", *sorted({service.vrf for service in switch.services if service.vrf})):
        _vrf(switch, vrf, found)
    return found


def _vrf(switch: SwitchView, vrf: str, found: Structured) -> None:
    """Add the exits of a VRF; a route map is of both families."""
    end = f"-{vrf}" if vrf else ""
    inward, outward = (f"IN{end}", f"OUT{end}") if vrf else ("FABRIC-IN", "FABRIC-OUT")
    peers = switch.exits.peers_in(vrf)
    policies = [policy for policy in switch.exits.policies if policy.vrf == vrf]
    passed_on = [prefix for prefix, route in switch.exits.routes_in(vrf).items() if route.passed_on]
    announced = list(dict.fromkeys(prefix for policy in policies for prefix in policy.announces))
    paths = sorted({f"^{peer.remote_asn}_" for peer in peers.values()}) if passes_nothing_on(switch) else []
    if passes_nothing_on(switch) and passed_on:
        paths.insert(0, "^$")
    if paths:
        entries = [{"type": "permit", "match": path, "origin": "any"} for path in paths]
        found["as_path"]["access_lists"].append({"name": f"EXITS{end}", "entries": entries})
    for v6 in [word == "v6" for word in ("v4", "v6") if word in switch.fabric.families]:
        six, further = ("6", 5) if v6 else ("", 0)
        beyond = _list(found, f"OUTSIDE{six}{end}", switch.list_outside(vrf), v6)
        ours = _list(found, f"AGGREGATES{six}{end}", list(map(make_permit, announced)), v6)
        mates = ["PEER" + end if vrf else "FABRIC-PEER"] if mate_in(switch, vrf) else []
        if ours:
            for name in (outward, *mates):
                _entry(found, name, 6 if v6 else 5, [ours], action="deny")
        if beyond:
            _entry(found, inward, 50 + further, [beyond])
            if paths or not passes_nothing_on(switch):
                _entry(
                    found,
                    outward,
                    50 + further,
                    [*([f"as-path EXITS{end}"] if paths else []), beyond],
                    drain(switch) if switch.maintenance else [],
                )
            for name in mates:
                _entry(found, name, 50 + further, [beyond], drain(switch) if switch.maintenance else [])
        if beyond and any((":" in prefix) == v6 for prefix in passed_on):
            _entry(found, f"STATIC{end}", 50 + further, [beyond])
        for policy in policies:
            _of_exit(switch, policy, found, v6)
    _sessions(switch, vrf, found, announced)


def _sessions(switch: SwitchView, vrf: str, found: Structured, announced: list[str]) -> None:
    """Add the sessions of a VRF with far devices, and its static routes."""
    peers = switch.exits.peers_in(vrf)
    policies = [policy for policy in switch.exits.policies if policy.vrf == vrf]
    statics = switch.exits.routes_in(vrf)
    bgp = found["router_bgp"] if not vrf else next((v for v in found["router_bgp"]["vrfs"] if v["name"] == vrf), {})
    if bgp:
        bgp.setdefault("neighbors", []).extend(_neighbor(switch, *named, policies) for named in peers.items())
        for far in peers:
            family = bgp.setdefault(f"address_family_ipv{6 if ':' in far else 4}", {})
            family.setdefault("neighbors", []).append({"ip_address": far, "activate": True})
        bgp["aggregate_addresses"] = [{"prefix": prefix} for prefix in announced]
        if any(route.passed_on for route in statics.values()):
            bgp["redistribute"]["static"] = {"enabled": True, "route_map": f"STATIC-{vrf}" if vrf else "STATIC"}
    for prefix, route in statics.items():
        key = "ipv6_static_routes" if ":" in prefix else "static_routes"
        rows = [{"prefix": prefix, "interface": port, "next_hop": far} for port, far in route.hops]
        found.setdefault(key, []).extend({**row, **({"vrf": vrf} if vrf else {})} for row in rows)


def _list(found: Structured, name: str, prefixes: tuple[Permit, ...] | list[Permit], v6: bool) -> str:
    """Add a prefix list, and return what matches it; "" where it would be empty."""
    mine = [each for each in prefixes if (":" in each.prefix) == v6]
    if mine:
        rows = [
            {"sequence": 10 * n, "action": f"permit {each.prefix}{f' le {each.longest}' if _longer(each) else ''}"}
            for n, each in enumerate(mine, 1)
        ]
        found["ipv6_prefix_lists" if v6 else "prefix_lists"].append({"name": name, "sequence_numbers": rows})
    return f"{'ipv6' if v6 else 'ip'} address prefix-list {name}" if mine else ""


def _longer(each: Permit) -> bool:
    return each.longest > ip_network(each.prefix).prefixlen


def _entry(
    found: Structured, name: str, seq: int, match: list[str], sets: list[str] | None = None, *, action: str = "permit"
) -> None:
    """Add an entry to a route map, which may be there already."""
    known = next((each for each in found["route_maps"] if each["name"] == name), None)
    if known is None:
        found["route_maps"].append(known := {"name": name, "sequence_numbers": []})
    row = {"sequence": seq, "type": action, "match": match, **({"set": sets} if sets else {})}
    known["sequence_numbers"].append(row)


def _of_exit(switch: SwitchView, policy: ExitPolicy, found: Structured, v6: bool) -> None:
    """The lists and maps of the sessions of an exit in a family."""
    six, further = ("6", 5) if v6 else ("", 0)
    times = DRAINED if switch.maintenance else BACKUP if policy.backup else 0
    own = OUTWARD if switch.maintenance else int(policy.backup)
    told = [*policy.communities, *(["65535:0"] if switch.maintenance else [])]
    sets = {
        "IN": [f"as-path prepend last-as {times}"] if times else [],
        "OUT": [
            *([f"as-path prepend {' '.join([str(switch.asn)] * own)}"] if own else []),
            *([f"community {' '.join(told)}"] if told else []),
        ],
    }
    prefixes = {"IN": policy.takes, "OUT": tuple(map(make_permit, policy.announces))}
    for word, some in prefixes.items():
        match = _list(found, f"EXIT-{policy.name}-{word}{six}", some, v6)
        name = f"EXIT-{policy.name}-{word}"
        if match:
            _entry(found, name, 50 + further, [match], sets[word])
        else:
            _entry(found, name, 90 + further, [], action="deny")


def _neighbor(switch: SwitchView, far: str, peer: Peer, policies: list[ExitPolicy]) -> Structured:
    name = peer.group.removeprefix("EXIT-")
    far_port = next((f"{port.peer_port} " for port in switch.ports if port.name == peer.port), "")
    told = switch.maintenance or any(policy.communities for policy in policies if policy.name == name)
    return {
        "ip_address": far,
        "remote_as": str(peer.remote_asn),
        "description": f"{peer.device} {far_port}exit {name}",
        "timers": "10 30",
        "route_map_in": f"EXIT-{name}-IN",
        "route_map_out": f"EXIT-{name}-OUT",
        "maximum_routes": sum(peer.max_prefixes.values()),
        "maximum_routes_warning_limit": "80 percent",
        **({"local_as": str(peer.local_asn)} if peer.local_asn else {}),
        **({"update_source": "Loopback0", "ebgp_multihop": peer.hops} if peer.hops > 1 else {}),
        **({"send_community": "standard"} if told else {}),
        **(
            {
                "bfd": True,
                "bfd_timers": {"interval": b.interval_ms, "min_rx": b.interval_ms, "multiplier": b.multiplier},
            }
            if (b := peer.bfd)
            else {}
        ),
    }
