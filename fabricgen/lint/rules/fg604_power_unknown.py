"""FG604: a device has no power figure."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule


class PowerUnknown(DesignRule):
    """The catalogue has no power figure for a device, so the totals count it as 0 W.

    A power budget that leaves devices out is only met on paper. Add a profile with `power_w` to the blueprint's own
    `catalog/`, from the vendor's data sheet.
    """

    id = "FG604"
    severity = Severity.INFO
    title = "a device has no power figure"
    bad = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn4700, per: [su, rail]},  # <-
          spine: {switch: sn4700}}}}
    """
    good = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail]}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Name all nodes, extra devices and switches without a figure in one finding; external devices do not count."""
        missing: dict[str, tuple[Path, int]] = {}
        layout = design.layout
        for nodes in layout.node_sets:
            if nodes.profile.power_w.planning_w is None:
                missing[nodes.profile.id] = (nodes.path, layout.present(nodes))
        for fabric in design.fabrics:
            for extra in fabric.extras:
                profile = extra.attachment.profile
                if profile.power_w.planning_w is None and not profile.external and profile.id not in missing:
                    missing[profile.id] = ((*extra.path, "device"), extra.count)
        for fabric in design.fabrics:
            for tier in fabric.tiers:
                if tier.profile.power_w.planning_w is None:
                    path, count = missing.get(tier.profile.id, ((*tier.path, "switch"), 0))
                    missing[tier.profile.id] = (path, count + tier.switches)
        if missing:
            path, _ = next(iter(missing.values()))
            listed = ", ".join(f"{model} ({count:,})" for model, (_, count) in missing.items())
            yield self.flag(path, f"no power figure for {listed}; the totals count each as 0 W")
