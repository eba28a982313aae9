"""MCLAG of SONiC read back (sonic-mclag.yang)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from ipaddress import ip_address, ip_interface
from typing import Any

from fabricgen.running.tree import allow_fields, report_misfit, require_fields
from fabricgen.switch.interfaces import MlagPair

Table = Mapping[str, Mapping[str, Any]]

NAMES = frozenset({"MCLAG_DOMAIN", "MCLAG_INTERFACE", "MCLAG_UNIQUE_IP"})


def find_peer_link(tables: Mapping[str, Table]) -> str:
    """The bond of the peer link, "" for none."""
    return next((row["peer_link"] for row in tables.get("MCLAG_DOMAIN", {}).values()), "")


def list_mlag_bonds(tables: Mapping[str, Table]) -> frozenset[str]:
    """The bonds that are over both switches of a pair; raises UnknownTextError for those of another domain."""
    domains, bonds = set(tables.get("MCLAG_DOMAIN", {})), set()
    for key, row in tables.get("MCLAG_INTERFACE", {}).items():
        require_fields(row, "if_type")
        domain, _, bond = key.partition("|")
        if domain not in domains:
            report_misfit(f"{bond} is in MCLAG domain {domain}, which is not there")
        bonds.add(bond)
    return frozenset(bonds)


def list_pair_vlans(tables: Mapping[str, Table]) -> frozenset[str]:
    """The VLANs in which the two switches talk."""
    for row in tables.get("MCLAG_UNIQUE_IP", {}).values():
        if row != {"unique_ip": "enable"}:
            report_misfit(f"MCLAG_UNIQUE_IP: {row}")
    return frozenset(tables.get("MCLAG_UNIQUE_IP", {}))


def read_pair(
    tables: Mapping[str, Table],
    members: Callable[[str], frozenset[str]],
    tagged: frozenset[str],
    vrf_of: Mapping[str, str],
) -> MlagPair | None:
    """The pair; `members` are the ports of a bond, `tagged` the VLANs of the peer link.

    Raises UnknownTextError where its parts do not fit together.
    """
    rows, pair_vlans = tables.get("MCLAG_DOMAIN", {}), list_pair_vlans(tables)
    if not rows:
        if pair_vlans or tables.get("MCLAG_INTERFACE"):
            report_misfit("parts of an MCLAG pair without the others")
        return None
    ((domain, row),) = rows.items()
    allow_fields(row, "peer_ip", "peer_link", "source_ip")
    link = row["peer_link"]
    keys = [key.partition("|") for key in tables["VLAN_INTERFACE"]]
    addresses_of_vlan = {
        vlan: frozenset(text for name, bar, text in keys if bar and name == vlan) for vlan in pair_vlans
    }
    pair_addresses = [ip_interface(text) for texts in addresses_of_vlan.values() for text in texts]
    gateways = {name for name, bar, _ in keys if bar}
    conditions = (
        any(str(t.ip) == row["source_ip"] and ip_address(row["peer_ip"]) in t.network for t in pair_addresses),
        row["source_ip"] != row["peer_ip"],
        pair_vlans <= tagged and gateways <= tagged,
        tables["PORTCHANNEL"][link]["admin_status"] == "up",
        tables["FEATURE"].get("iccpd") == {"state": "enabled"},
    )
    if not all(conditions):
        report_misfit(f"an MCLAG pair that does not come up: {conditions}")
    return MlagPair(
        members(link),
        domain,
        ("", ""),
        {int(v.removeprefix("Vlan")): (vrf_of[v], addresses_of_vlan[v]) for v in pair_vlans},
    )
