"""FG405: the loss of one row costs more than allowed."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.capacity.failure import RemainingBisection
from fabricgen.design.capacity.failure_domains import list_rack_failures, list_row_failures
from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.floor.floor_plan import FloorPlan
from fabricgen.design.model import Design
from fabricgen.design.shape import find_scope
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.after_loss import advise_more_racks, find_worst_losses, write_loss_message


class RowLoss(DesignRule):
    """After the loss of any one row of racks, a fabric keeps less of its bisection than `after_loss.row` asks for.

    A row shares a busway, a cable tray and often a cooling loop. Rows are those of `floor.racks_per_row`; units
    whose nodes all stand in the row are lost with it and do not count. Not judged unless the limit is set, nor
    where a single rack of the row holds the same switches, which FG404 reports.

    Split network racks into several runs (`racks: 2` of a tier, planes), each of which has a row of its own. Racks
    of a unit stand together: let rows hold whole units (`floor.racks_per_row`), so that leaves are only lost with
    their nodes.
    """

    severity = Severity.WARNING
    bad = """
        lint: {limits: {after_loss: {row: 50%}}}
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail], racks: 2},
          spine: {switch: sn5600, count: 4}}}}  # <-
    """
    good = """
        lint: {limits: {after_loss: {row: 50%}}}
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail], racks: 2},
          spine: {switch: sn5600, count: 4, racks: 2}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the worst loss of a row of network racks with the limit; a loss that FG404 reports for a rack is left
        to it.
        """
        limit = design.loaded.limits.after_loss.row
        losses_by_rack = {
            f.name: remaining.gone
            for f, remaining, _ in find_worst_losses(design, list_rack_failures, design.loaded.limits.after_loss.rack)
        }
        for fabric, remaining, tier in find_worst_losses(design, list_row_failures, limit):
            assert limit is not None  # noqa: S101 - nothing is below no limit
            if losses_by_rack.get(fabric.name) != remaining.gone:
                yield self.flag(
                    tier.path,
                    write_loss_message(fabric, remaining, "row", limit),
                    _suggest_racks(design, tier, remaining, limit),
                )


def _suggest_racks(design: Design, tier: TierDesign, remaining: RemainingBisection, limit: float) -> str:
    """Return the hint on a tier: more racks for shared racks; for racks of units, which stand with their nodes, rows of
    whole units.
    """
    if find_scope(tier.per) != "su":
        return advise_more_racks(design, tier, remaining, limit)
    floor = FloorPlan(design)
    unit = max(plan.racks for plan in floor.plans if tier.layout.has_part(plan.part))
    rows = max(1, floor.halls[0].racks_per_row // unit) * unit
    return f"let rows hold whole units of {unit} racks: `floor: {{racks_per_row: {rows}}}`"
