"""BGP of Junos as values: route filters, policies and groups of sessions.

What maps of other NOSes do is done by policies, whose terms are tried in turn: a list of prefixes with the lengths that
may be inside each is a `route-filter-list` (Routing Policies User Guide). What a switch originates itself is `from
protocol direct`, and what it passes on `from protocol [ direct bgp ]`.

The keepalive of a session is a third of its hold time, and `precision-timers` keeps sessions of less than 20 s up while
a device is busy (CLI reference, `hold-time (Protocols BGP)`). `loops 2` takes routes with the own AS number once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from fabricgen.blueprint.sections.routing import HOLD_S
from fabricgen.nos.junos.reading.text import quote
from fabricgen.render.escape import require_token
from fabricgen.render.routing import (
    PolicyNames,
    list_entry_rows,
    list_member_rows,
    list_prefix_list_rows,
    list_session_rows,
)
from fabricgen.switch.routing import Bgp, Permit
from fabricgen.views.model.routing import model_bgp
from fabricgen.views.switch import SwitchView

WARNING_PERCENT = 80
"""Of the limit of prefixes, at which Junos warns; at the limit the session is closed."""

WORDS = {False: "inet", True: "inet6"}


def bgp_values(switch: SwitchView) -> dict[str, Any]:
    """BGP of the default VRF; nothing of it where a switch has no AS number."""
    (bgp,) = [one for vrf, one in model_bgp(switch).items() if not vrf]
    names = PolicyNames("", "", lambda vrf: vrf, joint=True)
    policies: dict[str, list[dict[str, Any]]] = {}
    for row in list_entry_rows(bgp.maps, names, WORDS):
        policies.setdefault(row["map"], []).append(_term(row))
    return {
        "route_filters": [
            (row["name"], row["rules"]) for row in list_prefix_list_rows(bgp.maps, names, WORDS, filter_text)
        ],
        "policies": list(policies.items()),
        "drained": switch.maintenance,
        "groups": _groups(bgp, names),
        "discovers": [require_token(far) for far, peer in bgp.peers.items() if not peer.address],
        "hold": HOLD_S,
        "warning_percent": WARNING_PERCENT,
        "max_paths": bgp.max_paths,
    }


def filter_text(permit: Permit) -> str:
    """A rule of a list of route filters."""
    own = int(permit.prefix.rpartition("/")[2])
    if permit.shortest == permit.longest == own:
        return f"{permit.prefix} exact"
    return f"{permit.prefix} prefix-length-range /{permit.shortest}-/{permit.longest}"


def _term(row: Mapping[str, Any]) -> dict[str, Any]:
    """A term of a policy, by an entry of a route map; `protocols` that its routes are of, none for any."""
    inward = row["key"].startswith("IN")
    own = row["as_path"] == "OWN" or row["key"].startswith("CONNECTED")
    return {
        "name": row["seq"],
        "protocols": [] if inward else ["direct"] if own else ["direct", "bgp"],
        "list": row["prefix_list"],
        "prepend": quote(str(row["prepend"])) if row["prepend"] else "",
        "drains": row["drains"],
    }


def _groups(bgp: Bgp, names: PolicyNames) -> list[dict[str, Any]]:
    """Groups of sessions with their neighbours, or with the ports on which those are found."""
    families = {word: list_member_rows(bgp, names, family) for family, word in (("v4", "inet"), ("v6", "inet6"))}
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for row in list_session_rows(bgp, exits=False):
        peer = row["session"]
        key = (peer.group, 0 if peer.address else peer.remote_asn)
        name = peer.group if peer.address else f"{peer.group}-{peer.remote_asn}"
        group = found.setdefault(key, {"name": name, "session": peer, "peers": [], "ports": []})
        group["peers" if peer.address else "ports"].append({**row, "description": quote(row["description"])})
    for (name, asn), group in found.items():
        rows = {word: one for word, all_ in families.items() for one in all_ if one["name"] == name}
        any_row = next(iter(rows.values()))
        group |= {"asn": asn, "inward": any_row["inward"], "outward": any_row["outward"]}
        group["families"] = list(_family_rows(rows, any_row["session"].own_as_in, has_ports=bool(asn)))
    return list(found.values())


def _family_rows(rows: Mapping[str, Mapping[str, Any]], own_as_in: int, *, has_ports: bool) -> Iterable[dict[str, Any]]:
    for word, row in rows.items():
        yield {
            "word": word,
            "limit": row["limit"],
            "loops": own_as_in + 1 if own_as_in else 0,
            "over_v6": has_ports and word == "inet",
        }
