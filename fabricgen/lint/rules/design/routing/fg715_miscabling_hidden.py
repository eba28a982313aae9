"""FG715: unnumbered sessions come up on a wrong cable."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.blueprint.sections.asn import parse_asns
from fabricgen.blueprint.sections.routing import AsnPlan
from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.numbering.underlay import find_underlay


class MiscablingHidden(DesignRule):
    """Switches of several groups share one AS number, and their sessions run over links without addresses.

    On a numbered link, a wrong neighbour has a wrong address. On an unnumbered link only its AS number shows it:
    each session expects a certain one. Where groups such as planes or rails share a number, a crossed cable comes
    up as if it were right, and traffic of one plane leaks into another (RFC 7938, 5.2), unnoticed until the fabric
    is loaded.

    Give the tier a range of AS numbers, or state none for it; or number the links.
    """

    severity = Severity.WARNING
    bad = """
        routing:
          underlay: ebgp-unnumbered
          asn: {tiers: {
            leaf: 4200000001}}  # <-
    """
    good = """
        routing: {underlay: ebgp-unnumbered, asn: {tiers: {leaf: 4200000001-4200000999}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag tiers of several groups with one stated AS number in fabrics with unnumbered sessions."""
        for fabric in design.fabrics:
            if fabric.protocol == "infiniband" or find_underlay(design, fabric) != "ebgp-unnumbered":
                continue
            for tier in fabric.tiers:
                path, text = _find_stated_asns(design, fabric, tier)
                linked = tier.up is not None or any(feed.source.tier for feed in tier.feeds)
                if text and tier.groups > 1 and linked and len(set(parse_asns(text))) == 1:
                    yield self.flag(
                        path,
                        f"all {tier.groups} groups of {fabric.name} {tier.name} have AS number {text}: unnumbered "
                        "sessions come up even with a switch of the wrong group",
                        f"state a range of {tier.switches} numbers or more",
                    )


def _find_stated_asns(design: Design, fabric: FabricDesign, tier: TierDesign) -> tuple[Path, str]:
    """Return (path, AS numbers as text) stated for a tier by its fabric, else by the cluster; "" if neither
    states any.
    """
    blueprint = design.loaded.blueprint
    for base, routing in ((fabric.path, blueprint.fabrics[fabric.name].routing), ((), blueprint.routing)):
        plan: AsnPlan | None = routing.asn
        if plan is not None and "tiers" in plan.model_fields_set:
            return (*base, "routing", "asn", "tiers", tier.name), plan.tiers.get(tier.name, "")
    return (), ""
