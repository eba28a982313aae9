"""FG406: the loss of one feed costs more than allowed."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.capacity.failure_domains import list_feed_failures
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.after_loss import find_worst_losses, write_loss_message


class FeedLoss(DesignRule):
    """After the loss of any one power feed, a fabric keeps less of its bisection than `after_loss.feed` asks for.

    Halls have two feeds or more, and equipment on two of them survives the loss of either (NVIDIA asks for
    TIA-942-B Rated 3, concurrent maintainability and no single point of failure: DGX SuperPOD reference
    architecture, DGX GB200, DGX SuperPOD Architecture). Racks on a single feed (`cords: 1`) go down with it; their
    nodes do not count as lost bisection, their switches do. Not judged unless the limit is set.

    Put racks on two feeds (`cords: 2`), or spread the switches of each tier over racks on different feeds (`racks:
    2`).
    """

    severity = Severity.WARNING
    bad = """
        floor: {feeds: [A, B], cords: 1}  # <-
        lint: {limits: {after_loss: {feed: 50%}}}
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail]},
          spine: {switch: sn5600, count: 4}}}}
    """
    good = """
        floor: {feeds: [A, B], cords: 2}
        lint: {limits: {after_loss: {feed: 50%}}}
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail]},
          spine: {switch: sn5600, count: 4}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Yield a finding if the loss of a power feed leaves a fabric less of its bisection than the limit asks for.

        Only feeds that are the only feed of some racks are lost. The one finding is on the fabric that is left least
        of all, and names the other fabrics below the limit. Without a limit nothing is found.
        """
        limit = design.loaded.limits.after_loss.feed
        worst_losses = sorted(find_worst_losses(design, list_feed_failures, limit), key=lambda loss: loss[1].share)
        if worst_losses and limit is not None:
            fabric, remaining, _ = worst_losses[0]
            further_names = ", ".join(further_fabric.name for further_fabric, *_ in worst_losses[1:])
            yield self.flag(
                ("floor", "cords"),
                write_loss_message(fabric, remaining, "feed", limit)
                + (f"; {further_names} too" if further_names else ""),
                "set `cords: 2`, or spread the switches over racks on different feeds: `racks: 2`",
            )
