"""Routing of a startup.yaml: NVUE writes FRR's configuration from `router` and `vrf`.

Sessions of exits are neighbours of no group, leaks `route-import from-vrf` of an address family. EVPN is `evpn`, `nve`,
and what `vrf`, bonds and VLANs say of it (NVUE Command Reference: BGP EVPN, VXLAN, EVPN, Bridge).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from fabricgen.running.bgp import Instance, Neighbor, VrfLines, is_drained, make_overlay
from fabricgen.running.policy import ADDING, OwnRoute, Policies
from fabricgen.running.tree import allow_fields, is_tolerant, report_misfit
from fabricgen.switch.routing import (
    ALL_LINKS,
    EVPN,
    ONE_LINK,
    Bgp,
    EvpnOverlay,
    OverlayVlan,
    RouteMapEntry,
    SessionBfd,
    StaticRoute,
)

Row = Mapping[str, Any]
ON = "enabled"


def is_tracked(row: Row) -> bool:
    """Return whether a port is an uplink of EVPN multihoming, whose state the bonds of hosts follow.

    Raises UnknownTextError if the port says anything else of EVPN.
    """
    evpn = row.get("evpn")
    if evpn not in (None, {"multihoming": {"uplink": ON}}):
        report_misfit(f"a port has {evpn} of EVPN")
    return evpn is not None


def find_segment(row: Row, number: int) -> str:
    """Return the MAC that names the Ethernet segment of a bond, "" for none; `number` is that of the bond.

    Raises UnknownTextError unless the segment has this number as its id, and as the last four digits of its MAC.
    """
    evpn = row.get("evpn")
    if evpn is None:
        return ""
    mac = str(evpn["multihoming"]["segment"]["mac-address"])
    expected = {"multihoming": {"segment": {"local-id": number, "mac-address": mac, "state": ON}}}
    if evpn != expected or int(mac[-5:].replace(":", ""), 16) != number:
        report_misfit(f"bond {number} is of the segment {evpn}")
    return mac


def list_bridged(tree: Row) -> dict[int, OverlayVlan]:
    """Return the VLANs over EVPN by number.

    Raises UnknownTextError if the VNIs of the bridge are not those of `evpn`, or if there are Ethernet segments and
    multihoming is off.
    """
    evpn = tree.get("evpn", {})
    allow_fields(evpn, "multihoming", "state", "vni")
    vlans = tree.get("bridge", {}).get("domain", {}).get("br_default", {}).get("vlan", {})
    of_vlans = {int(vlan): vni for vlan, row in vlans.items() for vni in row.get("vni", {})}
    if set(of_vlans.values()) != set(evpn.get("vni", {})):
        report_misfit(f"VNIs of the bridge are {of_vlans}, and of EVPN {sorted(evpn.get('vni', {}))}")
    segments = [name for name, row in tree["interface"].items() if row["type"] == "bond" and "evpn" in row]
    if bool(segments) and evpn.get("multihoming") != {"state": ON}:
        report_misfit("Ethernet segments, and EVPN multihoming is off")
    return {
        vlan: OverlayVlan(int(vni), evpn["vni"][vni]["rd"], frozenset(evpn["vni"][vni]["route-target"]["both"]))
        for vlan, vni in of_vlans.items()
    }


def find_tunnel(tree: Row) -> tuple[str, bool]:
    """Return (address that tunnels end at or "", whether they copy the DSCP of packets).

    Raises UnknownTextError if VXLAN or EVPN is off.
    """
    vxlan = tree.get("nve", {}).get("vxlan", {})
    allow_fields(vxlan, "decapsulation", "encapsulation", "source", "state")
    if vxlan and (vxlan["state"] != ON or tree.get("evpn", {}).get("state") != ON):
        report_misfit("VXLAN or EVPN is off")
    actions = [
        vxlan.get(direction, {}).get("dscp", {}).get("action", "") for direction in ("encapsulation", "decapsulation")
    ]
    if actions not in (["", ""], ["copy", "preserve"]):
        report_misfit(f"DSCP of VXLAN: {actions}")
    return vxlan.get("source", {}).get("address", ""), actions[0] == "copy"


def make_vrf_lines(row: Row, bgp: Row) -> VrfLines:
    """Return the EVPN settings of a VRF, from `vrf X evpn` (`row`) and `vrf X router bgp` (`bgp`)."""
    allow_fields(row, "state", "vlan", "vni")
    ((vni, _),) = row["vni"].items()
    if is_tolerant():  # a running switch may derive its distinguishers and route targets itself
        of_targets: Row = {way: {"route-target": {}} for way in ("from-evpn", "to-evpn")}
        bgp = {"rd": "", "address-family": {}, "route-import": of_targets, "route-export": of_targets, **bgp}
    if row["state"] != ON:
        report_misfit("EVPN is off in a VRF")
    families = {word for word, family in bgp["address-family"].items() if _is_exported(family)}
    return VrfLines(
        vni=int(vni),
        distinguisher=bgp["rd"],
        imports=set(bgp["route-import"]["from-evpn"]["route-target"]),
        exports=set(bgp["route-export"]["to-evpn"]["route-target"]),
        families={word[2:4] for word in families},
    )


def _is_exported(family: Row) -> bool:
    """Return whether the routes of an address family are announced over EVPN, by its row (`route-export to-evpn`)."""
    return bool(family.get("route-export") == {"to-evpn": {"state": ON}})


def read_group(group: Neighbor, family: Row) -> None:
    """Add to a peer group its settings for EVPN, `family` (l2vpn-evpn): maps, next hops, and the own AS number in
    paths.
    """
    group.active.add(EVPN)
    group.keeps_next_hop = family.get("attribute-mod") == {"nexthop": "disabled"}
    for direction, maps in (("inbound", group.map_in), ("outbound", group.map_out)):
        if direction in family.get("policy", {}):
            maps.add(family["policy"][direction]["route-map"])
    allowed = family.get("aspath", {}).get("allow-my-asn", {})
    group.own_as_in = allowed["occurrences"] if allowed.get("state") == ON else 0


def find_vrf_name(name: str) -> str:
    """Return the blueprint's name of a VRF; "" for the default one."""
    return "" if name == "default" else name.removeprefix("vrf_")


def list_imports(row: Mapping[str, Any]) -> tuple[set[str], set[str]]:
    """Return (VRFs whose routes are imported, the maps that these pass); raises UnknownTextError if
    importing is off.
    """
    allow_fields(row, "from-vrf")
    imported = row["from-vrf"]
    allow_fields(imported, "list", "route-map", "state")
    if imported["state"] != ON:
        report_misfit("route-import from-vrf is off")
    return set(map(find_vrf_name, imported["list"])), {imported["route-map"]} if "route-map" in imported else set()


def find_remote_asn(row: Row, own_asn: int) -> int:
    """Return the AS number that a neighbour or a group has, 0 for none and for `external`: any but the own one."""
    told: Any = row.get("remote-as", 0) if is_tolerant() else row["remote-as"]
    return 0 if told == "external" else own_asn if told == "internal" else told


OPTIONAL = ("bfd", "local-as", "multihop-ttl", "password", "update-source")
BANDWIDTHS = {"multipaths": ONE_LINK, "cumulative": ALL_LINKS}
ALIKE = {"prepend": "disabled", "replace": "enabled", "state": "enabled"}


def exit_neighbor(name: str, row: Row, own_asn: int) -> Neighbor:
    """Return a neighbour without a group, and without its families and BFD.

    Raises UnknownTextError for a setting that is not understood.
    """
    allow_fields(row, "address-family", "description", "remote-as", "timers", "type", *OPTIONAL)
    if row["type"] != "numbered" or row.get("update-source", "lo") != "lo":
        report_misfit(f"{name} is {row['type']}, from {row.get('update-source')}")
    local = row.get("local-as", {})
    if local and {**local, "asn": 0} != {**ALIKE, "asn": 0}:
        report_misfit(f"{name}: local-as {local}")
    return Neighbor(
        remote_asn=find_remote_asn(row, own_asn),
        description=row["description"],
        timers=(row["timers"]["keepalive"], row["timers"]["hold"]),
        multihop=row.get("multihop-ttl", 0),
        source=row.get("update-source", ""),
        local_asn=local.get("asn", 0),
        password=row.get("password", ""),
    )


def list_sets(row: Row, *, of_exit: bool, graceful: bool) -> dict[str, Any]:
    """Return the fields of a RouteMapEntry that an entry sets.

    A prepended AS number is `added` in an exit's map (`of_exit`), where it marks a backup. In other maps it is
    `prepend`, which lengthens the paths of a drained switch. In an exit's map of a switch that is being drained
    (`graceful`) it may be either, so that both fields have it.
    """
    allow_fields(row, "as-path-prepend", "community", "ext-community-bw")
    prepend = row.get("as-path-prepend", {})
    allow_fields(prepend, "as", "last-as")
    if (told := row.get("ext-community-bw", "")) and told not in BANDWIDTHS:
        report_misfit(f"ext-community-bw is {told}")
    return {
        "communities": tuple(row.get("community", {})),
        "last_as": prepend.get("last-as", 0),
        "bandwidth": BANDWIDTHS.get(told, ""),
        "added": prepend.get("as", 0) if of_exit else 0,
        "prepend": "" if of_exit and not graceful else str(prepend.get("as", "")),
    }


_OF_GROUPS = ("address-family", "bfd", "capabilities", "shutdown")
"""Settings that our files give to groups; a switch may show them of each neighbour."""
FAMILIES = {"ipv4-unicast": "v4", "ipv6-unicast": "v6"}
DISCARD_DISTANCE = "250"
DEFAULT_TIMERS = {"connection-retry": 10, "hold": 9, "keepalive": 3}
"""Default keepalive and hold times, seconds (NVUE Command Reference, BGP)."""


class CumulusRouting:
    """BGP, static routes and EVPN of all VRFs, as `router` and `vrf` say it."""

    def __init__(self, router: Row, vrfs: Row) -> None:
        allow_fields(router, "adaptive-routing", "bfd", "bgp", "policy")
        self.adaptive = router.get("adaptive-routing") == {"state": ON}
        self._above: Row = router.get("bgp", {})
        self._graceful = self._above.get("graceful-shutdown") == ON
        self._policies = _read_policies(router.get("policy", {}), graceful=self._graceful)
        self._bfd = _list_bfd_profiles(router.get("bfd", {}))
        self._statics: dict[str, Row] = {}
        self._instances: dict[str, Instance] = {}
        self._over_evpn: dict[str, VrfLines] = {}
        self.unnumbered: set[str] = set()
        self.sources: dict[str, str] = {}
        for name, vrf in vrfs.items():
            allow_fields(vrf, "evpn", "loopback", "router")
            vrf_router = vrf.get("router", {})
            allow_fields(vrf_router, "bgp", "rib", "static")
            if "rib" in vrf_router:
                self.sources = dict(_list_sources(vrf_router["rib"], router["policy"]["route-map"]))
            key = find_vrf_name(name)
            if "evpn" in vrf:
                self._over_evpn[key] = make_vrf_lines(vrf["evpn"], vrf_router["bgp"])
            if "bgp" in vrf_router:
                self._instances[key] = self._make_instance(vrf_router["bgp"])
            if "static" in vrf_router:
                self._statics[key] = vrf_router["static"]
        self._check_global(router.get("bgp", {}))

    def make_bgp(self, routes_in: Callable[[str], Iterable[OwnRoute]]) -> dict[str, Bgp]:
        """Return BGP by VRF; `routes_in` gives the connected routes of a VRF."""
        return {
            vrf: instance.make_bgp(
                self._policies, routes_in(vrf), [OwnRoute(prefix) for prefix in self._statics.get(vrf, {})]
            )
            for vrf, instance in self._instances.items()
        }

    def is_drained(self) -> bool:
        """Return whether the switch is drained: graceful shutdown is on (FRR adds the community itself) and the route
        maps lengthen its AS path.

        Raises UnknownTextError if only one of the two holds and the switch has BGP neighbours.
        """
        has_longer_paths = is_drained(self._policies, self._instances.values(), by_community=False)
        if has_longer_paths != self._graceful and any(instance.neighbors for instance in self._instances.values()):
            report_misfit("graceful shutdown and longer paths go together")
        return has_longer_paths and self._graceful

    def make_overlay(self, tree: Row, loopbacks: Iterable[str]) -> EvpnOverlay | None:
        """Return EVPN, None without it; `tree` is the whole tree of NVUE."""
        address = next((text.partition("/")[0] for text in sorted(loopbacks) if ":" not in text), "")
        for neighbor in self._instances.get("", Instance(0)).neighbors.values():
            neighbor.source = {"lo": address}.get(neighbor.source, neighbor.source)
        vtep, copies_dscp = find_tunnel(tree)
        return make_overlay(
            self._instances.get(""), self._policies, self._over_evpn, vtep, copies_dscp, list_bridged(tree)
        )

    def make_static_routes(self) -> dict[tuple[str, str], StaticRoute]:
        """Return the static routes by (VRF, prefix)."""
        return {
            (vrf, prefix): _make_static_route(prefix, row)
            for vrf, rows in self._statics.items()
            for prefix, row in rows.items()
        }

    def _check_global(self, row: Row) -> None:
        """Refuse a `router bgp`, from which VRFs inherit, that differs from the default VRF's;
        raises UnknownTextError.
        """
        allow_fields(row, "autonomous-system", "graceful-shutdown", "router-id", "state", "wait-for-install")
        if not self._instances and not row:
            return
        main = self._instances.get("", Instance(0))
        if is_tolerant():  # what the default VRF says itself need not be said above it
            row = {"autonomous-system": main.asn, "router-id": main.router_id, **row}
        if (row["autonomous-system"], row["router-id"], row["state"]) != (main.asn, main.router_id, ON):
            report_misfit("`router bgp` is not that of the default VRF")
        if row.get("wait-for-install", ON if is_tolerant() else "") != ON:
            report_misfit("routes are announced before they are installed")

    def _make_instance(self, row: Row) -> Instance:
        """Return BGP of one VRF: what it announces and imports by family, its peer groups and sessions."""
        fields = ("address-family", "autonomous-system", "neighbor", "path-selection", "peer-group", "router-id")
        allow_fields(row, *fields, "rd", "route-export", "route-import", "state", "timers")
        timers = DEFAULT_TIMERS | row.get("timers", {})
        if row["state"] != ON or timers.keys() != DEFAULT_TIMERS.keys():
            report_misfit("BGP is off, or has other timers")
        instance = Instance(*(row.get(word, self._above.get(word)) for word in ("autonomous-system", "router-id")))
        instance.timers = timers["keepalive"], timers["hold"]
        instance.relax = row.get("path-selection") == {"multipath": {"aspath-ignore": ON}}
        for word, family in row["address-family"].items():
            if word == "l2vpn-evpn":
                allow_fields(family, "state")
                continue
            allow_fields(
                family, "aggregate-route", "multipaths", "redistribute", "route-export", "route-import", "state"
            )
            # what runs need not say how many equal paths there are, nor announce through a filter
            sources = family.get("redistribute", {}) if is_tolerant() else family["redistribute"]
            allow_fields(sources, "connected", "static")
            if family["state"] != ON or any(source["state"] != ON for source in sources.values()):
                report_misfit(f"{word}: not on, or routes are not redistributed")
            if "multipaths" in family or not is_tolerant():
                instance.max_paths.add(family["multipaths"]["ebgp"])
            for source, maps in (("connected", instance.families), ("static", instance.statics)):
                if source in sources or (source == "connected" and not is_tolerant()):
                    named = "route-map" in sources[source] or not is_tolerant()
                    maps[FAMILIES[word]] = {sources[source]["route-map"]} if named else set()
            instance.aggregates |= set(family.get("aggregate-route", {}))
            if "route-import" in family:
                instance.imports[FAMILIES[word]] = list_imports(family["route-import"])
        for name, group in row.get("peer-group", {}).items():
            instance.neighbors[name] = self._make_group(group, instance.asn)
        for name, peer in row.get("neighbor", {}).items():
            instance.neighbors[name] = self._make_neighbor(name, peer, instance.asn)
        return instance

    def _make_group(self, row: Row, own_asn: int) -> Neighbor:
        """Return a peer group with its families and BFD, from its row; `own_asn` is the AS number of its VRF."""
        allow_fields(row, "address-family", "bfd", "capabilities", *(["remote-as"] if is_tolerant() else []))
        group = Neighbor(is_group=True, remote_asn=find_remote_asn(row, own_asn) if is_tolerant() else 0)
        return self._add_families(group, row) if row or not is_tolerant() else group

    def _add_families(self, neighbor: Neighbor, row: Row) -> Neighbor:
        """Add to a group, or to a neighbour without a group, what it says of each family and of BFD."""
        neighbor.bfd = self._bfd[row["bfd"]["profile"]] if "bfd" in row else None
        if row.get("capabilities", {"extended-nexthop": ON}) != {"extended-nexthop": ON}:
            report_misfit(f"capabilities {row['capabilities']}")
        families = row.get("address-family", {}) if is_tolerant() else row["address-family"]
        # a group carries IPv4 unless it says otherwise
        for word, family in {"ipv4-unicast": {"state": ON}, **families}.items():
            allow_fields(family, "aspath", "attribute-mod", "policy", "prefix-limits", "state")
            if family["state"] != ON:
                continue
            if word == "l2vpn-evpn":
                read_group(neighbor, family)
                continue
            neighbor.active.add(FAMILIES[word])
            policy = family.get("policy", {}) if is_tolerant() else family["policy"]
            for direction, maps in (("inbound", neighbor.map_in), ("outbound", neighbor.map_out)):
                if direction in policy or not is_tolerant():
                    maps.add(policy[direction]["route-map"])
            if "aspath" in family:
                allowed = family["aspath"]["allow-my-asn"]
                neighbor.own_as_in = allowed["occurrences"] if allowed["state"] == ON else 0
            if "prefix-limits" in family:
                neighbor.max_prefixes[FAMILIES[word]] = family["prefix-limits"]["inbound"]["maximum"]
        return neighbor

    def _make_neighbor(self, name: str, row: Row, own_asn: int) -> Neighbor:
        """Return a session as its own lines say; what its group says is inherited later."""
        if "peer-group" not in row:
            return self._add_families(exit_neighbor(name, row, own_asn), row)
        fields = ("description", "multihop-ttl", "peer-group", "remote-as", "type", "update-source")
        allow_fields(row, *fields, *(_OF_GROUPS if is_tolerant() else ()))
        if (row["type"] == "unnumbered") != name.startswith(("swp", "peerlink.")):
            report_misfit(f"{name} is {row['type']}")
        if row["type"] == "unnumbered":
            self.unnumbered.add(name)
        neighbor = Neighbor(
            group=row["peer-group"],
            remote_asn=find_remote_asn(row, own_asn),
            description=row.get("description", ""),
            multihop=row.get("multihop-ttl", 0),
            source=row.get("update-source", ""),
            shut=row.get("shutdown") == ON,
        )
        return self._add_families(neighbor, row) if "address-family" in row else neighbor


def _list_bfd_profiles(row: Row) -> dict[str, SessionBfd]:
    """Return BFD timers by profile; the model has one interval for both directions."""
    allow_fields(row, "profile", "state")
    if row and row["state"] != ON:
        report_misfit("BFD is off")
    timers_of_profile = {}
    for name, profile in row.get("profile", {}).items():
        allow_fields(profile, "detect-multiplier", "min-rx-interval", "min-tx-interval")
        if profile["min-rx-interval"] != profile["min-tx-interval"]:
            report_misfit(f"BFD profile {name} has two intervals")
        timers_of_profile[name] = SessionBfd(profile["min-rx-interval"], profile["detect-multiplier"])
    return timers_of_profile


def _list_sources(rib: Row, maps: Row) -> Iterator[tuple[str, str]]:
    """Yield (family, address that packets of the switch itself have on routes of BGP, by a route map)."""
    allow_fields(rib, "ipv4", "ipv6")
    for word, family in rib.items():
        (rule,) = maps[family["fib-filter"]["protocol"]["bgp"]["route-map"]]["rule"].values()
        if rule.keys() != {"action", "set"} or rule["set"].keys() != {"source-ip"}:
            report_misfit(f"what is done to routes of the kernel: {rule}")
        address = str(rule["set"]["source-ip"])
        if (":" in address) != (word == "ipv6"):
            report_misfit(f"{address} is no source of {word}")
        yield word, address


def _read_policies(row: Row, *, graceful: bool) -> Policies:
    """Return the AS path lists, prefix lists and route maps of NVUE's `router policy`, by name.

    `graceful` is whether the switch is being drained. Route maps that set a source address are left out. Raises
    UnknownTextError for lists that deny, and for entries that are not understood.
    """
    allow_fields(row, "as-path-list", "prefix-list", "route-map")
    policies, families = Policies(), {}
    for name, path_list in row.get("as-path-list", {}).items():
        if any(rule["action"] != "permit" for rule in path_list["rule"].values()):
            report_misfit(f"as-path list {name} denies")
        policies.as_paths[name] = {rule["aspath-exp"] for rule in path_list["rule"].values()}
    for name, prefix_list in row.get("prefix-list", {}).items():
        allow_fields(prefix_list, "rule", "type")
        families[name] = prefix_list.get("type", "ipv4")
        for rule in prefix_list["rule"].values():
            allow_fields(rule, "action", "match")
            if rule["action"] != "permit":
                report_misfit(f"prefix list {name} denies")
            for prefix, bounds in rule["match"].items():
                allow_fields(bounds, "max-prefix-len", "min-prefix-len")
                bounds_in_frr = (("ge", bounds.get("min-prefix-len")), ("le", bounds.get("max-prefix-len")))
                policies.add_permit(
                    name,
                    prefix,
                    " ".join(f"{keyword} {length}" for keyword, length in bounds_in_frr if length is not None),
                )
    for name, route_map in row.get("route-map", {}).items():
        allow_fields(route_map, "rule")
        if any("source-ip" in rule.get("set", {}) for rule in route_map["rule"].values()):
            continue  # read where it is applied
        policies.maps[name] = {
            int(number): _make_entry(rule, families, graceful=graceful) for number, rule in route_map["rule"].items()
        }
    return policies


def _make_entry(rule: Row, types: Mapping[str, str], *, graceful: bool) -> RouteMapEntry:
    """Return an entry of a route map; `types` are the families of prefix lists, `graceful` is as in `list_sets`."""
    allow_fields(rule, "action", "match", "set")
    match, (action,) = rule.get("match", {}), rule["action"]
    if action not in ("permit", "deny") or rule["action"] != {action: {}}:
        report_misfit(f"an entry that is not understood: {rule}")
    allow_fields(match, "as-path-list", "ip-prefix-list", "source-vrf", "type")
    if match.keys() <= {"as-path-list"}:  # of EVPN: all routes, or those of some paths
        sets = list_sets(rule.get("set", {}), of_exit=False, graceful=graceful)
        return replace(RouteMapEntry(action == "permit", as_path=match.get("as-path-list", "")), **sets)
    if types[match["ip-prefix-list"]] != match["type"]:
        report_misfit(f"an entry that is not understood: {rule}")
    return replace(
        RouteMapEntry(action == "permit", match["ip-prefix-list"], match.get("as-path-list", "")),
        **list_sets(rule.get("set", {}), of_exit=match["ip-prefix-list"].startswith(ADDING), graceful=graceful),
        source_vrf=find_vrf_name(match["source-vrf"]) if "source-vrf" in match else None,
    )


def _make_static_route(prefix: str, row: Row) -> StaticRoute:
    """Return a static route: its next hops, and whether it drops packets if no next hop is usable.

    Raises UnknownTextError for next hops without an interface or of another address family than the prefix, for another
    administrative distance than that of a discard route, and for a route that is shared between next hops and a
    blackhole.
    """
    allow_fields(row, "address-family", "distance", "via")
    family = "ipv6" if ":" in prefix else "ipv4"
    blackhole = {"blackhole": {"type": "blackhole"}}
    if row["address-family"] != f"{family}-unicast" or row.get("distance", {DISCARD_DISTANCE: {"via": blackhole}}) != {
        DISCARD_DISTANCE: {"via": blackhole}
    }:
        report_misfit(f"static route {prefix}")
    hops = {address: hop for address, hop in row.get("via", {}).items() if address != "blackhole"}
    if any(hop.keys() != {"interface", "type"} or hop["type"] != f"{family}-address" for hop in hops.values()):
        report_misfit(f"next hops of {prefix}: {hops}")
    discard = "distance" in row if hops else row["via"] == blackhole
    if hops and "blackhole" in row["via"]:
        report_misfit(f"{prefix} is shared between next hops and none")
    return StaticRoute(frozenset((hop["interface"], address) for address, hop in hops.items()), discard)
