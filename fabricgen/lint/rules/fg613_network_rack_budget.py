"""a network rack draws or weighs more than it may."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import TYPE_CHECKING

from fabricgen.catalog.loads import Device
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rack_loads import Figure, RackLoad, power_kw, rack_load, weight_kg
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.wiring.tables import Ints


class NetworkRackBudget(PlanRule):
    """What is stacked in a rack of switches or extra devices draws, or weighs, more than is stated for such racks.

    Network racks are filled from the bottom to the top: 23 switches of 2 U draw 20 kW and more without their optics,
    where rows for networks are often laid out for less. Devices count as published, those without a figure as nothing.

    Deal the switches of a tier over more racks with its `racks`, or state what such racks really have.
    """

    id = "FG613"
    severity = Severity.ERROR
    title = "a network rack draws or weighs more than it may"
    bad = """
        floor: {
          network_rack_kw: 5}  # <-
    """
    good = """
        floor: {network_rack_kw: 30, network_rack_kg: 1000}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Compare the racks without nodes with what is stated; the fullest is told."""
        floor, rack = cluster.design.loaded.blueprint.floor, cluster.design.layout.network_rack
        budgets: tuple[tuple[str, float | None, Figure, str], ...] = (
            ("network_rack_kw", rack.power_kw, power_kw, "kW"),
            ("network_rack_kg", rack.load_kg, weight_kg, "kg"),
        )
        for key, budget, figure, unit in budgets:
            over = [found for found in _loads(cluster, figure) if found[1].total > budget] if budget else []
            if over and budget:
                fullest, load = max(over, key=lambda found: (found[1].total, found[0]))
                yield self.flag(
                    ("floor", key if getattr(floor, key) is not None else "network_rack"),
                    f"{len(over)} network racks hold more than {budget:g} {unit}: {cluster.plan.racks.names[fullest]} "
                    f"{load.total:g} {unit}, {load.text}",
                    f"deal their tiers over {ceil(load.total / budget)} times as many with `racks`, or state what they "
                    "have",
                )


def _loads(cluster: Cluster, figure: Figure) -> list[tuple[int, RackLoad]]:
    """(rack, load) of every rack without nodes."""
    import numpy as np

    from fabricgen.wiring.tables import NODE

    devices, racks = cluster.plan.devices, len(cluster.plan.racks)
    counts: list[tuple[Device, Ints]] = []
    with_nodes = np.zeros(racks, dtype=bool)
    for cls in devices.classes:
        held = np.bincount(devices.rack[cls.rows], minlength=racks).astype(np.int32)
        with_nodes |= (held > 0) & (cls.kind == NODE)
        counts.append((cls.profile, held))
    others = np.flatnonzero(~with_nodes).tolist()
    return [(rack, rack_load([(profile, int(held[rack])) for profile, held in counts], figure)) for rack in others]
