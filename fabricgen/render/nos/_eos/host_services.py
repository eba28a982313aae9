"""What ports of hosts refuse on EOS, as values, and LACP fallback.

Arista EOS user manual: `storm-control KIND level PERCENT` (Data Plane Structures), `spanning-tree bpduguard` (Spanning
Tree Protocol), `port-channel lacp fallback static` (Port Channels and LACP: until the host speaks LACP, one port of the
bond carries its traffic). EOS has no DHCP or RA guard of that name: access lists of the ports drop the packets. The
commands agree with the templates of aristanetworks/avd.
"""

from __future__ import annotations

from typing import Any

from fabricgen.render.guards import guarded, guards_of
from fabricgen.views.switch import SwitchPort, SwitchView


def access_of(switch: SwitchView, port: SwitchPort) -> dict[str, Any]:
    """What a port refuses, or the bond that it is the first of."""
    offers = switch.offers_to(port)
    return {
        "storm": [(kind, f"{percent:g}") for kind, percent in offers.storm],
        "without_bpdu_guard": not offers.bpdu_guard,
        "filters": [(_word(guard.v6), guard.name) for guard in guards_of(offers)],
        "fallback": offers.lacp_fallback,
    }


def filters(switch: SwitchView) -> list[dict[str, Any]]:
    """The access lists that ports have: numbers of their rules, and what these drop."""
    return [
        {
            "word": _word(guard.v6),
            "name": guard.name,
            "drops": [(10 * place, kind) for place, kind in enumerate(guard.kinds, 1)],
            "last": 10 * len(guard.kinds) + 10,
        }
        for guard, _ in guarded(switch)
    ]


def _word(v6: bool) -> str:
    return "ipv6" if v6 else "ip"
