"""Leaks between VRFs of Cumulus Linux as values.

NVUE Command Reference, BGP: `vrf ... router bgp address-family ... route-import from-vrf list`, `route-map` and
`state`; Router Policy: `route-map ... match source-vrf`. NVUE writes FRR's `import vrf` from it, which brings no route
on that was brought in itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fabricgen.nos.cumulus.writing.words import WORDS
from fabricgen.render.leaks import (
    MARKED,
    OWN_LEAKED,
    OWN_LEAKED_PATH,
    Brought,
    brought_by_family,
    brought_into,
    kept_out,
    leak_map,
    list_name,
    tells_leaked,
)
from fabricgen.views.leaks import MARK
from fabricgen.views.switch import SwitchView


def leak_policy(switch: SwitchView, vrf_name: Callable[[str], str]) -> dict[str, Any]:
    """The lists and maps of what is brought into the VRFs of a switch."""
    every = [(vrf_name(vrf), each) for vrf in ("", *switch.vrfs) for each in brought_into(switch, vrf)]
    maps: dict[str, dict[str, Any]] = {}
    for vrf, each in every:
        source = vrf_name(each.source.vrf)
        found = maps.setdefault(leak_map(vrf, v6=each.v6), {"type": WORDS[each.v6], "entries": []})
        row = {"seq": each.seq, "list": list_name(vrf, source, v6=each.v6), "vrf": source or "default"}
        found["entries"].append(row)
    told = [(OWN_LEAKED, (OWN_LEAKED_PATH,))] if tells_leaked(switch) else []
    return {
        "leak_maps": maps,
        "leak_mark": MARK,
        "leak_paths": [(MARKED, (kept_out(switch),)), *told] if maps else [],
        "leak_lists": [_prefix_list(vrf, vrf_name(each.source.vrf), each) for vrf, each in every],
    }


def _prefix_list(vrf: str, source: str, each: Brought) -> dict[str, Any]:
    longest = 127 if each.v6 else 31
    rows = [(seq, pool, 0, longest if longer else 0) for seq, pool, longer in each.rules]
    return {"name": list_name(vrf, source, v6=each.v6), "type": WORDS[each.v6], "rules": rows}


def leak_imports(switch: SwitchView, vrf: str, vrf_name: Callable[[str], str]) -> dict[str, dict[str, Any]]:
    """By family, the VRFs whose routes are brought into one, and the map that they pass."""
    return {WORDS[v6]: row for v6, row in brought_by_family(switch, vrf, vrf_name).items()}
