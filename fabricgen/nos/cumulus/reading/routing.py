"""Routing of a startup.yaml: NVUE writes FRR's configuration from `router` and `vrf`.

Sessions of exits are neighbours of no group, leaks `route-import from-vrf` of an address family. EVPN is `evpn`, `nve`,
and what `vrf`, bonds and VLANs say of it (NVUE Command Reference: BGP EVPN, VXLAN, EVPN, Bridge).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from fabricgen.running.bgp import Instance, Neighbor, VrfLines, drained, overlay
from fabricgen.running.policy import ADDING, Policies, Route
from fabricgen.running.tree import only, tolerates, unfit
from fabricgen.switch.routing import EVPN, Bfd, Bgp, Entry, Overlay, OverlayVlan, StaticRoute

Row = Mapping[str, Any]
ON = "enabled"


def is_tracked(row: Row) -> bool:
    """Whether a port is tracked; raises UnknownTextError for other words of EVPN there."""
    own = row.get("evpn")
    if own not in (None, {"multihoming": {"uplink": ON}}):
        unfit(f"a port has {own} of EVPN")
    return own is not None


def segment(row: Row, number: int) -> str:
    """What names the Ethernet segment of a bond, "" for none; raises UnknownTextError for another than its own."""
    own = row.get("evpn")
    if own is None:
        return ""
    mac = str(own["multihoming"]["segment"]["mac-address"])
    wanted = {"multihoming": {"segment": {"local-id": number, "mac-address": mac, "state": ON}}}
    if own != wanted or int(mac[-5:].replace(":", ""), 16) != number:
        unfit(f"bond {number} is of the segment {own}")
    return mac


def bridged(tree: Row) -> dict[int, OverlayVlan]:
    """VLANs over EVPN; raises UnknownTextError where the bridge and `evpn` have other VNIs, or multihoming is off."""
    own = tree.get("evpn", {})
    only(own, "multihoming", "state", "vni")
    vlans = tree.get("bridge", {}).get("domain", {}).get("br_default", {}).get("vlan", {})
    of_vlans = {int(vlan): vni for vlan, row in vlans.items() for vni in row.get("vni", {})}
    if set(of_vlans.values()) != set(own.get("vni", {})):
        unfit(f"VNIs of the bridge are {of_vlans}, and of EVPN {sorted(own.get('vni', {}))}")
    segments = [name for name, row in tree["interface"].items() if row["type"] == "bond" and "evpn" in row]
    if bool(segments) and own.get("multihoming") != {"state": ON}:
        unfit("Ethernet segments, and EVPN multihoming is off")
    return {
        vlan: OverlayVlan(int(vni), own["vni"][vni]["rd"], frozenset(own["vni"][vni]["route-target"]["both"]))
        for vlan, vni in of_vlans.items()
    }


def tunnel(tree: Row) -> tuple[str, bool]:
    """(the address that tunnels end at, "" for none; whether the DSCP of packets is copied to them)."""
    vxlan = tree.get("nve", {}).get("vxlan", {})
    only(vxlan, "decapsulation", "encapsulation", "source", "state")
    if vxlan and (vxlan["state"] != ON or tree.get("evpn", {}).get("state") != ON):
        unfit("VXLAN or EVPN is off")
    actions = [vxlan.get(way, {}).get("dscp", {}).get("action", "") for way in ("encapsulation", "decapsulation")]
    if actions not in (["", ""], ["copy", "preserve"]):
        unfit(f"DSCP of VXLAN: {actions}")
    return vxlan.get("source", {}).get("address", ""), actions[0] == "copy"


def vrf_lines(row: Row, bgp: Row) -> VrfLines:
    """What a VRF says of EVPN: `vrf X evpn`, and `vrf X router bgp`."""
    only(row, "state", "vlan", "vni")
    ((vni, _),) = row["vni"].items()
    if row["state"] != ON:
        unfit("EVPN is off in a VRF")
    families = {word for word, one in bgp["address-family"].items() if _is_exported(one)}
    return VrfLines(
        vni=int(vni),
        distinguisher=bgp["rd"],
        imports=set(bgp["route-import"]["from-evpn"]["route-target"]),
        exports=set(bgp["route-export"]["to-evpn"]["route-target"]),
        families={word[2:4] for word in families},
    )


def _is_exported(family: Row) -> bool:
    return bool(family.get("route-export") == {"to-evpn": {"state": ON}})


def read_group(found: Neighbor, family: Row) -> None:
    """Take what a peer group says of the address family l2vpn-evpn."""
    found.active.add(EVPN)
    found.keeps_next_hop = family.get("attribute-mod") == {"nexthop": "disabled"}
    for way, maps in (("inbound", found.map_in), ("outbound", found.map_out)):
        if way in family.get("policy", {}):
            maps.add(family["policy"][way]["route-map"])
    own = family.get("aspath", {}).get("allow-my-asn", {})
    found.own_as_in = own["occurrences"] if own.get("state") == ON else 0


def vrf_of(name: str) -> str:
    """The blueprint's name of a VRF; "" for the default one."""
    return "" if name == "default" else name.removeprefix("vrf_")


def brought_in(row: Mapping[str, Any]) -> tuple[set[str], set[str]]:
    """(VRFs whose routes are brought in, the maps that these pass); raises UnknownTextError where that is off."""
    only(row, "from-vrf")
    found = row["from-vrf"]
    only(found, "list", "route-map", "state")
    if found["state"] != ON:
        unfit("route-import from-vrf is off")
    return set(map(vrf_of, found["list"])), {found["route-map"]} if "route-map" in found else set()


OPTIONAL = ("bfd", "local-as", "multihop-ttl", "password", "update-source")
ALIKE = {"prepend": "disabled", "replace": "enabled", "state": "enabled"}


def exit_neighbor(name: str, row: Row) -> Neighbor:
    """A neighbour of no group but for its families and BFD; raises UnknownTextError for what is not understood."""
    only(row, "address-family", "description", "remote-as", "timers", "type", *OPTIONAL)
    if row["type"] != "numbered" or row.get("update-source", "lo") != "lo":
        unfit(f"{name} is {row['type']}, from {row.get('update-source')}")
    local = row.get("local-as", {})
    if local and {**local, "asn": 0} != {**ALIKE, "asn": 0}:
        unfit(f"{name}: local-as {local}")
    return Neighbor(
        remote_asn=row["remote-as"],
        description=row["description"],
        timers=(row["timers"]["keepalive"], row["timers"]["hold"]),
        multihop=row.get("multihop-ttl", 0),
        source=row.get("update-source", ""),
        local_asn=local.get("asn", 0),
        password=row.get("password", ""),
    )


def sets_of(row: Row, *, of_exit: bool, graceful: bool) -> dict[str, Any]:
    """What an entry of a route map sets; `graceful`: the router drains, so that a longer path to an exit is a mark."""
    only(row, "as-path-prepend", "community")
    prepend = row.get("as-path-prepend", {})
    only(prepend, "as", "last-as")
    return {
        "communities": tuple(row.get("community", {})),
        "last_as": prepend.get("last-as", 0),
        "added": prepend.get("as", 0) if of_exit else 0,
        "prepend": "" if of_exit and not graceful else str(prepend.get("as", "")),
    }


_OF_GROUPS = ("address-family", "bfd", "capabilities", "shutdown")
"""What groups say in files of ours; a switch may show it of each neighbour."""
FAMILIES = {"ipv4-unicast": "v4", "ipv6-unicast": "v6"}
DISCARD_DISTANCE = "250"
DEFAULT_TIMERS = {"connection-retry": 10, "hold": 9, "keepalive": 3}
"""Seconds (NVUE Command Reference, BGP)."""


class Routing:
    """What `router` and `vrf` say."""

    def __init__(self, router: Row, vrfs: Row) -> None:
        only(router, "adaptive-routing", "bfd", "bgp", "policy")
        self.adaptive = router.get("adaptive-routing") == {"state": ON}
        self._above: Row = router.get("bgp", {})
        self._graceful = self._above.get("graceful-shutdown") == ON
        self._policies = _policies(router.get("policy", {}), graceful=self._graceful)
        self._bfd = _bfd(router.get("bfd", {}))
        self._statics: dict[str, Row] = {}
        self._instances: dict[str, Instance] = {}
        self._over_evpn: dict[str, VrfLines] = {}
        self.unnumbered: set[str] = set()
        self.sources: dict[str, str] = {}
        for name, vrf in vrfs.items():
            only(vrf, "evpn", "loopback", "router")
            own = vrf.get("router", {})
            only(own, "bgp", "rib", "static")
            if "rib" in own:
                self.sources = dict(_sources(own["rib"], router["policy"]["route-map"]))
            key = "" if name == "default" else name.removeprefix("vrf_")
            if "evpn" in vrf:
                self._over_evpn[key] = vrf_lines(vrf["evpn"], own["bgp"])
            if "bgp" in own:
                self._instances[key] = self._instance(own["bgp"])
            if "static" in own:
                self._statics[key] = own["static"]
        self._check_global(router.get("bgp", {}))

    def bgp(self, routes_in: Callable[[str], Iterable[Route]]) -> dict[str, Bgp]:
        """BGP by VRF; `routes_in` gives the connected routes of one."""
        return {
            vrf: one.bgp(self._policies, routes_in(vrf), [Route(prefix) for prefix in self._statics.get(vrf, {})])
            for vrf, one in self._instances.items()
        }

    def drained(self) -> bool:
        """Whether its neighbours choose it last: FRR adds the community itself, and maps a longer path."""
        found = drained(self._policies, self._instances.values(), by_community=False)
        if found != self._graceful and any(one.neighbors for one in self._instances.values()):
            unfit("graceful shutdown and longer paths go together")
        return found and self._graceful

    def overlay(self, tree: Row, loopbacks: Iterable[str]) -> Overlay | None:
        """EVPN, given the whole tree and the loopbacks."""
        address = next((text.partition("/")[0] for text in sorted(loopbacks) if ":" not in text), "")
        for one in self._instances.get("", Instance(0)).neighbors.values():
            one.source = {"lo": address}.get(one.source, one.source)
        vtep, copies = tunnel(tree)
        return overlay(self._instances.get(""), self._policies, self._over_evpn, vtep, copies, bridged(tree))

    def routes(self) -> dict[tuple[str, str], StaticRoute]:
        """Static routes by (VRF, prefix)."""
        return {
            (vrf, prefix): _static(prefix, row) for vrf, rows in self._statics.items() for prefix, row in rows.items()
        }

    def _check_global(self, row: Row) -> None:
        only(row, "autonomous-system", "graceful-shutdown", "router-id", "state", "wait-for-install")
        if not self._instances and not row:
            return
        main = self._instances.get("", Instance(0))
        if (row["autonomous-system"], row["router-id"], row["state"]) != (main.asn, main.router_id, ON):
            unfit("`router bgp` is not that of the default VRF")
        if row.get("wait-for-install", ON if tolerates() else "") != ON:
            unfit("routes are announced before they are installed")

    def _instance(self, row: Row) -> Instance:
        known = ("address-family", "autonomous-system", "neighbor", "path-selection", "peer-group", "router-id")
        only(row, *known, "rd", "route-export", "route-import", "state", "timers")
        timers = DEFAULT_TIMERS | row.get("timers", {})
        if row["state"] != ON or timers.keys() != DEFAULT_TIMERS.keys():
            unfit("BGP is off, or has other timers")
        found = Instance(*(row.get(word, self._above.get(word)) for word in ("autonomous-system", "router-id")))
        found.timers = timers["keepalive"], timers["hold"]
        found.relax = row.get("path-selection") == {"multipath": {"aspath-ignore": ON}}
        for word, family in row["address-family"].items():
            if word == "l2vpn-evpn":
                only(family, "state")
                continue
            only(family, "aggregate-route", "multipaths", "redistribute", "route-export", "route-import", "state")
            only(family["redistribute"], "connected", "static")
            if family["state"] != ON or any(one["state"] != ON for one in family["redistribute"].values()):
                unfit(f"{word}: not on, or routes are not redistributed")
            found.max_paths.add(family["multipaths"]["ebgp"])
            found.families[FAMILIES[word]] = {family["redistribute"]["connected"]["route-map"]}
            if "static" in family["redistribute"]:
                found.statics[FAMILIES[word]] = {family["redistribute"]["static"]["route-map"]}
            found.aggregates |= set(family.get("aggregate-route", {}))
            if "route-import" in family:
                found.imports[FAMILIES[word]] = brought_in(family["route-import"])
        for name, group in row.get("peer-group", {}).items():
            found.neighbors[name] = self._group(group)
        for name, peer in row.get("neighbor", {}).items():
            found.neighbors[name] = self._neighbor(name, peer)
        return found

    def _group(self, row: Row) -> Neighbor:
        only(row, "address-family", "bfd", "capabilities")
        group = Neighbor(is_group=True)
        return self._families(group, row) if row or not tolerates() else group

    def _families(self, found: Neighbor, row: Row) -> Neighbor:
        """What a group, or a neighbour of none, says of each family, and of BFD."""
        found.bfd = self._bfd[row["bfd"]["profile"]] if "bfd" in row else None
        if row.get("capabilities", {"extended-nexthop": ON}) != {"extended-nexthop": ON}:
            unfit(f"capabilities {row['capabilities']}")
        for word, family in {"ipv4-unicast": {"state": ON}, **row["address-family"]}.items():
            only(family, "aspath", "attribute-mod", "policy", "prefix-limits", "state")
            if family["state"] != ON:
                continue
            if word == "l2vpn-evpn":
                read_group(found, family)
                continue
            found.active.add(FAMILIES[word])
            policy = family.get("policy", {}) if tolerates() else family["policy"]
            for way, maps in (("inbound", found.map_in), ("outbound", found.map_out)):
                if way in policy or not tolerates():
                    maps.add(policy[way]["route-map"])
            if "aspath" in family:
                own = family["aspath"]["allow-my-asn"]
                found.own_as_in = own["occurrences"] if own["state"] == ON else 0
            if "prefix-limits" in family:
                found.max_prefixes[FAMILIES[word]] = family["prefix-limits"]["inbound"]["maximum"]
        return found

    def _neighbor(self, name: str, row: Row) -> Neighbor:
        if "peer-group" not in row:
            return self._families(exit_neighbor(name, row), row)
        known = ("description", "multihop-ttl", "peer-group", "remote-as", "type", "update-source")
        only(row, *known, *(_OF_GROUPS if tolerates() else ()))
        if (row["type"] == "unnumbered") != name.startswith(("swp", "peerlink.")):
            unfit(f"{name} is {row['type']}")
        if row["type"] == "unnumbered":
            self.unnumbered.add(name)
        neighbor = Neighbor(
            group=row["peer-group"],
            remote_asn=row.get("remote-as", 0) if tolerates() else row["remote-as"],
            description=row.get("description", ""),
            multihop=row.get("multihop-ttl", 0),
            source=row.get("update-source", ""),
            shut=row.get("shutdown") == ON,
        )
        return self._families(neighbor, row) if "address-family" in row else neighbor


def _bfd(row: Row) -> dict[str, Bfd]:
    only(row, "profile", "state")
    if row and row["state"] != ON:
        unfit("BFD is off")
    found = {}
    for name, profile in row.get("profile", {}).items():
        only(profile, "detect-multiplier", "min-rx-interval", "min-tx-interval")
        if profile["min-rx-interval"] != profile["min-tx-interval"]:
            unfit(f"BFD profile {name} has two intervals")
        found[name] = Bfd(profile["min-rx-interval"], profile["detect-multiplier"])
    return found


def _sources(rib: Row, maps: Row) -> Iterator[tuple[str, str]]:
    """(family, address that a route map gives packets of the switch's own on routes of BGP)."""
    only(rib, "ipv4", "ipv6")
    for word, family in rib.items():
        (rule,) = maps[family["fib-filter"]["protocol"]["bgp"]["route-map"]]["rule"].values()
        if rule.keys() != {"action", "set"} or rule["set"].keys() != {"source-ip"}:
            unfit(f"what is done to routes of the kernel: {rule}")
        address = str(rule["set"]["source-ip"])
        if (":" in address) != (word == "ipv6"):
            unfit(f"{address} is no source of {word}")
        yield word, address


def _policies(row: Row, *, graceful: bool) -> Policies:
    only(row, "as-path-list", "prefix-list", "route-map")
    found, types = Policies(), {}
    for name, one in row.get("as-path-list", {}).items():
        if any(rule["action"] != "permit" for rule in one["rule"].values()):
            unfit(f"as-path list {name} denies")
        found.as_paths[name] = {rule["aspath-exp"] for rule in one["rule"].values()}
    for name, one in row.get("prefix-list", {}).items():
        only(one, "rule", "type")
        types[name] = one.get("type", "ipv4")
        for rule in one["rule"].values():
            only(rule, "action", "match")
            if rule["action"] != "permit":
                unfit(f"prefix list {name} denies")
            for prefix, bounds in rule["match"].items():
                only(bounds, "max-prefix-len", "min-prefix-len")
                words = (("ge", bounds.get("min-prefix-len")), ("le", bounds.get("max-prefix-len")))
                found.add_permit(name, prefix, " ".join(f"{word} {n}" for word, n in words if n is not None))
    for name, one in row.get("route-map", {}).items():
        only(one, "rule")
        if any("source-ip" in rule.get("set", {}) for rule in one["rule"].values()):
            continue  # read where it is applied
        found.maps[name] = {int(number): _entry(rule, types, graceful=graceful) for number, rule in one["rule"].items()}
    return found


def _entry(rule: Row, types: Mapping[str, str], *, graceful: bool) -> Entry:
    only(rule, "action", "match", "set")
    match, (action,) = rule.get("match", {}), rule["action"]
    if action not in ("permit", "deny") or rule["action"] != {action: {}}:
        unfit(f"an entry that is not understood: {rule}")
    only(match, "as-path-list", "ip-prefix-list", "source-vrf", "type")
    if match.keys() <= {"as-path-list"}:  # of EVPN: all routes, or those of some paths
        sets = sets_of(rule.get("set", {}), of_exit=False, graceful=graceful)
        return replace(Entry(action == "permit", as_path=match.get("as-path-list", "")), **sets)
    if types[match["ip-prefix-list"]] != match["type"]:
        unfit(f"an entry that is not understood: {rule}")
    return replace(
        Entry(action == "permit", match["ip-prefix-list"], match.get("as-path-list", "")),
        **sets_of(rule.get("set", {}), of_exit=match["ip-prefix-list"].startswith(ADDING), graceful=graceful),
        source_vrf=vrf_of(match["source-vrf"]) if "source-vrf" in match else None,
    )


def _static(prefix: str, row: Row) -> StaticRoute:
    only(row, "address-family", "distance", "via")
    word = "ipv6" if ":" in prefix else "ipv4"
    drop = {"blackhole": {"type": "blackhole"}}
    if row["address-family"] != f"{word}-unicast" or row.get("distance", {DISCARD_DISTANCE: {"via": drop}}) != {
        DISCARD_DISTANCE: {"via": drop}
    }:
        unfit(f"static route {prefix}")
    hops = {address: hop for address, hop in row.get("via", {}).items() if address != "blackhole"}
    if any(hop.keys() != {"interface", "type"} or hop["type"] != f"{word}-address" for hop in hops.values()):
        unfit(f"next hops of {prefix}: {hops}")
    discard = "distance" in row if hops else row["via"] == drop
    if hops and "blackhole" in row["via"]:
        unfit(f"{prefix} is shared between next hops and none")
    return StaticRoute(frozenset((hop["interface"], address) for address, hop in hops.items()), discard)
