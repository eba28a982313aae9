"""FG205: tiers together are more oversubscribed than allowed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from fabricgen.design.build import make_trials
from fabricgen.design.capacity.end_to_end import EndToEnd, compute_end_to_end
from fabricgen.design.fabric_model import TierDesign, TierKey
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.kernel.units import parse_ratio
from fabricgen.lint.documented import ToDo
from fabricgen.lint.rule import DesignRule


class OversubscribedEndToEnd(DesignRule):
    """From its nodes to the top tier, or to another site, a fabric is more oversubscribed than allowed.

    The ratios of tiers multiply: 2:1 at the leaves under 4:1 at the spines leaves an eighth of the bandwidth for
    traffic between pods (Al-Fares et al., SIGCOMM 2008, define oversubscription this way, between end hosts). Each
    tier keeps its own `oversubscription`, so no other rule sees it. This is a warning where the product exceeds
    `lint.limits.oversubscription`, and information where no limit is set and the tiers together narrow more than
    any of them allows alone. Widen the tier that narrows most, or set the limit that you accept.
    """

    severity = Severity.WARNING
    to_do = ToDo.WEIGH_CAPACITY
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
        """Compare the product of each fabric's ratios with the limit; fabrics on the same leaves are judged once.

        The finding is at the tier that narrows most: a warning if the limit is stated, else information if the product
        exceeds what any tier allows.
        """
        stated = design.loaded.limits.oversubscription
        judged_leaves: set[TierKey] = set()
        for fabric in design.fabrics:
            if judged_leaves.issuperset(fabric.leaves):
                continue
            judged_leaves.update(fabric.leaves)
            narrowing = compute_end_to_end(design, fabric)
            tier, narrow = narrowing.narrowest, [tier for tier, ratio in narrowing.tiers if ratio > 1]
            limit = stated or max((tier.allowed for tier in narrow), default=Fraction(1))
            if tier is None or narrowing.ratio <= limit or not (stated or len(narrow) > 1):
                continue
            comparison = "the limit is" if stated else "no tier allows more than"
            finding = self.flag(
                (*tier.path, "oversubscription"),
                f"{fabric.name} is {float(narrowing.ratio):.3g}:1 from its nodes up ({narrowing.text}); "
                f"{comparison} {float(limit):.3g}:1",
                _suggest_oversubscription(design, narrowing, tier, limit)
                if stated
                else f"widen {tier.name} first, or set `lint.limits.oversubscription`",
            )
            yield finding if stated else replace(finding, severity=Severity.INFO)


def _suggest_oversubscription(design: Design, narrowing: EndToEnd, tier: TierDesign, limit: Fraction) -> str:
    """Return the hint with the highest oversubscription of the narrowest tier that keeps the limit and has
    the ports.
    """
    from fabricgen.design.advice.tiers import RATIOS

    tier_ratio = next(ratio for t, ratio in narrowing.tiers if t.key == tier.key)
    trials, path = make_trials(design, tier.fabric), ".".join(map(str, tier.path))
    # from the highest ratio down: the first that is enough costs the fewest uplinks
    for text in (*RATIOS[::-1], "1:1"):
        if parse_ratio(text) >= tier.allowed:
            continue
        change = {f"{path}.oversubscription": text, f"{path}.uplinks": None}
        trial = trials.design_tier(tier.key, change)
        if trial and trial.oversubscription and narrowing.ratio / tier_ratio * trial.oversubscription <= limit:
            stated_uplinks = design.loaded.blueprint.fabrics[tier.fabric].tiers[tier.name].uplinks
            condition = " without `uplinks`" if stated_uplinks else ""
            return f'set `oversubscription: "{text}"` on {tier.name}{condition}, which is enough and fits'
    return f"no `oversubscription` of {tier.name} alone is enough and fits: widen other tiers too, or raise the limit"
