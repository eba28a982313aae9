"""FG752: hosts get no default route, or no answers, though an exit leads to everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_network
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.design.extras.exits import ExitDesign
    from fabricgen.wiring.arrays import Flags


class NoDefaultRoute(PlanRule):
    """An exit leads to everywhere, and hosts have no port in its VRF: no route of theirs leads to it.

    What such a host sends beyond the fabrics that it is in goes nowhere, or to a switch that has no route: it gets no
    packages, no licences, no container images. Judged are nodes of units, and extra devices with NICs of role `inband`
    or `frontend`; exits of a tenant are for its own hosts alone.

    Likewise hosts whose addresses an exit does not announce, while it announces others of their pool: no answer finds
    them. That shows first when a cluster grows out of what was announced. (A pool that is left out whole is FG519.)

    Attach the hosts to the fabric of the exit, take the exit into the VRF that they are in (`vrf`), or give their
    tenant an exit. Waive this where others lead these hosts out.
    """

    severity = Severity.WARNING
    bad = """
        fabrics:
          compute:
            extra: {wan: {device: external-router, count: 2, ports: 1, attach: inband, to: spine}}
            exits: {out: {to: wan, asn: 64496}}  # <-
        tenants:
          blue: {nodes: [p1/su-1/node-1]}
    """
    good = """
        fabrics:
          compute:
            extra: {wan: {device: external-router, count: 2, ports: 1, attach: inband, to: spine}}
            exits: {out: {to: wan, asn: 64496}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Flag exits to everywhere that hosts of their tenant, or of no tenant, cannot reach, or that announce a part
        of their addresses alone.
        """
        from fabricgen.design.extras.exits import list_exits

        design = cluster.design
        default_exits = [exit_ for exit_ in list_exits(design) if exit_.spec.default]
        if not default_exits:
            return

        import numpy as np

        from fabricgen.wiring.tenants import NOBODY, find_device_tenants

        lacking, tenant = _find_hosts_without_route(cluster), find_device_tenants(design, cluster.plan.devices)
        # NOBODY is -1: hosts of no tenant come first
        for index in range(NOBODY, len(design.tenants)):
            owner = design.tenants[index].name if index >= 0 else ""
            exit_ = next((e for e in default_exits if e.tenant in ("", owner)), None)
            hosts = np.flatnonzero(lacking & (tenant == index))
            if exit_ is None or not len(hosts):
                continue
            first_host, others = cluster.names[hosts[0]], len(hosts) - 1
            whose, vrf = f" of {owner}" if owner else "", exit_.vrf or "default"
            hosts_get = f"{len(hosts)} hosts{whose} get" if others else f"1 host{whose} gets"
            they_have = f"{first_host} and {others} more have" if others else f"{first_host} has"
            yield self.flag(
                exit_.path,
                f"{hosts_get} no default route: {they_have} no port in the VRF {vrf} of {exit_.fabric.name}, "
                f"which {exit_.name} leads out of",
                f"attach them to {exit_.fabric.name}" + (f", or give {owner} an exit" if owner else ""),
            )
        # hosts of no tenant have the number -1, which takes the "" at the end
        owners = np.array([*(owner.name for owner in design.tenants), ""])[tenant[cluster.plan.links.a_device]]
        for exit_ in default_exits:
            yield from self._check_return(cluster, exit_, owners == exit_.tenant)

    def _check_return(self, cluster: Cluster, exit_: ExitDesign, of_tenant: Flags) -> Iterator[Diagnostic]:
        """Flag an exit that announces the addresses of some hosts of its fabric and not those of others.

        `of_tenant` has a flag for each link: whether its lower end is of the exit's tenant.
        """
        import numpy as np

        from fabricgen.numbering.addresses.exit_links import find_exit_segments

        links, exit_segments = cluster.plan.links, find_exit_segments(cluster.design, cluster.plan)
        name, segments = exit_.fabric.name, enumerate(links.segments)
        of_hosts = np.array([s.fabric == name and s.lower == "node" and i not in exit_segments for i, s in segments])
        for addresses in cluster.addresses.families:
            is_announced = np.zeros(len(of_tenant), dtype=bool)
            has_address = of_hosts[links.segment] & of_tenant & addresses.a.present
            for prefix in map(ip_network, exit_.spec.announce or ()):
                if prefix.max_prefixlen == addresses.family.bits:
                    # `within` takes lengths from 1 on
                    lengths = np.full(len(of_tenant), max(prefix.prefixlen, 1))
                    is_announced |= addresses.a.within(int(prefix.network_address), lengths)
            lost = np.flatnonzero(has_address & ~is_announced)
            if (has_address & is_announced).any() and len(lost):
                example = f"{cluster.names[links.a_device[lost[0]]]} at {addresses.a[lost[:1]].texts()[0]}"
                ports = f"{len(lost)} of {has_address.sum()} host ports of {name} leave by {exit_.name}"
                message = f"{ports}, which does not announce their addresses, such as {example}: no answer comes"
                yield self.flag((*exit_.path, "announce"), message, "announce the whole pool of these hosts")


def _find_hosts_without_route(cluster: Cluster) -> Flags:
    """Return a flag for each device: whether it is a host with addresses that none of its fabrics leads out. Only nodes
    and devices with a port of a role of `DEFAULT_ROLES` are hosts.
    """
    import numpy as np

    from fabricgen.design.extras.exits import DEFAULT_ROLES, DefaultRoutes
    from fabricgen.design.fabric_model import Attachment
    from fabricgen.numbering.addresses.exit_links import find_exit_segments
    from fabricgen.numbering.addresses.shared_ports import find_sharing_fabrics
    from fabricgen.wiring.tables import NODE
    from fabricgen.wiring.tenants import NOBODY, find_device_tenants

    plan, design, routes = cluster.plan, cluster.design, DefaultRoutes(cluster.design)
    tenant, exits = find_device_tenants(design, plan.devices), find_exit_segments(design, plan)
    sharing = find_sharing_fabrics(plan, design, cluster.phase.absent if cluster.phase else frozenset())
    is_host, has_address, is_led = (np.zeros(len(plan.devices), dtype=bool) for _ in range(3))
    for cls in plan.devices.classes:
        is_host[cls.rows] = cls.kind == NODE
    for i, segment in enumerate(plan.links.segments):
        attachment = segment.a
        if i in exits or not isinstance(attachment, Attachment):
            continue
        if attachment.role == "bmc" or attachment.profile.external:
            continue
        rows = np.flatnonzero(plan.links.segment == i)
        for fabric in (segment.fabric, *sharing.get(i, ())):
            columns = [f.a if fabric == segment.fabric else f.shared.get(fabric) for f in cluster.addresses.families]
            present = [column.present[rows] for column in columns if column is not None]
            devices = plan.links.a_device[rows[np.logical_or.reduce(present)]] if present else rows[:0]
            has_address[devices] = True
            is_host[devices] |= attachment.role in DEFAULT_ROLES
            leads = [routes.has_exit_to_everywhere(fabric, index) for index in range(NOBODY, len(design.tenants))]
            # `leads` begins with the hosts of no tenant, whose number NOBODY is -1
            is_led[devices] |= np.array(leads)[tenant[devices] - NOBODY]
    return is_host & has_address & ~is_led
