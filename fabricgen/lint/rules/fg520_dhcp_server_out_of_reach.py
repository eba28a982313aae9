"""FG520: no route of the plan leads to a DHCP server."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address, ip_network

from fabricgen.design.extras.exits import exits_of
from fabricgen.design.linked import linked_fabrics
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.views.intent import fabric_intent


class DhcpServerOutOfReach(DesignRule):
    """A DHCP server is in none of the pools that the fabric's hosts are numbered from, and the fabric has no way out.

    Gateways relay requests to the server by their routes: those to hosts and loopbacks of the fabrics in the same VRF,
    and those of `exits` in that VRF: a tenant's exit is none for the fabric's hosts. Without one that leads to the
    server the gateway drops the requests, and hosts that boot see no answer, which looks like a fault of the server.
    Only a default route of your own, written as a snippet, helps; waive this rule then.

    Give the server an address of the fabric's, or state `exits`.
    """

    id = "FG520"
    severity = Severity.WARNING
    title = "no route of the plan leads to a DHCP server"
    bad = """
        fabrics:
          inband:
            protocol: ethernet
            dhcp: {servers: 192.0.2.67}  # <-
            tiers: {leaf: {switch: sn4600c}}
    """
    good = """
        pools: {hosts: 172.16.0.0/12}
        fabrics:
          inband:
            protocol: ethernet
            dhcp: {servers: 172.16.0.10}
            tiers: {leaf: {switch: sn4600c}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Look up each server among the prefixes that switches of its VRF have routes to."""
        specs = design.loaded.blueprint.fabrics
        parts = linked_fabrics(specs)
        ways = {(exit_.fabric.name, exit_.vrf) for exit_ in exits_of(design)}
        for fabric in design.fabrics:
            dhcp = specs[fabric.name].dhcp
            linked = next(part for part in parts if fabric.name in part)
            if dhcp is None or fabric.protocol == "infiniband" or any((n, fabric.vrf) in ways for n in linked):
                continue
            intent = fabric_intent(design, fabric)
            known = [ip_network(prefix) for prefix in (*intent.host_pools, *intent.loopback_pools)]
            for server in dhcp.servers:
                if not any(ip_address(server) in prefix for prefix in known):
                    where = f"VRF {fabric.vrf}" if fabric.vrf else f"{fabric.name}'s switches"
                    message = f"{server} is in no pool that {where} have routes to, and they have no exit"
                    hint = "give the server an address of the fabric, or state `exits`"
                    yield self.flag((*fabric.path, "dhcp", "servers"), message, hint)
