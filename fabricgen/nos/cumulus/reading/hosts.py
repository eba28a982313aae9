"""What Cumulus Linux is told of ports of hosts, read back: access lists, storm control, BPDU guard."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from fabricgen.running.tree import only, unfit
from fabricgen.switch.host_services import OPEN, Access

Row = Mapping[str, Any]

SMALLEST_BITS = 8 * 84
"""Of a frame on the wire."""

_RULES: dict[str, tuple[str, Row]] = {
    "dhcp": ("ipv4", {"protocol": "udp", "udp": {"source-port": {"67": {}}, "dest-port": {"68": {}}}}),
    "dhcp6": ("ipv6", {"protocol": "udp", "udp": {"source-port": {"547": {}}, "dest-port": {"546": {}}}}),
    "ra": ("ipv6", {"protocol": "icmpv6", "icmpv6-type": "router-advertisement"}),
}


def filters(tree: Row) -> dict[str, frozenset[str]]:
    """What each access list drops, by its name; what no rule takes passes."""
    found = {}
    for name, own in tree.get("acl", {}).items():
        only(own, "rule", "type")
        kinds = [_kind(own["type"], rule) for rule in own["rule"].values()]
        found[name] = frozenset(kinds) - {""}
    return found


def _kind(family: str, rule: Row) -> str:
    for kind, (of, match) in _RULES.items():
        if (family, rule) == (of, {"action": {"deny": {}}, "match": {"ip": match}}):
            return kind
    unfit(f"a rule of an access list: {rule}")
    return ""


def access(row: Row, members: Iterable[tuple[Row, int]], known: Mapping[str, frozenset[str]]) -> Access:
    """What an interface refuses, whose switch ports are `members` with their speeds in Gb/s.

    Raises UnknownTextError for lists that are not there, or members that are not alike.
    """
    lists = row.get("acl", {})
    if any(way != {"inbound": {}} or name not in known for name, way in lists.items()):
        unfit(f"access lists: {lists}")
    storms = [_storm(member, gbps) for member, gbps in members]
    if any(storm != storms[0] for storm in storms):
        unfit("members of a bond refuse different things")
    stp = row.get("bridge", {}).get("domain", {}).get("br_default", {}).get("stp", {})
    found = Access(
        storms[0],
        stp.get("bpdu-guard") == "enabled",
        frozenset(kind for name in lists for kind in known.get(name, ())),
    )
    return OPEN if found == OPEN else found


def _storm(row: Row, speed_gbps: int) -> dict[str, float]:
    """Percent of the speed; copper that negotiates states none, and is 1 Gb/s."""
    own = row.get("storm-control", {})
    only(own, "broadcast", "multicast", "unknown-unicast")
    return {kind: round(packets * SMALLEST_BITS / (speed_gbps or 1) / 10**7, 2) for kind, packets in own.items()}
