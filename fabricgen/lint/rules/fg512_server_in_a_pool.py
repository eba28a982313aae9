"""A management server has an address of a pool, and no device of the cluster has it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.kernel.validation import dotted
from fabricgen.lint.addressing import drawn_prefixes, overlap, server_addresses
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv6Address

    from fabricgen.cluster import Cluster


class ServerInAPool(PlanRule):
    """A server for logins, time, names or logs lies inside a pool, where nothing of the cluster has its address.

    Addresses of pools are given away by the build. The server stands where a switch or node comes with growth, and then
    both answer. State an address outside the pools, or make the server an extra device, whose address the build keeps.
    """

    id = "FG512"
    severity = Severity.WARNING
    title = "a management server has an address that a pool will give away"
    bad = """
        management:
          ntp: 10.16.200.1  # <-
    """
    good = """
        management: {ntp: 10.32.0.2}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Look every stated server up in the pools that are drawn on, then among the addresses in use."""
        pools = drawn_prefixes(cluster.design)
        for path, server in server_addresses(cluster.design):
            pool = next(((p, prefix) for p, prefix in pools if overlap(prefix, server)), None)
            if pool and not _is_held(cluster, server.network_address):
                message = f"{server.network_address} is in {pool[1]} of {dotted(pool[0])}, and no device has it"
                yield self.flag(path, message, "state an address outside, or of a device in addresses.csv")


def _is_held(cluster: Cluster, server: IPv4Address | IPv6Address) -> bool:
    """Whether a device has an address, or a subnet of the management ports has it as its gateway."""
    for found in cluster.addresses.families:
        if found.family.bits == server.max_prefixlen:
            columns = (found.management, found.management_gateway, found.loopback, found.a, found.b)
            return any(bool(column.equals(int(server)).any()) for column in columns)
    return False
