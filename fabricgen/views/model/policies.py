"""The part of the switch model for policies, as route maps: between switches, with far devices, and between VRFs.

Only router ids and host prefixes are announced: each switch accepts and announces nothing outside the pools of these,
and a switch of the lowest tier announces only what it originates, so that it never carries traffic between its spines;
in a mesh it passes on everything, as paths lead through others of its tier. Over `peer` links to a switch of its tier
it passes on what came from above as well, in case that switch has lost its links up; what comes over a `peer` link has
the AS number of the tier in its path, and so goes up from nowhere.

With `weights: link-bandwidth` each route says how many links lead to its destination: one for what a switch originates,
and for what it passes on the sum of what it was told (draft-ietf-bess-ebgp-dmz). A path then gets as many flows as
there are shortest paths behind it, links counted.

Switches pass on what is beyond the exits of their VRF (`OUTSIDE`: the default route and accepted prefixes), so that it
comes down from where it is learned. A switch of the lowest tier announces of it only what its own exits gave it: the AS
path begins with that of a far device, or is empty if it is a static route. Over `peer` links it announces all of it. To
the outside it announces only the stated aggregates, so that no exit is a way to another. A backup's routes have the far
AS number repeated, and what is announced to it has the own one once more: each hop is eBGP, so that no other preference
would travel. Those of a switch in maintenance are made longer still, and what it announces carries the community of
graceful shutdown (RFC 8326).

Routes that are imported into a VRF from others have an AS number of its own in their path (`LEAKED`), wherever they go
in the VRF. No route with it is imported into a further VRF, so that two leaks are not one; and a switch of the lowest
tier, which announces only own routes, does not announce it: those above have both VRFs, too, and import it themselves.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
from typing import Any

from fabricgen.switch.ordered import OrderedSet
from fabricgen.switch.routing import (
    ALL_LINKS,
    GRACEFUL_SHUTDOWN,
    LEAKED,
    ONE_LINK,
    OWN_ROUTES,
    Permit,
    RouteMapEntry,
    RouteMaps,
    make_permit,
)
from fabricgen.views.exits import PREPENDED, ExitPolicy
from fabricgen.views.leaks import match_leaked_paths
from fabricgen.views.switch import SwitchView

DRAINED_IN, DRAINED_OUT = 10, 3
"""How often AS numbers are repeated in maintenance: the far one inward, more than for a backup (NVUE takes 10 at most),
and the own one outward.
"""

OVERLAY_OUT = "OVERLAY-OUT"
"""The map of what sessions for EVPN announce."""

BASE, DENIED, PASSED, LAST = 10, 5, 50, 90
"""Numbers of entries: of loopbacks and hosts, and before and after these. A leak's are as those of hosts."""

ORIGINATED = 6
"""The number added to entries for routes that a switch originates itself, apart from those that it passes on: 7 and
8."""


def model_maps(view: SwitchView, vrf: str, roles: Container[str]) -> RouteMaps:
    """Return the lists and maps of a VRF; `roles` are those of the links ("UP", "DOWN", "PEER") on which it has
    sessions with other switches.
    """
    maps, drain = RouteMaps(), _make_drain_settings(view)
    weighted = view.weighs_paths
    if view.announces_own_only or weighted:
        maps.as_paths["OWN"] = OrderedSet((OWN_ROUTES,))
    # a rule of every map for each list of prefixes, with what the map sets beside
    own = {"as_path": "OWN", "bandwidth": ONE_LINK if weighted else "", **drain}
    passed_on = {"bandwidth": ALL_LINKS if weighted else "", **drain}
    to_mlag_peer = {"PEER": passed_on} if "PEER" in roles and view.passes_to_mates else {}
    outward = own if view.announces_own_only else passed_on
    terms = {"CONNECTED": {}, **({"IN": {}, "OUT": outward} if roles or not vrf else {}), **to_mlag_peer}
    for ending, bits in _list_families(view):
        hosts = OrderedSet(make_permit(pool, bits - 1) for pool in _select_family(_list_host_pools(view, vrf), ending))
        loopbacks = (make_permit(pool, bits, bits) for pool in _select_family(view.fabric.loopback_pools, ending))
        # loopbacks are in the default VRF only
        lists = {} if vrf else {f"LOOPBACKS{ending}": OrderedSet(loopbacks)}
        lists |= {f"HOSTS{ending}": hosts} if hosts or vrf else {}
        maps.prefix_lists |= dict(sorted(lists.items()))
        for name, sets in terms.items():
            # what is learned has another weight than what is its own, which is told first
            rules = {ORIGINATED: own, 0: sets} if sets is passed_on and weighted else {0: sets}
            maps.maps[name + ending] = {
                added + (n if added else BASE * n): RouteMapEntry(True, list_, **rule)
                for added, rule in rules.items()
                for n, list_ in enumerate(lists, 1)
            }
    _add_outside(maps, view, vrf, to_mlag_peer)
    _add_leaks(maps, view, vrf)
    return maps


def _make_drain_settings(view: SwitchView) -> dict[str, Any]:
    """Return the fields of `RouteMapEntry` by which a switch in maintenance makes the routes that it announces less
    preferred: a longer path and a community; {} for other switches.
    """
    longer = " ".join([str(view.asn)] * DRAINED_OUT)
    return {"prepend": longer, "community": GRACEFUL_SHUTDOWN} if view.maintenance else {}


def _list_families(view: SwitchView) -> tuple[tuple[str, int], ...]:
    """Return (ending of names, length of an address) of each routed family."""
    return (*((("", 32),) if view.has_v4 else ()), *((("6", 128),) if view.has_v6 else ()))


def _select_family(prefixes: Iterable[str], ending: str) -> Iterator[str]:
    """Yield the prefixes of the family whose names have an ending."""
    return (prefix for prefix in prefixes if (":" in prefix) == bool(ending))


def _list_host_pools(view: SwitchView, vrf: str) -> Iterator[str]:
    """Yield the pools of a VRF's hosts, what leaks into it, and the switch's own loopback there."""
    leaked, loopback = view.find_leaked(vrf), view.loopback_in(vrf)
    for service in view.services:
        yield from service.host_pools if service.vrf == vrf else ()
    yield from leaked.prefixes if leaked else ()
    yield from loopback.prefixes if loopback else ()


def _add_outside(maps: RouteMaps, view: SwitchView, vrf: str, to_mlag_peer: Iterable[str]) -> None:
    """Add the entries and lists for what is outside in a VRF: prefixes behind exits of any switch, aggregates, and the
    policies of this switch's exits. `to_mlag_peer` are the names of maps for sessions with the MLAG peer.
    """
    policies, paths, drain = (
        view.exits.policies_in(vrf),
        OrderedSet(_list_exit_paths(view, vrf)),
        _make_drain_settings(view),
    )
    if paths:
        maps.as_paths["EXITS"] = paths
    # which as-path list each map asks for, "" for none; maps of MLAG peers ask for none
    path_of_map = {"OUT": "EXITS" if paths else ""} if paths or not view.announces_own_only else {}
    path_of_map |= dict.fromkeys(to_mlag_peer, "")

    for ending, _ in _list_families(view):
        aggregates, outside = f"AGGREGATES{ending}", f"OUTSIDE{ending}"
        if _add_list(
            maps, aggregates, ending, map(make_permit, (prefix for policy in policies for prefix in policy.announces))
        ):
            for name in ("OUT", *to_mlag_peer):
                _add_entry(maps, name + ending, DENIED, RouteMapEntry(False, aggregates))
        if _add_list(maps, outside, ending, view.list_outside(vrf)):
            _add_entry(maps, f"IN{ending}", PASSED, RouteMapEntry(True, outside))
            for name, path in path_of_map.items():
                _add_entry(maps, name + ending, PASSED, RouteMapEntry(True, outside, path, **drain))
        if view.exits.announces_routes(vrf, (bool(ending),)):
            _add_entry(maps, f"STATIC{ending}", PASSED, RouteMapEntry(True, outside))
        for policy in policies:
            for word, permits, entry in _list_exit_entries(view, policy):
                name = f"EXIT-{policy.name}-{word}{ending}"
                has_list = _add_list(maps, name, ending, permits)
                _add_entry(
                    maps,
                    name,
                    PASSED if has_list else LAST,
                    replace(entry, prefix_list=name) if has_list else RouteMapEntry(False),
                )
    if paths - {OWN_ROUTES} and vrf and view.overlay:
        _add_entry(maps, OVERLAY_OUT, PASSED + view.vrfs.index(vrf), RouteMapEntry(True, as_path="EXITS", **drain))


def _add_entry(maps: RouteMaps, name: str, number: int, entry: RouteMapEntry) -> None:
    """Add an entry to a map, which is made if it is new."""
    maps.maps.setdefault(name, {})[number] = entry


def _add_list(maps: RouteMaps, name: str, ending: str, permits: Iterable[Permit]) -> bool:
    """Add a list of those prefixes that are of a family; return whether there are any."""
    family_permits = OrderedSet(permit for permit in permits if (":" in permit.prefix) == bool(ending))
    maps.prefix_lists |= {name: family_permits} if family_permits else {}
    return bool(family_permits)


def _list_exit_entries(view: SwitchView, policy: ExitPolicy) -> Iterator[tuple[str, Iterable[Permit], RouteMapEntry]]:
    """Yield (IN or OUT, prefixes, what is set on them) of the sessions of an exit."""
    longer = DRAINED_IN if view.maintenance else PREPENDED if policy.backup else 0
    yield "IN", policy.takes, RouteMapEntry(True, last_as=longer)
    added = view.asn if view.maintenance or policy.backup else 0
    announced = RouteMapEntry(True, communities=policy.communities, added=added, **_make_drain_settings(view))
    yield "OUT", map(make_permit, policy.announces), announced


def _list_exit_paths(view: SwitchView, vrf: str) -> Iterator[str]:
    """Yield the AS paths of routes that a switch has from its own exits, as regular expressions; nothing unless the
    switch announces only own routes.
    """
    if view.announces_own_only:
        yield from (OWN_ROUTES,) if view.exits.announces_routes(vrf) else ()
        yield from (f"^{asn}_" for asn in sorted({peer.remote_asn for peer in view.exits.peers_in(vrf).values()}))


def _add_leaks(maps: RouteMaps, view: SwitchView, vrf: str) -> None:
    """Add what is imported into a VRF from others; entries of IPv6 are numbered after those of IPv4."""
    leaked, number = view.find_leaked(vrf), BASE
    for ending, bits in _list_families(view):
        for source in leaked.sources if leaked else ():
            prefixes = OrderedSet(make_permit(prefix, bits - 1) for prefix in _select_family(source.prefixes, ending))
            if prefixes:
                list_ = f"LEAKED{ending}-{source.vrf}"
                maps.as_paths["LEAKED"] = OrderedSet((match_leaked_paths(view),))
                maps.prefix_lists[list_] = prefixes
                # the first entry keeps out what was leaked before
                entries = maps.maps.setdefault(f"LEAKED{ending}", {DENIED: RouteMapEntry(False, as_path="LEAKED")})
                entries[number] = RouteMapEntry(True, list_, added=LEAKED, source_vrf=source.vrf)
                number += BASE
