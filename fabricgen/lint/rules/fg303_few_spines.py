"""a lossless GPU fabric has fewer than four spines."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.bisection import chain_of
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class FewSpines(DesignRule):
    """A RoCE fabric that carries accelerator traffic has fewer than four switches in a spine group.

    With two spines, double failures led to PFC storms in Juniper's tests, whose AI data-center guide asks for at least
    four. Use more, smaller spines, or spread them by `per`. Border switches, below the spines or above them in a fabric
    of their own, come in pairs and are not meant.
    """

    id = "FG303"
    severity = Severity.WARNING
    title = "a lossless GPU fabric has fewer than four spines"
    bad = """
        fabrics: {compute: {tiers: {
          spine: {switch: sn5600, count: 2}}}}  # <-
    """
    good = """
        fabrics: {compute: {tiers: {
          spine: {switch: sn5600, count: 4}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag upper tiers whose groups hold fewer than four switches in RoCE fabrics that GPUs attach to."""
        for fabric in design.fabrics:
            gpus = any(leg.gpu is not None for _, a in fabric.attachments for leg in a.legs)
            if fabric.protocol != "roce" or not gpus:
                continue
            for tier in chain_of(design, fabric):
                if tier.uplink is not None and tier.uplink.upper.fabric == tier.fabric == fabric.name:
                    upper = design.tier(tier.uplink.upper)
                    reached = tier.uplink.upper_count * tier.uplink.upper_groups
                    if 1 < reached < 4:
                        yield self.flag(
                            (*upper.path, "count"),
                            f"{fabric.name} {tier.name} reaches {reached} {upper.name} switches, want 4",
                            f"a {upper.name} count of 4 that divides the uplinks",
                        )
