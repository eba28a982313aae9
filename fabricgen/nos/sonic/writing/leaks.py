"""Leaks between VRFs in an frr.conf, as values.

FRR user guide, BGP, "VRF Route Leaking", the shortcut form: `import vrf VRFNAME` and `import vrf route-map MAP` in the
address family of the VRF that routes are brought into, and `match source-vrf` in the map. bgpd derives targets and
distinguishers for it, and brings no route on that was brought in itself. SONiC routes between VRFs so (sonic-net/SONiC,
doc/mgmt/SONiC_OC_VRF_HLD.md, dynamic inter-VRF route leaking).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fabricgen.render.bgp import IP_WORDS
from fabricgen.render.leaks import MARKED, OWN_LEAKED, OWN_LEAKED_PATH, brought_by_family, kept_out, tells_leaked
from fabricgen.views.leaks import MARK
from fabricgen.views.switch import SwitchView


def leak_values(switch: SwitchView, vrf: str, vrf_name: Callable[[str], str]) -> dict[str, Any]:
    """What is brought into a VRF, by FRR's word for the family: its map, and the VRFs that it comes from."""
    leaks = {IP_WORDS[v6]: row for v6, row in brought_by_family(switch, vrf, vrf_name).items()}
    told = (OWN_LEAKED, OWN_LEAKED_PATH) if tells_leaked(switch) else ()
    return {"leaks": leaks, "leak_mark": MARK, "leak_paths": (MARKED, kept_out(switch)), "leaks_told": told}
