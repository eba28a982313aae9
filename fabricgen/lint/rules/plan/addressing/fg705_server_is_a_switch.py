"""FG705: a server has the address of a switch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster


class ServerIsASwitch(PlanRule):
    """A server (for logins, time, names, logs, DHCP or first boots) has the address of a switch, or of a gateway.

    The build numbers ports and gateways from pools; a server with a manually chosen address in one of them sooner or
    later shares it with a switch. Then both answer, and which one is reached changes by the hour. Use an
    address outside the pools, or one that addresses.csv has for a node's or extra device's NIC (its BMC is FG517).
    """

    severity = Severity.ERROR
    bad = """
        management:
          ntp: 10.16.0.2  # <-
    """
    good = """
        management: {ntp: 10.32.0.2}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Flag stated servers whose address a switch has: on a loopback, port, management port or as a gateway."""
        from fabricgen.lint.subjects.address_owners import list_servers_with_owners
        from fabricgen.wiring.tables import SWITCH

        for path, address, owner in list_servers_with_owners(cluster):
            if owner and owner.of_class.kind == SWITCH:
                holder = f"{owner.what}{cluster.names[owner.device]}"
                hint = "use an address outside the pools, or one that a server's operating system has in addresses.csv"
                yield self.flag(path, f"{address} is the address of {holder}", hint)
