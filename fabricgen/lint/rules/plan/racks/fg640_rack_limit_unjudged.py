"""FG640: a stated limit of racks leaves out devices or optics without a figure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule
from fabricgen.lint.subjects.rack_loads import (
    Figure,
    air_kw,
    find_fullest_node_rack,
    find_rack_over_budget,
    liquid_kw,
    power_kw,
    weight_kg,
)

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.design.floor.unit_kind import UnitKind

_FIGURES: dict[str, tuple[Figure, str]] = {
    "power_kw": (power_kw, "kW"),
    "weight_kg": (weight_kg, "kg"),
    "air_kw": (air_kw, "kW to air"),
    "liquid_kw": (liquid_kw, "kW to coolant"),
}
"""For each limit of the racks of nodes, (the figure of a device that it limits, its unit)."""


_NETWORK: dict[str, tuple[Figure, str]] = {
    "network_rack_kw": (power_kw, "kW"),
    "network_rack_kg": (weight_kg, "kg"),
}
"""For each limit of network racks, (the figure of a device that it limits, its unit)."""


class RackLimitUnjudged(PlanRule):
    """A limit of racks is stated, but some devices or optics in them have no such figure in the catalogue.

    They count as nothing, so that the limit seems to be kept whatever they are: sixteen SN5640 weigh and draw 0 in a
    network rack. Add the figure to a profile in the blueprint's own `catalog/`, from the vendor's data sheet, or
    remove the limit.
    """

    severity = Severity.WARNING
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
        """Flag stated limits that leave out devices or optics without a figure; exceeded limits are left to FG611 and
        others.
        """
        design = cluster.design
        judged = ((kind, key, *figure) for kind in design.layout.kinds for key, figure in _FIGURES.items())
        for kind, key, figure, unit in judged:
            limit = getattr(kind.stated, key)
            if limit is None or find_rack_over_budget(design, kind, figure, limit):
                continue
            load = find_fullest_node_rack(design, kind, figure)
            left_out = [f"{count} x {model}" for model, count in load.devices if model in load.unknown]
            if key in ("power_kw", "air_kw"):
                left_out += _list_unpowered_optics(cluster, kind)
            if left_out:
                hint = f"the devices add up to {load.total:g} {unit}; {_suggest_copy(left_out[0])}"
                yield self.flag((*kind.racks_path, key), _write_message(limit, unit, left_out), hint)
        for key, (figure, unit) in _NETWORK.items():
            limit = getattr(design.loaded.blueprint.floor, key)
            if limit is not None:
                yield from self._check_network_racks(cluster, key, limit, figure, unit)

    def _check_network_racks(
        self, cluster: Cluster, key: str, limit: float, figure: Figure, unit: str
    ) -> Iterator[Diagnostic]:
        """Flag a limit of racks without nodes if some devices or optics in them have no figure; name the largest number
        of each in a rack.

        A limit that a rack exceeds even so is left to FG613.
        """
        import numpy as np

        from fabricgen.lint.subjects.rack_optics import DrawnRacks, sum_network_racks

        loads, unpowered = dict(sum_network_racks(cluster, figure)), np.zeros(len(cluster.plan.racks), dtype=np.int32)
        is_over = any(load.exceeds(limit, figure) for load in loads.values())
        # a limit of power is on optics too
        if figure is power_kw:
            drawn = DrawnRacks(cluster)
            unpowered = drawn.optics.unpowered
            is_over = drawn.find_fullest_over(np.array(sorted(loads), dtype=np.int64), limit) is not None
        rows = [row for row, load in loads.items() if load.unknown or unpowered[row]]
        if is_over or not rows:
            return
        largest_counts: dict[str, int] = {}
        for load in (loads[row] for row in rows):
            for model, count in load.devices:
                if model in load.unknown:
                    largest_counts[model] = max(largest_counts.get(model, 0), count)
        left_out = [f"{count} x {model}" for model, count in sorted(largest_counts.items())]
        left_out += _describe_optics(int(unpowered[rows].max()))
        hint = f"so in {len(rows)} of {len(loads)} network racks; {_suggest_copy(left_out[0])}"
        yield self.flag(("floor", key), _write_message(limit, unit, left_out), hint)


def _write_message(limit: float, unit: str, left_out: list[str]) -> str:
    return f"{limit:g} {unit} a rack is judged without {', '.join(left_out)}, whose figure is unknown"


def _suggest_copy(left_out: str) -> str:
    """Return the hint on how to state the figure of what a limit leaves out, such as `2 x sn5640` or a number of
    optics.
    """
    profile = left_out.partition(" x ")[2]
    by_copy = f"add the figure to a profile in `catalog/`: `fabricgen catalog {profile} --copy catalog` begins it"
    return by_copy if profile else "those without `power_w` in the bill; add the figure to a profile in `catalog/`"


def _list_unpowered_optics(cluster: Cluster, kind: UnitKind) -> list[str]:
    """Return the largest number of optics of unknown power in a rack of a kind of unit, as a list of one text; [] if
    there are none.
    """
    from fabricgen.lint.subjects.rack_optics import DrawnRacks

    drawn = DrawnRacks(cluster)
    return _describe_optics(int(drawn.optics.unpowered[drawn.of_nodes(kind)].max(initial=0)))


def _describe_optics(optics: int) -> list[str]:
    return [f"{optics} transceivers or cable ends"] if optics else []
