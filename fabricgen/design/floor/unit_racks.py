"""What stands where in the racks of a unit: nodes and switches in its node racks, and its network racks; all units of a
kind are alike.

All node racks have the same rack units for the same slots. Switches that the lock knows stay where they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fabricgen.blueprint.dimensions import WHOLE, dimension_of
from fabricgen.blueprint.sections.floor import Stand
from fabricgen.catalog.rack_models import SWITCH_PLACES
from fabricgen.design.fabric_model import TierDesign, TierKey
from fabricgen.design.floor.rack_space import FreeUnits
from fabricgen.design.floor.unit_kind import UnitKind
from fabricgen.design.shape import scope_of
from fabricgen.kernel.diagnostics import InputError, fault
from fabricgen.kernel.intervals import Intervals, numbers

STRIDE = 100
"""A position in the racks of a unit as one number: `STRIDE` times the rack (0: every node rack) plus the rack unit."""

UnitSpot = tuple[int, int]
"""(rack of the unit from 0, node racks before network racks; rack unit in it)"""


def stand_of(tier: TierDesign, stated: Stand | None) -> Stand:
    """Where the switches of a tier stand: as stated, else by what they serve."""
    scope = scope_of(tier.per)
    return stated or ("network-row" if scope == WHOLE else dimension_of(scope).stand)


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
    kept = {name: [n for n in numbers(intervals) if n < STRIDE] for name, intervals in held.items()}
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
