"""FG522: a server has the address of a node that computes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster


class ServerComputes(PlanRule):
    """A server for logins, time, names, logs, DHCP or first boots has an address of a node with accelerators.

    The build gave the address to the node, by its slot: whoever chose it for a server did not look. The node
    answers pings and nothing else, or two machines answer in turn. Where the service does run on that node, it goes
    with every job that crashes, reinstallation and repair.

    Give the server an address outside the pools, or make it an extra device, which has addresses of its own.
    """

    severity = Severity.WARNING
    bad = """
        pools: {hosts: 172.16.0.0/16}
        management:
          ntp: 172.16.0.1  # <-
    """
    good = """
        pools: {hosts: 172.16.0.0/16}
        management: {ntp: 10.32.0.2}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Flag stated servers whose address a port of a node with accelerators has by the plan."""
        from fabricgen.lint.subjects.address_owners import has_accelerators, list_servers_with_owners

        for path, address, owner in list_servers_with_owners(cluster):
            if owner and has_accelerators(owner.of_class) and not owner.is_bmc:
                message = f"{address} is {cluster.names[owner.device]}'s {owner.port} in {owner.fabric}"
                yield self.flag(path, message, "use an address outside the pools, or that of an extra device")
