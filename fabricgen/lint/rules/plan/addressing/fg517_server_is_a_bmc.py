"""FG517: a server has the address of a BMC."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster


class ServerIsABmc(PlanRule):
    """A server for logins, time, names, logs, DHCP or first boots has the address of a BMC, which offers none of these.

    A server is listed twice in addresses.csv: by its BMC in the out-of-band network, and by its NICs in the networks
    that its operating system is in. A BMC answers to pings, so that a mix-up looks fine until somebody wants to log
    in, or reads the clock.

    Use an address that the server's operating system has.
    """

    severity = Severity.ERROR
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
        """Flag stated servers whose address a BMC has by the plan."""
        from fabricgen.lint.subjects.address_owners import list_servers_with_owners

        for path, address, owner in list_servers_with_owners(cluster):
            if owner and owner.is_bmc:
                message = f"{address} is the address of {cluster.names[owner.device]}'s {owner.port}"
                yield self.flag(path, message, "use an address of the server's operating system, not of its BMC")
