"""FG208: in-band is slower than nodes need."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.capacity.bisection import sum_node_bandwidth
from fabricgen.design.capacity.end_to_end import (
    compute_end_to_end,
    count_attached_nodes,
    has_purpose,
    sum_bandwidth_beyond_leaves,
)
from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule


class SlowInband(DesignRule):
    """The in-band fabric gives each node less bandwidth than `lint.limits.inband_gbps_per_node`.

    Provisioning, container images, schedulers and users share it, and converged designs put storage on it as well
    (NVIDIA HGX AI Factory reference architecture, Network Logical Architecture). If it is too narrow, every job
    starts late when all nodes pull an image at once. A node gets the bandwidth of its ports divided by the
    oversubscription of all tiers. How much is needed depends on what the fabric carries, so nothing is judged until
    the limit is set. Lower the oversubscription, or use faster ports.
    """

    severity = Severity.WARNING
    bad = """
        fabrics:
          inband:
            protocol: ethernet
            oversubscription: "4:1"  # <-
            tiers: {leaf: {switch: sn5600, per: su}, spine: {switch: sn5600, count: 2}}
        lint: {limits: {inband_gbps_per_node: 300}}
    """
    good = """
        fabrics:
          inband:
            protocol: ethernet
            oversubscription: "1:1"
            tiers: {leaf: {switch: sn5600, per: su}, spine: {switch: sn5600, count: 2}}
        lint: {limits: {inband_gbps_per_node: 300}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare what in-band fabrics give nodes with the limit."""
        limit = design.loaded.limits.inband_gbps_per_node
        if limit is None:
            return
        for fabric in design.fabrics:
            nodes = count_attached_nodes(design, fabric)
            if not nodes or not has_purpose(fabric, "inband"):
                continue
            narrowing = compute_end_to_end(design, fabric)
            gbps_per_node = sum_bandwidth_beyond_leaves(design, fabric) / nodes
            if gbps_per_node < limit:
                is_narrowed = narrowing.ratio > 1
                tiers = f" over {float(narrowing.ratio):.3g}:1 ({narrowing.text})" if is_narrowed else ""
                yield self.flag(
                    _find_narrowing_path(design, fabric, narrowing.narrowest if is_narrowed else None),
                    f"{fabric.name} gives a node {float(gbps_per_node):.4g}G; the limit is {limit:g}G; it has "
                    f"{sum_node_bandwidth(design, fabric) / nodes:.4g}G of ports{tiers}",
                    "lower the oversubscription, or use faster ports" if tiers else "use faster ports",
                )


def _find_narrowing_path(design: Design, fabric: FabricDesign, narrowest: TierDesign | None) -> Path:
    """Return the path of the setting that narrows a fabric: at the narrowest tier if it states one, else for the tier's
    fabric; the path of the fabric if no tier narrows it.
    """
    if narrowest is None:
        return fabric.path
    spec = design.loaded.blueprint.fabrics[narrowest.fabric].tiers[narrowest.name]
    stated = next((key for key in ("uplinks", "oversubscription") if getattr(spec, key) is not None), None)
    return (*narrowest.path, stated) if stated else ("fabrics", narrowest.fabric, "oversubscription")
