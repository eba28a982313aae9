"""FG705: a management server has the address of a switch."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule
from fabricgen.lint.subjects.addressing import server_addresses

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.numbering.addresses.column import AddressColumn
    from fabricgen.numbering.addresses.family_tables import FamilyAddresses
    from fabricgen.wiring.tables import Ints, LinkTable

_BITS = {4: 32, 6: 128}


class ServerIsASwitch(PlanRule):
    """A management server (logins, time, names or logs) has the address of a switch, or of a management gateway.

    The build numbers management ports from `pools.management`; a server with a manually chosen address in that pool
    sooner or later shares it with a switch. Then both answer, and which one is reached changes by the hour. Use an
    address outside the pools, or one that addresses.csv has for a node's or extra device's NIC (its BMC is FG517).
    """

    id = "FG705"
    severity = Severity.ERROR
    title = "a management server has the address of a switch"
    bad = """
        management:
          ntp: 10.16.0.2  # <-
    """
    good = """
        management: {ntp: 10.32.0.2}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Look up every stated server among loopbacks, ports, management ports and their gateways."""
        for path, server in server_addresses(cluster.design):
            holder = _holder(cluster, server.network_address)
            if holder:
                hint = "use an address outside the pools, or one that a server's operating system has in addresses.csv"
                yield self.flag(path, f"{server.network_address} is the address of {holder}", hint)


def _holder(cluster: Cluster, server: IPv4Address | IPv6Address) -> str:
    """The switch that has an address, in words; "" for none. Nodes and extra devices may be servers."""
    links = cluster.plan.links
    import numpy as np

    from fabricgen.wiring.tables import SWITCH

    switches = [cls.rows for cls in cluster.plan.devices.classes if cls.kind == SWITCH]
    for found in cluster.addresses.families:
        if found.family.bits == _BITS[server.version]:
            for column, what, device in _columns(found, links):
                at = np.flatnonzero(column.equals(int(server)))
                rows = (at if device is None else device[at]).tolist()
                named = [row for row in rows if any(row in range(rs.start, rs.stop) for rs in switches)]
                if named:
                    return f"{what}{cluster.names[named[0]]}"
    return ""


def _columns(found: FamilyAddresses, links: LinkTable) -> tuple[tuple[AddressColumn, str, Ints | None], ...]:
    """(addresses, text before the device's name, device of each row where rows are links)."""
    return (
        (found.management, "", None),
        (found.management_gateway, "the management gateway of ", None),
        (found.loopback, "", None),
        (found.a, "a port of ", links.a_device),
        (found.b, "a port of ", links.b_device),
    )
