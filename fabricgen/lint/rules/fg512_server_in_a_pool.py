"""A management server has an address of a block that is given, and no device of the cluster has it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.addressing import server_addresses
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv6Address

    from fabricgen.cluster import Cluster
    from fabricgen.kernel.intervals import Intervals


class ServerInAPool(PlanRule):
    """A server for logins, time, names or logs has an address that is kept for switches or nodes, and is none of them.

    The build keeps blocks of addresses for what there is and for every reserved slot. A switch or node that comes with
    growth takes the server's address, and then both answer. State an address outside of the block, or make the server
    an extra device, whose address the build keeps. The rest of a pool is not judged: it is given to nobody yet.
    """

    id = "FG512"
    severity = Severity.WARNING
    title = "a management server has an address that is kept for growth"
    bad = """
        management:
          ntp: 10.128.0.100  # <-
    """
    good = """
        management: {ntp: 10.32.0.2}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Look every stated server up in the blocks that are given, then among the addresses in use."""
        for path, server in server_addresses(cluster.design):
            address = server.network_address
            blocks = cluster.addresses.lock.of(f"ipv{address.version}")
            holder = next((name for name, given in sorted(blocks.items()) if _holds(given, int(address))), None)
            if holder and not _is_held(cluster, address):
                message = f"{address} is in a block that is kept for '{holder}', and no device has it"
                yield self.flag(path, message, "state an address outside, or of a device in addresses.csv")


def _holds(given: Intervals, number: int) -> bool:
    return any(interval.first <= number < interval.end for interval in given)


def _is_held(cluster: Cluster, server: IPv4Address | IPv6Address) -> bool:
    """Whether a device has an address, or a subnet of the management ports has it as its gateway."""
    for found in cluster.addresses.families:
        if found.family.bits == server.max_prefixlen:
            columns = (found.management, found.management_gateway, found.loopback, found.a, found.b)
            return any(bool(column.equals(int(server)).any()) for column in columns)
    return False
