"""Rack and rack unit of every device in runs of shared network racks, and what a lock keeps of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from fabricgen.blueprint.beside.stacked import STACKED, Step, add_step, format_history, parse_history
from fabricgen.catalog.models import NodeProfile, RackProfile
from fabricgen.design.fabric_model import TierDesign, TierKey
from fabricgen.design.floor.halls import Hall
from fabricgen.design.floor.network_runs import (
    HallLookup,
    NetworkRun,
    TierGroups,
    is_in_run,
    list_network_runs,
    make_tier_groups,
)
from fabricgen.design.floor.rack_space import FreeUnits, list_network_places, make_network_units
from fabricgen.design.floor.unit_racks import STRIDE, stack_devices
from fabricgen.design.floor.usual_floor import is_filled_from_top
from fabricgen.design.model import Design
from fabricgen.design.shape import spans_units
from fabricgen.kernel.intervals import Allocations, Intervals, list_numbers, make_intervals

SHELVED = "shelved"
"""Kind of lock entry: positions of extra devices in their racks."""

SwitchIndex = tuple[int, int]
"""A switch of a tier: (its group, its number in the group), from 0."""


class RunPlaces:
    """The runs of shared network racks of a design, and the positions in them."""

    def __init__(self, design: Design, halls: Sequence[Hall]) -> None:
        self._design, self._layout, self._halls = design, design.layout, halls
        self.hall_lookup = HallLookup(design, halls)
        self._rack = design.layout.network_rack
        self._hung = is_filled_from_top(design.loaded.blueprint.floor, design.layout.lock)
        self._groups: dict[TierKey, TierGroups] = {}
        self._places_of: dict[int, tuple[int, ...]] = {}

    def suffix(self, hall: int) -> str:
        """The suffix of lock keys that tells halls apart; "" where there is only one hall."""
        if len(self._halls) == 1:
            return ""
        own_hall = self._halls[hall]
        stated = own_hall.name in self._design.loaded.blueprint.floor.halls
        return f" {own_hall.name if stated else self._layout.sites[own_hall.site]}"

    @cached_property
    def runs(self) -> tuple[NetworkRun, ...]:
        """The runs in the order of their racks."""
        return list_network_runs(self._design, self._halls)

    def find_groups(self, tier: TierDesign) -> TierGroups:
        """Hall, plane and number of every group of a tier."""
        if tier.key not in self._groups:
            self._groups[tier.key] = make_tier_groups(tier, self.hall_lookup)
        return self._groups[tier.key]

    def _lock_key(self, run: NetworkRun) -> str:
        name = run.tier.key.text if run.tier else run.holder
        return name + (f" at{self.suffix(run.hall)}" if self.suffix(run.hall) else "")

    def _count_span(self, run: NetworkRun) -> Step:
        """(groups, numbered up to the last of the hall; switches of each); for trays the domains and trays of each."""
        if run.tier is None:
            domain = next(d for d in self._design.scale_up if d.name == run.owner)
            return Step(max(1, domain.domains), domain.trays_each)
        groups = self.find_groups(run.tier)
        numbers_in_hall = [n for n, hall in zip(groups.number, groups.hall, strict=True) if hall == run.hall]
        return Step(max(numbers_in_hall) + 1, run.tier.count)

    def find_order(self, run: NetworkRun) -> RunOrder:
        """The order in which a run of switches or trays is filled."""
        word = self._layout.lock.find_words(STACKED).get(self._lock_key(run), "")
        steps = add_step(parse_history(word), *self._count_span(run))
        by_group = run.tier is not None and not spans_units(run.tier.per)
        if not run.lettered:  # it was there alone, with all switches: those that stay keep their rack units
            return RunOrder(steps, by_group, 0, 1)
        return RunOrder(steps, by_group, run.part, run.parts)

    def per_rack(self, run: NetworkRun) -> int:
        """How many switches or trays stand in one rack of a run."""
        return len(self._places(self.find_height(run)))

    def _places(self, height: int) -> tuple[int, ...]:
        """The lowest rack units of devices of a height in a rack, in the order in which it is filled."""
        if height not in self._places_of:
            self._places_of[height] = list_network_places(self._rack, height, hung=self._hung)
        return self._places_of[height]

    def find_height(self, run: NetworkRun) -> int:
        """Rack units of one switch or tray of a run."""
        if run.tier is not None:
            return run.tier.profile.rack_units
        domain = next(d for d in self._design.scale_up if d.name == run.owner)
        return self._design.catalog.switch(domain.profile.tray).rack_units

    def locate_switch(self, run: NetworkRun, group: Any, number: Any, where: Any) -> tuple[Any, Any]:
        """(rack of the run, lowest rack unit) of a switch by group and number in the group; for ints or int arrays.
        `where` is `choose` for ints, `numpy.where` for arrays.
        """
        place = self.find_order(run).place(group, number, where)
        bottoms = self._places(self.find_height(run))
        within = place % len(bottoms)
        return place // len(bottoms), bottoms[within] if where is choose else _index_array(bottoms, within)

    def racks(self, run: NetworkRun) -> dict[int, list[SwitchIndex]]:
        """The switches in each rack of a run, in order, by number of the rack."""
        if run.tier is None:
            return {}
        groups, order, per_rack = self.find_groups(run.tier), self.find_order(run), self.per_rack(run)
        by_rack: dict[int, list[tuple[int, SwitchIndex]]] = {}
        for group, number in self._list_switches(run, run.tier, groups):
            place = order.place(groups.number[group], number, choose)
            by_rack.setdefault(place // per_rack, []).append((place, (group, number)))
        return {rack: [switch for _, switch in sorted(placed)] for rack, placed in sorted(by_rack.items())}

    @staticmethod
    def _list_switches(run: NetworkRun, tier: TierDesign, groups: TierGroups) -> Iterator[SwitchIndex]:
        for group in (g for g, hall in enumerate(groups.hall) if hall == run.hall):
            for number in range(tier.count):
                if is_in_run(run, groups.plane[group], groups.number[group], number):
                    yield group, number

    def count_racks(self, run: NetworkRun) -> int:
        """How many racks a run has places for: up to the last one in use, those of removed devices included."""
        if run.owner:
            return -(-self.find_order(run).places // self.per_rack(run))
        return max((rack for spots in self.find_extra_spots(run.hall).values() for rack, _ in spots), default=0) + 1

    def count_racks_with_reserve(self, run: NetworkRun) -> int:
        """How many racks a run will have places for when all reserved units of its site are there; a count of switches
        that is derived grows with these.
        """
        if not run.owner or (run.tier and spans_units(run.tier.per) and self._is_stated(run.tier)):
            return self.count_racks(run)
        site = self._layout.sites[self._halls[run.hall].site]
        slots = self._layout.numbering.span("units", site, "site")
        units = sum(pod.su for pod in self._layout.pods if pod.site == site)
        return max(self.count_racks(run), -(-self.find_order(run).places * slots // units // self.per_rack(run)))

    def _is_stated(self, tier: TierDesign) -> bool:
        """Whether the blueprint states how many switches a group of a tier has."""
        return bool(self._design.loaded.blueprint.fabrics[tier.fabric].tiers[tier.name].count) or tier.for_reserve

    def find_extra_spots(self, hall: int) -> dict[str, list[tuple[int, int]]]:
        """(rack, rack unit) of every extra device of a hall, by the name of its set; positions in the lock stay.

        They are servers and storage, heavier than switches: from the bottom up, unless the blueprint says otherwise.
        """
        sets = dict(self._list_extra_sets(hall))
        kept = self._layout.lock.find_allocations(SHELVED + self.suffix(hall))
        if not kept:
            heights = (p.rack_units for p, holders in sets.values() for _ in holders)
            filled = stack_devices(heights, self._rack, hung=self._design.loaded.blueprint.floor.network_fill == "down")
            spots = iter(list(zip(filled.rack, filled.u, strict=True)))
            return {name: [next(spots) for _ in holders] for name, (_, holders) in sets.items()}
        return _shelve_devices(sets, kept, self._rack)

    def _list_extra_sets(self, hall: int) -> Iterator[tuple[str, tuple[NodeProfile, tuple[str, ...]]]]:
        """(set, its profile and, by device, the lock key): each name that is stated has a place of its own, so that the
        order of the names and those between them move nobody; devices that are numbered share the key of their set.
        """
        stated = self._design.sets_with_names
        kept = self._layout.lock.find_allocations(SHELVED + self.suffix(hall))
        for name, (profile, devices, site) in self._design.extra_devices.items():
            site_number = self._layout.sites.index(site) if site else self._layout.first_site
            if self.hall_lookup.find_hall_of_site(site_number) == hall:
                keys = [(f"device {device}", name in stated) for device in devices]
                yield name, (profile, tuple(key if alone or key in kept else name for key, alone in keys))

    def words(self) -> dict[str, str]:
        """Lock key -> the steps in which the contents of a run of shared racks grew."""
        return {
            self._lock_key(run): format_history(self.find_order(run).steps)
            for run in self.runs
            if run.tier or run.owner
        }

    def list_shelved(self, hall: int) -> frozenset[tuple[str, str]]:
        """(kind, lock key) of the extra devices of a hall."""
        sets = self._list_extra_sets(hall)
        return frozenset((SHELVED + self.suffix(hall), holder) for _, (_, holders) in sets for holder in holders)

    def list_lock_entries(self) -> dict[str, Allocations]:
        """By kind of lock entry, the positions of extra devices, including those that are gone."""
        allocations: dict[str, Allocations] = {}
        for run in self.runs:
            if run.tier is None and not run.owner:
                kind = SHELVED + self.suffix(run.hall)
                spots, places_kept = self.find_extra_spots(run.hall), dict(self._layout.lock.find_allocations(kind))
                for name, (profile, holders) in self._list_extra_sets(run.hall):
                    places_kept.pop(name, None)  # of a set that was numbered and states names now
                    for holder in holders:
                        own_spots = [spot for spot, key in zip(spots[name], holders, strict=True) if key == holder]
                        places_kept[holder] = rack_unit_intervals(own_spots, profile.rack_units, 1)
                allocations[kind] = places_kept
        return allocations


def rack_unit_intervals(spots: Sequence[tuple[int, int]], height: int, first_rack: int) -> Intervals:
    """Positions in racks as numbers of the lock: all rack units that devices of a height take."""
    return make_intervals((rack + first_rack) * STRIDE + u + i for rack, u in spots for i in range(height))


def choose(condition: bool, if_true: Any, if_false: Any) -> Any:
    """`numpy.where` for single values."""
    return if_true if condition else if_false


def _index_array(values: Sequence[int], index: Any) -> Any:
    """`values` by an int array; numpy is there where a caller has arrays."""
    import numpy as np

    return np.array(values, dtype=np.int64)[index]


def _shelve_devices(
    sets: Mapping[str, tuple[NodeProfile, tuple[str, ...]]], kept_numbers: Allocations, kind: RackProfile
) -> dict[str, list[tuple[int, int]]]:
    """(rack, rack unit) of each device by set: where the lock has it, else the lowest place that nobody has or had."""
    racks: list[FreeUnits] = []

    def rack(rack_number: int) -> FreeUnits:
        while len(racks) <= rack_number:
            racks.append(make_network_units(kind))
        return racks[rack_number]

    # the lock has rack and rack unit as one number, racks from 1
    for number, u in (divmod(n, STRIDE) for intervals in kept_numbers.values() for n in list_numbers(intervals)):
        rack(number - 1).take(u, 1)
    kept_spots: dict[str, list[tuple[int, int] | None]] = {}
    for name, (profile, holders) in sets.items():
        places = {key: [divmod(n, STRIDE) for n in list_numbers(kept_numbers.get(key, ()))] for key in (name, *holders)}
        free_spots = {
            key: [(number - 1, u) for number, u in rack_units[:: profile.rack_units]]
            for key, rack_units in places.items()
        }
        kept_spots[name] = [
            # in its own place, else in one that the lock has for its set
            next((free_spots[key].pop(0) for key in (holder, name) if free_spots[key]), None)
            for holder in holders
        ]
    spots_by_set: dict[str, list[tuple[int, int]]] = {}
    for name, (profile, _) in sets.items():
        spots_by_set[name] = []
        for spot in kept_spots[name]:
            fits = ((i, free_units.lowest(profile.rack_units)) for i, free_units in enumerate(racks))
            number, u = spot or next(((i, u) for i, u in fits if u is not None), (len(racks), 1))
            spots_by_set[name].append((number, u if spot else rack(number).take(u, profile.rack_units)))
    return spots_by_set


# The order in which switches of a tier fill a run of shared racks, such that growth moves none of those already
# there.
# Switches are addressed by group number (reserved ones included) and number in the group. A history of how many
# groups and switches there were says which came first. Within a step the first switch of every group comes before the
# second of any; where groups belong to units, switches go group after group. All expressions work on ints and on int
# arrays.


@dataclass(frozen=True, slots=True)
class RunOrder:
    """The order of one part of a tier's switches; `parts` runs share them round-robin, or by whole groups if these are
    smaller.
    """

    steps: tuple[Step, ...]
    by_group: bool
    part: int
    parts: int

    def place(self, group: Any, number: Any, where: Any) -> Any:
        """The place of a switch in its run, from 0; `where(condition, one, other)` is `numpy.where` or its like for
        ints.
        """
        # groups with fewer switches than parts cannot be divided: whole groups go to the parts by turns
        whole_groups = self.steps[-1].switches < self.parts
        if whole_groups:
            group = group // self.parts
        else:
            number = number // self.parts
        steps = [self._cut_to_part(step, whole_groups=whole_groups) for step in self.steps]
        place: Any = 0
        outer, inner = (group, number) if self.by_group else (number, group)
        # each step of growth adds a frame around the rectangle before it: what there was stays where it is. First what
        # is beside old rows of it, then whole new ones.
        for before, after in zip([Step(0, 0), *steps], steps, strict=False):
            old, new = ((b.groups, b.switches) if self.by_group else (b.switches, b.groups) for b in (before, after))
            start = before.groups * before.switches
            within = start + outer * (new[1] - old[1]) + (inner - old[1])
            beyond = start + old[0] * (new[1] - old[1]) + (outer - old[0]) * new[1] + inner
            inside = (group >= before.groups) | (number >= before.switches)
            place = where(inside, where(outer < old[0], within, beyond), place)
        return place

    @property
    def places(self) -> int:
        """The number of places."""
        last = self._cut_to_part(self.steps[-1], whole_groups=self.steps[-1].switches < self.parts)
        return last.groups * last.switches

    def _cut_to_part(self, step: Step, *, whole_groups: bool) -> Step:
        if whole_groups:
            return Step(-(-step.groups // self.parts), step.switches)
        # the numbers below `switches` that are `part` modulo `parts`
        return Step(step.groups, (step.switches - self.part + self.parts - 1) // self.parts)
