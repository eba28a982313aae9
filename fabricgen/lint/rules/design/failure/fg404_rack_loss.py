"""FG404: the loss of one rack costs more than allowed."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.capacity.failure_domains import list_rack_failures
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.after_loss import advise_more_racks, find_worst_losses, write_loss_message


class RackLoss(DesignRule):
    """After the loss of any one rack, a fabric keeps less of its bisection than `after_loss.rack` asks for.

    A rack goes dark with its busbar, its PDUs, its cooling or the fire extinguisher above it, and takes all of its
    switches down at once. Network racks are judged: a switch on top of a node rack is lost together with the nodes
    that it serves. Not judged unless the limit is set; FG407 reports racks that hold a whole tier.

    Spread the tier's switches over more racks (`racks: 2`), or split the fabric into planes, which have racks of
    their own.
    """

    severity = Severity.WARNING
    bad = """
        lint: {limits: {after_loss: {rack: 50%}}}
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail], racks: 2},
          spine: {switch: sn5600, count: 4}}}}  # <-
    """
    good = """
        lint: {limits: {after_loss: {rack: 50%}}}
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail], racks: 2},
          spine: {switch: sn5600, count: 4, racks: 2}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the worst loss of a network rack, of a unit or shared, with the limit."""
        limit = design.loaded.limits.after_loss.rack
        for fabric, remaining, tier in find_worst_losses(design, list_rack_failures, limit):
            assert limit is not None  # noqa: S101 - nothing is below no limit
            yield self.flag(
                tier.path,
                write_loss_message(fabric, remaining, "rack", limit),
                advise_more_racks(design, tier, remaining, limit),
            )
