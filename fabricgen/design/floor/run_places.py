"""Rack and rack unit of every device in runs of shared network racks, and what a lock keeps of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from math import inf
from operator import getitem
from typing import Any

from fabricgen.blueprint.beside.sized import STACKED, Step, add_step, format_history, parse_history
from fabricgen.catalog.models import NodeProfile, RackProfile, SwitchProfile
from fabricgen.design.fabric_model import TierDesign, TierKey
from fabricgen.design.floor.halls import Hall
from fabricgen.design.floor.joined_runs import (
    Key,
    RackLimits,
    RunContent,
    RunOrder,
    RunPosition,
    SharedRacks,
    StackedDevice,
    choose,
    join_runs,
    make_device,
)
from fabricgen.design.floor.network_runs import (
    EXTRAS,
    JOINED,
    KIND,
    HallLookup,
    NetworkRun,
    RackRun,
    TierGroups,
    is_in_run,
    list_network_runs,
    make_tier_groups,
    name_run,
    name_usual_rack,
)
from fabricgen.design.floor.port_sides import find_catalogue_aisle
from fabricgen.design.floor.rack_space import FreeUnits, list_network_places, make_network_units
from fabricgen.design.floor.unit_racks import STRIDE, stack_devices
from fabricgen.design.floor.usual_floor import is_filled_from_top, lets_runs_join
from fabricgen.design.model import Design
from fabricgen.design.shape import spans_units
from fabricgen.kernel.intervals import Allocations, Intervals, list_numbers, make_intervals

SHELVED = "shelved"
"""Kind of lock entry: positions of extra devices in their racks."""

SwitchIndex = tuple[int, int]
"""A switch of a tier: (its group, its number in the group), from 0."""


class RunPlaces:
    """The runs of shared network racks of a design, and the position of every device in them."""

    def __init__(self, design: Design, halls: Sequence[Hall]) -> None:
        self._design, self._layout, self._halls = design, design.layout, halls
        self.hall_lookup = HallLookup(design, halls)
        self._rack = design.layout.network_rack
        self._hung = is_filled_from_top(design.loaded.blueprint.floor, design.layout.lock)
        self._groups: dict[TierKey, TierGroups] = {}
        self._units_of_height: dict[int, tuple[int, ...]] = {}

    def make_key_suffix(self, hall: int) -> str:
        """Return what is put behind lock keys to tell halls apart, such as ` hall2`; "" if there is only one hall."""
        if len(self._halls) == 1:
            return ""
        this_hall = self._halls[hall]
        stated = this_hall.name in self._design.loaded.blueprint.floor.halls
        return f" {this_hall.name if stated else self._layout.sites[this_hall.site]}"

    @cached_property
    def runs(self) -> tuple[NetworkRun, ...]:
        """The runs of devices in shared racks: extra devices, then switches tier by tier, then scale-up trays."""
        return list_network_runs(self._design, self._halls)

    @cached_property
    def _shared_racks(self) -> tuple[SharedRacks, ...]:
        """The runs of racks, in their order, with the positions of devices in racks that several runs share."""
        units_in_lock = {key: self._layout.lock.find_allocations(kind) for key, kind in self._kept_kinds.items()}
        return join_runs([self._make_content(run) for run in self.runs], units_in_lock, self._find_limits())

    def _find_limits(self) -> RackLimits:
        """Return the type of network racks, and the most that devices of several runs in one rack may draw together
        with their optics, W: the power limit of the rack type if it has one, else the most that the nodes of a node
        rack draw, for which the hall is fed and cooled; infinite if neither is known.
        """
        draws = [
            kind.nodes_per_rack * max((s.profile.power_w.planning_w or 0) for s in kind.node_sets if not s.per_rack)
            for kind in self._layout.kinds
        ]
        watts = self._rack.power_kw * 1000 if self._rack.power_kw else max(draws)
        return RackLimits(self._rack, watts or inf)

    @cached_property
    def _lets_runs_join(self) -> bool:
        return lets_runs_join(self._design.loaded.blueprint.floor, self._layout.lock)

    @cached_property
    def _kept_kinds(self) -> dict[Key, str]:
        """The kind of lock entry of the devices in each run of racks that a lock has as shared, by (hall, lock key of
        the run of racks).
        """
        kinds = [kind for kind in self._layout.lock.held if kind.startswith(f"{JOINED} ") and self._lets_runs_join]
        return {
            (hall, kind.removeprefix(f"{JOINED} ").removesuffix(self._make_hall_suffix(hall))): kind
            for hall in range(len(self._halls))
            for kind in kinds
            if kind.endswith(self._make_hall_suffix(hall))
        }

    def _make_hall_suffix(self, hall: int) -> str:
        """Return the words in a lock key that tell halls apart, such as ` at hall2`; "" if there is only one hall."""
        return f" at{self.make_key_suffix(hall)}" if self.make_key_suffix(hall) else ""

    def _make_content(self, run: NetworkRun) -> RunContent:
        """Return the devices of a run, and whether the run may share racks. Its usual racks are those that it would
        have alone.

        It may stand in racks of other runs (`joins`) unless the lock has it in racks of its own, or the blueprint
        states where one of its usual racks stands or what stands in one. Its racks may take in other runs (`hosts`)
        unless it is of extra devices, has devices too high for a rack or more racks than a row, or the blueprint states
        what stands in one of its usual racks. Both are false with a lock from before runs joined, or if `network_join`
        forbids it.
        """
        floor, devices = self._design.loaded.blueprint.floor, self._list_devices(run)
        racks_stated = {*floor.racks, *(place.rack for place in floor.devices.values())}
        unshared = RackRun(self._name_racks(run.hall, run.holder), run.holder, run.hall, run.at_ends, (run,))
        usual_racks = {name_usual_rack(unshared, number) for number in range(self._count_racks_alone(run))}
        rack_units, heights = len(self._list_device_units(1)), [device.height for device in devices]
        fabric = self._design.loaded.blueprint.fabrics.get(run.owner)
        has_own_racks = run.holder in self._layout.lock.find_allocations(KIND + self.make_key_suffix(run.hall))
        return RunContent(
            run,
            devices,
            hung=self._hung if run.owner else floor.network_fill == "down",
            fabric=(run.owner, (fabric and fabric.attach) or run.owner),
            aisle=find_catalogue_aisle(self._design, run.tier.key, run.tier.nos, run.tier.profile) if run.tier else "",
            joins=self._lets_runs_join and not has_own_racks and not usual_racks & racks_stated,
            hosts=self._lets_runs_join
            and bool(run.owner)
            and max(heights) <= rack_units
            and not usual_racks & {place.rack for place in floor.devices.values()}
            and len(usual_racks) <= self._halls[run.hall].racks_per_row,
            small=2 * sum(heights) < rack_units,
            # even if no reserved unit is left: else the last one would move the runs that share the rack
            grows=run.tier is not None and spans_units(run.tier.per) and not self._is_stated(run.tier),
        )

    def _list_devices(self, run: NetworkRun) -> list[StackedDevice]:
        """Return the devices of a run, in the order in which they are stacked.

        Devices that come with reserved units are included for scale-up trays and for tiers that have switches in each
        unit.
        """
        if run.owner:
            serves_units = run.tier is not None and spans_units(run.tier.per)
            count = self.find_order(run).places if serves_units else self._count_places_with_reserve(run)
            return [make_device(self._find_profile(run), self._rack)] * count
        sets = self._list_extra_sets(run.hall)
        return [make_device(profile, self._rack) for _, (profile, holders) in sets for _ in holders]

    def _name_racks(self, hall: int, holder: str) -> str:
        return name_run(self._design, holder, self.hall_lookup.find_prefix(hall))

    @cached_property
    def rack_runs(self) -> tuple[RackRun, ...]:
        """The runs of racks, in their order."""
        return tuple(
            RackRun(
                self._name_racks(racks.hall, racks.holder),
                racks.holder,
                racks.hall,
                racks.contents[0].run.at_ends,
                tuple(content.run for content in racks.contents),
            )
            for racks in self._shared_racks
        )

    @cached_property
    def _positions(self) -> dict[Key, list[RunPosition]]:
        """For each run of devices whose racks hold several runs, or did by the lock: where each of its devices
        stands.
        """
        return {
            content.run.key: racks.positions[content.run.holder]
            for racks in self._racks_of_several.values()
            for content in racks.contents
        }

    @cached_property
    def _racks_of_several(self) -> dict[str, SharedRacks]:
        """The runs of racks that hold several runs of devices, now or by the lock, by the kind of lock entry of these
        devices.
        """
        return {
            self._kept_kinds.get(racks.key, f"{JOINED} {racks.holder}{self._make_hall_suffix(racks.hall)}"): racks
            for racks in self._shared_racks
            if len(racks.contents) > 1 or racks.key in self._kept_kinds
        }

    def find_groups(self, tier: TierDesign) -> TierGroups:
        """Return hall, plane and number of every group of a tier."""
        if tier.key not in self._groups:
            self._groups[tier.key] = make_tier_groups(tier, self.hall_lookup)
        return self._groups[tier.key]

    def _lock_key(self, run: NetworkRun) -> str:
        return (run.tier.key.text if run.tier else run.holder) + self._make_hall_suffix(run.hall)

    def _count_span(self, run: NetworkRun) -> Step:
        """Return one more than the highest number of a group of a run in its hall, and how many switches each group
        has; for scale-up trays, how many domains there are, at least one, and how many trays each has.
        """
        if run.tier is None:
            domain = next(d for d in self._design.scale_up if d.name == run.owner)
            return Step(max(1, domain.domains), domain.trays_each)
        groups = self.find_groups(run.tier)
        numbers_in_hall = [n for n, hall in zip(groups.number, groups.hall, strict=True) if hall == run.hall]
        return Step(max(numbers_in_hall) + 1, run.tier.count)

    def find_order(self, run: NetworkRun) -> RunOrder:
        """Return the order in which the switches or trays of a run are stacked."""
        history = self._layout.lock.find_words(STACKED).get(self._lock_key(run), "")
        steps = add_step(parse_history(history), *self._count_span(run))
        by_group = run.tier is not None and not spans_units(run.tier.per)
        if not run.lettered:  # it had all switches before the tier was split: those that stay keep their rack units
            return RunOrder(steps, by_group, 0, 1)
        return RunOrder(steps, by_group, run.part, run.parts)

    def per_rack(self, run: NetworkRun) -> int:
        """Return how many switches or trays of a run stand in one rack."""
        return len(self._list_device_units(self._find_profile(run).rack_units))

    def _list_device_units(self, height: int) -> tuple[int, ...]:
        """Return the lowest rack units of devices of a height that fill a rack, in the order in which it is filled."""
        if height not in self._units_of_height:
            self._units_of_height[height] = list_network_places(self._rack, height, hung=self._hung)
        return self._units_of_height[height]

    def _find_profile(self, run: NetworkRun) -> SwitchProfile:
        """Return the profile of the switches or trays of a run."""
        if run.tier is not None:
            return run.tier.profile
        domain = next(d for d in self._design.scale_up if d.name == run.owner)
        return self._design.catalog.switch(domain.profile.tray)

    def locate_switch(self, run: NetworkRun, group: Any, number: Any, where: Any) -> tuple[Any, Any]:
        """Return (rack of the run from 0, lowest rack unit) of a switch: `group` is its group's number in the run
        (`TierGroups.number`; for a tray, its domain), `number` its own in the group.

        Both are ints with `choose` as `where`, or int arrays with `numpy.where`.
        """
        position = self.find_order(run).compute_position(group, number, where)
        select = getitem if where is choose else _take_by_array
        if run.key in self._positions:
            racks, bottoms = zip(*self._positions[run.key], strict=True)
            return select(racks, position), select(bottoms, position)
        bottoms = self._list_device_units(self._find_profile(run).rack_units)
        return position // len(bottoms), select(bottoms, position % len(bottoms))

    def list_rack_switches(self, racks: RackRun) -> dict[int, dict[TierKey, list[SwitchIndex]]]:
        """Return the switches by tier of each rack of a run of racks, by its number from 0, as they are stacked."""
        by_rack: dict[int, dict[TierKey, list[tuple[int, SwitchIndex]]]] = {}
        for run, tier in ((run, run.tier) for run in racks.runs if run.tier):
            groups, order = self.find_groups(tier), self.find_order(run)
            positions, per_rack = self._positions.get(run.key), self.per_rack(run)
            for group, number in self._list_switches(run, tier, groups):
                position = order.compute_position(groups.number[group], number, choose)
                rack = positions[position][0] if positions else position // per_rack
                by_rack.setdefault(rack, {}).setdefault(tier.key, []).append((position, (group, number)))
        return {
            rack: {
                key: [switch for _, switch in sorted(positions_and_switches)]
                for key, positions_and_switches in by_tier.items()
            }
            for rack, by_tier in sorted(by_rack.items())
        }

    @staticmethod
    def _list_switches(run: NetworkRun, tier: TierDesign, groups: TierGroups) -> Iterator[SwitchIndex]:
        for group in (g for g, hall in enumerate(groups.hall) if hall == run.hall):
            for number in range(tier.count):
                if is_in_run(run, groups.plane[group], groups.number[group], number):
                    yield group, number

    def count_racks(self, racks: RackRun) -> int:
        """Return how many racks a run has: up to the last one in use, or, for extra devices, kept in the lock."""
        return max(self._count_racks_in_use(run) for run in racks.runs)

    def _count_racks_in_use(self, run: NetworkRun) -> int:
        if not run.owner:
            return (
                max(
                    (rack for positions in self.find_extra_positions(run.hall).values() for rack, _ in positions),
                    default=0,
                )
                + 1
            )
        places = self.find_order(run).places
        if run.key in self._positions:
            return max(rack for rack, _ in self._positions[run.key][:places]) + 1
        return -(-places // self.per_rack(run))

    def count_racks_with_reserve(self, racks: RackRun) -> int:
        """Return how many racks a run will have when all reserved units of its site are there; a count of switches that
        is derived grows with these units.
        """
        shared = [
            max(rack for rack, _ in self._positions[run.key]) + 1 for run in racks.runs if run.key in self._positions
        ]
        return max(self.count_racks(racks), *shared, *map(self._count_racks_alone, racks.runs))

    def _count_racks_alone(self, run: NetworkRun) -> int:
        """Return how many racks a run would have, with all reserved units, if no other run shared them."""
        if run.owner:
            return -(-self._count_places_with_reserve(run) // self.per_rack(run))
        return stack_devices((device.height for device in self._list_devices(run)), self._rack, hung=False).racks

    def _count_places_with_reserve(self, run: NetworkRun) -> int:
        """Return how many switches or trays a run will have when all reserved units of its site are there.

        Counts grow in proportion to the units, except those of tiers that serve several units and whose count is fixed.
        """
        devices_now = self.find_order(run).places
        if run.tier and spans_units(run.tier.per) and self._is_stated(run.tier):
            return devices_now
        site = self._layout.sites[self._halls[run.hall].site]
        slots_at_site = self._layout.numbering.find_span("units", site, "site")
        units_at_site = sum(pod.su for pod in self._layout.pods if pod.site == site)
        return max(devices_now, -(-devices_now * slots_at_site // units_at_site))

    def _is_stated(self, tier: TierDesign) -> bool:
        """Whether the number of switches in a group of a tier is fixed: the blueprint states it, or it is sized for the
        reserve.
        """
        return bool(self._design.loaded.blueprint.fabrics[tier.fabric].tiers[tier.name].count) or tier.for_reserve

    def find_extra_positions(self, hall: int) -> dict[str, list[tuple[int, int]]]:
        """Return (rack from 0, lowest rack unit) of every extra device of a hall, by the name of its set.

        Positions in the lock stay. Extra devices are servers and storage, heavier than switches: they are stacked from
        the bottom up unless the blueprint states otherwise.
        """
        sets = dict(self._list_extra_sets(hall))
        in_lock = self._layout.lock.find_allocations(SHELVED + self.make_key_suffix(hall))
        racks = next((r for r in self._shared_racks if r.hall == hall and EXTRAS in r.positions), None)
        if in_lock:
            return _shelve_devices(sets, in_lock, self._rack, [free.copy() for free in racks.free] if racks else [])
        # rack unit 0 stands for devices whose positions only the entry of their set has
        if racks and racks.positions[EXTRAS][0][1]:
            positions = iter(racks.positions[EXTRAS])
        else:
            heights = (p.rack_units for p, holders in sets.values() for _ in holders)
            filled = stack_devices(heights, self._rack, hung=self._design.loaded.blueprint.floor.network_fill == "down")
            positions = zip(filled.rack, filled.u, strict=True)
        return {name: [next(positions) for _ in holders] for name, (_, holders) in sets.items()}

    def _list_extra_sets(self, hall: int) -> Iterator[tuple[str, tuple[NodeProfile, tuple[str, ...]]]]:
        """Yield (name of the set, (profile, lock key of each device)) for the extra devices of a hall.

        A device with a stated name, or whose name the lock has, has a lock key to itself, so that the order of names
        moves nothing; other devices share the key of their set, its name.
        """
        stated = self._design.sets_with_names
        numbers_in_lock = self._layout.lock.find_allocations(SHELVED + self.make_key_suffix(hall))
        for name, (profile, devices, site) in self._design.extra_devices.items():
            site_number = self._layout.sites.index(site) if site else self._layout.first_site
            if self.hall_lookup.find_hall_of_site(site_number) == hall:
                keys = [(f"device {device}", name in stated) for device in devices]
                holders = tuple(key if is_named or key in numbers_in_lock else name for key, is_named in keys)
                yield name, (profile, holders)

    def list_lock_words(self) -> dict[str, str]:
        """Return, by lock key, how each run of switches or trays grew, in the lock's words: groups, and switches of
        each.
        """
        return {
            self._lock_key(run): format_history(self.find_order(run).steps)
            for run in self.runs
            if run.tier or run.owner
        }

    def list_shelved(self, hall: int) -> frozenset[tuple[str, str]]:
        """Return (kind of lock entry, lock key) under which the lock keeps the position of each extra device of
        a hall.
        """
        sets = self._list_extra_sets(hall)
        return frozenset(
            (SHELVED + self.make_key_suffix(hall), holder) for _, (_, holders) in sets for holder in holders
        )

    def list_lock_entries(self) -> dict[str, Allocations]:
        """Return, by kind of lock entry, the positions of extra devices and of runs that share racks, including those
        that are gone.
        """
        allocations: dict[str, Allocations] = {}
        for run in self.runs:
            if run.tier is None and not run.owner:
                kind = SHELVED + self.make_key_suffix(run.hall)
                positions, places_kept = (
                    self.find_extra_positions(run.hall),
                    dict(self._layout.lock.find_allocations(kind)),
                )
                for name, (profile, holders) in self._list_extra_sets(run.hall):
                    places_kept.pop(name, None)  # the set was numbered before it stated names
                    for holder in holders:
                        positions_of_key = [
                            position for position, key in zip(positions[name], holders, strict=True) if key == holder
                        ]
                        places_kept[holder] = make_rack_unit_intervals(positions_of_key, profile.rack_units, 1)
                allocations[kind] = places_kept
        return allocations | {kind: self._list_joined_units(kind, allocations) for kind in self._racks_of_several}

    def _list_joined_units(self, kind: str, shelved: Mapping[str, Allocations]) -> Allocations:
        """Return the rack units of the runs of devices that share racks, by lock key, including runs that are gone.

        `kind` is the kind of lock entry of the racks; `shelved` has the positions of extra devices by kind of lock
        entry.
        """
        racks = self._racks_of_several[kind]
        units = dict(self._layout.lock.find_allocations(kind))
        for content in racks.contents:
            holder = content.run.holder
            if holder == EXTRAS:
                of_sets = shelved[SHELVED + self.make_key_suffix(racks.hall)].values()
                units[holder] = make_intervals(sorted(n for numbers in of_sets for n in list_numbers(numbers)))
            else:
                positions = sorted(racks.positions[holder])
                units[holder] = make_rack_unit_intervals(positions, content.devices[0].height, 1)
        return units

    def list_joined(self) -> frozenset[tuple[str, str]]:
        """Return (kind of lock entry, lock key) of the runs of devices that share racks."""
        return frozenset((kind, c.run.holder) for kind, racks in self._racks_of_several.items() for c in racks.contents)


def make_rack_unit_intervals(positions: Sequence[tuple[int, int]], height: int, first_rack: int) -> Intervals:
    """Return positions in racks as numbers of the lock (`STRIDE` times the rack plus the rack unit), including all rack
    units that devices of a height take. `first_rack` is the lock's number of rack 0 of `positions`.
    """
    return make_intervals((rack + first_rack) * STRIDE + u + i for rack, u in positions for i in range(height))


def _take_by_array(values: Sequence[int], index: Any) -> Any:
    """Return the values at the indices of an int array, as int64."""
    import numpy as np  # a caller with an array has loaded it

    return np.array(values, dtype=np.int64)[index]


def _shelve_devices(
    sets: Mapping[str, tuple[NodeProfile, tuple[str, ...]]],
    kept_numbers: Allocations,
    kind: RackProfile,
    racks: list[FreeUnits],
) -> dict[str, list[tuple[int, int]]]:
    """Return (rack from 0, lowest rack unit) of each extra device by set: where the lock has it, else the lowest free
    position.

    `sets` has the profile and the lock key of each device, by the name of the set. `kept_numbers` has rack units by
    lock key: `STRIDE` times the rack, from 1, plus the rack unit. `racks` are the free rack units of the racks that
    exist; they are filled here, and further racks are opened. Positions of removed devices stay taken.
    """

    def open_rack(rack_number: int) -> FreeUnits:
        while len(racks) <= rack_number:
            racks.append(make_network_units(kind))
        return racks[rack_number]

    # the lock has rack and rack unit as one number, racks from 1
    for number, u in (divmod(n, STRIDE) for intervals in kept_numbers.values() for n in list_numbers(intervals)):
        open_rack(number - 1).take_units(u, 1)
    kept_positions: dict[str, list[tuple[int, int] | None]] = {}
    for name, (profile, holders) in sets.items():
        units_kept = {
            key: [divmod(n, STRIDE) for n in list_numbers(kept_numbers.get(key, ()))] for key in (name, *holders)
        }
        free_positions = {
            key: [(number - 1, u) for number, u in rack_units[:: profile.rack_units]]
            for key, rack_units in units_kept.items()
        }
        kept_positions[name] = [
            # the position of its own lock key, else one that the lock has for its set
            next((free_positions[key].pop(0) for key in (holder, name) if free_positions[key]), None)
            for holder in holders
        ]
    positions_by_set: dict[str, list[tuple[int, int]]] = {}
    for name, (profile, _) in sets.items():
        positions_by_set[name] = []
        for position in kept_positions[name]:
            fits = ((i, free_units.find_next(0, profile.rack_units, hung=False)) for i, free_units in enumerate(racks))
            number, u = position or next(((i, u) for i, u in fits if u is not None), (len(racks), 1))
            positions_by_set[name].append(
                (number, u if position else open_rack(number).take_units(u, profile.rack_units))
            )
    return positions_by_set
