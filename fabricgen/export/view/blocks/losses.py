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
    describe_lost_switches,
    format_percent,
    is_for_management,
    list_failure_analyses,
)
from fabricgen.design.capacity.failure_domains import (
    FailureDomain,
    list_feed_failures,
    list_rack_failures,
    list_row_failures,
    name_row,
)
from fabricgen.design.floor.floor_plan import FloorPlan, RackPosition
from fabricgen.design.model import Design
from fabricgen.export.view.source import PageSource, pack_column, pack_numbers
from fabricgen.wiring.tables import SWITCH, RackTable

RemainingShare = tuple[str, str, str]
"""What is left of a fabric: its name, the share, and the switches that are lost, in words."""


def block(source: PageSource) -> dict[str, Any]:
    """What every loss leaves, by classes, and what each rack belongs to."""
    design, plan = source.cluster.design, source.cluster.plan
    floor, loss_classes = FloorPlan(design), _LossClasses(design)
    rack_class = _find_rack_classes(design, floor, loss_classes)
    rows = {loss.name: loss_classes.classify(loss) for loss in list_row_failures(design, floor)}
    feeds = {loss.name: loss_classes.classify(loss) for loss in list_feed_failures(design, floor)}
    positions = _list_positions(plan.racks)
    row_names = [name_row(design, floor, position) for position in positions]
    settings = design.loaded.blueprint.floor
    return {
        "switch": _list_switch_losses(source, loss_classes),
        "plane": dict(loss_classes.list_plane_losses()),
        "rack": {"numbers": pack_numbers([rack_class.get(name, -1) for name in plan.racks.names])},
        "racks": pack_column(plan.racks.names),
        "row": {name: rows.get(name, -1) for name in dict.fromkeys(row_names)},
        "row_of": pack_column(row_names),
        "feed": {f"feed {name}": feeds.get(f"feed {name}", -1) for name in settings.feeds},
        "feed_of": pack_column([", ".join(floor.feeds_of(position)) for position in positions]),
        "phase": source.cluster.phase.name if source.cluster.phase else "",
        "classes": loss_classes.kinds,
        "management": [fabric.name for fabric in design.fabrics if is_for_management(fabric)],
        "gpus": [_count_gpus(cls.profile) for cls in plan.devices.classes],
    }


@dataclass
class _LossClasses:
    """Losses that leave the same, each kind once."""

    design: Design
    kinds: list[list[RemainingShare]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.analyses = [(fabric, survival) for fabric, survival in list_failure_analyses(self.design)]

    def classify(self, loss: FailureDomain) -> int:
        """The number of the class of a loss; fabrics that lose no switch are not in it."""
        remaining_by_fabric = [(fabric, survival.compute_remaining(loss)) for fabric, survival in self.analyses]
        remaining = [
            _describe_remaining(fabric.name, bisection)
            for fabric, bisection in remaining_by_fabric
            if any(bisection.gone.values())
        ]
        if remaining not in self.kinds:
            self.kinds.append(remaining)
        return self.kinds.index(remaining)

    def list_plane_losses(self) -> Iterable[tuple[str, RemainingShare]]:
        """What the loss of a plane leaves of each fabric that has several."""
        for fabric, survival in self.analyses:
            remaining = survival.analyze_plane_loss()
            if remaining is not None:
                yield fabric.name, _describe_remaining(fabric.name, remaining)


def _describe_remaining(fabric: str, remaining: RemainingBisection) -> RemainingShare:
    return fabric, format_percent(float(remaining.share)), describe_lost_switches(remaining)


def _list_switch_losses(source: PageSource, loss_classes: _LossClasses) -> list[list[Any]]:
    """By class of devices: what the loss of one leaves of each fabric that it is in the way of, and its words."""
    by_tier: dict[Any, list[tuple[RemainingShare, str]]] = {}
    for fabric, survival in loss_classes.analyses:
        for tier in survival.chain:
            remaining = survival.analyze_switch_loss(tier)
            by_tier.setdefault(tier.key, []).append((_describe_remaining(fabric.name, remaining), remaining.after))
    classes = source.cluster.plan.devices.classes
    return [[*by_tier.get(cls.key, ())] if cls.kind == SWITCH else [] for cls in classes]


def _find_rack_classes(design: Design, floor: FloorPlan, loss_classes: _LossClasses) -> Mapping[str, int]:
    """The class of every network rack by name; those of one number in the units of one part are alike."""
    class_by_rack = {loss.name: loss_classes.classify(loss) for loss in list_rack_failures(design, floor)}
    for unit, plan in enumerate(floor.plan_of_unit):
        same_unit = floor.plan_of_unit.index(plan)
        for number, _ in floor.list_unit_racks_at_risk(unit):
            class_by_rack[floor.name_unit_rack(unit, number)] = class_by_rack[floor.name_unit_rack(same_unit, number)]
    return class_by_rack


def _list_positions(racks: RackTable) -> list[RackPosition]:
    columns = (racks.site.tolist(), racks.row.tolist(), racks.column.tolist(), racks.hall.tolist())
    return [RackPosition(*position) for position in zip(*columns, strict=True)]


def _count_gpus(profile: Any) -> int:
    accelerators = getattr(profile, "accelerators", None)
    return accelerators.count if accelerators else 0
