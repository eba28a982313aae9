"""Power, heat and weight of node racks from the design: the fullest rack, without expanding the cluster."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeAlias

from fabricgen.catalog.loads import HALF_A_WATT, Device, air_w, liquid_w, planned_w
from fabricgen.design.floor.unit_kind import UnitKind
from fabricgen.design.floor.unit_plan import list_devices_beside_nodes
from fabricgen.design.layout import Layout
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Path

Figure: TypeAlias = Callable[[Device], float | None]
"""A figure of one device, such as its power in kW; None for unknown."""


ROUNDING = 1e-6
"""Tolerance for sums of decimal figures, kW and kg."""


class RackLoad(NamedTuple):
    """The fullest rack: (model, how many), the sum of a figure, and the models without a figure."""

    total: float
    devices: tuple[tuple[str, int], ...]
    unknown: tuple[str, ...]

    def exceeds(self, budget: float, figure: Figure) -> bool:
        """Whether the sum is above a budget by more than its figures are rounded by, of 18 x 7,889 W up to 9 W."""
        devices = 0 if figure is weight_kg else sum(count for _, count in self.devices)
        return self.total > budget + devices * HALF_A_WATT + ROUNDING

    @property
    def text(self) -> str:
        """The devices as text, with those that have no figure."""
        held = " + ".join(f"{count} x {model}" for model, count in self.devices)
        return f"{held}; no figure for {', '.join(self.unknown)}" if self.unknown else held


def power_kw(profile: Device) -> float | None:
    """Planned power of a device, kW, without optics; 0 for external devices."""
    watts = planned_w(profile)
    return None if watts is None else watts / 1000


def liquid_kw(profile: Device) -> float | None:
    """Heat of a device that goes to coolant, kW."""
    watts = liquid_w(profile)
    return None if watts is None else watts / 1000


def air_kw(profile: Device) -> float | None:
    """Heat of a device that goes to air, kW."""
    watts = air_w(profile)
    return None if watts is None else watts / 1000


def weight_kg(profile: Device) -> float | None:
    """Weight of a device, kg; None where none is published. A `Figure`, as the sums of a rack take it."""
    return profile.weight_kg


def find_fullest_node_rack(design: Design, kind: UnitKind, figure: Figure) -> RackLoad:
    """The node rack of a kind of unit with the largest sum of a figure; an omitted node is counted unless all units
    omit it. A rack that is sold complete has the weight that is published of it.
    """
    if figure is weight_kg and kind.node_rack.complete_kg:
        return RackLoad(kind.node_rack.complete_kg, ((f"{kind.node_rack.id}, complete", 1),), ())
    loads: list[RackLoad] = []
    for part in design.layout.parts:
        if part.kind.name == kind.name:
            beside = list(list_devices_beside_nodes(part, design.catalog, design.fabrics, design.scale_up))
            layout = design.layout.of_part(part.name)
            racks = (nodes for rack in range(kind.racks) for nodes in _list_node_counts(layout, rack))
            loads += [sum_rack_load([*nodes, *beside], figure) for nodes in racks]
    return max(loads, key=lambda load: (load.total, load.devices))


def find_rack_over_budget(design: Design, kind: UnitKind, figure: Figure, budget: float | None) -> RackLoad | None:
    """The fullest node rack of a kind of unit, if its sum exceeds the budget; None if it does not or no budget is
    stated.
    """
    load = find_fullest_node_rack(design, kind, figure) if budget is not None else None
    return load if budget is not None and load and load.exceeds(budget, figure) else None


def find_budget_path(kind: UnitKind, key: str) -> Path:
    """The path of a budget for the node racks of a kind of unit: its own key, or the rack type's."""
    return (*kind.racks_path, key if getattr(kind.stated, key) is not None else "type")


def sum_rack_load(devices: Iterable[tuple[Device, int]], figure: Figure) -> RackLoad:
    """The sum of a figure over (device, how many) in a rack."""
    present = [(profile, count) for profile, count in devices if count]
    total = sum(count * (figure(profile) or 0) for profile, count in present)
    unknown = sorted({profile.id for profile, _ in present if figure(profile) is None})
    return RackLoad(total, tuple((profile.id, count) for profile, count in present), tuple(unknown))


def _list_node_counts(layout: Layout, rack: int) -> Iterator[list[tuple[Device, int]]]:
    """(node profile, how many) in a rack of a unit, one list for each distinct set of omitted nodes."""
    sets = [s for s in layout.node_sets for _ in range(s.count)]
    full = Counter(
        sets[member].name for member, rack_of_node in enumerate(layout.kind.racks_of_members) if rack_of_node == rack
    )
    omitted: dict[int, Counter[str]] = defaultdict(Counter)
    for slot in layout.omitted:
        if layout.kind.racks_of_members[slot.node - 1] == rack:
            omitted[layout.unit_index(slot)][sets[slot.node - 1].name] += 1
    # Counters: what is 0 drops out, and present[...] below is 0 for it
    remaining = [full - missing for missing in omitted.values()]
    # a full rack counts only where some unit lacks no node in it
    for present in (*remaining, *([full] if len(remaining) < layout.units else [])):
        yield [(s.profile, present[s.name]) for s in layout.node_sets]
