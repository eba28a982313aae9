"""What the loss of a switch, plane, rack, row or power feed leaves of each fabric, as the design has computed it.

Racks, rows and feeds that leave the same are of one class. What a place takes with it follows from the racks of
devices; which nodes that cuts off is counted on links, by the page.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fabricgen.design.capacity.failure import (
    RemainingBisection,
    failure_analyses,
    is_for_management,
    lost_switches,
    percent,
)
from fabricgen.design.capacity.failure_domains import (
    FailureDomain,
    feed_failures,
    rack_failures,
    row_failures,
    row_name,
)
from fabricgen.design.floor.floor_plan import FloorPlan, RackPosition
from fabricgen.design.model import Design
from fabricgen.export.view.source import PageSource, packed, packed_numbers
from fabricgen.wiring.tables import SWITCH, RackTable

Left = tuple[str, str, str]
"""What is left of a fabric: its name, the share, and the switches that are lost, in words."""


def block(source: PageSource) -> dict[str, Any]:
    """What every loss leaves, by classes, and what each rack belongs to."""
    design, plan = source.cluster.design, source.cluster.plan
    floor, found = FloorPlan(design), _Classes(design)
    rack_class = _rack_classes(design, floor, found)
    rows = {loss.name: found.of(loss) for loss in row_failures(design, floor)}
    feeds = {loss.name: found.of(loss) for loss in feed_failures(design, floor)}
    spots = _spots(plan.racks)
    row_of = [row_name(design, floor, spot) for spot in spots]
    settings = design.loaded.blueprint.floor
    return {
        "switch": _by_switch(source, found),
        "plane": dict(found.planes()),
        "rack": {"numbers": packed_numbers([rack_class.get(name, -1) for name in plan.racks.names])},
        "racks": packed(plan.racks.names),
        "row": {name: rows.get(name, -1) for name in dict.fromkeys(row_of)},
        "row_of": packed(row_of),
        "feed": {f"feed {name}": feeds.get(f"feed {name}", -1) for name in settings.feeds},
        "feed_of": packed([", ".join(floor.feeds_of(spot)) for spot in spots]),
        "phase": source.cluster.phase.name if source.cluster.phase else "",
        "classes": found.kinds,
        "management": [fabric.name for fabric in design.fabrics if is_for_management(fabric)],
        "gpus": [_gpus(cls.profile) for cls in plan.devices.classes],
    }


@dataclass
class _Classes:
    """Losses that leave the same, each kind once."""

    design: Design
    kinds: list[list[Left]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.analyses = [(fabric, survival) for fabric, survival in failure_analyses(self.design)]

    def of(self, loss: FailureDomain) -> int:
        """The number of the class of a loss; fabrics that lose no switch are not in it."""
        after = [(fabric, survival.after(loss)) for fabric, survival in self.analyses]
        left = [_left(fabric.name, found) for fabric, found in after if any(found.gone.values())]
        if left not in self.kinds:
            self.kinds.append(left)
        return self.kinds.index(left)

    def planes(self) -> Iterable[tuple[str, Left]]:
        """What the loss of a plane leaves of each fabric that has several."""
        for fabric, survival in self.analyses:
            left = survival.after_plane()
            if left is not None:
                yield fabric.name, _left(fabric.name, left)


def _left(fabric: str, left: RemainingBisection) -> Left:
    return fabric, percent(float(left.share)), lost_switches(left)


def _by_switch(source: PageSource, found: _Classes) -> list[list[Any]]:
    """By class of devices: what the loss of one leaves of each fabric that it is in the way of, and its words."""
    by_tier: dict[Any, list[tuple[Left, str]]] = {}
    for fabric, survival in found.analyses:
        for tier in survival.chain:
            left = survival.after_switch(tier)
            by_tier.setdefault(tier.key, []).append((_left(fabric.name, left), left.after))
    classes = source.cluster.plan.devices.classes
    return [[*by_tier.get(cls.key, ())] if cls.kind == SWITCH else [] for cls in classes]


def _rack_classes(design: Design, floor: FloorPlan, found: _Classes) -> Mapping[str, int]:
    """The class of every network rack by name; those of one number in the units of one part are alike."""
    known = {loss.name: found.of(loss) for loss in rack_failures(design, floor)}
    for unit, plan in enumerate(floor.plan_of_unit):
        alike = floor.plan_of_unit.index(plan)
        for number, _ in floor.unit_racks(unit):
            known[floor.unit_rack_name(unit, number)] = known[floor.unit_rack_name(alike, number)]
    return known


def _spots(racks: RackTable) -> list[RackPosition]:
    columns = (racks.site.tolist(), racks.row.tolist(), racks.column.tolist(), racks.hall.tolist())
    return [RackPosition(*spot) for spot in zip(*columns, strict=True)]


def _gpus(profile: Any) -> int:
    accelerators = getattr(profile, "accelerators", None)
    return accelerators.count if accelerators else 0
