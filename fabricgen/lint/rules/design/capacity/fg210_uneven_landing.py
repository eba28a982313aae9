"""FG210: uplinks land unequally on the switches above."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fabricgen.design.capacity.uneven import UnevenLanding, find_uneven_landings
from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.linked import find_fabric_underlay, weighs_paths
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.documented import ToDo
from fabricgen.lint.rule import DesignRule


class UnevenLandingCost(DesignRule):
    """Links of a tier land unequally on the switches above, as `spread: uneven` allows: what all-to-all traffic loses.

    Equal-cost routing splits traffic by links. An upper switch to which one switch has m links and the others m+1 gets
    more for it than its links carry: at worst (m+1)/m times the mean, exactly what the message says
    (docs/uneven.md has the arithmetic). Routing that weighs paths by the links behind them (`routing: {weights:
    link-bandwidth}`) loses far less, and so does adaptive routing, which sees the load of links.

    This is a warning where the tier's oversubscription with that cost is beyond `lint.limits.oversubscription`, or
    without that limit beyond what the tier states; else information. More links for each pair cost less: 2 or 3 lose up
    to a half, 8 or 9 an eighth. A `count` that divides the uplinks costs nothing but switches.
    """

    severity = Severity.WARNING
    to_do = ToDo.WEIGH_CAPACITY
    bad = """
        scalable_unit: {nodes: 12 x dgx-b200}
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail], uplinks: 12 x 400G},
          spine: {switch: sn5600, count: 5, spread: uneven}}}}  # <-
        lint: {limits: {oversubscription: "1:1"}}
    """
    good = """
        scalable_unit: {nodes: 12 x dgx-b200}
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail], uplinks: 12 x 400G},
          spine: {switch: sn5600, count: 4, spread: uneven}}}}
        lint: {limits: {oversubscription: "1:1"}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Tell the exact cost of each tier whose links land unequally."""
        for fabric in design.fabrics:
            for landing in find_uneven_landings(design, fabric):
                yield self._make_finding(design, fabric.name, landing)

    def _make_finding(self, design: Design, fabric: str, landing: UnevenLanding) -> Diagnostic:
        """Return the finding on a landing: a warning if its cost is beyond the limit, else information."""
        lower, upper = landing.lower, landing.upper
        stated = design.loaded.blueprint.fabrics[fabric].tiers[lower.name].oversubscription
        limit = design.loaded.limits.oversubscription or (stated and lower.allowed)
        ratio = float(landing.oversubscription)
        finding = self.flag(
            (*upper.path, "spread"),
            f"each {fabric} {lower.name} has {landing.fewest} or {landing.fewest + 1} links to one of {upper.count} "
            f"{upper.name} switches: all-to-all traffic is {ratio:.3g}:1, {float(landing.cost):.3g} times the mean"
            + (f"; the limit is {float(limit):.3g}:1" if limit else ""),
            _suggest_remedy(design, fabric, lower),
        )
        exceeds = limit and landing.oversubscription > limit
        return finding if exceeds else replace(finding, severity=Severity.INFO)


def _suggest_remedy(design: Design, fabric: str, lower: TierDesign) -> str:
    """Return the hint on what costs less bandwidth: a count that divides the uplinks, and weights of paths if the
    fabric runs BGP and does not weigh paths yet.
    """
    blueprint, uplinks = design.loaded.blueprint, lower.uplink.links_per_group if lower.uplink else 0
    is_infiniband = design.fabric(fabric).protocol == "infiniband"
    runs_bgp = not is_infiniband and find_fabric_underlay(blueprint, fabric).startswith("ebgp")
    weighing = "`routing: {weights: link-bandwidth}` weighs paths by their links; "
    is_offered = runs_bgp and not weighs_paths(blueprint, fabric)
    return f"{weighing if is_offered else ''}a `count` that divides the {uplinks} uplinks costs switches instead"
