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

    id = "FG208"
    severity = Severity.WARNING
    title = "in-band is slower than nodes need"
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
            narrowing, per_node = (
                compute_end_to_end(design, fabric),
                sum_bandwidth_beyond_leaves(design, fabric) / nodes,
            )
            if per_node < limit:
                tiers = f" over {float(narrowing.ratio):.3g}:1 ({narrowing.text})" if narrowing.ratio > 1 else ""
                yield self.flag(
                    _find_narrowing_path(
                        design, fabric.path, narrowing.narrowest.path if narrowing.narrowest and tiers else ()
                    ),
                    f"{fabric.name} gives a node {float(per_node):.4g}G; the limit is {limit:g}G; it has "
                    f"{sum_node_bandwidth(design, fabric) / nodes:.4g}G of ports{tiers}",
                    "lower the oversubscription, or use faster ports" if tiers else "use faster ports",
                )


def _find_narrowing_path(design: Design, fabric: Path, tier: Path) -> Path:
    """Where the narrowing is stated: at the narrowest tier, or for the fabric."""
    if not tier:
        return fabric
    spec = design.loaded.blueprint.fabrics[str(tier[1])].tiers[str(tier[3])]
    stated = next((key for key in ("uplinks", "oversubscription") if getattr(spec, key) is not None), None)
    return (*tier, stated) if stated else (*tier[:2], "oversubscription")
