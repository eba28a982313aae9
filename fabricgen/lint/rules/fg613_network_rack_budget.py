"""FG613: a network rack draws or weighs more than its limit."""

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
    """The devices in a network rack draw more power, or weigh more, than the limit of network racks.

    Network racks hold switches and extra devices and are filled from the bottom up: 23 switches of 2 U draw 20 kW
    and more without their optics, but network rows are often planned for less. Devices count as published; those
    without a figure count as 0.

    Spread the switches of a tier over more racks with its `racks`, or state the real limit.
    """

    id = "FG613"
    severity = Severity.ERROR
    title = "a network rack draws or weighs more than its limit"
    bad = """
        floor: {
          network_rack_kw: 5}  # <-
    """
    good = """
        floor: {network_rack_kw: 30, network_rack_kg: 1000}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Compare the racks without nodes with their limits; the finding names the fullest."""
        floor, rack = cluster.design.loaded.blueprint.floor, cluster.design.layout.network_rack
        budgets: tuple[tuple[str, float | None, Figure, str], ...] = (
            ("network_rack_kw", rack.power_kw, power_kw, "kW"),
            ("network_rack_kg", rack.load_kg, weight_kg, "kg"),
        )
        for key, budget, figure, unit in budgets:
            over = [found for found in _loads(cluster, figure) if found[1].exceeds(budget, figure)] if budget else []
            if over and budget:
                fullest, load = max(over, key=lambda found: (found[1].total, found[0]))
                yield self.flag(
                    ("floor", key if getattr(floor, key) is not None else "network_rack"),
                    f"{len(over)} network racks exceed {budget:g} {unit}: {cluster.plan.racks.names[fullest]} "
                    f"has {load.total:g} {unit} ({load.text})",
                    f"spread their tiers over {ceil(load.total / budget)} times as many with `racks`, or state the "
                    "real limit",
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
