"""FG824: an appliance of the subnet manager is a tenant's."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class ManagerOfATenant(DesignRule):
    """A UFM appliance on InfiniBand is one of a tenant's devices.

    The subnet manager's port is a full member of the default partition, and all nodes are limited members of it
    (opensm(8), PARTITION CONFIGURATION): whoever has that device reaches the nodes of every tenant, and changes the
    partitions besides. Take it off the tenant: appliances of no tenant are in no partition but the default one.
    """

    counts_ports = False
    severity = Severity.ERROR
    bad = """
        fabrics:
          compute:
            protocol: infiniband
            tiers: {leaf: {switch: qm9700}, spine: {switch: qm9700}}
            extra: {ufm: {device: ufm, ports: 1}}
        tenants:
          blue: {nodes: [p1/su-1], extra: [ufm]}  # <-
    """
    good = """
        fabrics:
          compute:
            protocol: infiniband
            tiers: {leaf: {switch: qm9700}, spine: {switch: qm9700}}
            extra: {ufm: {device: ufm, ports: 1}}
        tenants:
          blue: {nodes: [p1/su-1]}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag UFM appliances of InfiniBand fabrics that are among the extra devices of a tenant."""
        for tenant in design.tenants:
            for fabric in design.fabrics:
                managers = {e.name for e in fabric.extras if e.attachment.profile.id.partition("-")[0] == "ufm"}
                for i, name in enumerate(tenant.extras if fabric.protocol == "infiniband" else ()):
                    if name in managers:
                        message = (
                            f"the UFM appliances '{name}' of {fabric.name} are {tenant.name}'s, and reach every node"
                        )
                        hint = "remove it: the subnet manager is no tenant's"
                        yield self.flag((*tenant.path, "extra", i), message, hint)
