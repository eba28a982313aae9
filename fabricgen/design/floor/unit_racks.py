"""What stands where in the racks of a unit: nodes and switches in its node racks, and its network racks; all units of a
kind are alike.

All node racks have the same rack units for the same slots. Switches that the lock knows stay where they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fabricgen.blueprint.dimensions import WHOLE, find_dimension
from fabricgen.blueprint.sections.floor import Stand
from fabricgen.catalog.models import RackProfile
from fabricgen.catalog.rack_models import SWITCH_PLACES
from fabricgen.design.fabric_model import TierDesign, TierKey
from fabricgen.design.floor.rack_space import FreeUnits, network_units
from fabricgen.design.floor.unit_kind import UnitKind
from fabricgen.design.shape import scope_of
from fabricgen.kernel.diagnostics import InputError, fault
from fabricgen.kernel.intervals import Intervals, list_numbers

STRIDE = 100
"""A position in the racks of a unit as one number: `STRIDE` times the rack (0: every node rack) plus the rack unit."""

UnitSpot = tuple[int, int]
"""(rack of the unit from 0, node racks before network racks; rack unit in it)"""


def stand_of(tier: TierDesign, stated: Stand | None) -> Stand:
    """Where the switches of a tier stand: as stated, else by what they serve."""
    scope = scope_of(tier.per)
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


@dataclass(frozen=True, slots=True)
class UnitTier:
    """A tier whose switches stand in the racks of units: how many each unit has, and over how many racks they are
    split.
    """

    tier: TierDesign
    stand: Stand
    each: int
    racks: int

    @property
    def height(self) -> int:
        """Rack units of one switch."""
        return self.tier.profile.rack_units

    @property
    def holder(self) -> str:
        """Its key in the lock."""
        return self.tier.key.text

    def spots(self, racks: int, units: Sequence[int]) -> tuple[UnitSpot, ...]:
        """(rack, rack unit) of the switches of a unit in its node racks; `units` are the rack units used
        in each rack.
        """
        found: list[UnitSpot] = []
        before: Counter[int] = Counter()
        for ordinal in range(self.each):
            rack = self.rack_of(ordinal, racks)
            found.append((rack, units[before[rack]]))
            before[rack] += 1
        return tuple(found)

    def rack_of(self, ordinal: int, racks: int) -> int:
        """The node rack of a switch, by its number in the unit, where a unit has so many node racks."""
        if scope_of(self.tier.per) == "rack":
            return ordinal // (self.each // racks)
        return ordinal * racks // self.each


@dataclass(frozen=True, slots=True)
class NodeRack:
    """Rack units in a node rack: of each node slot, of the fixtures by name, and of the switches by tier."""

    nodes: tuple[int, ...]
    beside: Mapping[str, tuple[int, ...]]
    switches: Mapping[TierKey, tuple[int, ...]]


def node_rack_of(
    kind: UnitKind, beside: Sequence[RackFixture], tiers: Sequence[UnitTier], held: Mapping[str, Intervals]
) -> NodeRack:
    """Give rack units to everything in a node rack of a kind of unit. Positions fixed by the rack type or kept in the
    lock come first; then nodes are stacked from the bottom, fixtures above them, and switches from the top down.

    Raises InputError (FG601) for devices that do not fit.
    """
    inside = [t for t in tiers if t.stand.startswith("rack")]
    counts = {t.tier.key: _most_in_a_rack(t, kind.racks) for t in inside}
    kept = {name: [n for n in list_numbers(intervals) if n < STRIDE] for name, intervals in held.items()}
    named = {b.profile for b in beside}
    sold = [us for name, us in kind.node_rack.included_units.items() if name not in named]
    free = FreeUnits(kind.node_rack.units, kind.node_rack.reserved_units.union(*kept.values(), *sold))
    switches: dict[TierKey, tuple[int, ...]] = {}
    fixed = list(kind.node_rack.fixed.get(SWITCH_PLACES, ()))
    for t in (t for t in inside if t.stand == "rack-bottom"):
        switches[t.tier.key] = _stacked(free, t, counts[t.tier.key], kept.get(t.holder, ()), [])
    nodes = _node_units(kind, free, sum(t.height * counts[t.tier.key] for t in inside if t.stand == "rack-middle"))
    for t in (t for t in inside if t.stand == "rack-middle"):
        switches[t.tier.key] = _stacked(free, t, counts[t.tier.key], kept.get(t.holder, ()), [])
    others = {b.name: _beside_units(free, kind, b) for b in beside}
    for t in (t for t in inside if t.stand == "rack-top"):
        switches[t.tier.key] = _stacked(free, t, counts[t.tier.key], kept.get(t.holder, ()), fixed)
    return NodeRack(nodes, others, switches)


def _most_in_a_rack(t: UnitTier, racks: int) -> int:
    return max(Counter(t.rack_of(i, racks) for i in range(t.each)).values(), default=0)


def _node_units(kind: UnitKind, free: FreeUnits, gap: int) -> tuple[int, ...]:
    """The rack unit of every node slot of a rack, with `gap` rack units left free between the lower and
    the upper half.
    """
    height = max(s.profile.rack_units for s in kind.node_sets if not s.per_rack)
    slots, fixed = kind.nodes_per_rack, kind.node_rack.fixed.get("node", ())
    if fixed and slots > len(fixed):
        raise _no_room(kind, f"{slots} nodes", f"it has places for {len(fixed)}")
    found: list[int] = []
    first = 1
    for slot in range(slots):
        if gap and slot == -(-slots // 2):
            first = found[-1] + height + gap
        u = fixed[slot] if fixed else free.lowest(height, first)
        if u is None or not free.is_free(u, height):
            raise _no_room(kind, f"node {slot + 1} of {slots}", f"{height} U in a row are not free")
        found.append(free.take(u, height))
        first = u + height
    return tuple(found)


def _beside_units(free: FreeUnits, kind: UnitKind, beside: RackFixture) -> tuple[int, ...]:
    fixed = kind.node_rack.fixed.get(beside.profile, ())
    if fixed and beside.count > len(fixed):
        raise _no_room(kind, f"{beside.count} {beside.profile}", f"it has places for {len(fixed)}")
    found = []
    for i in range(beside.count):
        u = fixed[i] if fixed else free.lowest(beside.height)
        if u is None or not free.is_free(u, beside.height):
            raise _no_room(kind, f"{beside.profile} {i + 1}", f"{beside.height} U in a row are not free")
        found.append(free.take(u, beside.height))
    return tuple(found)


def _stacked(free: FreeUnits, t: UnitTier, count: int, kept: Sequence[int], fixed: list[int]) -> tuple[int, ...]:
    """Rack units of a tier's switches in a node rack: those in the lock, then fixed ones, then the
    outermost free ones.
    """
    found = [u for u in kept[:: t.height] if u + t.height - 1 <= free.units][:count]
    while len(found) < count:
        fits = [u for u in fixed if free.is_free(u, t.height)]
        u = fits[0] if fits else free.highest(t.height) if t.stand == "rack-top" else free.lowest(t.height)
        if u is None:
            raise fault(
                "FG601",
                f"{t.tier.fabric} {t.tier.name} needs {t.height} adjacent U in node racks, and no such place is free",
                path=t.tier.path,
                hint="let it `stand` elsewhere, lower `nodes_per_rack`, or take a higher rack",
            )
        found.append(free.take(u, t.height))
    return tuple(found)


def _no_room(kind: UnitKind, what: str, why: str) -> InputError:
    return fault(
        "FG601",
        f"{what} do not fit in {kind.node_rack.id}: {why}",
        path=kind.racks_path,
        hint="lower `nodes_per_rack`, let switches `stand` elsewhere, or take another rack",
    )


# Where racks of units stand in the rows of nodes, by the unit's number in its hall; for single racks and arrays.


@dataclass(frozen=True, slots=True)
class UnitRows:
    """How units are laid out in rows: one after the other, or `per_row` whole units in each row (if above 0).

    `columns` is an int array: the column of each rack, counted from the start of the row for the racks of the first
    unit of a row, then of the next unit. Where rows do not hold units together it counts from the start of the unit.
    """

    racks: int
    racks_per_row: int
    per_row: int
    columns: Any

    def spot(self, position: Any, rack: Any) -> tuple[Any, Any]:
        """(row of nodes, column) of a rack, all from 0; `position` is the number of its unit in the hall, `rack` its
        number in the unit. Takes ints or int arrays.
        """
        if not self.per_row:
            place = position * self.racks + self.columns[rack]
            return place // self.racks_per_row, place % self.racks_per_row
        return position // self.per_row, self.columns[position % self.per_row * self.racks + rack]

    def rows_for(self, units: int) -> int:
        """How many rows so many units take."""
        if self.per_row:
            return -(-units // self.per_row)
        return -(-units * self.racks // self.racks_per_row)

    def units_in(self, rows: int) -> int:
        """How many whole units fit in so many rows."""
        return rows * self.per_row if self.per_row else rows * self.racks_per_row // self.racks


def unit_rows(node_racks: int, stands: Sequence[Stand], racks_per_row: int, *, whole: bool) -> UnitRows:
    """Lay out units of `node_racks` node racks and one network rack for each of `stands`, which are numbered after
    them. With `whole` no unit is cut that a row could hold.
    """
    racks = node_racks + len(stands)
    own = _own_order(node_racks, stands)
    shared = [i for i, stand in enumerate(stands) if stand.startswith("row")]
    if not shared and not (whole and racks <= racks_per_row):
        return UnitRows(racks, racks_per_row, 0, _places(own, racks))
    per_row = max(1, racks_per_row // racks)
    if not shared:
        each = [unit * racks + rack for unit in range(per_row) for rack in own]
        return UnitRows(racks, racks_per_row, per_row, _places(each, per_row * racks))
    order: list[int] = []
    for stand in ("row-middle", "row-end"):
        here = [node_racks + i for i in shared if stands[i] == stand]
        together = [unit * racks + rack for unit in range(per_row) for rack in here]
        if stand == "row-middle":
            half = -(-per_row // 2)
            before, after = (
                [u * racks + r for u in units for r in own] for units in (range(half), range(half, per_row))
            )
            order = [*before, *together, *after]
        else:
            order += together
    return UnitRows(racks, racks_per_row, per_row, _places(order, per_row * racks))


def _own_order(node_racks: int, stands: Sequence[Stand]) -> list[int]:
    """Numbers of a unit's racks in the order they stand: its network racks in the middle or at the end."""
    middle = [node_racks + i for i, stand in enumerate(stands) if stand == "unit-middle"]
    end = [node_racks + i for i, stand in enumerate(stands) if stand == "unit-end"]
    half = -(-node_racks // 2) if middle else node_racks
    return [*range(half), *middle, *range(half, node_racks), *end]


def _places(order: Sequence[int], count: int) -> list[int]:
    """The position of each rack in an order."""
    found = [0] * count
    for place, rack in enumerate(order):
        found[rack] = place
    return found


# The network racks of a unit and the switches in them; all units are alike.

NETWORK_STANDS: tuple[Stand, ...] = ("unit-end", "unit-middle", "row-middle", "row-end")
"""Where network racks of a unit can stand, in the order in which the racks are numbered."""


@dataclass(frozen=True, slots=True)
class Stack:
    """Devices stacked in network racks: rack number and lowest rack unit of each, in order."""

    rack: list[int]
    u: list[int]

    @property
    def racks(self) -> int:
        """How many racks are needed."""
        return max(self.rack, default=-1) + 1


def stack(heights: Iterable[int], kind: RackProfile, *, hung: bool) -> Stack:
    """Stack devices of some heights in racks of a kind one after the other: from the bottom up, or, `hung`, from the
    top down.
    """
    free, racks, bottoms = network_units(kind), list[int](), list[int]()
    rack = end = 0
    for height in heights:
        u = free.next_to(end, height, hung=hung)
        if u is None and end:
            rack, u = rack + 1, free.next_to(0, height, hung=hung)
        u = u or 1
        racks.append(rack)
        bottoms.append(u)
        end = u if hung else u + height - 1
    return Stack(racks, bottoms)


def part_of(count: int, number: Any, group: Any, parts: int) -> Any:
    """In which of `parts` runs of racks a switch (or each of an array) stands, of groups of `count` switches.

    The switches of a group are split round-robin, alike in all groups, since a tier above may join switches of one
    number; where groups have fewer switches than there are parts, whole groups are.
    """
    return (number if count >= parts else number + group) % parts


@dataclass(frozen=True, slots=True)
class UnitStack:
    """The switches in a unit's network racks: (rack, rack unit) of each by tier, and where each of the racks stands."""

    spots: Mapping[TierKey, tuple[UnitSpot, ...]]
    stands: tuple[Stand, ...]

    @property
    def racks(self) -> int:
        """How many network racks a unit has."""
        return len(self.stands)


def stacked(tiers: Sequence[UnitTier], kind: RackProfile, held: Mapping[str, Intervals], *, hung: bool) -> UnitStack:
    """Place switches in the network racks of a unit: those in the lock where they were, others one after the other,
    from the bottom up or, `hung`, from the top down.

    `held` are positions by lock key, as one number: `STRIDE` times the rack (from 1) plus the lowest rack unit.
    """
    kept = {
        name: [divmod(n, STRIDE) for n in list_numbers(intervals) if n >= STRIDE] for name, intervals in held.items()
    }
    return _added(tiers, kind, kept, hung=hung) if any(kept.values()) else _anew(tiers, kind, hung=hung)


def _anew(tiers: Sequence[UnitTier], kind: RackProfile, *, hung: bool) -> UnitStack:
    """Placement without a lock: racks for each stand, filled with each part of tiers that are split over
    several racks.
    """
    spots: dict[TierKey, dict[int, UnitSpot]] = {}
    stands: list[Stand] = []
    for stand in NETWORK_STANDS:
        here = [(t, i, _part(t, i)) for t in tiers if t.stand == stand for i in range(t.each)]
        for part in sorted({part for _, _, part in here}):
            mine = [(t, i) for t, i, of in here if of == part]
            filled = stack((t.height for t, _ in mine), kind, hung=hung)
            for (t, i), rack, u in zip(mine, filled.rack, filled.u, strict=True):
                spots.setdefault(t.tier.key, {})[i] = (len(stands) + rack, u)
            stands += [stand] * filled.racks
    return UnitStack({key: _in_order(places) for key, places in spots.items()}, tuple(stands))


def _in_order(places: Mapping[int, UnitSpot]) -> tuple[UnitSpot, ...]:
    return tuple(places[i] for i in sorted(places))


def _part(t: UnitTier, ordinal: int) -> int:
    found: int = part_of(t.tier.count, ordinal % t.tier.count, ordinal // t.tier.count, t.racks)
    return found


@dataclass()
class _Filling:
    """Network racks while they are filled: free rack units of each, its stand, and which parts of tiers it holds."""

    kind: RackProfile
    hung: bool
    racks: list[FreeUnits] = field(default_factory=list)
    stands: list[Stand | None] = field(default_factory=list)
    parts: list[dict[TierKey, set[int]]] = field(default_factory=list)

    def open_to(self, rack: int) -> None:
        """Add empty racks up to this number."""
        while len(self.racks) <= rack:
            self.racks.append(network_units(self.kind))
            self.stands.append(None)
            self.parts.append({})

    def put(self, t: UnitTier, part: int, rack: int, u: int) -> UnitSpot:
        """Use a position in a rack."""
        self.open_to(rack)
        self.racks[rack].take(u, t.height)
        self.stands[rack] = self.stands[rack] or t.stand
        self.parts[rack].setdefault(t.tier.key, set()).add(part)
        return rack, u

    def place(self, t: UnitTier, part: int) -> UnitSpot:
        """Use the next free position for a switch, in a rack that holds no other part of its tier; else
        in a new rack.
        """
        for rack, elevation in enumerate(self.racks):
            if self.stands[rack] == t.stand and self.parts[rack].get(t.tier.key, {part}) == {part}:
                u = elevation.highest(t.height) if self.hung else elevation.lowest(t.height)
                if u is not None:
                    return self.put(t, part, rack, u)
        return self.put(t, part, len(self.racks), stack([t.height], self.kind, hung=self.hung).u[0])


def _added(
    tiers: Sequence[UnitTier], kind: RackProfile, kept: Mapping[str, Sequence[tuple[int, int]]], *, hung: bool
) -> UnitStack:
    """Placement with a lock: what was there stays, positions of removed devices stay reserved, new ones fill free
    space.
    """
    filling = _Filling(kind, hung)
    spots: dict[TierKey, dict[int, UnitSpot]] = {}
    names = {t.holder for t in tiers}
    inside = [t for t in tiers if t.stand in NETWORK_STANDS]
    for t in inside:
        for i, (rack, u) in enumerate(_bottoms(kept.get(t.holder, ()), t.height)[: t.each]):
            spots.setdefault(t.tier.key, {})[i] = filling.put(t, _part(t, i), rack - 1, u)
    for name, places in kept.items():
        for rack, u in places if name not in names else ():
            filling.open_to(rack - 1)
            filling.racks[rack - 1].take(u, 1)
    for t in inside:
        places_of = spots.setdefault(t.tier.key, {})
        for i in range(len(places_of), t.each):
            places_of[i] = filling.place(t, _part(t, i))
    stands = tuple(stand or NETWORK_STANDS[0] for stand in filling.stands)
    return UnitStack({key: _in_order(places) for key, places in spots.items()}, stands)


def _bottoms(places: Sequence[tuple[int, int]], height: int) -> Sequence[tuple[int, int]]:
    """The lowest rack unit of each device, from all rack units that they use."""
    return places[::height]
