"""What stands where in the racks of a unit: nodes and switches in its node racks, and its network racks; all units of a
kind are alike.

All node racks have the same rack units for the same slots. Switches that the lock knows stay where they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from fabricgen.blueprint.dimensions import WHOLE, find_dimension
from fabricgen.blueprint.sections.floor import Stand
from fabricgen.catalog.models import RackProfile
from fabricgen.catalog.rack_models import SWITCH_PLACES
from fabricgen.design.fabric_model import TierDesign, TierKey
from fabricgen.design.floor.rack_space import FreeUnits, make_network_units
from fabricgen.design.floor.unit_kind import UnitKind
from fabricgen.design.shape import find_scope
from fabricgen.kernel.diagnostics import InputError, fault
from fabricgen.kernel.intervals import Intervals, list_numbers

STRIDE = 100
"""A position in the racks of a unit as one number: `STRIDE` times the rack (0: every node rack) plus the rack unit."""

UnitSpot = tuple[int, int]
"""(rack of the unit from 0, node racks before network racks; rack unit in it)"""


def find_default_stand(tier: TierDesign, stated: Stand | None) -> Stand:
    """Where the switches of a tier stand: as stated, else by what they serve."""
    scope = find_scope(tier.per)
    return stated or ("network-row" if scope == WHOLE else find_dimension(scope).stand)


@dataclass(frozen=True, slots=True)
class RackFixture:
    """Devices of one kind that stand in every node rack beside the nodes: name, profile, height in rack units, and how
    many.
    """

    name: str
    profile: str
    height: int
    count: int


class UnitTier(NamedTuple):
    """A tier whose switches stand in the racks of units: how many each unit has, and over how many racks they are
    split.
    """

    tier: TierDesign
    stand: Stand
    per_unit: int
    racks: int

    @property
    def height(self) -> int:
        """Rack units of one switch."""
        return self.tier.profile.rack_units

    @property
    def holder(self) -> str:
        """Its key in the lock."""
        return self.tier.key.text

    def list_switch_positions(self, racks: int, units: Sequence[int]) -> tuple[UnitSpot, ...]:
        """(rack, rack unit) of the switches of a unit in its node racks; `units` are the rack units used
        in each rack.
        """
        spots: list[UnitSpot] = []
        used: Counter[int] = Counter()
        for ordinal in range(self.per_unit):
            rack = self.rack_of(ordinal, racks)
            spots.append((rack, units[used[rack]]))
            used[rack] += 1
        return tuple(spots)

    def rack_of(self, ordinal: int, racks: int) -> int:
        """The node rack of a switch, by its number in the unit, where a unit has so many node racks."""
        if find_scope(self.tier.per) == "rack":
            return ordinal // (self.per_unit // racks)
        return ordinal * racks // self.per_unit


class NodeRack(NamedTuple):
    """Rack units in a node rack: of each node slot, of the fixtures by name, and of the switches by tier."""

    nodes: tuple[int, ...]
    beside: Mapping[str, tuple[int, ...]]
    switches: Mapping[TierKey, tuple[int, ...]]


def fill_node_rack(
    kind: UnitKind, beside: Sequence[RackFixture], tiers: Sequence[UnitTier], kept_numbers: Mapping[str, Intervals]
) -> NodeRack:
    """Give rack units to everything in a node rack of a kind of unit. Positions fixed by the rack type or kept in the
    lock come first; then nodes are stacked from the bottom, fixtures above them, and switches from the top down.

    Raises InputError (FG601) for devices that do not fit.
    """
    rack_tiers = [t for t in tiers if t.stand.startswith("rack")]
    counts = {t.tier.key: _count_most_in_a_rack(t, kind.racks) for t in rack_tiers}
    kept_units = {name: [n for n in list_numbers(intervals) if n < STRIDE] for name, intervals in kept_numbers.items()}
    profiles = {b.profile for b in beside}
    included = [us for name, us in kind.node_rack.included_units.items() if name not in profiles]
    free = FreeUnits(kind.node_rack.units, kind.node_rack.reserved_units.union(*kept_units.values(), *included))
    switches: dict[TierKey, tuple[int, ...]] = {}
    fixed = list(kind.node_rack.fixed.get(SWITCH_PLACES, ()))
    for t in (t for t in rack_tiers if t.stand == "rack-bottom"):
        switches[t.tier.key] = _place_switches(free, t, counts[t.tier.key], kept_units.get(t.holder, ()), [])
    nodes = _place_nodes(kind, free, sum(t.height * counts[t.tier.key] for t in rack_tiers if t.stand == "rack-middle"))
    for t in (t for t in rack_tiers if t.stand == "rack-middle"):
        switches[t.tier.key] = _place_switches(free, t, counts[t.tier.key], kept_units.get(t.holder, ()), [])
    units_beside = {b.name: _place_fixtures(free, kind, b) for b in beside}
    for t in (t for t in rack_tiers if t.stand == "rack-top"):
        switches[t.tier.key] = _place_switches(free, t, counts[t.tier.key], kept_units.get(t.holder, ()), fixed)
    return NodeRack(nodes, units_beside, switches)


def _count_most_in_a_rack(t: UnitTier, racks: int) -> int:
    return max(Counter(t.rack_of(i, racks) for i in range(t.per_unit)).values(), default=0)


def _place_nodes(kind: UnitKind, free: FreeUnits, gap: int) -> tuple[int, ...]:
    """The rack unit of every node slot of a rack, with `gap` rack units left free between the lower and
    the upper half.
    """
    height = max(s.profile.rack_units for s in kind.node_sets if not s.per_rack)
    slots, fixed = kind.nodes_per_rack, kind.node_rack.fixed.get("node", ())
    if fixed and slots > len(fixed):
        raise _explain_no_room(kind, f"{slots} nodes", f"it has places for {len(fixed)}")
    units: list[int] = []
    first = 1
    for slot in range(slots):
        # the first slot of the upper half; the lower one has one more of an odd number
        if gap and slot == -(-slots // 2):
            first = units[-1] + height + gap
        u = fixed[slot] if fixed else free.find_lowest(height, first)
        if u is None or not free.is_free(u, height):
            raise _explain_no_room(kind, f"node {slot + 1} of {slots}", f"{height} U in a row are not free")
        units.append(free.take_units(u, height))
        first = u + height
    return tuple(units)


def _place_fixtures(free: FreeUnits, kind: UnitKind, beside: RackFixture) -> tuple[int, ...]:
    fixed = kind.node_rack.fixed.get(beside.profile, ())
    if fixed and beside.count > len(fixed):
        raise _explain_no_room(kind, f"{beside.count} {beside.profile}", f"it has places for {len(fixed)}")
    units = []
    for i in range(beside.count):
        u = fixed[i] if fixed else free.find_lowest(beside.height)
        if u is None or not free.is_free(u, beside.height):
            raise _explain_no_room(kind, f"{beside.profile} {i + 1}", f"{beside.height} U in a row are not free")
        units.append(free.take_units(u, beside.height))
    return tuple(units)


def _place_switches(free: FreeUnits, t: UnitTier, count: int, kept: Sequence[int], fixed: list[int]) -> tuple[int, ...]:
    """Rack units of a tier's switches in a node rack: those in the lock, then fixed ones, then the
    outermost free ones.
    """
    # the lock lists all units that a switch takes: each height-th is its lowest
    units = [u for u in kept[:: t.height] if u + t.height - 1 <= free.units][:count]
    while len(units) < count:
        fits = [u for u in fixed if free.is_free(u, t.height)]
        u = fits[0] if fits else free.find_highest(t.height) if t.stand == "rack-top" else free.find_lowest(t.height)
        if u is None:
            raise fault(
                "FG601",
                f"{t.tier.fabric} {t.tier.name} needs {t.height} adjacent U in node racks, and no such place is free",
                path=t.tier.path,
                hint="let it `stand` elsewhere, lower `nodes_per_rack`, or take a higher rack",
            )
        units.append(free.take_units(u, t.height))
    return tuple(units)


def _explain_no_room(kind: UnitKind, devices: str, why: str) -> InputError:
    return fault(
        "FG601",
        f"{devices} do not fit in {kind.node_rack.id}: {why}",
        path=kind.racks_path,
        hint="lower `nodes_per_rack`, let switches `stand` elsewhere, or take another rack",
    )


# Where racks of units stand in the rows of nodes, by the unit's number in its hall; for single racks and arrays.


class UnitRows(NamedTuple):
    """How units are laid out in rows: one after the other, or `per_row` whole units in each row (if above 0).

    `columns` is an int array: the column of each rack, counted from the start of the row for the racks of the first
    unit of a row, then of the next unit. Where rows do not hold units together it counts from the start of the unit.
    """

    racks: int
    racks_per_row: int
    per_row: int
    columns: Any

    def locate_rack(self, position: Any, rack: Any) -> tuple[Any, Any]:
        """(row of nodes, column) of a rack, all from 0; `position` is the number of its unit in the hall, `rack` its
        number in the unit. Takes ints or int arrays.
        """
        # units run on from row to row
        if not self.per_row:
            place = position * self.racks + self.columns[rack]
            return place // self.racks_per_row, place % self.racks_per_row
        return position // self.per_row, self.columns[position % self.per_row * self.racks + rack]

    def count_rows(self, units: int) -> int:
        """How many rows so many units take."""
        if self.per_row:
            return -(-units // self.per_row)
        return -(-units * self.racks // self.racks_per_row)

    def count_units(self, rows: int) -> int:
        """How many whole units fit in so many rows."""
        return rows * self.per_row if self.per_row else rows * self.racks_per_row // self.racks


def lay_out_unit_rows(
    node_racks: int, stands: Sequence[Stand], racks_per_row: int, *, whole: bool, halved: bool
) -> UnitRows:
    """Lay out units of `node_racks` node racks and one network rack for each of `stands`, which are numbered after
    them. With `whole` no unit is cut that a row could hold. Racks in the middle of a row stand between its two halves,
    or, not `halved`, between units, behind the one in the middle.
    """
    racks = node_racks + len(stands)
    own_order = _order_own_racks(node_racks, stands)
    shared = [i for i, stand in enumerate(stands) if stand.startswith("row")]
    if not shared and not (whole and racks <= racks_per_row):
        return UnitRows(racks, racks_per_row, 0, _list_positions(own_order, racks))
    per_row = max(1, racks_per_row // racks)
    if not shared:
        racks_of_row = [unit * racks + rack for unit in range(per_row) for rack in own_order]
        return UnitRows(racks, racks_per_row, per_row, _list_positions(racks_of_row, per_row * racks))
    order: list[int] = []
    for stand in ("row-middle", "row-end"):
        racks_of_stand = [node_racks + i for i in shared if stands[i] == stand]
        racks_of_all = [unit * racks + rack for unit in range(per_row) for rack in racks_of_stand]
        if stand == "row-middle":
            racks_of_units = [unit * racks + rack for unit in range(per_row) for rack in own_order]
            half = len(racks_of_units) // 2 if halved else -(-per_row // 2) * len(own_order)
            order = [*racks_of_units[:half], *racks_of_all, *racks_of_units[half:]]
        else:
            order += racks_of_all
    return UnitRows(racks, racks_per_row, per_row, _list_positions(order, per_row * racks))


def _order_own_racks(node_racks: int, stands: Sequence[Stand]) -> list[int]:
    """Numbers of a unit's racks in the order they stand: its network racks in the middle or at the end."""
    middle = [node_racks + i for i, stand in enumerate(stands) if stand == "unit-middle"]
    end = [node_racks + i for i, stand in enumerate(stands) if stand == "unit-end"]
    half = -(-node_racks // 2) if middle else node_racks
    return [*range(half), *middle, *range(half, node_racks), *end]


def _list_positions(order: Sequence[int], count: int) -> list[int]:
    """The position of each rack in an order."""
    positions = [0] * count
    for position, rack in enumerate(order):
        positions[rack] = position
    return positions


# The network racks of a unit and the switches in them; all units are alike.

NETWORK_STANDS: tuple[Stand, ...] = ("unit-end", "unit-middle", "row-middle", "row-end")
"""Where network racks of a unit can stand, in the order in which the racks are numbered."""


class Stack(NamedTuple):
    """Devices stacked in network racks: rack number and lowest rack unit of each, in order."""

    rack: list[int]
    u: list[int]

    @property
    def racks(self) -> int:
        """How many racks are needed."""
        return max(self.rack, default=-1) + 1


def stack_devices(heights: Iterable[int], kind: RackProfile, *, hung: bool) -> Stack:
    """Stack devices of some heights in racks of a kind one after the other: from the bottom up, or, `hung`, from the
    top down.
    """
    free, racks, bottoms = make_network_units(kind), list[int](), list[int]()
    rack = end = 0
    for height in heights:
        u = free.find_next(end, height, hung=hung)
        # an empty rack that has no place is not followed by another, which would have none either
        if u is None and end:
            rack, u = rack + 1, free.find_next(0, height, hung=hung)
        u = u or 1
        racks.append(rack)
        bottoms.append(u)
        end = u if hung else u + height - 1
    return Stack(racks, bottoms)


def find_part(count: int, number: Any, group: Any, parts: int) -> Any:
    """In which of `parts` runs of racks a switch (or each of an array) stands, of groups of `count` switches.

    The switches of a group are split round-robin, alike in all groups, since a tier above may join switches of one
    number; where groups have fewer switches than there are parts, whole groups are.
    """
    return (number if count >= parts else number + group) % parts


class UnitStack(NamedTuple):
    """The switches in a unit's network racks: (rack, rack unit) of each by tier, and where each of the racks stands."""

    spots: Mapping[TierKey, tuple[UnitSpot, ...]]
    stands: tuple[Stand, ...]

    @property
    def racks(self) -> int:
        """How many network racks a unit has."""
        return len(self.stands)


def stack_unit_switches(
    tiers: Sequence[UnitTier], kind: RackProfile, kept_numbers: Mapping[str, Intervals], *, hung: bool
) -> UnitStack:
    """Place switches in the network racks of a unit: those in the lock where they were, others one after the other,
    from the bottom up or, `hung`, from the top down.

    `kept_numbers` are positions by lock key, as one number: `STRIDE` times the rack (from 1) plus the lowest rack unit.
    """
    kept_places = {
        name: [divmod(n, STRIDE) for n in list_numbers(intervals) if n >= STRIDE]
        for name, intervals in kept_numbers.items()
    }
    return (
        _place_beside_kept(tiers, kind, kept_places, hung=hung)
        if any(kept_places.values())
        else _place_anew(tiers, kind, hung=hung)
    )


def _place_anew(tiers: Sequence[UnitTier], kind: RackProfile, *, hung: bool) -> UnitStack:
    """Placement without a lock: racks for each stand, filled with each part of tiers that are split over
    several racks.
    """
    spots: dict[TierKey, dict[int, UnitSpot]] = {}
    stands: list[Stand] = []
    for stand in NETWORK_STANDS:
        switches_of_stand = [
            (t, i, _find_switch_part(t, i)) for t in tiers if t.stand == stand for i in range(t.per_unit)
        ]
        for part in sorted({part for _, _, part in switches_of_stand}):
            switches_of_part = [(t, i) for t, i, switch_part in switches_of_stand if switch_part == part]
            filled = stack_devices((t.height for t, _ in switches_of_part), kind, hung=hung)
            for (t, i), rack, u in zip(switches_of_part, filled.rack, filled.u, strict=True):
                spots.setdefault(t.tier.key, {})[i] = (len(stands) + rack, u)
            stands += [stand] * filled.racks
    return UnitStack({key: _sort_places(places) for key, places in spots.items()}, tuple(stands))


def _sort_places(places: Mapping[int, UnitSpot]) -> tuple[UnitSpot, ...]:
    return tuple(places[i] for i in sorted(places))


def _find_switch_part(t: UnitTier, ordinal: int) -> int:
    part: int = find_part(t.tier.count, ordinal % t.tier.count, ordinal // t.tier.count, t.racks)
    return part


@dataclass()
class _Filling:
    """Network racks while they are filled: free rack units of each, its stand, and which parts of tiers it holds."""

    kind: RackProfile
    hung: bool
    racks: list[FreeUnits] = field(default_factory=list)
    stands: list[Stand | None] = field(default_factory=list)
    parts: list[dict[TierKey, set[int]]] = field(default_factory=list)

    def open_racks(self, rack: int) -> None:
        """Add empty racks up to this number."""
        while len(self.racks) <= rack:
            self.racks.append(make_network_units(self.kind))
            self.stands.append(None)
            self.parts.append({})

    def use_position(self, t: UnitTier, part: int, rack: int, u: int) -> UnitSpot:
        """Use a position in a rack."""
        self.open_racks(rack)
        self.racks[rack].take_units(u, t.height)
        self.stands[rack] = self.stands[rack] or t.stand
        self.parts[rack].setdefault(t.tier.key, set()).add(part)
        return rack, u

    def place_switch(self, t: UnitTier, part: int) -> UnitSpot:
        """Use the next free position for a switch, in a rack that holds no other part of its tier; else
        in a new rack.
        """
        for rack, elevation in enumerate(self.racks):
            if self.stands[rack] == t.stand and self.parts[rack].get(t.tier.key, {part}) == {part}:
                u = elevation.find_highest(t.height) if self.hung else elevation.find_lowest(t.height)
                if u is not None:
                    return self.use_position(t, part, rack, u)
        return self.use_position(t, part, len(self.racks), stack_devices([t.height], self.kind, hung=self.hung).u[0])


def _place_beside_kept(
    tiers: Sequence[UnitTier], kind: RackProfile, kept_places: Mapping[str, Sequence[tuple[int, int]]], *, hung: bool
) -> UnitStack:
    """Placement with a lock: what was there stays, positions of removed devices stay reserved, new ones fill free
    space.
    """
    filling = _Filling(kind, hung)
    spots: dict[TierKey, dict[int, UnitSpot]] = {}
    names = {t.holder for t in tiers}
    network_tiers = [t for t in tiers if t.stand in NETWORK_STANDS]
    for t in network_tiers:
        for i, (rack, u) in enumerate(_list_bottoms(kept_places.get(t.holder, ()), t.height)[: t.per_unit]):
            spots.setdefault(t.tier.key, {})[i] = filling.use_position(t, _find_switch_part(t, i), rack - 1, u)
    for name, places in kept_places.items():
        # devices that are gone keep their rack units, which are listed one by one
        for rack, u in places if name not in names else ():
            filling.open_racks(rack - 1)
            filling.racks[rack - 1].take_units(u, 1)
    for t in network_tiers:
        places_of_tier = spots.setdefault(t.tier.key, {})
        for i in range(len(places_of_tier), t.per_unit):
            places_of_tier[i] = filling.place_switch(t, _find_switch_part(t, i))
    stands = tuple(stand or NETWORK_STANDS[0] for stand in filling.stands)
    return UnitStack({key: _sort_places(places) for key, places in spots.items()}, stands)


def _list_bottoms(places: Sequence[tuple[int, int]], height: int) -> Sequence[tuple[int, int]]:
    """The lowest rack unit of each device, from all rack units that they use."""
    return places[::height]
