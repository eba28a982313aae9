"""a management server has the address of a switch."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.addressing import server_addresses
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.numbering.addresses.column import AddressColumn
    from fabricgen.numbering.addresses.family_tables import FamilyAddresses
    from fabricgen.wiring.tables import Ints, LinkTable

_BITS = {4: 32, 6: 128}


class ServerIsASwitch(PlanRule):
    """Switches are sent to a switch, or to the gateway of a management subnet, for logins, time, names or logs.

    The build numbers management ports from `pools.management`; a server that was given an address of that pool by hand
    shares it with a switch sooner or later. Both answer, and which of them is heard changes by the hour. State an
    address outside the pools, or that of a node or extra device in addresses.csv.
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
        """Look every stated server up among loopbacks, ports, management ports and their gateways."""
        for path, server in server_addresses(cluster.design):
            holder = _holder(cluster, server.network_address)
            if holder:
                hint = "state an address outside `pools.management`, or of a device in addresses.csv"
                yield self.flag(path, f"{server.network_address} is the address of {holder}", hint)


def _holder(cluster: Cluster, server: IPv4Address | IPv6Address) -> str:
    """Which switch's address it is, "" for none's; a node or extra device may well be a server."""
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
    """Addresses, what to say before the name of the device, and the devices of rows that are links."""
    return (
        (found.management, "", None),
        (found.management_gateway, "the management gateway of ", None),
        (found.loopback, "", None),
        (found.a, "a port of ", links.a_device),
        (found.b, "a port of ", links.b_device),
    )
