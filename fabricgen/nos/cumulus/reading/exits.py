"""Ways out of a startup.yaml: neighbours of no group, and what route maps set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fabricgen.running.bgp import Neighbor
from fabricgen.running.tree import only, unfit

Row = Mapping[str, Any]

OPTIONAL = ("bfd", "local-as", "multihop-ttl", "password", "update-source")
ALIKE = {"prepend": "disabled", "replace": "enabled", "state": "enabled"}


def exit_neighbor(name: str, row: Row) -> Neighbor:
    """A neighbour of no group but for its families and BFD; raises UnknownTextError for what is not understood."""
    only(row, "address-family", "description", "remote-as", "timers", "type", *OPTIONAL)
    if row["type"] != "numbered" or row.get("update-source", "lo") != "lo":
        unfit(f"{name} is {row['type']}, from {row.get('update-source')}")
    local = row.get("local-as", {})
    if local and {**local, "asn": 0} != {**ALIKE, "asn": 0}:
        unfit(f"{name}: local-as {local}")
    return Neighbor(
        remote_asn=row["remote-as"],
        description=row["description"],
        timers=(row["timers"]["keepalive"], row["timers"]["hold"]),
        multihop=row.get("multihop-ttl", 0),
        source=row.get("update-source", ""),
        local_asn=local.get("asn", 0),
        password=row.get("password", ""),
    )


def sets_of(row: Row, *, of_exit: bool, graceful: bool) -> dict[str, Any]:
    """What an entry of a route map sets; `graceful`: the router drains, so that a longer path to an exit is a mark."""
    only(row, "as-path-prepend", "community")
    prepend = row.get("as-path-prepend", {})
    only(prepend, "as", "last-as")
    return {
        "communities": tuple(row.get("community", {})),
        "last_as": prepend.get("last-as", 0),
        "added": prepend.get("as", 0) if of_exit else 0,
        "prepend": "" if of_exit and not graceful else str(prepend.get("as", "")),
    }
