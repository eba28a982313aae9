"""Sum the power, heat or weight of the devices in racks; for racks of nodes from the design alone."""

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
"""Returns a figure of one device, such as its power in kW; None if it is unknown."""


ROUNDING = 1e-6
"""Tolerance for sums of decimal figures, in kW and kg."""


class RackLoad(NamedTuple):
    """The sum of a figure, such as power, over the devices of a rack.

    `devices` are (model, how many), and `unknown` the models whose figure is unknown, which the sum leaves out.
    """

    total: float
    devices: tuple[tuple[str, int], ...]
    unknown: tuple[str, ...]

    def exceeds(self, budget: float, figure: Figure) -> bool:
        """Whether the sum is above a budget by more than the figures are rounded: half a watt for each device."""
        devices = 0 if figure is weight_kg else sum(count for _, count in self.devices)
        return self.total > budget + devices * HALF_A_WATT + ROUNDING

    @property
    def text(self) -> str:
        """The devices as text: `4 x A + 2 x B; no figure for B`."""
        held = " + ".join(f"{count} x {model}" for model, count in self.devices)
        return f"{held}; no figure for {', '.join(self.unknown)}" if self.unknown else held


def power_kw(profile: Device) -> float | None:
    """Return the planned power of a device in kW, without optics; None if it is unknown, 0 for external devices."""
    return _convert_to_kw(planned_w(profile))


def liquid_kw(profile: Device) -> float | None:
    """Return the heat of a device that goes to coolant, in kW; None if its share is unknown, 0 if its power is."""
    return _convert_to_kw(liquid_w(profile))


def air_kw(profile: Device) -> float | None:
    """Return the heat of a device that goes to air, in kW; None if that of coolant is unknown, 0 if its power is."""
    return _convert_to_kw(air_w(profile))


def _convert_to_kw(watts: float | None) -> float | None:
    return None if watts is None else watts / 1000


def weight_kg(profile: Device) -> float | None:
    """Return the weight of a device in kg; None if none is published."""
    return profile.weight_kg


def find_fullest_node_rack(design: Design, kind: UnitKind, figure: Figure) -> RackLoad:
    """Return the load of the node rack with the largest sum of a figure, among the racks of a kind of unit.

    A node is counted unless all units omit it. A rack that is sold complete has the weight that is published for it.
    """
    if figure is weight_kg and kind.node_rack.complete_kg:
        return RackLoad(kind.node_rack.complete_kg, ((f"{kind.node_rack.id}, complete", 1),), ())
    loads: list[RackLoad] = []
    for part in design.layout.parts:
        if part.kind.name == kind.name:
            other_devices = list(list_devices_beside_nodes(part, design.catalog, design.fabrics, design.scale_up))
            layout = design.layout.of_part(part.name)
            racks = (nodes for rack in range(kind.racks) for nodes in _list_node_counts(layout, rack))
            loads += [sum_rack_load([*nodes, *other_devices], figure) for nodes in racks]
    return max(loads, key=lambda load: (load.total, load.devices))


def find_rack_over_budget(design: Design, kind: UnitKind, figure: Figure, budget: float | None) -> RackLoad | None:
    """Return the load of the fullest node rack of a kind of unit if it exceeds the budget; None if it does not, or if
    no budget is stated.
    """
    if budget is None:
        return None
    load = find_fullest_node_rack(design, kind, figure)
    return load if load.exceeds(budget, figure) else None


def find_budget_path(kind: UnitKind, key: str) -> Path:
    """Return the path of a budget for the node racks of a kind of unit: its key, or `type` if the rack type sets it."""
    return (*kind.racks_path, key if getattr(kind.stated, key) is not None else "type")


def sum_rack_load(devices: Iterable[tuple[Device, int]], figure: Figure) -> RackLoad:
    """Return the load of a rack that holds some (device, how many)."""
    present = [(profile, count) for profile, count in devices if count]
    total = sum(count * (figure(profile) or 0) for profile, count in present)
    unknown = sorted({profile.id for profile, _ in present if figure(profile) is None})
    return RackLoad(total, tuple((profile.id, count) for profile, count in present), tuple(unknown))


def _list_node_counts(layout: Layout, rack: int) -> Iterator[list[tuple[Device, int]]]:
    """Yield [(node profile, how many)] of a rack by its number in a unit: once for each unit that omits nodes in it,
    and once for the units that omit none.
    """
    # the set of each node of a unit; nodes of a slot count from 1, this list from 0
    set_of_member = [node_set.name for node_set in layout.node_sets for _ in range(node_set.count)]
    members = zip(set_of_member, layout.kind.racks_of_members, strict=True)
    full = Counter(name for name, rack_of_member in members if rack_of_member == rack)
    omitted: dict[int, Counter[str]] = defaultdict(Counter)
    for slot in layout.omitted:
        if layout.kind.racks_of_members[slot.node - 1] == rack:
            omitted[layout.unit_index(slot)][set_of_member[slot.node - 1]] += 1
    # the difference of Counters drops what is 0, and a Counter is 0 for what it lacks
    remaining = [full - missing for missing in omitted.values()]
    for present in (*remaining, *([full] if len(remaining) < layout.units else [])):
        yield [(node_set.profile, present[node_set.name]) for node_set in layout.node_sets]
