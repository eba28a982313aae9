"""FG612: a node rack is heavier than its limit."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.rack_loads import find_budget_path, find_rack_over_budget, weight_kg


class NodeRackWeight(DesignRule):
    """The devices of the fullest node rack weigh more than the limit of a rack.

    Racks and raised floors have a rated load, and a loaded rack is rolled over that floor once. Devices count with
    their published weight; those without a figure count 0 kg and are named; cables and the rack itself do not
    count.

    A rack `type` has its own limit, unless another is stated. Lower `nodes_per_rack`, or state the real limit of
    the rack.
    """

    severity = Severity.ERROR
    bad = """
        scalable_unit: {nodes: 4 x dgx-b200, racks: {nodes_per_rack: 4,
          weight_kg: 500}}  # <-
    """
    good = """
        scalable_unit: {nodes: 4 x dgx-b200, racks: {nodes_per_rack: 4, weight_kg: 900}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the weight in the fullest node rack with its limit."""
        for kind in design.layout.kinds:
            budget = kind.node_rack.load_kg
            if load := find_rack_over_budget(design, kind, weight_kg, budget):
                message = f"a node rack holds {load.total:g} kg; the limit is {budget:g} kg ({load.text})"
                yield self.flag(
                    find_budget_path(kind, "weight_kg"), message, "lower `nodes_per_rack`, or use other racks"
                )
