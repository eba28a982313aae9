"""FG525: router advertisements send hosts to a DHCPv6 server that is not stated."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.blueprint.sections.host_services import Advertisements
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class Dhcpv6OfNobody(DesignRule):
    """`router_advertisements` tell hosts to ask DHCPv6 (`managed`, `other`), and nothing is relayed to such a server.

    Hosts that heed the flag wait for an address that does not come, and their boot for that (RFC 4861, 4.2). Unless
    it is stated, `managed` follows from `dhcp`.

    Name the server in `dhcp.servers` by its IPv6 address, or let hosts make addresses (`autoconfig`). Waive this where
    the server is in the subnet of each leaf.
    """

    id = "FG525"
    counts_ports = False
    severity = Severity.WARNING
    title = "router advertisements send hosts to a DHCPv6 server that is not stated"
    bad = """
        ip: dual
        fabrics:
          inband:
            protocol: ethernet
            router_advertisements:
              managed: true  # <-
            tiers: {leaf: {switch: sn4600c}}
    """
    good = """
        ip: dual
        fabrics:
          inband:
            protocol: ethernet
            router_advertisements: {managed: true}
            dhcp: {servers: "fd00:fab:100::547"}
            tiers: {leaf: {switch: sn4600c}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare what advertisements say of DHCPv6 with the servers of each fabric."""
        for name, spec in design.loaded.blueprint.fabrics.items():
            told, servers = spec.router_advertisements, spec.dhcp.servers if spec.dhcp else ()
            if isinstance(told, Advertisements) and not any(":" in server for server in servers):
                for key in (key for key in ("managed", "other") if getattr(told, key)):
                    message = f"hosts of {name} are told to ask DHCPv6, and no server with an IPv6 address is stated"
                    path = ("fabrics", name, "router_advertisements", key)
                    yield self.flag(path, message, "state one in `dhcp`, or remove the key")
