"""a node rack gives off more heat than its cooling takes."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rack_loads import air_kw, budget_path, liquid_kw, over_budget
from fabricgen.lint.rule import DesignRule


class RackCooling(DesignRule):
    """The fullest node rack gives more heat to air, or to coolant, than is stated for a rack or its type.

    All power becomes heat. Air of a row takes 20 to 50 kW a rack; above that, plates carry most of it to a coolant and
    the rest still goes to air: of a GB200 NVL72 rack 115 kW of 132 kW to coolant and 17 kW to air. Devices count with
    their largest published draw and their `liquid_share`; where that is not known they count as nothing and are named.

    Lower `nodes_per_rack`, take liquid-cooled nodes, or state what the cooling of a rack really takes.
    """

    id = "FG616"
    severity = Severity.ERROR
    title = "a node rack gives off more heat than its cooling takes"
    bad = """
        scalable_unit: {nodes: 4 x dgx-b200, racks: {nodes_per_rack: 4,
          air_kw: 40}}  # <-
    """
    good = """
        scalable_unit: {nodes: 4 x dgx-b200, racks: {nodes_per_rack: 4, air_kw: 60}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the heat of the fullest node rack with what is stated for air and coolant."""
        rack = design.layout.node_rack
        budgets = (("air_kw", rack.air_kw, air_kw, "air"), ("liquid_kw", rack.liquid_kw, liquid_kw, "coolant"))
        for key, budget, figure, what in budgets:
            if load := over_budget(design, figure, budget):
                message = f"a node rack gives {load.total:g} kW to {what}, which may take {budget:g} kW: {load.text}"
                yield self.flag(budget_path(design, key), message, "fewer `nodes_per_rack`, or other racks")
