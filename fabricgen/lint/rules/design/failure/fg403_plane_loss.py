"""FG403: the loss of one plane costs more than allowed."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from fabricgen.design.capacity.failure import format_percent, list_failure_analyses
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.after_loss import is_below_limit, write_loss_message


class PlaneLoss(DesignRule):
    """After the loss of one of its planes, a fabric keeps less of its bisection than `after_loss.plane` asks for.

    Planes share no switch, so a storm, a bad configuration or a software fault stays in one of them, and jobs
    continue on the others: with half of the bandwidth for two planes (DGX SuperPOD reference architecture, DGX
    B300, Network Fabrics, says so of its twin planes), seven eighths for eight. Not judged unless the limit is set,
    nor for a fabric with one plane.

    Use more planes, or a limit that the number of planes can keep.
    """

    severity = Severity.WARNING
    bad = """
        scalable_unit: {nodes: 4 x dgx-b300}
        lint: {limits: {after_loss: {plane: 75%}}}
        fabrics: {compute: {planes: 2, tiers: {  # <-
          leaf: {switch: sn5600, per: [su, rail, plane]},
          spine: {switch: sn5600, per: plane, count: 4}}}}
    """
    good = """
        scalable_unit: {nodes: 4 x dgx-b300}
        lint: {limits: {after_loss: {plane: 50%}}}
        fabrics: {compute: {planes: 2, tiers: {
          leaf: {switch: sn5600, per: [su, rail, plane]},
          spine: {switch: sn5600, per: plane, count: 4}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare what remains of each fabric of several planes without one of them with the limit."""
        limit = design.loaded.limits.after_loss.plane
        if limit is None:
            return
        for fabric, survival in list_failure_analyses(design):
            remaining = survival.analyze_plane_loss()
            if remaining is not None and is_below_limit(remaining, limit):
                yield self.flag(
                    (*fabric.path, "planes"),
                    write_loss_message(fabric, remaining, "plane", limit),
                    f"{fabric.planes} planes keep at most {format_percent(1 - 1 / fabric.planes)}: lower the limit, "
                    # p planes keep 1 - 1/p; 1e-9 is taken off, as 1 / (1 - 0.9) is a little more than 10
                    f"or use {ceil(1 / (1 - limit) - 1e-9)} planes"
                    if limit < 1
                    else "no number of planes keeps everything: lower the limit",
                )
