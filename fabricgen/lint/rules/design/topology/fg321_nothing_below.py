"""FG321: switches of a tier have nothing below them."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class NothingBelow(DesignRule):
    """No node, extra device, lower tier or span to another site has a link to the switches of a tier.

    A border leaf whose devices were forgotten, or attach elsewhere, is bought and cabled for nothing; and a `leaf` that
    says `below: spine` is a border: the nodes attach to the spines then, as the lowest tier that is no border.

    Let an extra device attach there (`to`), remove the tier, or take `below` off a tier of nodes: a spine is above the
    leaves without a word.
    """

    severity = Severity.WARNING
    bad = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail], count: 1, below: spine},  # <-
          spine: {switch: sn5600}}}}
    """
    good = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail]},
          spine: {switch: sn5600}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag tiers without down ports in use that end no spans and keep no ports for others."""
        for tier in design.tiers:
            spec = design.loaded.blueprint.fabrics[tier.fabric].tiers[tier.name]
            if not (any(run.count for run in tier.downs) or tier.spans or spec.reserved_ports):
                feeds = design.fabric(tier.fabric).node_feeds
                nodes = " and ".join(dict.fromkeys(feed.leaf.tier for feed in feeds)) or "no tier"
                yield self.flag(
                    (*tier.path, "below") if spec.below else tier.path,
                    f"nothing is below the {tier.fabric} {tier.name} switches ({tier.switches}); "
                    f"nodes attach to {nodes}",
                    f"let an extra device attach to {tier.name}, or remove it",
                )
