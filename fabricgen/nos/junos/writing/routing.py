"""BGP of Junos as values: route filters, policies and groups of sessions.

What maps of other NOSes do is done by policies, whose terms are tried in turn: a list of prefixes with the lengths that
may be inside each is a `route-filter-list` (Routing Policies User Guide). What a switch originates itself is `from
protocol direct`, and what it passes on `from protocol [ direct bgp ]`; static routes to the outside are `from protocol
static`. What lies beyond an exit is told by the AS number that paths begin with (`as-path-group`).

The keepalive of a session is a third of its hold time, and `precision-timers` keeps sessions of less than 20 s up while
a device is busy (CLI reference, `hold-time (Protocols BGP)`). `loops 2` takes routes with the own AS number once.

VRFs over EVPN are those of Juniper's design (github.com/Juniper/jvd, aiml_multitenancy_backend): `ip-prefix-routes`
with the VNI, a target and a policy of what is announced; sessions between loopbacks with `no-nexthop-change`, whose
export policy takes effect on routes of VRFs by `vpn-apply-export`; what a switch originates is `from protocol evpn`.
What a route tells of its links is `aggregate-bandwidth transitive` (YANG of 24.4R1-EVO, junos-conf-policy-options), and
of what a switch originates a community of bytes per second (juniper.github.io/techposts, BGP Link-Bandwidth with Junos:
`bandwidth-transitive`). Routes over paths of unequal bandwidth are balanced by it where `multipath` is on.

Paths stay as they are where routes go from a VRF to EVPN and back (`route-attributes as-path`; CLI reference,
`ip-prefix-routes`): a backup's are longer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from fabricgen.blueprint.sections.routing import HOLD_S
from fabricgen.nos.junos.reading.text import quote_word
from fabricgen.nos.junos.writing.hosts import find_vrf, list_relays
from fabricgen.render.escape import make_one_line, require_token, require_word
from fabricgen.render.routing import (
    MULTIHOP,
    PolicyNames,
    list_entry_rows,
    list_member_rows,
    list_overlay_maps,
    list_prefix_list_rows,
    list_session_rows,
    make_overlay_groups,
)
from fabricgen.switch.routing import OWN_ROUTES, Bgp, Permit
from fabricgen.views.model.policies import DRAINED_OUT
from fabricgen.views.model.routing import model_bgp
from fabricgen.views.switch import SwitchView

WARNING_PERCENT = 80
"""Of the limit of prefixes, at which Junos warns; at the limit the session is closed."""

WORDS = {False: "inet", True: "inet6"}

PLAIN_TERM: dict[str, Any] = {
    "protocols": [],
    "paths": "",
    "list": "",
    "verdict": "accept",
    "prepend": "",
    "last_as": 0,
    "drains": False,
    "community": "",
    "bandwidth": "",
}
"""A term that takes everything as it is."""

OF_VRF = ("CONNECTED", "STATIC", "EXIT-")
"""How the maps begin that a VRF needs: it has no sessions with other switches."""


def make_bgp_values(view: SwitchView) -> dict[str, Any]:
    """Return the templates' values of BGP: the default VRF's, with the policies of all VRFs, and one dict for each
    other VRF (`instances`).

    Prefix lists that no policy names are left out; `discovers` are the neighbours without an address, by port.
    """
    instances = {
        vrf: (bgp, PolicyNames(vrf, vrf and require_token(vrf), str, joint=True))
        for vrf, bgp in model_bgp(view).items()
    }
    policies: dict[str, list[dict[str, Any]]] = {}
    route_filters: list[tuple[str, list[tuple[int, str]]]] = []
    for vrf, (bgp, names) in instances.items():
        own_policies = _list_policies(view, vrf, bgp, names)
        lists_in_use = {term["list"] for terms in own_policies.values() for term in terms}
        list_rows = list_prefix_list_rows(bgp.maps, names, WORDS, spell_route_filter)
        route_filters += [(row["name"], row["rules"]) for row in list_rows if row["name"] in lists_in_use]
        policies |= own_policies
    bgp, names = instances[""]
    return {
        "route_filters": route_filters,
        "policies": list(policies.items()),
        "path_groups": _list_path_groups(bgp),
        "communities": _list_communities(policies),
        "drained": view.maintenance,
        "weighted": view.weighs_paths,
        "groups": _list_groups(bgp, names),
        "exits": list_exit_groups(bgp, names),
        "tables": list_tables(view, "", bgp, over_evpn=False),
        "overlay": _make_overlay_values(view),
        "instances": [_make_instance(view, vrf, *instances.get(vrf, (None, None))) for vrf in view.vrfs],
        "discovers": [require_token(neighbor) for neighbor, peer in bgp.peers.items() if not peer.address],
        "hold": HOLD_S,
        "warning_percent": WARNING_PERCENT,
        "max_paths": bgp.max_paths,
    }


def _make_instance(view: SwitchView, vrf: str, bgp: Bgp | None, names: PolicyNames | None) -> dict[str, Any]:
    """Return a VRF: interfaces, DHCP relays, sessions with far devices, routes, and EVPN.

    `bgp` and `names` are None for a VRF without BGP; `evpn` is None for a VRF that stays on the switch.
    """
    over, loopback = view.overlay_in(vrf), view.loopback_in(vrf)
    ports = [require_token(port.name) for port in view.ports if port.addresses and find_vrf(view, port) == vrf]
    gateways = [service.vlan for service in view.services if service.gateways and service.vrf == vrf]
    return {
        "name": require_token(vrf),
        "relays": list_relays(view, vrf),
        "interfaces": [
            *(f"{name}.0" for name in ports),
            *(f"irb.{vlan}" for vlan in gateways),
            *([f"lo0.{loopback.number}"] if loopback else []),
        ],
        "evpn": over
        and {
            "vni": over.vni,
            "distinguisher": over.distinguisher,
            "target": over.target,
            "policy": f"CONNECTED-{require_token(vrf)}",
        },
        "exits": list_exit_groups(bgp, names) if bgp and names else [],
        "outward": f"CONNECTED-{require_token(vrf)}",
        "tables": list_tables(view, vrf, bgp, over_evpn=over is not None),
    }


def _make_overlay_values(view: SwitchView) -> dict[str, Any]:
    """Return the sessions for EVPN with their policies, and whether the switch has tunnels.

    `outward` is the policy of a group, "" if it announces all routes.
    """
    maps = dict(list_overlay_maps(view))
    return {
        "source": view.overlay.source if view.overlay else "",
        "multihop": MULTIHOP,
        "groups": [
            {
                "name": group.name,
                "loops": 2 if group.allow_own_asn else 0,
                "outward": group.outward if group.outward in maps else "",
                "peers": [
                    (far, peer.remote_asn, quote_word(make_one_line(peer.description, 80)))
                    for far, peer in group.peers.items()
                ],
            }
            for group in make_overlay_groups(view)
        ],
        "policies": list(maps.items()),
        "prepend": quote_word(" ".join([str(view.asn)] * DRAINED_OUT)) if view.maintenance else "",
        "tunnels": bool(view.overlay and view.overlay.vtep),
    }


def spell_route_filter(permit: Permit) -> str:
    """Return a rule of a list of route filters: a prefix with the lengths that may be inside."""
    length = int(permit.prefix.rpartition("/")[2])
    if permit.shortest == permit.longest == length:
        return f"{permit.prefix} exact"
    return f"{permit.prefix} prefix-length-range /{permit.shortest}-/{permit.longest}"


def _list_policies(view: SwitchView, vrf: str, bgp: Bgp, names: PolicyNames) -> dict[str, list[dict[str, Any]]]:
    """Return the terms of each policy of a VRF by name: policies of what it originates, and of its sessions."""
    rows_of: dict[str, list[dict[str, Any]]] = {}
    for row in list_entry_rows(bgp.maps, names, WORDS):
        if not vrf or row["key"].startswith(OF_VRF):
            # static routes are originated by the same policy as connected ones
            name = names.find_name("CONNECTED") if row["key"].startswith("STATIC") else row["map"]
            rows_of.setdefault(name, []).append(row)
    policies = {
        name: [term for row in sorted(rows, key=lambda row: row["seq"]) for term in _list_terms(row, bgp)]
        for name, rows in rows_of.items()
    }
    if vrf and view.overlay_in(vrf) and view.exits.peers_in(vrf):
        policies[names.find_name("CONNECTED")].append(PLAIN_TERM | {"name": "EXITS", "protocols": ["bgp"]})
    return policies


def _list_terms(row: Mapping[str, Any], bgp: Bgp) -> Iterator[dict[str, Any]]:
    """Yield the terms of a policy that do what an entry of a route map does.

    A term matches the routes of its `protocols`, or of any protocol if it has none. Routes beyond exits take up to two
    terms: one for static routes, and one for routes that the exits of a leaf gave it by BGP, which are told by their AS
    paths.
    """
    term = PLAIN_TERM | {
        "name": row["seq"],
        "list": row["prefix_list"],
        "verdict": "accept" if row["action"] == "permit" else "reject",
        "prepend": quote_word(str(row["prepend"])) if row["prepend"] else "",
        "last_as": row["last_as"],
        "drains": row["drains"],
        "bandwidth": row["bandwidth"],
        "members": row["communities"],
        "community": row["map"] if row["communities"] else "",
    }
    key = row["key"].removesuffix("6")
    if row["action"] != "permit" or key == "IN" or (key.startswith("EXIT-") and key.endswith("-IN")):
        yield from [term] if row["prefix_list"] else []
    elif key.startswith("EXIT-"):
        yield term | {"protocols": ["aggregate"]}
    elif key == "STATIC":
        yield term | {"protocols": ["static"]}
    elif key == "CONNECTED" or row["as_path"] == "OWN":
        yield term | {"protocols": ["direct"]}
    elif row["of_fabric"]:
        yield term | {"protocols": ["direct", "bgp"]}
    elif row["as_path"]:
        paths = bgp.maps.as_paths["EXITS"]
        if OWN_ROUTES in paths:
            yield term | {"name": f"{row['seq']}-STATIC", "protocols": ["static"]}
        if paths - {OWN_ROUTES}:
            yield term | {"protocols": ["bgp"], "paths": row["as_path"]}
    else:
        has_statics = row["key"].replace(key, "STATIC") in bgp.maps.maps
        yield term | {"protocols": ["bgp", "static"] if has_statics else ["bgp"]}


def _list_path_groups(bgp: Bgp) -> list[tuple[str, list[str]]]:
    """Return [(name of a group of AS paths, AS numbers that they begin with)]; [] if the list EXITS names none."""
    numbers = [path.strip("^_") for path in bgp.maps.as_paths.get("EXITS", ()) if path != OWN_ROUTES]
    return [("EXITS", numbers)] if numbers else []


def _list_communities(policies: Mapping[str, Iterable[Mapping[str, Any]]]) -> list[tuple[str, list[str]]]:
    """Return (name, communities) of each set of communities that terms of `policies` add to routes or set on them."""
    rows = (term for terms in policies.values() for term in terms if term.get("community"))
    return list({term["community"]: term["members"] for term in rows}.items())


def _list_groups(bgp: Bgp, names: PolicyNames) -> list[dict[str, Any]]:
    """Return the groups of sessions with their neighbours, or with the ports on which Junos finds neighbours."""
    families = {word: list_member_rows(bgp, names, family) for family, word in (("v4", "inet"), ("v6", "inet6"))}
    groups: dict[tuple[str, int], dict[str, Any]] = {}
    for row in list_session_rows(bgp, exits=False):
        peer = row["session"]
        # neighbours that Junos finds on ports by themselves need a group for each AS number: it has no line of its own
        # for one of them
        key = (peer.group, 0 if peer.address else peer.remote_asn)
        name = peer.group if peer.address else f"{peer.group}-{peer.remote_asn}"
        group = groups.setdefault(key, {"name": name, "session": peer, "peers": [], "ports": []})
        group["peers" if peer.address else "ports"].append({**row, "description": quote_word(row["description"])})
    for (name, asn), group in groups.items():
        rows = {
            word: row_of_group
            for word, family_rows in families.items()
            for row_of_group in family_rows
            if row_of_group["name"] == name
        }
        any_row = next(iter(rows.values()))
        group |= {"asn": asn, "inward": any_row["inward"], "outward": any_row["outward"]}
        group["families"] = list(_list_family_rows(rows, any_row["session"].own_as_in, has_ports=bool(asn)))
    return list(groups.values())


def _list_family_rows(
    rows: Mapping[str, Mapping[str, Any]], own_as_in: int, *, has_ports: bool
) -> Iterable[dict[str, Any]]:
    """Yield the values of each family of a group; `rows` are its policies and limits by the family's word.

    `own_as_in` is how often a path may have the own AS number, which Junos counts from 1 as `loops`. `over_v6`: IPv4
    has next hops of IPv6, as on ports on which Junos finds neighbours (`has_ports`).
    """
    for word, row in rows.items():
        yield {
            "word": word,
            "limit": row["limit"],
            "loops": own_as_in + 1 if own_as_in else 0,
            "over_v6": has_ports and word == "inet",
        }


# Ways out of a switch of Junos as values: sessions with far devices, static routes, and aggregates.
# Sessions in routing instances, with addresses, policies and families by neighbour, and static routes of the default
# route are in Juniper's designs (github.com/Juniper/jvd, data_center/adc/3stage_dc, borderleaf1 of a QFX5130-32CD).
# What they have not is by the CLI reference and YANG (junos-conf-routing-options, junos-conf-protocols, 24.4R1-EVO):
# - A session between loopbacks is `multihop ttl`, from `local-address`.
# - `local-as N private no-prepend-global-as` shows N instead of the switch's AS number, and adds neither to what is
#   learned ("Hide this local AS in paths learned from this peering", "Do not prepend global autonomous-system number
#   in advertised paths").
# - An aggregate is there while a more specific route is (`aggregate route`). `brief` has no AS numbers in it but
#   those that all paths of its routes begin with; `discard` drops what none of them takes.
# - `as-path-expand last-as count N` repeats the number that a path begins with.


def list_exit_groups(bgp: Bgp, names: PolicyNames) -> list[dict[str, Any]]:
    """Return the groups of sessions with far devices in a VRF, one group for each exit."""
    rows = {row["name"]: row for family in ("v4", "v6") for row in list_member_rows(bgp, names, family)}
    groups: dict[str, dict[str, Any]] = {}
    for row in list_session_rows(bgp, exits=True):
        peer, policy = row["session"], rows[row["neighbor"]]
        group = groups.setdefault(
            peer.group,
            {
                "name": require_token(peer.group),
                "session": peer,
                "inward": policy["inward"],
                "outward": policy["outward"],
                "peers": [],
            },
        )
        group["peers"].append(
            {
                **row,
                "description": quote_word(make_one_line(row["description"])),
                "word": "inet6" if "v6" in peer.families else "inet",
                "limit": policy["limit"],
                "password": quote_word(require_word(peer.password)) if peer.password else "",
            }
        )
    return list(groups.values())


def list_tables(view: SwitchView, vrf: str, bgp: Bgp | None, *, over_evpn: bool) -> list[dict[str, Any]]:
    """Return the routing tables of a VRF that have static routes, aggregates or `multipath`, IPv6 before IPv4.

    A table has `multipath` if the VRF is over EVPN. The table of IPv4 has no name (`rib`). `statics` are (prefix, next
    hops), `aggregates` are prefixes.
    """
    routes = {prefix: route for (v, prefix), route in {**view.routes, **view.exits.routes}.items() if v == vrf}
    aggregates = list(bgp.aggregates) if bgp else []
    tables = [
        {
            "rib": (f"{require_token(vrf)}.inet6.0" if vrf else "inet6.0") if v6 else "",
            # a prefix with a colon is of IPv6
            "statics": [
                (prefix, [far for _, far in route.hops]) for prefix, route in routes.items() if (":" in prefix) == v6
            ],
            "aggregates": [prefix for prefix in aggregates if (":" in prefix) == v6],
            "multipath": over_evpn and (view.has_v6 or not v6),
        }
        for v6 in (True, False)
    ]
    return [table for table in tables if table["statics"] or table["aggregates"] or table["multipath"]]
