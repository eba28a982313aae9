"""FG613: a network rack draws or weighs more than its limit."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule
from fabricgen.lint.subjects.rack_loads import power_kw, weight_kg

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster


class NetworkRackBudget(PlanRule):
    """The devices in a network rack draw more power with their optics, or weigh more, than the limit of network racks.

    Network racks hold switches and extra devices and are filled from the bottom up: 23 switches of 2 U draw 20 kW
    and more without their optics, and as much again with them, but network rows are often planned for less. Devices
    and optics count as published, and those without a figure as 0; optics that are in the published maximum of their
    switch are not added.

    Spread the switches of a tier over more racks with its `racks`, or state the real limit.
    """

    severity = Severity.ERROR
    bad = """
        floor: {
          network_rack_kw: 5}  # <-
    """
    good = """
        floor: {network_rack_kw: 30, network_rack_kg: 1000}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Compare the racks without nodes with their limits of power and weight; the findings name the fullest rack."""
        rack = cluster.design.layout.network_rack
        if rack.power_kw:
            yield from self._check_power(cluster, rack.power_kw)
        if rack.load_kg:
            from fabricgen.lint.subjects.rack_optics import sum_network_racks

            loads = sum_network_racks(cluster, weight_kg)
            too_heavy = [(row, load) for row, load in loads if load.exceeds(rack.load_kg, weight_kg)]
            if too_heavy:
                row, load = max(too_heavy, key=lambda row_and_load: (row_and_load[1].total, row_and_load[0]))
                yield self._make_finding(
                    cluster, "network_rack_kg", rack.load_kg, "kg", len(too_heavy), row, load.total, f"({load.text})"
                )

    def _check_power(self, cluster: Cluster, budget: float) -> Iterator[Diagnostic]:
        """Compare the power of devices and optics in racks without nodes with a budget, kW."""
        import numpy as np

        from fabricgen.lint.subjects.rack_optics import DrawnRacks, sum_network_racks

        loads = dict(sum_network_racks(cluster, power_kw))
        fullest = DrawnRacks(cluster).find_fullest_over(np.array(sorted(loads), dtype=np.int64), budget)
        if fullest:
            row = cluster.plan.racks.names.index(fullest.name)
            text = f"({fullest.text}; {loads[row].text})"
            yield self._make_finding(
                cluster, "network_rack_kw", budget, "kW", fullest.racks, row, fullest.total_kw, text
            )

    def _make_finding(
        self, cluster: Cluster, key: str, budget: float, unit: str, racks: int, row: int, total: float, text: str
    ) -> Diagnostic:
        """Return the finding on network racks that exceed the limit `key`, with the row, total and contents of the
        fullest.
        """
        stated = getattr(cluster.design.loaded.blueprint.floor, key) is not None
        return self.flag(
            ("floor", key if stated else "network_rack"),
            f"{racks} network racks exceed {budget:g} {unit}: {cluster.plan.racks.names[row]} has {total:g} {unit} "
            f"{text}",
            f"spread their tiers over {ceil(total / budget)} times as many with `racks`, or state the real limit",
        )
