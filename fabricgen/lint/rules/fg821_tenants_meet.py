"""FG821: two tenants reach each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.design.model import Design


class TenantsMeet(PlanRule):
    """Nodes of two tenants reach each other: by a scale-up domain that both are in, or over switches.

    Accelerators of a scale-up domain (the NVLink of a rack) read each other's memory, whatever VRF their NICs are in:
    give a tenant whole domains, or partition them (NVLink partitions, by the fabric manager) and waive this. Over
    switches the plan is walked as packets go: from the VRF of a port, over VLANs and the sub-interfaces of links, to
    every VRF that is met. No other tenant's port, and none of nobody's, may be there; if one is, fabricgen is wrong:
    report it, and do not push the configurations.
    """

    id = "FG821"
    severity = Severity.ERROR
    title = "two tenants reach each other"
    bad = """
        scalable_unit: {nodes: 18 x gb200-tray, racks: {type: nvl72-gb200}}
        scale_up: {nvlink: {domain: nvl72-gb200, per: rack}}
        tenants:
          blue: {nodes: [p1/su-1/node-1]}
          green: {nodes: [p1/su-1/node-2]}  # <-
    """
    good = """
        scalable_unit: {nodes: 18 x gb200-tray, racks: {type: nvl72-gb200}}
        scale_up: {nvlink: {domain: nvl72-gb200, per: rack}}
        pods: {p1: {su: 2}}
        tenants:
          blue: {nodes: [p1/su-1]}
          green: {nodes: [p1/su-2]}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Look for scale-up domains of two tenants, then walk the VRFs of every switch that has one of a tenant."""
        if not cluster.design.tenants:
            return
        yield from self._in_scale_up(cluster.design)
        yield from self._over_switches(cluster)

    def _in_scale_up(self, design: Design) -> Iterator[Diagnostic]:
        for scale_up in design.scale_up:
            owner: dict[int, str] = {}
            met: dict[tuple[str, str], int] = {}
            for tenant in design.tenants:
                places = filter(None, (scale_up.places.domain_of(design.layout, slot) for slot in tenant.slots))
                for domain in sorted({domain for domain, _ in places}):
                    first = owner.setdefault(domain, tenant.name)
                    if first != tenant.name:
                        met[first, tenant.name] = met.get((first, tenant.name), 0) + 1
            for (first, other), count in met.items():
                shared = "a domain" if count == 1 else f"{count} domains"
                message = f"{first} and {other} share {shared} of {scale_up.name}, whose accelerators reach each other"
                yield self.flag(("tenants", other), message, "give each tenant whole domains")

    def _over_switches(self, cluster: Cluster) -> Iterator[Diagnostic]:
        import numpy as np

        from fabricgen.lint.tenant_walk import joined

        there = np.logical_or.reduce([places.passes > 0 for places in cluster.addresses.tenants.values()])
        switches = (cluster.switch(row) for row in np.flatnonzero(there).tolist())
        for met in joined(switches, cluster.design):
            if len(met.ports) > 1:
                (first, place), (other, far) = sorted(met.ports.items())[-1], sorted(met.ports.items())[0]
                whose = f"{other}'s" if other else "nobody's"
                message = f"ports of {first} ({' '.join(place)}) reach {whose} ({' '.join(far)})"
                yield self.flag(("tenants", first), message, "report this: tenants have VRFs of their own")
