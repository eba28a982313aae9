"""accelerators of one job, or a flow on its way, meet ports of unequal speed."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.capacity.bisection import chain_of
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class MixedSpeeds(DesignRule):
    """Accelerators in one compute fabric have ports of unequal bandwidth, or uplinks are slower than node ports.

    Collectives go in lockstep: the job runs at the pace of its slowest NIC, and the faster ones wait. Where uplinks
    are slower than node ports a flow, which equal-cost routing keeps on one path, cannot pass at the speed of its NIC;
    RDMA of training has few flows and large ones (Gangidi et al., RDMA over Ethernet for Distributed AI Training at
    Meta Scale, SIGCOMM 2024, on low flow entropy), so others do not fill the rest. Storage and management servers at
    other speeds on the same leaves do no harm. Put unlike nodes into fabrics or clusters of their own, state the
    `speed` that all have, or take fewer, faster uplinks.
    """

    id = "FG117"
    severity = Severity.WARNING
    title = "speeds are mixed where one job or flow meets them"
    bad = """
        scalable_unit: {nodes: {old: 2 x dgx-b200, new: 2 x dgx-b300}}
        fabrics:
          compute:  # <-
            tiers:
              leaf: {switch: sn5600, per: [su, rail], uplinks: 12 x 200G}  # <-
    """
    good = """
        scalable_unit: {nodes: {old: 2 x dgx-b200, new: 2 x dgx-b300}}
        fabrics:
          compute:
            speed: 400G
            tiers:
              leaf: {switch: sn5600, per: [su, rail], uplinks: 4 x 800G}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the bandwidths of accelerators in each fabric, and node ports with the uplinks above them."""
        for fabric in design.fabrics:
            if any(leg.gpu is not None for _, a in fabric.attachments for leg in a.legs):
                yield from self._unlike(design, fabric)
                yield from self._slow_uplinks(design, fabric)

    def _unlike(self, design: Design, fabric: FabricDesign) -> Iterator[Diagnostic]:
        """Node sets whose accelerators have unequal bandwidth."""
        each: dict[float, list[str]] = {}
        for index, attachment in fabric.attachments:
            nodes = design.layout.node_sets[index]
            if nodes.profile.accelerators:
                gbps = len(attachment.legs) * attachment.speed_gbps / nodes.profile.accelerators.count
                each.setdefault(gbps, []).append(nodes.profile.id)
        if len(each) > 1:
            words = ", ".join(f"{gbps:g}G on {' and '.join(ids)}" for gbps, ids in sorted(each.items()))
            yield self.flag(
                fabric.path,
                f"accelerators of {fabric.name} have unequal bandwidth: {words}; one job runs at the least",
                "give them a fabric each, or state the `speed` that all have",
            )

    def _slow_uplinks(self, design: Design, fabric: FabricDesign) -> Iterator[Diagnostic]:
        """Tiers whose uplinks are slower than the ports of the nodes below."""
        fastest = max(attachment.speed_gbps for _, attachment in fabric.attachments)
        spec = design.loaded.blueprint
        spread = spec.fabrics[fabric.name].routing.load_balance or spec.routing.load_balance
        if fabric.protocol != "roce" or spread == "dynamic":
            return
        for tier in chain_of(design, fabric):
            if tier.up and tier.up.speed_gbps < fastest:
                yield self.flag(
                    (*tier.path, "uplinks"),
                    f"{fabric.name} nodes have ports of {fastest}G, the uplinks of {tier.name} "
                    f"{tier.up.speed_gbps}G: no flow passes faster",
                    "take fewer, faster uplinks, or `load_balance: dynamic` where the switches spread flows",
                )
