"""FG405: the loss of one row costs more than is allowed."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.capacity.failure import RemainingBisection
from fabricgen.design.capacity.failure_domains import rack_failures, row_failures
from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.floor.floor_plan import FloorPlan
from fabricgen.design.model import Design
from fabricgen.design.shape import scope_of
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.after_loss import message, more_racks, worst
from fabricgen.lint.rule import DesignRule


class RowLoss(DesignRule):
    """After the loss of any one row of racks a fabric keeps less of its bisection than `after_loss.row` asks for.

    A row shares a busway, a cable tray and often a cooling loop. Rows are those of `floor.racks_per_row`; units whose
    nodes all stand in the row are lost with it and count neither way. Not judged unless the limit is stated, nor where
    one rack of the row takes the same switches, of which FG404 tells.

    Let the runs of network racks be several (`racks: 2` of a tier, planes): each has a row of its own. Racks of a unit
    stand together: let rows hold whole units (`floor.racks_per_row`), so that the leaves go only with their nodes.
    """

    id = "FG405"
    severity = Severity.WARNING
    title = "the loss of one row costs more than is allowed"
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
        """Take away every row that holds network racks."""
        limit = design.loaded.limits.after_loss.row
        by_rack = {
            f.name: left.gone for f, left, _ in worst(design, rack_failures, design.loaded.limits.after_loss.rack)
        }
        for fabric, left, tier in worst(design, row_failures, limit):
            assert limit is not None  # noqa: S101 - nothing is below no limit
            if by_rack.get(fabric.name) != left.gone:
                yield self.flag(tier.path, message(fabric, left, "row", limit), _hint(design, tier, left, limit))


def _hint(design: Design, tier: TierDesign, left: RemainingBisection, limit: float) -> str:
    """Runs of shared racks have rows of their own; the racks of a unit stand together, and its nodes with them."""
    if scope_of(tier.per) != "su":
        return more_racks(design, tier, left, limit)
    unit = FloorPlan(design).racks_per_unit
    rows = max(1, design.loaded.blueprint.floor.racks_per_row // unit) * unit
    return f"let rows hold whole units, of {unit} racks each: `floor: {{racks_per_row: {rows}}}`"
