"""What stands where in the racks of a unit: the nodes and switches in its node racks, and the switches in its network
racks. All units of a kind are alike.

All node racks have the same rack units for the same slots. Switches that the lock knows stay where they are.
"""

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
from fabricgen.kernel.grouping import group_pairs
from fabricgen.kernel.intervals import Intervals, list_numbers

STRIDE = 100
"""The lock keeps a position in the racks of a unit as one number: `STRIDE` times the rack plus the rack unit. Rack 0
stands for every node rack.
"""

UnitPosition = tuple[int, int]
"""(rack of the unit from 0, node racks before network racks; rack unit in it)"""


def find_default_stand(tier: TierDesign, stated: Stand | None) -> Stand:
    """Return where the switches of a tier stand: as stated, else as is usual for what they serve."""
    scope = find_scope(tier.per)
    return stated or ("network-row" if scope == WHOLE else find_dimension(scope).stand)


@dataclass(frozen=True, slots=True)
class RackFixture:
    """Devices of one profile that stand in every node rack beside the nodes; `height` is in rack units."""

    name: str
    profile: str
    height: int
    count: int


class UnitTier(NamedTuple):
    """A tier whose switches stand in the racks of units."""

    tier: TierDesign
    stand: Stand
    per_unit: int
    """How many of its switches each unit has."""
    racks: int
    """Over how many network racks of a unit its switches are split."""

    @property
    def height(self) -> int:
        """How many rack units one switch takes."""
        return self.tier.profile.rack_units

    @property
    def holder(self) -> str:
        """Its key in the lock: `compute leaf`."""
        return self.tier.key.text

    def list_switch_positions(self, racks: int, units: Sequence[int]) -> tuple[UnitPosition, ...]:
        """Return (rack from 0, lowest rack unit) of the tier's switches in the node racks of a unit.

        `racks` is how many node racks a unit has; `units` are the lowest rack units that the tier has in each of them.
        """
        positions: list[UnitPosition] = []
        switches_in_rack: Counter[int] = Counter()
        for ordinal in range(self.per_unit):
            rack = self.rack_of(ordinal, racks)
            positions.append((rack, units[switches_in_rack[rack]]))
            switches_in_rack[rack] += 1
        return tuple(positions)

    def rack_of(self, ordinal: int, racks: int) -> int:
        """Return the node rack of a switch, by its number in the unit; `racks` is how many node racks a unit has."""
        if find_scope(self.tier.per) == "rack":
            return ordinal // (self.per_unit // racks)
        return ordinal * racks // self.per_unit


class NodeRack(NamedTuple):
    """The lowest rack unit, from 1, in a node rack: of each node slot, of each device beside the nodes by name, and of
    each switch by tier.
    """

    nodes: tuple[int, ...]
    beside: Mapping[str, tuple[int, ...]]
    switches: Mapping[TierKey, tuple[int, ...]]


def fill_node_rack(
    kind: UnitKind, fixtures: Sequence[RackFixture], tiers: Sequence[UnitTier], kept_numbers: Mapping[str, Intervals]
) -> NodeRack:
    """Give rack units to everything in a node rack of a kind of unit.

    Positions that the rack type fixes or the lock keeps are reserved first. Then switches of `rack-bottom` are placed,
    nodes from the bottom up, switches of `rack-middle`, the devices of `fixtures`, which stand beside the nodes, and
    switches of `rack-top` from the top down. `kept_numbers` are the positions in the lock by lock key.

    Raises InputError (FG601) for devices that do not fit.
    """
    rack_tiers = [t for t in tiers if t.stand.startswith("rack")]
    # the switches of each tier in its fullest rack
    switches_per_rack = {
        t.tier.key: max(Counter(t.rack_of(i, kind.racks) for i in range(t.per_unit)).values(), default=0)
        for t in rack_tiers
    }
    # rack 0 of the lock, every node rack: the number is the rack unit
    kept_units = {name: [n for n in list_numbers(intervals) if n < STRIDE] for name, intervals in kept_numbers.items()}
    profiles = {fixture.profile for fixture in fixtures}
    included = [units for name, units in kind.node_rack.included_units.items() if name not in profiles]
    free_units = FreeUnits(kind.node_rack.units, kind.node_rack.reserved_units.union(*kept_units.values(), *included))
    switch_places = list(kind.node_rack.fixed.get(SWITCH_PLACES, ()))

    def place_tiers(stand: str, switch_places: list[int]) -> dict[TierKey, tuple[int, ...]]:
        return {
            t.tier.key: _place_switches(
                free_units, t, switches_per_rack[t.tier.key], kept_units.get(t.holder, ()), switch_places
            )
            for t in rack_tiers
            if t.stand == stand
        }

    switches = place_tiers("rack-bottom", [])
    height = max(s.profile.rack_units for s in kind.node_sets if not s.per_rack)
    units_between_nodes = sum(t.height * switches_per_rack[t.tier.key] for t in rack_tiers if t.stand == "rack-middle")
    nodes = _place_fixtures(free_units, kind, RackFixture("", NODE, height, kind.nodes_per_rack), units_between_nodes)
    switches |= place_tiers("rack-middle", [])
    units_beside = {fixture.name: _place_fixtures(free_units, kind, fixture) for fixture in fixtures}
    return NodeRack(nodes, units_beside, switches | place_tiers("rack-top", switch_places))


NODE = "node"
"""The profile of the fixture that stands for all nodes of a rack, and the name of their places in a rack type."""


def _place_fixtures(free: FreeUnits, kind: UnitKind, fixture: RackFixture, gap: int = 0) -> tuple[int, ...]:
    """Return the rack units of the nodes of a rack, or of the devices of a fixture beside them, from the bottom up,
    with `gap` rack units left free between the lower and the upper half.

    Raises InputError (FG601) if the rack has no room for one of them.
    """
    fixed, is_node = kind.node_rack.fixed.get(fixture.profile, ()), fixture.profile == NODE
    if fixed and fixture.count > len(fixed):
        devices = f"{fixture.count} {fixture.profile}{'s' * is_node}"
        raise _explain_no_room(kind, devices, f"it has places for {len(fixed)}")
    units: list[int] = []
    lowest_u = 1
    for i in range(fixture.count):
        # this is the first device of the upper half; with an odd number of devices the lower half has one more
        if gap and i == -(-fixture.count // 2):
            lowest_u = units[-1] + fixture.height + gap
        u = fixed[i] if fixed else free.find_next(lowest_u - 1, fixture.height, hung=False)
        if u is None or not free.is_free(u, fixture.height):
            device = f"{fixture.profile} {i + 1}" + f" of {fixture.count}" * is_node
            raise _explain_no_room(kind, device, f"{fixture.height} U in a row are not free")
        units.append(free.take_units(u, fixture.height))
        lowest_u = u + fixture.height
    return tuple(units)


def _place_switches(
    free_units: FreeUnits, t: UnitTier, count: int, kept_units: Sequence[int], fixed: list[int]
) -> tuple[int, ...]:
    """Return the lowest rack units of a tier's `count` switches in a node rack: positions in the lock first, then those
    that the rack type fixes for switches, then free ones, from the top down for `rack-top`, else from the bottom up.

    `kept_units` are all rack units that the lock has for the tier in a node rack; `fixed` are the positions of the rack
    type.

    Raises InputError (FG601) if the rack has no room for a switch.
    """
    # the lock lists all rack units that a switch takes: every `height`-th is the lowest of a switch
    units = [u for u in kept_units[:: t.height] if u + t.height - 1 <= free_units.units][:count]
    while len(units) < count:
        fits = [u for u in fixed if free_units.is_free(u, t.height)]
        u = fits[0] if fits else free_units.find_next(0, t.height, hung=t.stand == "rack-top")
        if u is None:
            raise fault(
                "FG601",
                f"{t.tier.fabric} {t.tier.name} needs {t.height} adjacent U in node racks, and no such place is free",
                path=t.tier.path,
                hint="let it `stand` elsewhere, lower `nodes_per_rack`, or take a higher rack",
            )
        units.append(free_units.take_units(u, t.height))
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
    """How units of `racks` racks are laid out in node rows of `racks_per_row` racks. With `per_row` above 0 each row
    holds that many whole units, with 0 units follow one another and are cut at the ends of rows.

    `columns` is an int array: the column of each rack, for the racks of the first unit of a row, then of the next unit,
    counted from the start of the row. With `per_row` 0 it has the racks of one unit and counts from the start of the
    unit.
    """

    racks: int
    racks_per_row: int
    per_row: int
    columns: Any

    def locate_rack(self, position: Any, rack: Any) -> tuple[Any, Any]:
        """Return (node row, column) of a rack, both from 0; takes ints or int arrays.

        `position` is the number of the rack's unit among the units that follow one another, `rack` its number in the
        unit.
        """
        # units go on from the end of a row to the next row
        if not self.per_row:
            racks_before = position * self.racks + self.columns[rack]
            return racks_before // self.racks_per_row, racks_before % self.racks_per_row
        return position // self.per_row, self.columns[position % self.per_row * self.racks + rack]

    def count_rows(self, units: int) -> int:
        """Return how many rows a number of units takes."""
        if self.per_row:
            return -(-units // self.per_row)
        return -(-units * self.racks // self.racks_per_row)

    def count_units(self, rows: int) -> int:
        """Return how many whole units fit in a number of rows."""
        return rows * self.per_row if self.per_row else rows * self.racks_per_row // self.racks


def lay_out_unit_rows(
    node_racks: int, stands: Sequence[Stand], racks_per_row: int, *, whole_units: bool, halved: bool
) -> UnitRows:
    """Return how units are laid out in node rows. A unit has `node_racks` node racks, numbered first, and one network
    rack for each of `stands`.

    With `whole_units` a unit that fits into a row is not cut. If network racks stand in the middle or at the end of
    rows, each row holds whole units anyway, at least one: `row-middle` racks of its units stand between the two halves
    of the row with `halved`, else behind the unit in the middle of the row.
    """
    racks = node_racks + len(stands)
    unit_order = _order_unit_racks(node_racks, stands)
    # network racks that stand in the middle or at the end of a row, with those of the row's other units
    racks_of_rows = [i for i, stand in enumerate(stands) if stand.startswith("row")]
    if not racks_of_rows and not (whole_units and racks <= racks_per_row):
        return UnitRows(racks, racks_per_row, 0, _list_positions(unit_order, racks))
    per_row = max(1, racks_per_row // racks)
    racks_of_units = [unit * racks + rack for unit in range(per_row) for rack in unit_order]
    racks_of_first_half = len(racks_of_units) // 2 if halved else -(-per_row // 2) * len(unit_order)
    in_middle, at_end = (
        [unit * racks + node_racks + i for unit in range(per_row) for i in racks_of_rows if stands[i] == stand]
        for stand in ("row-middle", "row-end")
    )
    rack_order = [*racks_of_units[:racks_of_first_half], *in_middle, *racks_of_units[racks_of_first_half:], *at_end]
    return UnitRows(racks, racks_per_row, per_row, _list_positions(rack_order, per_row * racks))


def _order_unit_racks(node_racks: int, stands: Sequence[Stand]) -> list[int]:
    """Return the numbers of the racks that stand in a unit in their order: its node racks, and network racks in the
    middle of the unit or at its end.
    """
    middle = [node_racks + i for i, stand in enumerate(stands) if stand == "unit-middle"]
    end = [node_racks + i for i, stand in enumerate(stands) if stand == "unit-end"]
    half = -(-node_racks // 2) if middle else node_racks
    return [*range(half), *middle, *range(half, node_racks), *end]


def _list_positions(order: Sequence[int], count: int) -> list[int]:
    """Return the position in `order` of each of `count` racks, by the rack's number."""
    positions = [0] * count
    for position, rack in enumerate(order):
        positions[rack] = position
    return positions


# The network racks of a unit and the switches in them; all units are alike.

NETWORK_STANDS: tuple[Stand, ...] = ("unit-end", "unit-middle", "row-middle", "row-end")
"""Where network racks of a unit can stand; the racks are numbered in this order."""


class Stack(NamedTuple):
    """Devices stacked in network racks: the rack number and the lowest rack unit of each device, in order."""

    rack: list[int]
    u: list[int]

    @property
    def racks(self) -> int:
        """How many racks are needed."""
        return max(self.rack, default=-1) + 1


def stack_devices(heights: Iterable[int], kind: RackProfile, *, hung: bool) -> Stack:
    """Stack devices of the given heights in racks of a type one after the other, from the bottom up or, with `hung`,
    from the top down.

    A device too high for an empty rack is put at rack unit 1.
    """
    free_units, racks, bottoms = make_network_units(kind), list[int](), list[int]()
    rack = end = 0
    for height in heights:
        u = free_units.find_next(end, height, hung=hung)
        # if an empty rack has no place for it, the next empty rack would have none either
        if u is None and end:
            rack, u = rack + 1, free_units.find_next(0, height, hung=hung)
        u = u or 1
        racks.append(rack)
        bottoms.append(u)
        end = u if hung else u + height - 1
    return Stack(racks, bottoms)


def find_part_of_switch(count: int, number: Any, group: Any, parts: int) -> Any:
    """Return in which part of a tier that is split into `parts`, each in racks to itself, a switch stands, from 0;
    takes ints or int arrays.

    `number` is the switch's number in its group, which has `count` switches, `group` that of the group. The switches of
    a group are dealt to the parts in turn, alike in all groups, as a tier above may join switches of one number. If a
    group has fewer switches than there are parts, each group begins one part further than the one before.
    """
    return (number if count >= parts else number + group) % parts


class UnitStack(NamedTuple):
    """The switches in a unit's network racks: for each tier, the (rack, rack unit) of every switch; and where each rack
    stands.
    """

    positions: Mapping[TierKey, tuple[UnitPosition, ...]]
    stands: tuple[Stand, ...]

    @property
    def racks(self) -> int:
        """How many network racks a unit has."""
        return len(self.stands)


def stack_unit_switches(
    tiers: Sequence[UnitTier], kind: RackProfile, kept_numbers: Mapping[str, Intervals], *, hung: bool
) -> UnitStack:
    """Place the switches of a unit in its network racks: switches in the lock stay where they were, others follow one
    after the other, from the bottom up or, with `hung`, from the top down.

    `kept_numbers` are the positions in the lock by lock key: `STRIDE` times the rack (from 1) plus the rack unit.
    """
    kept_places = {
        name: [divmod(n, STRIDE) for n in list_numbers(intervals) if n >= STRIDE]
        for name, intervals in kept_numbers.items()
    }
    return (
        _place_with_lock(tiers, kind, kept_places, hung=hung)
        if any(kept_places.values())
        else _place_without_lock(tiers, kind, hung=hung)
    )


def _place_without_lock(tiers: Sequence[UnitTier], kind: RackProfile, *, hung: bool) -> UnitStack:
    """Place switches if the lock keeps no positions: the switches of each stand have racks to themselves, and so has
    each part of split tiers.
    """
    placed: list[tuple[TierKey, tuple[int, UnitPosition]]] = []
    stands: list[Stand] = []
    for stand in NETWORK_STANDS:
        switches_of_stand = [
            (t, switch, _find_switch_part(t, switch)) for t in tiers if t.stand == stand for switch in range(t.per_unit)
        ]
        for part_number in sorted({part_number for _, _, part_number in switches_of_stand}):
            tiers_and_switches = [
                (t, switch) for t, switch, switch_part in switches_of_stand if switch_part == part_number
            ]
            filled = stack_devices((t.height for t, _ in tiers_and_switches), kind, hung=hung)
            # racks of earlier stands and parts are numbered first
            for (t, switch), rack, u in zip(tiers_and_switches, filled.rack, filled.u, strict=True):
                placed.append((t.tier.key, (switch, (len(stands) + rack, u))))
            stands += [stand] * filled.racks
    positions = {tier_key: tuple(p for _, p in sorted(of_tier)) for tier_key, of_tier in group_pairs(placed).items()}
    return UnitStack(positions, tuple(stands))


def _find_switch_part(t: UnitTier, ordinal: int) -> int:
    part: int = find_part_of_switch(t.tier.count, ordinal % t.tier.count, ordinal // t.tier.count, t.racks)
    return part


@dataclass()
class _RackFilling:
    """Network racks of a unit while they are filled: the free rack units of each rack, its stand, and by tier which
    parts of split tiers it holds. `part`, in its methods, is the number of a switch's part of its tier
    (`find_part_of_switch`).
    """

    kind: RackProfile
    hung: bool
    racks: list[FreeUnits] = field(default_factory=list)
    stands: list[Stand | None] = field(default_factory=list)
    parts: list[dict[TierKey, set[int]]] = field(default_factory=list)

    def open_racks(self, rack: int) -> None:
        """Add empty racks until there is one with this number."""
        while len(self.racks) <= rack:
            self.racks.append(make_network_units(self.kind))
            self.stands.append(None)
            self.parts.append({})

    def use_position(self, t: UnitTier, part: int, rack: int, u: int) -> UnitPosition:
        """Take the rack units of a switch in a rack, from `u` up, and return (rack, lowest rack unit).

        Racks up to this number are added if there are fewer. A rack is kept for the `stand` of the first switch in it.
        """
        self.open_racks(rack)
        self.racks[rack].take_units(u, t.height)
        self.stands[rack] = self.stands[rack] or t.stand
        self.parts[rack].setdefault(t.tier.key, set()).add(part)
        return rack, u

    def place_switch(self, t: UnitTier, part: int) -> UnitPosition:
        """Take the next free position for a switch in a rack that holds no other part of its tier, else in a new
        rack.
        """
        for rack, free_units in enumerate(self.racks):
            if self.stands[rack] == t.stand and self.parts[rack].get(t.tier.key, {part}) == {part}:
                u = free_units.find_next(0, t.height, hung=self.hung)
                if u is not None:
                    return self.use_position(t, part, rack, u)
        return self.use_position(t, part, len(self.racks), stack_devices([t.height], self.kind, hung=self.hung).u[0])


def _place_with_lock(
    tiers: Sequence[UnitTier], kind: RackProfile, kept_places: Mapping[str, Sequence[tuple[int, int]]], *, hung: bool
) -> UnitStack:
    """Place switches where the lock has positions: switches that were there stay, positions of removed devices stay
    reserved, and new switches fill free space.

    `kept_places` has all (rack from 1, rack unit) that devices take, by lock key.
    """
    filling = _RackFilling(kind, hung)
    names = {t.holder for t in tiers}
    network_tiers = [t for t in tiers if t.stand in NETWORK_STANDS]
    positions = {
        t.tier.key: [
            filling.use_position(t, _find_switch_part(t, switch), rack - 1, u)
            # of all rack units that the devices take, the lowest one of each device
            for switch, (rack, u) in enumerate(kept_places.get(t.holder, ())[:: t.height][: t.per_unit])
        ]
        for t in network_tiers
    }
    for name, racks_and_units in kept_places.items():
        # the lock lists each rack unit of devices that are gone: they stay reserved
        for rack, u in racks_and_units if name not in names else ():
            filling.open_racks(rack - 1)
            filling.racks[rack - 1].take_units(u, 1)
    for t in network_tiers:
        new_switches = range(len(positions[t.tier.key]), t.per_unit)
        positions[t.tier.key] += [filling.place_switch(t, _find_switch_part(t, switch)) for switch in new_switches]
    stands = tuple(stand or NETWORK_STANDS[0] for stand in filling.stands)
    return UnitStack({tier_key: tuple(of_tier) for tier_key, of_tier in positions.items()}, stands)
