"""FG320: a subnet of an InfiniBand fabric has no appliance that manages it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster


class SubnetWithoutManager(PlanRule):
    """Rails or planes of an InfiniBand fabric that never meet are subnets, and UFM appliances attach to some of them.

    A subnet manager configures the ports of its own subnet alone (InfiniBand Architecture Specification, volume 1,
    chapter 14): in the others no port becomes active, and `opensm-standby.conf` is for an appliance that may see none
    of the switches of the first.

    Give the appliances a port in each subnet (`ports`, `switches`), join the subnets by a tier above, or waive this
    where opensm runs on a node of each of the others.
    """

    severity = Severity.WARNING
    bad = """
        fabrics:
          compute:
            protocol: infiniband
            tiers: {leaf: {switch: qm9700, per: [su, rail]}, spine: {switch: qm9700, per: rail}}
            extra: {ufm: {device: ufm, ports: 1}}  # <-
    """
    good = """
        fabrics:
          compute:
            protocol: infiniband
            tiers: {leaf: {switch: qm9700, per: [su, rail]}, spine: {switch: qm9700}}
            extra: {ufm: {device: ufm, ports: 1}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Flag InfiniBand fabrics with UFM appliances that have no port in some of the fabric's subnets."""
        for fabric in cluster.whole_fabrics() if any(fabric.extras for fabric in cluster.design.fabrics) else ():
            view = cluster.whole_fabric(fabric)
            managers = {i for i, port in enumerate(view.adapters, len(view.switches)) if port.name in view.managers}
            managed = {view.switches[link.b].subnet for link in view.links if link.a in managers}
            names = [switch.name for switch in view.switches if switch.subnet not in managed]
            if managers and names:
                yield self.flag(
                    ("fabrics", fabric, "extra"),
                    f"no UFM appliance has a port in {view.subnets - len(managed)} of the {view.subnets} subnets of "
                    f"{fabric}, that of {names[0]} first: nobody configures its ports",
                    "one port of an appliance in each subnet",
                )
