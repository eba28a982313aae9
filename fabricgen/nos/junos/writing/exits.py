"""Ways out of a switch of Junos as values: sessions with far devices, static routes, and aggregates.

Sessions in routing instances, with addresses, policies and families by neighbour, and static routes of the default
route are in Juniper's designs (github.com/Juniper/jvd, data_center/adc/3stage_dc, borderleaf1 of a QFX5130-32CD). What
they have not is by the CLI reference and YANG (junos-conf-routing-options, junos-conf-protocols, 24.4R1-EVO):

- A session between loopbacks is `multihop ttl`, from `local-address`.
- `local-as N private no-prepend-global-as` shows N instead of the switch's AS number, and adds neither to what is
  learned ("Hide this local AS in paths learned from this peering", "Do not prepend global autonomous-system number in
  advertised paths").
- An aggregate is there while a more specific route is (`aggregate route`). `brief` has no AS numbers in it but those
  that all paths of its routes begin with; `discard` drops what none of them takes.
- `as-path-expand last-as count N` repeats the number that a path begins with.
"""

from __future__ import annotations

from typing import Any

from fabricgen.nos.junos.reading.text import quote_word
from fabricgen.render.escape import make_one_line, require_token, require_word
from fabricgen.render.routing import PolicyNames, list_member_rows, list_session_rows
from fabricgen.switch.routing import Bgp
from fabricgen.views.switch import SwitchView


def list_exit_groups(bgp: Bgp, names: PolicyNames) -> list[dict[str, Any]]:
    """The groups of sessions with far devices in a VRF, one for each exit."""
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


def list_tables(switch: SwitchView, vrf: str, bgp: Bgp | None, *, over_evpn: bool) -> list[dict[str, Any]]:
    """The tables of a VRF that have routes of their own, or several paths: IPv6 before IPv4, whose table has no name.

    `statics` are (prefix, next hops), `aggregates` prefixes.
    """
    routes = {prefix: route for (v, prefix), route in {**switch.routes, **switch.exits.routes}.items() if v == vrf}
    aggregates = list(bgp.aggregates) if bgp else []
    tables = [
        {
            "rib": (f"{require_token(vrf)}.inet6.0" if vrf else "inet6.0") if v6 else "",
            "statics": [
                (prefix, [far for _, far in route.hops]) for prefix, route in routes.items() if (":" in prefix) == v6
            ],
            "aggregates": [prefix for prefix in aggregates if (":" in prefix) == v6],
            "multipath": over_evpn and (switch.has_v6 or not v6),
        }
        for v6 in (True, False)
    ]
    return [table for table in tables if table["statics"] or table["aggregates"] or table["multipath"]]
