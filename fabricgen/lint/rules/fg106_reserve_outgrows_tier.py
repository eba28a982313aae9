"""FG106: the reserve outgrows the tier above."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.fabric_model import TierDesign, Uplink
from fabricgen.design.model import Design
from fabricgen.design.shape import lodgings, scope_of
from fabricgen.design.sizing import within
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


def ports_with_reserve(design: Design, tier: TierDesign, uplink: Uplink) -> int:
    """Down ports that an upper switch would need for a tier with every reserved slot below it taken."""
    upper = design.tier(uplink.upper)
    found = lodgings(design.layout, scope_of(tier.per), scope_of(upper.per), by_slot=True)
    places = max(lodging.span for lodging in found)
    each = within(tier.per, tier.name, tier.count, upper.per, design.fabric(tier.fabric).tier_sizes)
    return places * each * uplink.share(0)


class ReserveOutgrowsTier(DesignRule):
    """The slots that `reserve` keeps do not all find a port on the tier above, as it is sized now.

    Links to reserved slots can then not be numbered in advance, and growing past the radix re-spreads the uplinks of
    racked switches over more of them: technicians move cables that carry traffic. NVIDIA's SuperPOD tables, for
    instance, give 8 spines at 2 scalable units and 16 at 3.

    State the `count` of the tier above that the full size needs, add a tier above it, or reserve less.
    """

    id = "FG106"
    severity = Severity.INFO
    title = "the reserve outgrows the tier above"
    bad = """
        pods: {p1: {su: 2, reserve: 17}}
        fabrics: {compute: {tiers: {
          spine: {switch: sn5600, count: 4}}}}  # <-
    """
    good = """
        pods: {p1: {su: 2, reserve: 16}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag upper tiers without a port for every reserved slot."""
        if design.layout.unit_slots == design.layout.units:
            return
        for tier in design.tiers:
            if tier.uplink is None or tier.uplink.by_slot:
                continue
            upper = design.tier(tier.uplink.upper)
            needed = ports_with_reserve(design, tier, tier.uplink)
            offered = upper.downs[upper.feed(tier.key).run].capacity
            if needed > offered:
                yield self.flag(
                    (*upper.path, "count"),
                    f"with all {design.layout.unit_slots} reserved scalable units, each {upper.fabric} {upper.name} "
                    f"needs {needed} down ports and has {offered}: growth will move uplinks of {tier.name}",
                    f"state the {upper.name} count of the full size now, add a tier above it, or reserve less",
                )
