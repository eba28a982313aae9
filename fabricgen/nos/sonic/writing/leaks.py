"""Leaks between VRFs in an frr.conf, as values.

FRR user guide, BGP, "VRF Route Leaking", the shortcut form: `import vrf VRFNAME` and `import vrf route-map MAP` in the
address family of the VRF that routes are brought into, and `match source-vrf` in the map. bgpd derives targets and
distinguishers for it, and brings no route on that was brought in itself. SONiC routes between VRFs so (sonic-net/SONiC,
doc/mgmt/SONiC_OC_VRF_HLD.md, dynamic inter-VRF route leaking).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fabricgen.render.leaks import (
    MARKED,
    OWN_LEAKED,
    OWN_LEAKED_PATH,
    brought_into,
    kept_out,
    leak_map,
    list_name,
    tells_leaked,
)
from fabricgen.views.leaks import MARK
from fabricgen.views.switch import SwitchView


def leak_values(switch: SwitchView, vrf: str, vrf_name: Callable[[str], str]) -> dict[str, Any]:
    """What is brought into a VRF, by FRR's word for the family: its map, and the VRFs that it comes from."""
    found: dict[str, dict[str, Any]] = {}
    for each in brought_into(switch, vrf):
        word, source, own = ("ipv6" if each.v6 else "ip"), vrf_name(each.source.vrf), vrf_name(vrf)
        leak = found.setdefault(word, {"map": leak_map(own, v6=each.v6), "sources": []})
        row = {"vrf": source or "default", "list": list_name(own, source, v6=each.v6)}
        leak["sources"].append({**row, "seq": each.seq, "rules": each.rules})
    told = (OWN_LEAKED, OWN_LEAKED_PATH) if tells_leaked(switch) else ()
    return {"leaks": found, "leak_mark": MARK, "leak_paths": (MARKED, kept_out(switch)), "leaks_told": told}
