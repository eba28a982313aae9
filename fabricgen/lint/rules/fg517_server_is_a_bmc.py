"""FG517: a management server has the address of a BMC."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule
from fabricgen.lint.subjects.addressing import server_addresses

if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv6Address

    from fabricgen.cluster import Cluster

_BITS = {4: 32, 6: 128}

NO_BMC = ("MGMT", "PMC")
"""Ports of the role `bmc` that are a device's own management port: of firewalls, routers and power shelves."""


class ServerIsABmc(PlanRule):
    """A server for logins, time, names or logs has the address of a BMC, which offers none of these.

    A server is listed twice in addresses.csv: by its BMC in the out-of-band network, and by its NICs in the networks
    that its operating system is in. A BMC answers to pings, so that a mix-up looks fine until somebody wants to log
    in, or reads the clock.

    Use an address that the server's operating system has.
    """

    id = "FG517"
    severity = Severity.ERROR
    title = "a management server has the address of a BMC"
    bad = """
        fabrics:
          oob: {protocol: ethernet, attach: bmc, also: switches, tiers: {leaf: {switch: sn2201}}}
        management:
          ntp: 10.16.0.2  # <-
    """
    good = """
        fabrics:
          oob: {protocol: ethernet, attach: bmc, also: switches, tiers: {leaf: {switch: sn2201}}}
        management: {ntp: 10.32.0.2}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Look up every stated server among the links of BMCs."""
        for path, server in server_addresses(cluster.design):
            holder = _bmc_with(cluster, server.network_address)
            if holder:
                message = f"{server.network_address} is the address of {holder}"
                yield self.flag(path, message, "use an address of the server's operating system, not of its BMC")


def _bmc_with(cluster: Cluster, server: IPv4Address | IPv6Address) -> str:
    """The BMC that has an address, in words; "" for none."""
    import numpy as np

    links = cluster.plan.links
    segments = [i for i, segment in enumerate(links.segments) if getattr(segment.a, "role", "") == "bmc"]
    for found in cluster.addresses.families if segments else ():
        if found.family.bits != _BITS[server.version]:
            continue
        for link in np.flatnonzero(found.a.equals(int(server))).tolist():
            port = cluster.a_port[link]
            if int(links.segment[link]) in segments and port not in NO_BMC:
                return f"{cluster.names[int(links.a_device[link])]}'s {port}"
    return ""
