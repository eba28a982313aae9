"""FG828: a setting of InfiniBand relies on what the plan does not have."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class InfinibandLacksItsPart(DesignRule):
    """`default_partition: limited` without a tenant's partition, or `subnet_manager: ufm` without a UFM appliance.

    Limited members of a partition reach its full members alone (InfiniBand Architecture Specification, volume 1,
    10.9.3): with no other partition nodes reach the subnet manager, and none of each other. Files for UFM are read by
    UFM; without an appliance on the fabric nobody routes it, and no port becomes active.

    State `tenants`, or leave the partition full; attach the appliance as an `extra`, or leave opensm as the manager.
    Waive this where partitions, or UFM on a node of yours, are added beside the plan.
    """

    counts_ports = False
    severity = Severity.WARNING
    bad = """
        fabrics:
          compute:
            protocol: infiniband
            default_partition: limited  # <-
            tiers: {leaf: {switch: qm9700}, spine: {switch: qm9700}}
          storage:
            protocol: infiniband
            subnet_manager: ufm  # <-
            tiers: {leaf: {switch: qm9700}}
    """
    good = """
        fabrics:
          compute:
            protocol: infiniband
            default_partition: limited
            tiers: {leaf: {switch: qm9700}, spine: {switch: qm9700}}
          storage:
            protocol: infiniband
            subnet_manager: ufm
            tiers: {leaf: {switch: qm9700}}
            extra: {ufm: {device: ufm, ports: 1, attach: compute}}
        tenants: {blue: {nodes: [p1/su-1], fabrics: [compute]}, red: {nodes: [p1/su-2], fabrics: [compute]}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag subnets with limited members and no partition of a tenant, and subnets for UFM without a UFM
        appliance.
        """
        from fabricgen.design.linked import group_infiniband_fabrics

        for name, members in group_infiniband_fabrics(design).items():
            spec = design.loaded.blueprint.fabrics[name]
            if spec.default_partition == "limited" and all(set(members).isdisjoint(t.fabrics) for t in design.tenants):
                message = f"nodes of {name} reach none of each other: they are limited members of its only partition"
                yield self.flag(("fabrics", name, "default_partition"), message, "state `tenants`, or say `full`")
            profiles = [e.attachment.profile.id for f in design.fabrics if f.name in members for e in f.extras]
            if spec.subnet_manager == "ufm" and not any(profile.startswith("ufm") for profile in profiles):
                message = f"{name} is managed by UFM, and no UFM appliance attaches to it"
                yield self.flag(("fabrics", name, "subnet_manager"), message, "add `extra: {ufm: {device: ufm}}`")
