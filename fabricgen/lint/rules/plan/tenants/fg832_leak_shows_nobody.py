"""FG832: a leak leaves out what it is for."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster


NODES = "nodes"
"""The word for hosts that are no extra devices."""


class LeakShowsNobody(PlanRule):
    """The prefixes that a leak shows of a VRF have none of its hosts, or no address of one of its sets of devices.

    What is not shown has no route on the other side, and configurations look complete. Addresses are the plan's: those
    of extra devices come after those of the nodes of a leaf, and move with it. FG806 tells of prefixes outside of all
    pools, FG829 of devices in a VRF that no leak joins.

    State prefixes that have the addresses of addresses.csv, leave `prefixes` of that VRF out, or waive this where some
    devices are for their own side alone.
    """

    severity = Severity.WARNING
    bad = """
        pools: {hosts: 172.16.0.0/16}
        fabrics:
          compute:
            extra: {array: {device: storage-array, count: 2, attach: storage}}
        tenants:
          blue: {nodes: [p1/su-1/node-1]}
        leaks:
          files: {between: [blue, default], prefixes: {default: 172.16.200.0/24}}  # <-
    """
    good = """
        pools: {hosts: 172.16.0.0/16}
        fabrics:
          compute:
            extra: {array: {device: storage-array, count: 2, attach: storage}}
        tenants:
          blue: {nodes: [p1/su-1/node-1]}
        leaks:
          files: {between: [blue, default], prefixes: {blue: 172.16.0.0/16}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Flag prefixes of leaks that show no address of the nodes, or of a set of extra devices, of their VRF."""
        tenants = {tenant.name for tenant in cluster.design.tenants}
        for leak in cluster.design.leaks:
            for vrf, prefixes in sorted(leak.prefixes.items()):
                shown, all_hosts = [ip_network(prefix) for prefix in prefixes], _list_addresses(cluster, vrf)
                hidden = {
                    hosts: addresses[0]
                    for hosts, addresses in sorted(all_hosts.items())
                    if not any(address in prefix for address in addresses for prefix in shown)
                }
                # if some hosts are shown, others may be hidden on purpose: those of a tenant, and nodes
                if len(hidden) < len(all_hosts):
                    hidden = {} if vrf in tenants else {hosts: hidden[hosts] for hosts in hidden if hosts != NODES}
                elif hidden:
                    hidden = {" and ".join(hidden): next(iter(hidden.values()))}
                for hosts, address in hidden.items():
                    message = f"{leak.name} shows no address of {hosts} of {vrf or 'default'}: {address} is the first"
                    path = ("leaks", leak.name, "prefixes", vrf or "default")
                    yield self.flag(path, message, "state a prefix that has them, or waive this")


def _list_addresses(cluster: Cluster, vrf: str) -> dict[str, list[IPv4Address | IPv6Address]]:
    """Return the addresses of the hosts of a VRF by `nodes` or the name of a set of extra devices; devices that an exit
    leads to are left out.
    """
    import numpy as np

    from fabricgen.wiring.tenants import NOBODY, find_link_tenants

    design, links = cluster.design, cluster.plan.links
    index = next((index for index, tenant in enumerate(design.tenants) if tenant.name == vrf), NOBODY)
    addresses: dict[str, list[IPv4Address | IPv6Address]] = {}
    for i, segment in enumerate(links.segments):
        fabric = next((f for f in design.fabrics if f.name == segment.fabric), None)
        # a VRF of no tenant is that of its fabrics
        if fabric is None or segment.lower != "node" or (index == NOBODY and fabric.vrf != vrf):
            continue
        # paths of extra devices are (fabrics, NAME, extra, SET)
        hosts = str(segment.path[3]) if segment.path[2:3] == ("extra",) else NODES
        if hosts in {exit_.to for exit_ in design.loaded.blueprint.fabrics[fabric.name].exits.values()}:
            continue
        rows = np.arange(len(links))[links.find_rows(i)]
        rows = rows[find_link_tenants(design, cluster.plan, fabric.name)[rows] == index]
        for family in cluster.addresses.families:
            texts = (family.format_address(family.a.at(row)) for row in rows.tolist())
            addresses.setdefault(hosts, []).extend(ip_address(text) for text in texts if text)
    return {hosts: listed for hosts, listed in addresses.items() if listed}
