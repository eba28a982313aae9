"""FG611: a node rack draws more than its limit."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.rack_loads import find_budget_path, find_rack_over_budget, power_kw


class NodeRackPower(DesignRule):
    """The devices of the fullest node rack draw more power than the limit of a rack.

    Breakers and busbars trip at their rating, not at an average, and the nodes of a training job reach their
    maximum together. Devices count with their highest published draw, without optics, which FG645 adds; those without a
    figure count 0 W and are named. DGX B300 racks of 4 draw more than 50 kW (DGX SuperPOD B300 reference architecture).

    A rack `type` has its own limit, unless another is stated. Lower `nodes_per_rack`, or state the real limit of
    the rack.
    """

    severity = Severity.ERROR
    bad = """
        scalable_unit: {nodes: 4 x dgx-b200, racks: {nodes_per_rack: 4,
          power_kw: 40}}  # <-
    """
    good = """
        scalable_unit: {nodes: 4 x dgx-b200, racks: {nodes_per_rack: 4, power_kw: 60}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the draw of the fullest node rack with its limit."""
        for kind in design.layout.kinds:
            budget = kind.node_rack.power_kw
            if load := find_rack_over_budget(design, kind, power_kw, budget):
                message = f"a node rack draws {load.total:g} kW; the limit is {budget:g} kW ({load.text})"
                yield self.flag(
                    find_budget_path(kind, "power_kw"), message, "lower `nodes_per_rack`, or use other racks"
                )
