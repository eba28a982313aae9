"""tiers that are each within their allowance narrow more together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from fabricgen.design.build import trials_of
from fabricgen.design.capacity.end_to_end import EndToEnd, end_to_end
from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.kernel.units import parse_ratio
from fabricgen.lint.rule import DesignRule


class OversubscribedEndToEnd(DesignRule):
    """From nodes to the top tier, or to another site, a fabric narrows more than is allowed.

    Ratios of tiers multiply: 2:1 at the leaves under 4:1 at the spines leaves an eighth of its bandwidth to what
    crosses pods (Al-Fares et al., SIGCOMM 2008, reckon oversubscription so, among the end hosts). Each tier is within
    its own `oversubscription`, so no other rule sees it. It is a warning beyond the `lint.limits.oversubscription` that
    is stated, and for information where tiers narrow more together than any of them allows alone. Widen the tier that
    narrows most, or state the limit that you accept.
    """

    id = "FG205"
    severity = Severity.WARNING
    title = "tiers narrow more together than is allowed"
    bad = """
        pods: {p1: {su: 2, count: 2}}
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail], oversubscription: "2:1"},
          spine: {switch: sn5600, per: pod, count: 2, oversubscription: "4:1"},  # <-
          core: {switch: sn5600, count: 2}}}}
        lint: {limits: {oversubscription: "4:1"}}
    """
    good = """
        pods: {p1: {su: 2, count: 2}}
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail], oversubscription: "2:1"},
          spine: {switch: sn5600, per: pod, count: 2, oversubscription: "2:1"},
          core: {switch: sn5600, count: 2}}}}
        lint: {limits: {oversubscription: "4:1"}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the product of each fabric's ratios with the limit; fabrics on the same leaves count once."""
        stated = design.loaded.limits.oversubscription
        seen = set()
        for fabric in design.fabrics:
            if fabric.leaf is None or fabric.leaf in seen:
                continue
            seen.add(fabric.leaf)
            found = end_to_end(design, fabric)
            narrow = [tier for tier, ratio in found.tiers if ratio > 1]
            most = stated or max((tier.allowed for tier in narrow), default=Fraction(1))
            if found.tiers and found.ratio > most and (stated or len(narrow) > 1):
                yield self._finding(design, fabric, found, most, stated=stated is not None)

    def _finding(
        self, design: Design, fabric: FabricDesign, found: EndToEnd, most: Fraction, *, stated: bool
    ) -> Diagnostic:
        tier = found.narrowest
        assert tier is not None  # noqa: S101 - there are tiers
        than = f"{float(most):.3g}:1 is the limit" if stated else f"no tier allows more than {float(most):.3g}:1"
        finding = self.flag(
            (*tier.path, "oversubscription"),
            f"{fabric.name} is {float(found.ratio):.3g}:1 from its nodes up ({found.text}), {than}",
            _hint(design, found, tier, most) if stated else f"widen {tier.name} first, or state a limit for all tiers",
        )
        return finding if stated else replace(finding, severity=Severity.INFO)


def _hint(design: Design, found: EndToEnd, tier: TierDesign, most: Fraction) -> str:
    """The largest oversubscription of the narrowest tier that has the ports and keeps to a limit."""
    from fabricgen.design.advice.tiers import LADDER

    own = next(ratio for t, ratio in found.tiers if t.key == tier.key)
    trials, path = trials_of(design, tier.fabric), ".".join(map(str, tier.path))
    for text in (*LADDER[::-1], "1:1"):
        if parse_ratio(text) >= tier.allowed:
            continue
        change = {f"{path}.oversubscription": text, f"{path}.uplinks": None}
        there = trials.tier(tier.key, change)
        if there and there.oversubscription and found.ratio / own * there.oversubscription <= most:
            stated = design.loaded.blueprint.fabrics[tier.fabric].tiers[tier.name].uplinks
            without = " without `uplinks`" if stated else ""
            return f'`oversubscription: "{text}"` of {tier.name}{without} is enough, and has the ports'
    return f"no `oversubscription` of {tier.name} alone is enough and has the ports: widen others too, or allow more"
