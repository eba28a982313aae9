"""FG402: the loss of one switch costs more than allowed."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.build import make_trials
from fabricgen.design.capacity.failure import list_failure_analyses
from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.after_loss import is_below_limit, write_loss_message


class SwitchLoss(DesignRule):
    """After the loss of any one switch, a fabric keeps less of its bisection than `after_loss.switch` asks for.

    Switches fail and are upgraded one at a time, and a job that runs in lockstep continues at the speed of what is
    left: without spare uplinks, one of four spines is a quarter of a fabric, one of sixteen 6%. Bisection is the
    narrowest even cut of the nodes (Dally and Towles, Principles and Practices of Interconnection Networks, chapter
    3). Not judged unless the limit is set; management networks, without which jobs keep running, are not judged
    either.

    Use more, smaller switches in the tier, more uplinks than downlinks require (AMD recommends 16% for MI300-class
    RoCE), or split the fabric into planes.
    """

    severity = Severity.WARNING
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
        """Compare what remains of each fabric without one switch of each of its tiers with the limit."""
        limit = design.loaded.limits.after_loss.switch
        if limit is None:
            return
        for fabric, survival in list_failure_analyses(design):
            for tier in survival.chain:
                remaining = survival.analyze_switch_loss(tier)
                if is_below_limit(remaining, limit):
                    yield self.flag(
                        (*tier.path, "count"),
                        write_loss_message(fabric, remaining, "switch", limit),
                        _suggest_counts(design, tier, limit),
                    )


def _suggest_counts(design: Design, tier: TierDesign, limit: float) -> str:
    """Return the hint with counts of a tier that keep the limit, divide the uplinks from below and have the ports."""
    from fabricgen.design.advice.tiers import list_fitting_values

    links_below = [uplink.links_per_group for _, uplink in design.list_links_below(tier.key)]
    if not links_below:
        return "spread the ports of each node over more leaves: by rail, plane, or `spread: stripe`"
    counts = [n for n in range(tier.count + 1, max(links_below) + 1) if links_below[0] % n == 0]
    # one switch is lost of n in each of the tier's groups
    keeping = [n for n in counts if 1 - 1 / (n * tier.switches / tier.count) >= limit]
    fitting = list_fitting_values(make_trials(design, tier.fabric), (*tier.path, "count"), keeping)
    return f"counts that keep enough: {', '.join(fitting)}" if fitting else "add uplinks or planes"
