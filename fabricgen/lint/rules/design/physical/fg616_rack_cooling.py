"""FG616: a node rack gives off more heat than its cooling takes."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.rack_loads import air_kw, find_budget_path, find_rack_over_budget, liquid_kw


class RackCooling(DesignRule):
    """The fullest node rack gives off more heat to air, or to coolant, than the limit of a rack or its type.

    All power becomes heat. The air of a row takes 20 to 50 kW per rack; above that, cold plates move most of it to
    a coolant, and the rest still goes to air: a GB200 NVL72 rack puts 115 kW of its 132 kW into coolant and 17 kW
    into air. Devices count with their highest published draw and their `liquid_share`, without optics, which FG645
    adds; those without figures count 0 kW and are named.

    Lower `nodes_per_rack`, use liquid-cooled nodes, or state what the cooling of a rack really takes.
    """

    severity = Severity.ERROR
    bad = """
        scalable_unit: {nodes: 4 x dgx-b200, racks: {nodes_per_rack: 4,
          air_kw: 40}}  # <-
    """
    good = """
        scalable_unit: {nodes: 4 x dgx-b200, racks: {nodes_per_rack: 4, air_kw: 60}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the heat of the fullest node rack with its limits for air and coolant."""
        for kind in design.layout.kinds:
            for key, budget, figure, medium in (
                ("air_kw", kind.node_rack.air_kw, air_kw, "air"),
                ("liquid_kw", kind.node_rack.liquid_kw, liquid_kw, "coolant"),
            ):
                if load := find_rack_over_budget(design, kind, figure, budget):
                    heat = f"a node rack gives off {load.total:g} kW to {medium}"
                    message = f"{heat}; the limit is {budget:g} kW ({load.text})"
                    yield self.flag(find_budget_path(kind, key), message, "lower `nodes_per_rack`, or use other racks")
