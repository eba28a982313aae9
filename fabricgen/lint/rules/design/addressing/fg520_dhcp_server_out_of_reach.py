"""FG520: no route of the plan leads to a DHCP server."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_network

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.addressing import is_within
from fabricgen.lint.subjects.ways_out import is_led_out


class DhcpServerOutOfReach(DesignRule):
    """A DHCP server is in none of the pools that the fabric's hosts are numbered from, and no exit leads to it.

    Gateways relay requests to the server by their routes: those to hosts and loopbacks of the fabrics in the same VRF,
    and those of `exits` in that VRF: a tenant's exit is none for the fabric's hosts, nor is one that leads elsewhere
    alone (`default: false`). Without one that leads to the server the gateway drops the requests, and hosts that boot
    see no answer, which looks like a fault of the server.
    Only a default route of your own, written as a snippet, helps; waive this rule then.

    Give the server an address of the fabric's, or state `exits`.
    """

    severity = Severity.WARNING
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
        """Flag DHCP servers that lie in no prefix to which the switches of the fabric's VRF have a route."""
        for fabric in design.fabrics:
            dhcp = design.loaded.blueprint.fabrics[fabric.name].dhcp
            if dhcp is None or fabric.protocol == "infiniband":
                continue
            from fabricgen.views.intent import make_fabric_intent

            intent = make_fabric_intent(design, fabric)
            routed = [ip_network(prefix) for prefix in (*intent.host_pools, *intent.loopback_pools)]
            for server in map(ip_network, dhcp.servers):
                is_routed = any(is_within(server, prefix) for prefix in routed)
                if not is_routed and not is_led_out(design, fabric.name, fabric.vrf, server):
                    switches = f"VRF {fabric.vrf}" if fabric.vrf else f"{fabric.name}'s switches"
                    message = (
                        f"{server.network_address} is in no pool that {switches} have routes to, "
                        "and no exit of theirs leads there"
                    )
                    hint = "give the server an address of the fabric, or state an exit that leads to it"
                    yield self.flag((*fabric.path, "dhcp", "servers"), message, hint)
