"""FG645: optics take a node rack over its limit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule
from fabricgen.lint.subjects.rack_loads import air_kw, find_budget_path, find_rack_over_budget, power_kw

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster


class OpticsOverRackLimit(PlanRule):
    """The devices of a node rack keep its limit of power, or of heat to air, and with their optics they do not.

    Transceivers and active cables are fed by the device that they are plugged into, and its fans cool them: an 800G
    transceiver draws 15 to 17 W, so that the four DGX B300 of a rack and their 32 draw half a kilowatt more than is
    read off the data sheet of the node. Optics that are in the published maximum of their device are not added.

    Use copper or optics that draw less, lower `nodes_per_rack`, or state the real limit of the rack.
    """

    severity = Severity.ERROR
    bad = """
        scalable_unit: {nodes: 4 x dgx-b200, racks: {nodes_per_rack: 4,
          power_kw: 57.3}}  # <-
        fabrics: {compute: {media: DR}}
    """
    good = """
        scalable_unit: {nodes: 4 x dgx-b200, racks: {nodes_per_rack: 4, power_kw: 58}}
        fabrics: {compute: {media: DR}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Compare devices and optics of node racks with their limits; devices that exceed a limit alone are left to
        FG611 and FG616.
        """
        design = cluster.design
        limits = [
            (kind, *row)
            for kind in design.layout.kinds
            # (key of the limit, the limit, figure, words for it)
            for row in (
                ("power_kw", kind.node_rack.power_kw, power_kw, "draw more than"),
                ("air_kw", kind.node_rack.air_kw, air_kw, "give off more to air than"),
            )
            if row[1] is not None and not find_rack_over_budget(design, kind, row[2], row[1])
        ]
        if not limits:
            return
        from fabricgen.lint.subjects.rack_optics import DrawnRacks

        drawn = DrawnRacks(cluster)
        for kind, key, limit, _, verb in limits:
            figure = drawn.loads.power_w if key == "power_kw" else drawn.loads.air_w
            fullest = drawn.find_fullest_over(drawn.of_nodes(kind), limit or 0, figure)
            if fullest:
                message = (
                    f"{fullest.racks} node racks {verb} {limit:g} kW with their optics: {fullest.name} has "
                    f"{fullest.total_kw:g} kW ({fullest.text})"
                )
                yield self.flag(
                    find_budget_path(kind, key), message, "lower `nodes_per_rack`, or use optics that draw less"
                )
