"""FG402: the loss of one switch costs more than is allowed."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.build import trials_of
from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.after_loss import below_limit, failure_analyses, message
from fabricgen.lint.rule import DesignRule


class SwitchLoss(DesignRule):
    """After the loss of any one switch a fabric keeps less of its bisection than `after_loss.switch` asks for.

    Switches fail and are upgraded one at a time, and a job that runs in lockstep goes on at the speed of what is left:
    one of four spines is a quarter of a fabric without spare uplinks, one of sixteen 6%. Bisection is the narrowest
    even cut of the nodes (Dally and Towles, Principles and Practices of Interconnection Networks, chapter 3). Not
    judged unless the limit is stated, nor are networks for management, without which jobs run on.

    Take more and smaller switches in the tier, or more uplinks than downlinks ask for (AMD recommends 16% for
    MI300-class RoCE), or split the fabric into planes.
    """

    id = "FG402"
    severity = Severity.WARNING
    title = "the loss of one switch costs more than is allowed"
    bad = """
        pods: {p1: {su: 4}}
        lint: {limits: {after_loss: {switch: 80%}}}
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail], uplinks: 8 x 200G},
          spine: {switch: sn5600, count: 4}}}}  # <-
    """
    good = """
        pods: {p1: {su: 4}}
        lint: {limits: {after_loss: {switch: 80%}}}
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail], uplinks: 8 x 200G},
          spine: {switch: sn5600, count: 8}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Take one switch away of each tier in turn."""
        limit = design.loaded.limits.after_loss.switch
        for fabric, survival in failure_analyses(design) if limit is not None else ():
            for tier in survival.chain:
                left = survival.after_switch(tier)
                if below_limit(left, limit):
                    assert limit is not None  # noqa: S101 - nothing is below no limit
                    yield self.flag(
                        (*tier.path, "count"), message(fabric, left, "switch", limit), _hint(design, tier, limit)
                    )


def _hint(design: Design, tier: TierDesign, limit: float) -> str:
    """Counts that keep enough, that uplinks land on equally, and that have the ports."""
    from fabricgen.design.advice.tiers import values_that_fit

    below = [t.uplink.links_per_group for t in design.tiers if t.uplink and t.uplink.upper == tier.key]
    if not below:
        return "deal the ports of each node over more leaves: by rail, plane, or `spread: stripe`"
    counts = [n for n in range(tier.count + 1, max(below) + 1) if below[0] % n == 0]
    enough = [n for n in counts if 1 - 1 / (n * tier.switches / tier.count) >= limit]
    fitting = values_that_fit(trials_of(design, tier.fabric), (*tier.path, "count"), enough)
    return f"a count that keeps more: {', '.join(fitting)}" if fitting else "more uplinks, or planes, would keep more"
