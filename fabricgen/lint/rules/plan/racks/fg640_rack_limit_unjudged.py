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
"""The figure of a device that a limit of `racks` is about, and its unit."""


_NETWORK: dict[str, tuple[Figure, str]] = {
    "network_rack_kw": (power_kw, "kW"),
    "network_rack_kg": (weight_kg, "kg"),
}
"""The same of the limits of network racks."""


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
        """Name what each stated limit leaves out; where it is exceeded, FG611 and the like name it."""
        design = cluster.design
        judged = ((kind, key, *figure) for kind in design.layout.kinds for key, figure in _FIGURES.items())
        for kind, key, figure, unit in judged:
            limit = getattr(kind.stated, key)
            if limit is None or find_rack_over_budget(design, kind, figure, limit):
                continue
            load = find_fullest_node_rack(design, kind, figure)
            left_out = [f"{count} x {model}" for model, count in load.devices if model in load.unknown]
            if key in ("power_kw", "air_kw"):
                left_out += _list_bare_optics(cluster, kind)
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
        """What a limit leaves out in racks without nodes, the most of each in a rack, unless FG613 names one that
        exceeds it.
        """
        import numpy as np

        from fabricgen.lint.subjects.rack_optics import DrawnRacks, sum_network_racks

        loads, bare = dict(sum_network_racks(cluster, figure)), np.zeros(len(cluster.plan.racks), dtype=np.int32)
        is_over = any(load.exceeds(limit, figure) for load in loads.values())
        if figure is power_kw:
            drawn = DrawnRacks(cluster)
            bare = drawn.optics.unpowered
            is_over = drawn.find_fullest_over(np.array(sorted(loads), dtype=np.int64), limit) is not None
        where = [row for row, load in loads.items() if load.unknown or bare[row]]
        if is_over or not where:
            return
        most: dict[str, int] = {}
        for row in where:
            for model, count in loads[row].devices:
                if model in loads[row].unknown:
                    most[model] = max(most.get(model, 0), count)
        left_out = [f"{most[model]} x {model}" for model in sorted(most)] + _describe_bare(int(bare[where].max()))
        hint = f"so in {len(where)} of {len(loads)} network racks; {_suggest_copy(left_out[0])}"
        yield self.flag(("floor", key), _write_message(limit, unit, left_out), hint)


def _write_message(limit: float, unit: str, left_out: list[str]) -> str:
    return f"{limit:g} {unit} a rack is judged without {', '.join(left_out)}, whose figure is unknown"


def _suggest_copy(left_out: str) -> str:
    """How a figure is stated, by what is left out first, such as `2 x sn5640`; optics are named in the bill alone."""
    profile = left_out.partition(" x ")[2]
    by_copy = f"add the figure to a profile in `catalog/`: `fabricgen catalog {profile} --copy catalog` begins it"
    return by_copy if profile else "those without `power_w` in the bill; add the figure to a profile in `catalog/`"


def _list_bare_optics(cluster: Cluster, kind: UnitKind) -> list[str]:
    """Return the largest number of optics of unknown power in a rack of this kind of unit, as text; empty for none."""
    from fabricgen.lint.subjects.rack_optics import DrawnRacks

    drawn = DrawnRacks(cluster)
    return _describe_bare(int(drawn.optics.unpowered[drawn.of_nodes(kind)].max(initial=0)))


def _describe_bare(optics: int) -> list[str]:
    return [f"{optics} transceivers or cable ends"] if optics else []
