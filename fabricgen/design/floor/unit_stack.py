"""The network racks of a unit and the switches in them; all units are alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fabricgen.blueprint.sections.floor import Stand
from fabricgen.catalog.models import RackProfile
from fabricgen.design.fabric_model import TierKey
from fabricgen.design.floor.rack_space import FreeUnits, network_units
from fabricgen.design.floor.unit_racks import STRIDE, UnitSpot, UnitTier
from fabricgen.kernel.intervals import Intervals, numbers

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
    kept = {name: [divmod(n, STRIDE) for n in numbers(intervals) if n >= STRIDE] for name, intervals in held.items()}
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
