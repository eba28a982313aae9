"""FG764: one device is named as two servers."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import PlanRule
from fabricgen.lint.subjects.addressing import list_stated_managements, list_stated_servers
from fabricgen.lint.subjects.managed import is_name

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster


class ServerNamedTwice(PlanRule):
    """Two servers of a list are one: two addresses that the plan gives to one device, its name and an address of its,
    or a name with and without the domain of `management.dns`.

    What stands there as two fails as one. Of time servers it is worse: two addresses of one clock outvote a right one
    (RFC 8633, 3.2). Logs come twice, and a login waits twice for a server that is off. One address that is written
    twice is refused (FG010); of devices that are not in the plan nothing tells whether they are one.

    Name another server, or leave one of the two out.
    """

    severity = Severity.WARNING
    bad = """
        fabrics:
          inband:
            protocol: ethernet
            tiers: {leaf: {switch: sn4600c}}
            extra: {mgmt: {device: mgmt-server}}
            pools: {hosts: 172.20.0.0/16}
        management:
          ntp: [mgmt, 172.20.0.65]  # <-
    """
    good = """
        fabrics:
          inband:
            protocol: ethernet
            tiers: {leaf: {switch: sn4600c}}
            extra: {mgmt: {device: mgmt-server}}
            pools: {hosts: 172.20.0.0/16}
        management: {ntp: 172.20.0.65}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Flag servers of one list that are the same device, by name or by an address that the plan gives to
        a device.
        """
        blueprint = cluster.design.loaded.blueprint
        for base, management in list_stated_managements(cluster.design):
            dns, servers = management.lay_over(blueprint.management).dns, dict[tuple[Path, str], str]()
            domain = f".{dns.domain}" if dns and dns.domain else f".{blueprint.name}.internal"
            for keys, server in list_stated_servers(management):
                device = server.removesuffix(domain) if is_name(server) else _find_device_name(cluster, server)
                first_server = servers.setdefault((keys, device), server)
                if first_server != server:
                    effect = "one clock that counts as two" if keys == ("ntp",) else "one server that stands for two"
                    message = f"{first_server} and {server} are both {device}: {effect}"
                    yield self.flag((*base, *keys), message, "name another, or leave one out")


def _find_device_name(cluster: Cluster, address: str) -> str:
    """Return the name of the device that has an address by the plan; the address itself if no device has it."""
    from fabricgen.lint.subjects.address_owners import find_owner

    owner = find_owner(cluster, ip_address(address))
    return cluster.names[owner.device] if owner else address
