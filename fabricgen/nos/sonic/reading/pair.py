"""MCLAG of SONiC read back (sonic-mclag.yang)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from ipaddress import ip_address, ip_interface
from typing import Any

from fabricgen.running.tree import only, require_fields, unfit
from fabricgen.switch.interfaces import Pair

Table = Mapping[str, Mapping[str, Any]]

NAMES = frozenset({"MCLAG_DOMAIN", "MCLAG_INTERFACE", "MCLAG_UNIQUE_IP"})


def peer_link(tables: Mapping[str, Table]) -> str:
    """The bond of the peer link, "" for none."""
    return next((row["peer_link"] for row in tables.get("MCLAG_DOMAIN", {}).values()), "")


def joined(tables: Mapping[str, Table]) -> frozenset[str]:
    """The bonds that are over both switches of a pair; raises UnknownTextError for those of another domain."""
    domains, found = set(tables.get("MCLAG_DOMAIN", {})), set()
    for key, row in tables.get("MCLAG_INTERFACE", {}).items():
        require_fields(row, "if_type")
        domain, _, bond = key.partition("|")
        if domain not in domains:
            unfit(f"{bond} is in MCLAG domain {domain}, which is not there")
        found.add(bond)
    return frozenset(found)


def own_vlans(tables: Mapping[str, Table]) -> frozenset[str]:
    """The VLANs in which the two switches talk."""
    for row in tables.get("MCLAG_UNIQUE_IP", {}).values():
        if row != {"unique_ip": "enable"}:
            unfit(f"MCLAG_UNIQUE_IP: {row}")
    return frozenset(tables.get("MCLAG_UNIQUE_IP", {}))


def read_pair(
    tables: Mapping[str, Table],
    members: Callable[[str], frozenset[str]],
    tagged: frozenset[str],
    vrf_of: Mapping[str, str],
) -> Pair | None:
    """The pair; `members` are the ports of a bond, `tagged` the VLANs of the peer link.

    Raises UnknownTextError where its parts do not fit together.
    """
    rows, own = tables.get("MCLAG_DOMAIN", {}), own_vlans(tables)
    if not rows:
        if own or tables.get("MCLAG_INTERFACE"):
            unfit("parts of an MCLAG pair without the others")
        return None
    ((domain, row),) = rows.items()
    only(row, "peer_ip", "peer_link", "source_ip")
    link = row["peer_link"]
    keys = [key.partition("|") for key in tables["VLAN_INTERFACE"]]
    of = {vlan: frozenset(text for name, bar, text in keys if bar and name == vlan) for vlan in own}
    talks = [ip_interface(text) for texts in of.values() for text in texts]
    gateways = {name for name, bar, _ in keys if bar}
    fits = (
        any(str(t.ip) == row["source_ip"] and ip_address(row["peer_ip"]) in t.network for t in talks),
        row["source_ip"] != row["peer_ip"],
        own <= tagged and gateways <= tagged,
        tables["PORTCHANNEL"][link]["admin_status"] == "up",
        tables["FEATURE"].get("iccpd") == {"state": "enabled"},
    )
    if not all(fits):
        unfit(f"an MCLAG pair that does not come up: {fits}")
    return Pair(members(link), domain, ("", ""), {int(v.removeprefix("Vlan")): (vrf_of[v], of[v]) for v in own})
