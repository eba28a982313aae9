"""FG640: a stated limit of racks leaves out devices or optics without a figure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rack_loads import Figure, air_kw, fullest_node_rack, liquid_kw, over_budget, power_kw, weight_kg
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.design.floor.unit_kind import UnitKind

_FIGURES: dict[str, tuple[Figure, str]] = {
    "power_kw": (power_kw, "kW"),
    "weight_kg": (weight_kg, "kg"),
    "air_kw": (air_kw, "kW to air"),
    "liquid_kw": (liquid_kw, "kW to coolant"),
}
"""The figure of a device that a limit of `racks` is about, and its unit."""


class RackLimitUnjudged(PlanRule):
    """A limit of node racks is stated, but some devices or optics in them have no such figure in the catalogue.

    They count as nothing, so that the limit seems to be kept whatever they are. Add the figure to a profile in the
    blueprint's own `catalog/`, from the vendor's data sheet, or remove the limit.
    """

    id = "FG640"
    severity = Severity.WARNING
    title = "a stated limit of racks leaves out devices or optics without a figure"
    bad = """
        scalable_unit:
          nodes: 18 x gb200-tray
          racks: {nodes_per_rack: 18,
            weight_kg: 500}  # <-
    """
    good = """
        scalable_unit: {nodes: 4 x dgx-b200, racks: {nodes_per_rack: 4, weight_kg: 900}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Name what each stated limit leaves out; where it is exceeded, FG611 and the like name it."""
        design = cluster.design
        of_kinds = ((kind, key, *figure) for kind in design.layout.kinds for key, figure in _FIGURES.items())
        for kind, key, figure, unit in of_kinds:
            limit = getattr(kind.stated, key)
            if limit is None or over_budget(design, kind, figure, limit):
                continue
            load = fullest_node_rack(design, kind, figure)
            left_out = [f"{count} x {model}" for model, count in load.devices if model in load.unknown]
            if key in ("power_kw", "air_kw"):
                left_out += _optics(cluster, kind)
            if left_out:
                message = f"{limit:g} {unit} a rack is judged without {', '.join(left_out)}, whose figure is unknown"
                hint = f"the devices add up to {load.total:g}; add the figure to a profile in `catalog/`"
                yield self.flag((*kind.racks_path, key), message, hint)


def _optics(cluster: Cluster, kind: UnitKind) -> list[str]:
    """The most optics without a figure that a rack of a kind of unit has, as text; empty for none."""
    from fabricgen.lint.rack_optics import DrawnRacks

    drawn = DrawnRacks(cluster)
    most = int(drawn.optics.unpowered[drawn.of_nodes(kind)].max(initial=0))
    return [f"{most} transceivers or cable ends"] if most else []
