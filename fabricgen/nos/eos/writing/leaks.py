"""Leaks between VRFs of EOS as values: route targets of VPN-IPv4 and VPN-IPv6 that stay on the switch, or of EVPN.

Arista EOS user manual, "Inter-VRF Local Route Leaking using BGP VPN": a VRF exports its routes to the local VPN table
with a route target, and another imports them, through a route-map. AVD prints the same (aristanetworks/avd,
`eos/router-bgp.j2`, `eos/ip-extcommunity-lists.j2`). No session carries VPN routes. The target tells which VRF they are
of. Routes that were imported are not exported again.

Over EVPN the same works with the EVPN table ("VRF route leaking is supported on VPN-IPv4, VPN-IPv6, and EVPN types",
`route-target import evpn TARGET` and `route-map`), which has the routes of all other leaves as well: each leaf takes
what is stated of another VRF from where it is announced, with that VRF's VNI, and tells nothing on. One map is for all
that is imported, so that it lets the VRF's own routes pass first.
"""

from __future__ import annotations

from typing import Any

from fabricgen.render import evpn
from fabricgen.render.bgp import IP_WORDS
from fabricgen.render.escape import token
from fabricgen.render.leaks import MARKED, MARKED_PATH, brought_into, leak_map, list_name
from fabricgen.views.leaks import MARK
from fabricgen.views.switch import SwitchView

LONGER = {False: " le 31", True: " le 127"}


def _target(switch: SwitchView, vrf: str, number: int) -> str:
    over = evpn.vrf_of(switch, vrf)
    return over.target if over else f"{number}:{number}"


def leak_policy(switch: SwitchView) -> dict[str, Any]:
    """The lists and maps of what is brought into the VRFs of a switch; a map is of both families.

    `leak_own`: by map, the list of its VRF's own target, where that comes over EVPN.
    """
    every = [(token(vrf) if vrf else "", each) for vrf in ("", *switch.vrfs) for each in brought_into(switch, vrf)]
    maps: dict[str, list[dict[str, Any]]] = {}
    for vrf, each in every:
        source = each.source.vrf and token(each.source.vrf)
        row = {"seq": each.seq, "word": IP_WORDS[each.v6], "list": list_name(vrf, source, v6=each.v6)}
        named = {"targets": f"VRF-{source or 'default'}", "rules": each.rules, "longer": LONGER[each.v6]}
        maps.setdefault(leak_map(vrf), []).append({**row, **named})
    sources = {each.source.vrf: _target(switch, each.source.vrf, each.source.number) for _, each in every}
    own = {vrf: one.target for vrf in switch.vrfs if leak_map(token(vrf)) in maps and (one := evpn.vrf_of(switch, vrf))}
    lists = {**sources, **own}
    return {
        "leak_maps": maps,
        "leak_mark": MARK,
        "leak_own": {leak_map(token(vrf)): f"VRF-{token(vrf)}" for vrf in own},
        "leak_paths": (MARKED, MARKED_PATH) if maps else (),
        "leak_targets": [(f"VRF-{token(vrf) if vrf else 'default'}", lists[vrf]) for vrf in sorted(lists)],
    }


def leak_targets(switch: SwitchView, vrf: str) -> dict[str, Any] | None:
    """The distinguisher of a VRF that leaks, its own target, and by family the targets that it imports, and the map.

    None where it brings in nothing, or does so over EVPN (`evpn_imports`).
    """
    leaked = switch.leaked(vrf)
    found = brought_into(switch, vrf)
    if leaked is None or not leaked.sources or evpn.vrf_of(switch, vrf):
        return None
    families = [
        ("vpn-ipv6" if v6 else "vpn-ipv4", v6) for v6, has in ((False, switch.has_v4), (True, switch.has_v6)) if has
    ]
    return {
        "distinguisher": f"{switch.router_id}:{leaked.number}",
        "target": _target(switch, vrf, leaked.number),
        "families": [
            (word, [_target(switch, each.source.vrf, each.source.number) for each in found if each.v6 == v6])
            for word, v6 in families
        ],
        "map": leak_map(vrf and token(vrf)),
    }


def evpn_imports(switch: SwitchView, vrf: str) -> dict[str, Any] | None:
    """The distinguisher and target of a VRF over EVPN, the targets that it imports, its own first, and the map."""
    over = evpn.vrf_of(switch, vrf)
    if over is None:
        return None
    found = {each.source.vrf: each.source.number for each in brought_into(switch, vrf)}
    return {
        "distinguisher": over.distinguisher,
        "target": over.target,
        "imports": [over.target, *(_target(switch, source, number) for source, number in sorted(found.items()))],
        "map": leak_map(token(vrf)) if found else "",
    }
