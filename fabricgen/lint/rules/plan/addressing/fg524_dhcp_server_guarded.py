"""FG524: a DHCP server is behind a port that drops its answers."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster


class DhcpServerGuarded(PlanRule):
    """A stated DHCP server is at a port that drops what DHCP servers send to clients, by `dhcp_guard`.

    A guarded port drops UDP from 67 to 68, and 547 to 546. What a server says to relays passes, so that hosts elsewhere
    get addresses at first. Its answers to hosts in its own subnet are dropped, and so are those to hosts anywhere that
    renew a lease, which ask the server itself (RFC 2131, 4.4.5): half of the racks never boot, and the others fall
    silent hours later until they ask all relays again.

    Attach the server to a fabric that is not guarded, or leave `dhcp_guard` out in the one that it is in.
    """

    severity = Severity.WARNING
    bad = """
        fabrics:
          inband:
            protocol: ethernet
            tiers: {leaf: {switch: sn4600c}}
            extra: {mgmt: {device: mgmt-server}}
            pools: {hosts: 172.20.0.0/16}
            dhcp: {servers: 172.20.0.65}
            access:
              dhcp_guard: true  # <-
    """
    good = """
        fabrics:
          inband:
            protocol: ethernet
            tiers: {leaf: {switch: sn4600c}}
            extra: {mgmt: {device: mgmt-server}}
            pools: {hosts: 172.20.0.0/16}
            dhcp: {servers: 172.20.0.65}
            access: {ra_guard: true}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Flag DHCP servers that attach to ports which drop the answers of DHCP servers."""
        from fabricgen.lint.subjects.address_owners import find_owner
        from fabricgen.wiring.tables import SWITCH

        design, specs = cluster.design, cluster.design.loaded.blueprint.fabrics
        for fabric in design.fabrics:
            dhcp = specs[fabric.name].dhcp
            for server in dhcp.servers if dhcp else ():
                owner = find_owner(cluster, ip_address(server))
                if owner is None or owner.of_class.kind == SWITCH or owner.is_bmc:
                    continue
                server_fabric = design.fabric(owner.fabric)
                carrier = server_fabric.carrier if server_fabric.shares_ports else server_fabric.name
                # hosts elsewhere get answers of the server itself when they renew a lease, but not by DHCPv6
                if specs[carrier].access.dhcp_guard and (server_fabric is fabric or ":" not in server):
                    is_local = server_fabric is fabric
                    who = "hosts in its own subnet" if is_local else f"hosts of {fabric.name} that renew a lease"
                    port = f"{cluster.names[owner.device]}'s {owner.port} in {server_fabric.name}"
                    message = f"answers of {server} to {who} are dropped: it is at {port}, a guarded port"
                    hint = "leave it out here, or attach the server to a fabric without it"
                    yield self.flag(("fabrics", carrier, "access", "dhcp_guard"), message, hint)
