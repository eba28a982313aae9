"""FG314: an upper tier is grouped by rails that the tier below mixes."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class RailRegrouped(DesignRule):
    """A tier is `per: rail` (or rail-group), but each switch below it serves several rails (or groups).

    Rails that share a leaf are not separate above it: every leaf is wired to the switches of all rails, and sends
    any rail's traffic to any of them. The grouping separates nothing, and lower switches are joined through fewer
    switches. Rail-optimized fabrics keep rails separate from the leaf up (NVIDIA SuperPOD reference architectures:
    leaf per unit and rail, spine per pod and rail).

    Add `rail` to the `per` of the lower tier, or remove it from the upper one.
    """

    counts_ports = False
    severity = Severity.WARNING
    bad = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: su},
          spine: {switch: sn5600, per: rail, count: 2}}}}  # <-
    """
    good = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail]},
          spine: {switch: sn5600, per: rail, count: 4}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag tiers per rail or rail group above a tier that joins several rails or rail groups."""
        for lower in design.tiers:
            if lower.uplink is None:
                continue
            upper = design.tier(lower.uplink.upper)
            sizes = design.fabric(lower.fabric).sizes
            for dimension, kept_by in (("rail", ("rail",)), ("rail-group", ("rail", "rail-group"))):
                if dimension in upper.per and sizes[dimension] > 1 and not set(kept_by) & set(lower.per):
                    yield self.flag(
                        (*upper.path, "per"),
                        f"{upper.fabric} {upper.name} is per {dimension}, but each {lower.name} switch below serves "
                        f"all {sizes[dimension]} {dimension}s",
                        f"add `{dimension}` to `per` of {lower.name}, or remove it from {upper.name}",
                    )
