"""FG405: the loss of one row costs more than is allowed."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.losses import lost_rows
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.after_loss import told, worst
from fabricgen.lint.rule import DesignRule


class RowLoss(DesignRule):
    """After the loss of any one row of racks a fabric keeps less of its bisection than `after_loss.row` asks for.

    A row shares a busway, a cable tray and often a cooling loop. Rows are those of `floor.racks_per_row`; units whose
    nodes all stand in the row are lost with it and count neither way. Not judged unless the limit is stated.

    Let the runs of network racks be several (`racks: 2` of a tier, planes): each has a row of its own.
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
        for fabric, left, tier in worst(design, lost_rows, limit):
            assert limit is not None  # noqa: S101 - nothing is below no limit
            yield self.flag(
                tier.path,
                told(fabric, left, "row", limit),
                "deal the switches over rows of network racks: `racks: 2` or more",
            )
