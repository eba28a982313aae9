"""DHCP relay and router advertisements of Cumulus Linux, read back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fabricgen.running.host_form import Advertised, Relay
from fabricgen.running.tree import only, unfit

Row = Mapping[str, Any]

LIFETIME_S = 1800


def relays(tree: Row) -> dict[str, Relay]:
    """The DHCP relay of each interface that has one."""
    service = tree.get("service", {})
    only(service, "dhcp-relay", "dhcp-relay6")
    found: dict[str, Relay] = {}
    for vrf, own in service.get("dhcp-relay", {}).items():
        only(own, "agent", "downstream-interface", "server-group")
        agent = own.get("agent", {})
        if agent not in ({}, {"state": "enabled", "use-pif-circuit-id": {"state": "enabled"}}):
            unfit(f"option 82: {agent}")
        over = tree.get("vrf", {}).get(vrf, {}).get("evpn")
        for group in own["server-group"].values():
            if not group.get("upstream-interface"):
                unfit("a DHCP relay without a way to its servers")
            if over and f"vlan{over.get('vlan')}_l3" not in group["upstream-interface"]:
                unfit(f"the DHCP relay of {vrf} would not hear its servers over VXLAN")
        for name, row in own["downstream-interface"].items():
            servers = own["server-group"][row["server-group-name"]]["server"]
            found[name] = Relay(frozenset(servers), bool(agent))
    for own in service.get("dhcp-relay6", {}).values():
        only(own, "interface")
        only(own["interface"], "downstream", "upstream")
        six = {server for row in own["interface"]["upstream"].values() for server in row["server-address"]}
        for name in own["interface"]["downstream"]:
            known = found.get(name, Relay(frozenset(), marked=False))
            found[name] = Relay(known.servers | six, known.marked)
    return found


def advertised(row: Row) -> tuple[Advertised | None, bool]:
    """(the advertisements of an interface, whether it is told to send none)."""
    own = row.get("ipv6", {}).get("neighbor-discovery")
    if own is None:
        return None, False
    only(own, "prefix", "rdnss", "router-advertisement")
    flags = own["router-advertisement"]
    only(flags, "lifetime", "managed-config", "other-config", "state")
    if flags["state"] == "disabled":
        return None, True
    if any(prefix != {"autoconfig": "disabled"} for prefix in own.get("prefix", {}).values()):
        unfit(f"prefixes that are advertised: {own['prefix']}")
    return (
        Advertised(
            managed=flags.get("managed-config") == "enabled",
            other=flags.get("other-config") == "enabled",
            lifetime_s=flags.get("lifetime", LIFETIME_S),
            no_autoconfig=frozenset(own.get("prefix", {})),
            resolvers=frozenset(own.get("rdnss", {})),
        ),
        False,
    )
