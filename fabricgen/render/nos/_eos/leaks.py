"""Leaks between VRFs of EOS as values: route targets of VPN-IPv4 and VPN-IPv6 that stay on the switch.

Arista EOS user manual, "Inter-VRF Local Route Leaking using BGP VPN": a VRF exports its routes to the local VPN table
with a route target, and another imports them, through a route-map. AVD prints the same (aristanetworks/avd,
`eos/router-bgp.j2`, `eos/ip-extcommunity-lists.j2`). No session carries VPN routes. The target tells which VRF they are
of. Routes that were imported are not exported again.
"""

from __future__ import annotations

from typing import Any

from fabricgen.render.escape import token
from fabricgen.render.leaks import MARK, MARKED, brought_into, kept_out, leak_map, list_name
from fabricgen.views.switch import SwitchView

WORDS = {False: "ip", True: "ipv6"}
LONGER = {False: " le 31", True: " le 127"}


def _target(number: int) -> str:
    return f"{number}:{number}"


def leak_policy(switch: SwitchView) -> dict[str, Any]:
    """The lists and maps of what is brought into the VRFs of a switch; a map is of both families."""
    every = [(token(vrf) if vrf else "", each) for vrf in ("", *switch.vrfs) for each in brought_into(switch, vrf)]
    maps: dict[str, list[dict[str, Any]]] = {}
    for vrf, each in every:
        source = each.source.vrf and token(each.source.vrf)
        row = {"seq": each.seq, "word": WORDS[each.v6], "list": list_name(vrf, source, v6=each.v6)}
        named = {"targets": f"VRF-{source or 'default'}", "rules": each.rules, "longer": LONGER[each.v6]}
        maps.setdefault(leak_map(vrf), []).append({**row, **named})
    sources = {each.source.vrf: each.source.number for _, each in every}
    return {
        "leak_maps": maps,
        "leak_mark": MARK,
        "leak_paths": (MARKED, kept_out(switch)) if maps else (),
        "leak_targets": [(f"VRF-{token(vrf) if vrf else 'default'}", _target(sources[vrf])) for vrf in sorted(sources)],
    }


def leak_targets(switch: SwitchView, vrf: str) -> dict[str, Any] | None:
    """The distinguisher of a VRF that leaks, its own target, and by family the targets that it imports, and the map."""
    leaked = switch.leaked(vrf)
    found = brought_into(switch, vrf)
    if leaked is None or not leaked.sources:
        return None
    families = [
        ("vpn-ipv6" if v6 else "vpn-ipv4", v6) for v6, has in ((False, switch.has_v4), (True, switch.has_v6)) if has
    ]
    return {
        "distinguisher": f"{switch.router_id}:{leaked.number}",
        "target": _target(leaked.number),
        "families": [(word, [_target(each.source.number) for each in found if each.v6 == v6]) for word, v6 in families],
        "map": leak_map(vrf and token(vrf)),
    }
