"""FG825: nodes of tenants are full members of the default partition."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class DefaultPartitionJoinsTenants(DesignRule):
    """`default_partition: full` is stated, and tenants are to be kept apart on that fabric.

    Full members of a partition reach all of its members (InfiniBand Architecture Specification, volume 1, 10.9.3), and
    every port is in the default one: the partitions of tenants keep nobody apart then. If nothing is stated, nodes are
    limited members of it, which is enough to reach the subnet manager.
    """

    counts_ports = False
    severity = Severity.ERROR
    bad = """
        fabrics:
          compute:
            protocol: infiniband
            default_partition: full  # <-
            tiers: {leaf: {switch: qm9700}, spine: {switch: qm9700}}
        tenants:
          blue: {nodes: [p1/su-1]}
    """
    good = """
        fabrics:
          compute:
            protocol: infiniband
            tiers: {leaf: {switch: qm9700}, spine: {switch: qm9700}}
        tenants:
          blue: {nodes: [p1/su-1]}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag subnets of InfiniBand with tenants whose default partition has full members."""
        for name, tenants in list_subnets_with_tenants(design):
            if design.loaded.blueprint.fabrics[name].default_partition == "full":
                path = ("fabrics", name, "default_partition")
                message = f"nodes of {tenants} are full members of the default partition of {name}, and meet there"
                yield self.flag(path, message, "remove it, or say `limited`")


def list_subnets_with_tenants(design: Design) -> Iterator[tuple[str, str]]:
    """Yield (the fabric that owns a subnet of InfiniBand, `A and B`: the tenants in its fabrics) if there are any."""
    from fabricgen.design.linked import group_infiniband_fabrics

    for name, members in group_infiniband_fabrics(design).items() if design.tenants else ():
        tenants = [tenant.name for tenant in design.tenants if not set(members).isdisjoint(tenant.fabrics)]
        if tenants:
            yield name, " and ".join(tenants)
