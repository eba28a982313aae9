"""FG512: a server has an address that is reserved for growth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.kernel.intervals import Intervals


class ServerInAPool(PlanRule):
    """A server (for logins, time, names, logs, DHCP or first boots) has an address that is reserved for switches or
    nodes, and is neither.

    The build reserves blocks of addresses for every device and every reserved slot. A switch or node that comes
    with growth gets the server's address, and then both answer. Use an address outside the block, or make the
    server an extra device, whose address the build reserves. The rest of a pool is not judged: nothing has it yet.
    """

    severity = Severity.WARNING
    bad = """
        management:
          ntp: 10.128.0.100  # <-
    """
    good = """
        management: {ntp: 10.32.0.2}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Flag stated servers whose address is in a block that is reserved, and that no device of the plan has."""
        from fabricgen.lint.subjects.address_owners import list_servers_with_owners

        for path, address, owner in list_servers_with_owners(cluster):
            blocks = cluster.addresses.lock.find_allocations(f"ipv{address.version}")
            holder = next((name for name, block in sorted(blocks.items()) if _contains(block, int(address))), None)
            if holder and owner is None:
                message = f"{address} is in a block that is reserved for '{holder}', and no device has it yet"
                yield self.flag(path, message, "use an address outside the block, or that of a device in addresses.csv")


def _contains(intervals: Intervals, number: int) -> bool:
    return any(interval.first <= number < interval.end for interval in intervals)
