"""FG821: two tenants reach each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster


class TenantsMeet(PlanRule):
    """Nodes of two tenants, or of a tenant and of nobody, reach each other in a fabric that is to keep them apart.

    The plan is walked as packets go: from the VRF of each port, over VLANs and the sub-interfaces of links, to every
    VRF that is met. A port that has neither an address nor a VLAN, in a fabric with `hosts: none`, is in no VRF: there
    a controller has to keep tenants apart, and you waive this. In any other fabric fabricgen is wrong: report it, and
    do not push the configurations.
    """

    severity = Severity.ERROR
    bad = """
        fabrics: {compute: {hosts: none}}
        tenants:
          blue: {nodes: [p1/su-1/node-1]}  # <-
          green: {nodes: [p1/su-1/node-2]}  # <-
    """
    good = """
        tenants:
          blue: {nodes: [p1/su-1/node-1]}
          green: {nodes: [p1/su-1/node-2]}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Flag tenants with ports in VRFs that exchange traffic with VRFs of another tenant, or of nobody."""
        if not cluster.design.tenants:
            return
        import numpy as np

        from fabricgen.lint.subjects.tenant_walk import walk_vrfs

        has_tenant = np.logical_or.reduce([places.passes > 0 for places in cluster.addresses.tenants.values()])
        switches = (cluster.switch(row) for row in np.flatnonzero(has_tenant).tolist())
        for meeting in walk_vrfs(switches, cluster.design):
            # one sample port by tenant; "" is a port of no tenant, and sorts first
            (first_tenant, first_port), *others = sorted(meeting.ports.items())
            for tenant, port in others:
                message = f"{' '.join(port)} of {tenant} reaches {' '.join(first_port)} of {first_tenant or 'nobody'}"
                yield self.flag(("tenants", tenant), message, "let hosts have addresses, or keep them apart yourself")
