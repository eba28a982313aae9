"""SONiC's routing as values: sessions, static routes and VRFs, in config_db tables or in an frr.conf.

docs.frrouting.org, user guide: bgpd (`neighbor PEER local-as`, `ebgp-multihop`, `password`, `aggregate-address`,
`redistribute static`), routemap (`set as-path prepend last-as`, `set community`), staticd (`ip route`); BGP, "VRF Route
Leaking", the shortcut form: `import vrf VRFNAME` and `import vrf route-map MAP` in the address family of the VRF that
routes are brought into, and `match source-vrf` in the map. bgpd derives targets and distinguishers for it, and brings
no route on that was brought in itself. SONiC routes between VRFs so (sonic-net/SONiC, doc/mgmt/SONiC_OC_VRF_HLD.md,
dynamic inter-VRF route leaking).

Link bandwidth (user guide, Weighted ECMP using BGP link bandwidth): `num-multipaths` tells 1 Mb/s for each path, which
of a local route is one, and `cumulative` the sum of what was told. SONiC's own design is the same (sonic-net/SONiC,
doc/wcmp), and fpmsyncd hands weights on to the chip (sonic-swss 1853).
"""

from __future__ import annotations

import re
from typing import Any

from fabricgen.blueprint.sections.routing import CONNECT_RETRY_S, HOLD_S, KEEPALIVE_S
from fabricgen.render.escape import require_token
from fabricgen.render.routing import (
    DISCARD_DISTANCE,
    IP_WORDS,
    PolicyNames,
    find_family_word,
    list_entry_rows,
    list_group_names,
    list_leak_rows,
    list_member_rows,
    list_path_rows,
    list_prefix_list_rows,
    list_session_rows,
    sort_outside_rows,
)
from fabricgen.switch.routing import Bgp, StaticRoute
from fabricgen.views.exits import EXIT
from fabricgen.views.leaks import LEAKED_PATH, match_leaked_paths, tells_leaked
from fabricgen.views.model.routing import discard_host_blocks, is_routed_by_daemon, model_bgp, model_srv6
from fabricgen.views.switch import SwitchPort, SwitchView

NO_HOP = "0.0.0.0"  # noqa: S104 - not an address to bind: bgpcfgd's word for a discard among next hops
NO_HOP6 = "::"
"""The value for no next hop in IPv6 (managers_static_rt.py, IpNextHop)."""

ROUTER_TYPES = ("ToRRouter", "LeafRouter", "SpineRouter")
"""SONiC's words for the first, second and every higher tier (T0, T1, T2; pattern in sonic-device_metadata.yang).

It has consequences. Images choose default buffers, QoS maps and containers by it (files/build_templates,
buffers_config.j2, qos_config.j2, init_cfg.json.j2), so that another word would be a false one. bgpcfgd gives a
ToRRouter `allowas-in 1` and graceful restart with 240 s (dockers/docker-fpm-frr/frr/bgpd, templates/general/
peer-group.conf.j2 and bgpd.main.conf.j2); an frr.conf has neither.
"""


def owns_frr(view: SwitchView) -> bool:
    """Return whether a switch takes an frr.conf: it runs BGP that bgpcfgd cannot make from its tables.

    For an MLAG pair bgpcfgd would announce the VLAN of the pair; other things its tables cannot express, or SONiC's
    YANG models refuse them.
    """
    return bool(view.asn) and not is_routed_by_daemon(view)


def find_router_type(level: int) -> str:
    """Return SONiC's word for a switch with `level` tiers below it."""
    return ROUTER_TYPES[min(level, len(ROUTER_TYPES) - 1)]


def make_vrf_name(vrf: str) -> str:
    """Return SONiC's name of a VRF, a kernel interface whose name says that it is one; "" for the default VRF.

    Raises ValueError for a name of more than 11 letters, digits, `_` and `-` (pattern in sonic-vrf.yang).
    """
    if vrf and not re.fullmatch(r"[A-Za-z0-9_-]{1,11}", vrf):
        raise ValueError(f"{vrf!r} cannot be the name of a VRF in SONiC")
    return f"Vrf_{vrf}" if vrf else ""


def make_routing_values(view: SwitchView) -> dict[str, Any]:
    """Return the rows of the tables of neighbours, sessions and static routes, by table, and what frr.conf names."""
    return {
        **_make_neighbor_rows(view),
        "BGP_NEIGHBOR": {} if owns_frr(view) else _make_session_rows(view),
        "BGP_DEVICE_GLOBAL": {"STATE": {"tsa_enabled": "true"}} if _is_shifted(view) else {},
        "STATIC_ROUTE": _make_static_routes(view),
        **_make_srv6_rows(view),
        **_make_frr_values(view),
    }


def _is_shifted(view: SwitchView) -> bool:
    """Whether bgpcfgd shifts traffic away (TSA): then it announces the loopbacks alone.

    BGP_DEVICE_GLOBAL|STATE, tsa_enabled, true or false, false by default (sonic-buildimage@086b03bd,
    sonic-bgp-device-global.yang; its other fields are of chassis, unequal paths and isolation). bgpcfgd finds the route
    maps of its sessions by `neighbor X route-map NAME out`, and lets PL_LoopbackV4 or V6 pass in each, and routes of
    its own internal tag, and no others (sonic-bgpcfgd, managers_device_global.py;
    dockers/docker-fpm-frr/frr/bgpd/tsa/bgpd.tsa.isolate.conf.j2). STATIC_ROUTE has tag 1 or 2 (managers_static_rt.py).
    """
    return view.maintenance and bool(view.asn) and not owns_frr(view)


def _make_static_routes(view: SwitchView) -> dict[str, dict[str, str]]:
    """Return the rows of STATIC_ROUTE: with BGP the blocks of hosts, dropped and announced, else the static underlay's
    routes.
    """
    if view.asn:
        blocks = () if owns_frr(view) else discard_host_blocks(view)
        announced = {"advertise": "true", "blackhole": "true"}
        return {f"{make_vrf_name(vrf) or 'default'}|{block}": announced for vrf, block in blocks}
    return {f"default|{prefix}": make_static_route(prefix, route) for (_, prefix), route in view.routes.items()}


LOCATOR = "main"
"""The name of the SRv6 locator of a switch, which has one."""


def _make_srv6_rows(view: SwitchView) -> dict[str, dict[str, dict[str, str]]]:
    """Return the rows of SRV6_MY_LOCATORS and SRV6_MY_SIDS: the locator of a switch, its own identifier (uN), and one
    for each link (uA). Both are empty without SRv6.

    bgpcfgd makes of them what FRR has to know (sonic-net/SONiC, doc/srv6/srv6_static_config_hld.md; sonic-bgpcfgd,
    managers_srv6.py; sonic-srv6.yang). That design wants `decap_dscp_mode` for every action.
    """
    srv6 = model_srv6(view)
    if srv6 is None:
        return {"SRV6_MY_LOCATORS": {}, "SRV6_MY_SIDS": {}}
    lengths = dict(zip(("block_len", "node_len", "func_len"), map(str, srv6.bits), strict=True))
    decap_fields = {"decap_dscp_mode": "pipe"}
    links = {
        f"{LOCATOR}|{prefix}": {"action": "uA", "adj": neighbor, "interface": port, **decap_fields}
        for prefix, (port, neighbor) in srv6.links.items()
    }
    return {
        "SRV6_MY_LOCATORS": {LOCATOR: {"prefix": srv6.node.partition("/")[0], **lengths}},
        "SRV6_MY_SIDS": {f"{LOCATOR}|{srv6.node}": {"action": "uN", **decap_fields}, **links},
    }


def make_static_route(prefix: str, route: StaticRoute) -> dict[str, str]:
    """Return the fields of a route; a discard beside next hops is one more entry of each list."""
    if not route.hops:
        return {"advertise": "false", "blackhole": "true"}
    ports, hops = zip(*route.hops, strict=True)
    if not route.discard:
        return {"advertise": "false", "ifname": ",".join(ports), "nexthop": ",".join(hops)}
    hop_count = len(hops)
    return {
        "advertise": "false",
        "blackhole": ",".join(["false"] * hop_count + ["true"]),
        "distance": ",".join(["0"] * hop_count + [str(DISCARD_DISTANCE)]),
        "ifname": ",".join([*ports, ""]),
        "nexthop": ",".join([*hops, NO_HOP6 if ":" in prefix else NO_HOP]),
    }


def _make_neighbor_rows(view: SwitchView) -> dict[str, Any]:
    """Return the rows of DEVICE_NEIGHBOR, the far end of each port, and of DEVICE_NEIGHBOR_METADATA, by table."""
    types = {port.peer: word for port in view.ports if (word := _find_neighbor_type(view, port))}
    return {
        "DEVICE_NEIGHBOR": {port.name: {"name": port.peer, "port": port.peer_port} for port in view.ports},
        "DEVICE_NEIGHBOR_METADATA": {name: {"type": word} for name, word in types.items()},
    }


def _make_session_rows(view: SwitchView) -> dict[str, Any]:
    """Return the rows of BGP_NEIGHBOR, from which bgpcfgd makes FRR's sessions."""
    return {
        far: {"asn": peer.remote_asn, "local_addr": peer.address, "name": peer.device}
        for far, peer in model_bgp(view)[""].peers.items()
        if not peer.is_exit
    }


def _find_neighbor_type(view: SwitchView, port: SwitchPort) -> str:
    """Return SONiC's word for the far end of a port; "" for a management port of a switch, which is no neighbour of the
    fabric.
    """
    if port.role in ("host", EXIT):
        return "Server" if port.peer_tier == "node" else ""
    return find_router_type(view.level + {"up": 1, "down": -1}.get(port.role, 0))


def _make_frr_values(view: SwitchView) -> dict[str, Any]:
    """Return the values of an frr.conf: timers, policies and BGP of each VRF, the default one apart."""
    instances = model_bgp(view)
    default_instance = instances.pop("")
    return {
        "keepalive": KEEPALIVE_S,
        "hold": HOLD_S,
        "only_own_routes": view.announces_own_only,
        "names_own_routes": "OWN" in default_instance.maps.as_paths,
        "passes_to_mates": view.passes_to_mates,
        "drained": view.maintenance,
        "connect_retry": CONNECT_RETRY_S,
        "unnumbered": view.fabric.underlay == "ebgp-unnumbered",
        "own_bgp_lines": view.lines_at("bgp"),
        "own_lines": view.lines_at("frr"),
        "max_paths": default_instance.max_paths,
        "leak_path": match_leaked_paths(view),
        "leaks_told": tells_leaked(view),
        "leaked_path": LEAKED_PATH,
        "bgp_instances": [_make_bgp_instance(view, vrf, bgp) for vrf, bgp in instances.items()],
        "default_instance": _make_bgp_instance(view, "", default_instance),
    }


def _make_bgp_instance(view: SwitchView, vrf: str, bgp: Bgp) -> dict[str, Any]:
    """Return the template's values of BGP in one VRF: its name, families, lists and maps, peer groups and sessions.

    Exits have keys of their own: `exits`, `exit_lists`, `exit_entries`, `exit_paths` and `exit_routes`. `evpn` is None
    for a VRF that is not over EVPN.
    """
    vrf_name = make_vrf_name(vrf)
    names, overlay = PolicyNames(vrf, vrf_name, make_vrf_name), view.overlay_in(vrf)
    lists, entries = list(list_prefix_list_rows(bgp.maps, names, IP_WORDS)), list_entry_rows(bgp.maps, names, IP_WORDS)
    peer_of_group = {peer.group: peer for peer in bgp.peers.values()}
    return {
        "vrf": vrf_name,
        "evpn": overlay and {"vni": overlay.vni, "distinguisher": overlay.distinguisher, "target": overlay.target},
        "lists": sorted((row for row in lists if row["of_fabric"]), key=_rank_list),
        "entries": [row for row in entries if row["of_fabric"]],
        "exit_paths": list_path_rows(bgp.maps, names),
        "exit_lists": [row for row in lists if not row["of_fabric"]],
        "exit_entries": sort_outside_rows(entries),
        "exit_routes": [
            (find_family_word(prefix), prefix, next_hop, require_token(port), f" vrf {vrf_name}" if vrf_name else "")
            for prefix, route in view.exits.routes_in(vrf).items()
            for port, next_hop in route.hops
        ],
        "groups": [(group, peer_of_group[group]) for group in list_group_names(peer_of_group.values())],
        "peers": list_session_rows(bgp, exits=False),
        "exits": list_session_rows(bgp, exits=True),
        "families": [
            _make_family_values(bgp, names, v6=v6)
            for v6, has_family in ((False, view.has_v4), (True, view.has_v6))
            if has_family
        ],
        "leaks": list_leak_rows(bgp.maps, names, IP_WORDS),
    }


def _rank_list(row: dict[str, Any]) -> tuple[bool, bool]:
    """Return the rank of a list in the file: by family, those of loopbacks before those of hosts."""
    return row["word"] == IP_WORDS[True], row["name"].startswith("HOSTS")


def _make_family_values(bgp: Bgp, names: PolicyNames, *, v6: bool) -> dict[str, Any]:
    """Return FRR's words for a family, the groups that carry it, and what is announced and imported."""
    ending, static = ("6" if v6 else ""), "STATIC6" if v6 else "STATIC"
    return {
        "word": IP_WORDS[v6],
        "ending": ending,
        "connected": names.name_map(f"CONNECTED{ending}"),
        "static": names.name_map(static) if static in bgp.maps.maps else "",
        "aggregates": [prefix for prefix in bgp.aggregates if (":" in prefix) == v6],
        "members": list_member_rows(bgp, names, "v6" if v6 else "v4"),
        "leaks": [row for row in list_leak_rows(bgp.maps, names, IP_WORDS) if row["word"] == IP_WORDS[v6]],
    }
