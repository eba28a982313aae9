"""What the loss of a switch, plane, rack, row or power feed leaves of each fabric, as the design has computed it.

Racks, rows and feeds whose loss leaves the same are of one class. Which devices a place takes with it follows from
their racks; which nodes are cut off, the page counts on links.
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
from fabricgen.export.view.source import PageSource, count_accelerators, pack_column, pack_numbers
from fabricgen.wiring.tables import SWITCH

RemainingShare = tuple[str, str, str]
"""What is left of a fabric: its name, the share in percent, and the switches that are lost, in words."""


def block(source: PageSource) -> dict[str, Any]:
    """Return what the loss of each switch, plane, rack, row and feed leaves.

    `classes` has what each class of losses leaves; racks, rows and feeds have the number of their class, or -1 if their
    loss is not analysed.
    """
    design, plan = source.cluster.design, source.cluster.plan
    floor, loss_classes = FloorPlan(design), _LossClasses(design)
    rack_class = _find_rack_classes(design, floor, loss_classes)
    rows = {loss.name: loss_classes.classify(loss) for loss in list_row_failures(design, floor)}
    feeds = {loss.name: loss_classes.classify(loss) for loss in list_feed_failures(design, floor)}
    position_columns = (plan.racks.site, plan.racks.row, plan.racks.column, plan.racks.hall)
    positions = [RackPosition(*row) for row in zip(*(column.tolist() for column in position_columns), strict=True)]
    row_names = [name_row(design, floor, position) for position in positions]
    return {
        "switch": _list_switch_losses(source, loss_classes),
        "plane": dict(loss_classes.list_plane_losses()),
        "rack": {"numbers": pack_numbers([rack_class.get(name, -1) for name in plan.racks.names])},
        "racks": pack_column(plan.racks.names),
        "row": {name: rows.get(name, -1) for name in dict.fromkeys(row_names)},
        "row_of": pack_column(row_names),
        "feed": {f"feed {name}": feeds.get(f"feed {name}", -1) for name in design.loaded.blueprint.floor.feeds},
        "feed_of": pack_column([", ".join(floor.feeds_of(position)) for position in positions]),
        "phase": source.cluster.phase.name if source.cluster.phase else "",
        "classes": loss_classes.kinds,
        "management": [fabric.name for fabric in design.fabrics if is_for_management(fabric)],
        "gpus": [count_accelerators(cls) for cls in plan.devices.classes],
    }


@dataclass
class _LossClasses:
    """Classes of losses: the losses of a class leave the same of every fabric.

    `kinds` has what each class leaves; the number of a class is its index.
    """

    design: Design
    kinds: list[list[RemainingShare]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.analyses = list(list_failure_analyses(self.design))

    def classify(self, loss: FailureDomain) -> int:
        """Return the number of the class of a loss: that of an earlier loss which leaves the same, else a new one.

        What a class leaves names only fabrics that lose a switch.
        """
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
        """Yield, for each fabric with several planes, its name and what the loss of a plane leaves of it."""
        for fabric, survival in self.analyses:
            remaining = survival.analyze_plane_loss()
            if remaining is not None:
                yield fabric.name, _describe_remaining(fabric.name, remaining)


def _describe_remaining(fabric: str, remaining: RemainingBisection) -> RemainingShare:
    """Return the name of a fabric, what remains of its bisection in percent, and the lost switches in words."""
    return fabric, format_percent(float(remaining.share)), describe_lost_switches(remaining)


def _list_switch_losses(source: PageSource, loss_classes: _LossClasses) -> list[list[Any]]:
    """Return, by device class, what the loss of one switch leaves of each fabric that it carries, with the words for
    it.

    A class of devices that are not switches has an empty list.
    """
    by_tier: dict[Any, list[tuple[RemainingShare, str]]] = {}
    for fabric, survival in loss_classes.analyses:
        for tier in survival.chain:
            remaining = survival.analyze_switch_loss(tier)
            by_tier.setdefault(tier.key, []).append((_describe_remaining(fabric.name, remaining), remaining.after))
    return [[*by_tier.get(cls.key, ())] if cls.kind == SWITCH else [] for cls in source.cluster.plan.devices.classes]


def _find_rack_classes(design: Design, floor: FloorPlan, loss_classes: _LossClasses) -> Mapping[str, int]:
    """Return the class of the loss of each network rack, by the rack's name.

    Of units that are planned alike only the first is analysed: racks with the same number in the other units are of the
    same class.
    """
    class_by_rack = {loss.name: loss_classes.classify(loss) for loss in list_rack_failures(design, floor)}
    for unit, plan in enumerate(floor.plan_of_unit):
        same_unit = floor.plan_of_unit.index(plan)
        for number, _ in floor.list_unit_racks_at_risk(unit):
            class_by_rack[floor.name_unit_rack(unit, number)] = class_by_rack[floor.name_unit_rack(same_unit, number)]
    return class_by_rack
