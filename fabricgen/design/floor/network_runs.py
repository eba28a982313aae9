"""Runs of shared network racks: which devices stand in each run, in which order, in which hall, and in which rows."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from string import ascii_lowercase
from typing import Any, NamedTuple

from fabricgen.blueprint.beside.lock import UNNUMBERED, Lock
from fabricgen.blueprint.beside.split_sites import name_hall_holder
from fabricgen.blueprint.dimensions import WHOLE
from fabricgen.blueprint.sections.floor import Stand
from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.floor.halls import ENDLESS, Hall
from fabricgen.design.floor.unit_racks import find_default_stand, find_part_of_switch
from fabricgen.design.layout import Layout
from fabricgen.design.management.managed import TRAY_TIER
from fabricgen.design.model import Design
from fabricgen.design.shape import (
    find_pod_of_place,
    find_site_of_place,
    list_inner_dimensions,
    number_places,
    spans_units,
)
from fabricgen.kernel.intervals import (
    AllocationRequest,
    Allocations,
    Interval,
    Intervals,
    allocate_intervals,
    count_numbers,
    list_first_numbers,
)
from fabricgen.kernel.units import round_up_to_power_of_two


class NetworkRun(NamedTuple):
    """A run of devices in shared network racks of one hall: switches of a tier, extra devices, or scale-up trays.

    Runs of extra devices have tier None and owner "", runs of scale-up trays tier None and their domain as owner.
    """

    owner: str
    """The fabric or scale-up domain that the devices belong to."""
    tier: TierDesign | None
    plane: int
    """The plane of its switches, from 0; -1 if it holds all planes."""
    hall: int
    """The index of its hall in `FloorPlan.halls`."""
    part: int
    """Its number among the `parts` runs that the tier's switches are split over, from 0."""
    parts: int
    at_ends: bool
    """Whether its racks stand at the ends of node rows, as the tier states."""
    lettered: bool = False
    """Whether its name has the letter of its part; false for a run that was there before the tier was split."""

    @property
    def key(self) -> tuple[int, str]:
        """Its hall and its lock key."""
        return self.hall, self.holder

    @property
    def holder(self) -> str:
        """Its lock key, unique within the hall: `compute spine`, `compute leaf plane 2 part b`, `extra devices`."""
        if self.tier is None:
            return f"{self.owner} {TRAY_TIER}" if self.owner else EXTRAS
        plane = f"{PLANE}{self.plane + 1}" if self.plane >= 0 else ""
        part = f"{PART}{ascii_lowercase[self.part]}" if self.lettered else ""
        return f"{self.owner} {self.tier.key.tier}{plane}{part}"


class RackRun(NamedTuple):
    """Network racks side by side in a hall, with one run of devices or several that share them.

    `holder` is its lock key: that of the run of devices that stood in it first.
    """

    name: str
    holder: str
    hall: int
    at_ends: bool
    """Whether the racks stand at the ends of node rows, as their tier states."""
    runs: tuple[NetworkRun, ...]


def find_stand(design: Design, tier: TierDesign) -> Stand:
    """Return where the switches of a tier stand: as the blueprint states, else as is usual for what they serve."""
    return find_default_stand(tier, design.loaded.blueprint.fabrics[tier.fabric].tiers[tier.name].stand)


def stands_in_run(design: Design, tier: TierDesign) -> bool:
    """Whether the switches of a tier stand in runs of shared racks, and not in racks of units."""
    return spans_units(tier.per) or find_stand(design, tier) == "network-row"


def name_usual_rack(run: RackRun, number: int) -> str:
    """Return the usual name of a rack of a run, by its number in the run from 0."""
    return f"net-{run.name}-{number + 1:02d}"


def count_racks_of_tier(design: Design, tier: TierDesign) -> int:
    """Return over how many network racks of a unit, or runs of shared racks, the switches of a tier are split."""
    return design.loaded.blueprint.fabrics[tier.fabric].tiers[tier.name].racks


def list_network_runs(design: Design, halls: Sequence[Hall]) -> tuple[NetworkRun, ...]:
    """Return the runs of devices in shared network racks: extra devices, then switches tier by tier, then scale-up
    trays.

    There is one for each hall and plane, and for a tier that is split, one for each part. The first part has no letter
    in its name if the lock has it so, or if it is the only part and the lock has no name for it.
    """
    runs = []
    kept_holders, hall_lookup = list_kept_runs(design.layout.lock), HallLookup(design, halls)
    for owner, tier, plane, hall in _list_wanted_runs(design, hall_lookup):
        part_count = count_racks_of_tier(design, tier) if tier else 1
        at_ends = tier is not None and find_stand(design, tier) == "row-end"
        for part_number in range(part_count):
            run = NetworkRun(owner, tier, plane, hall, part_number, part_count, at_ends)
            lettered = run._replace(lettered=True)
            # named as the lock has it; without a lock, the only part has no letter
            without_letter = (
                run.holder in kept_holders
                if (run.holder in kept_holders) != (lettered.holder in kept_holders)
                else part_count == 1
            )
            runs.append(run if without_letter and part_number == 0 else lettered)
    return tuple(runs)


def name_run(design: Design, holder: str, prefix: str) -> str:
    """Return the name of a run of racks by its lock key, such as `storage-leaf-pl2-a`, behind the prefix of its hall
    (`HallLookup.find_prefix`). `pl1` is left out if it is the only plane, or was when the lock first named the racks.
    """
    tier_and_plane, _, part_letter = holder.partition(PART)
    tier, _, plane = tier_and_plane.partition(PLANE)
    name_words = [re.sub("[ /+]", "-", "extra" if tier == EXTRAS else tier)]
    if plane and not (plane == "1" and tier in find_unnumbered_planes(design)):
        name_words.append(f"pl{plane}")
    return prefix + "-".join([*name_words, part_letter] if part_letter else name_words)


def list_kept_runs(lock: Lock) -> set[str]:
    """Return the lock keys of runs of shared racks that a lock has places for, in any hall."""
    return {name for kind, held in lock.held.items() if kind.split()[0] in (KIND, JOINED) for name in held}


def find_unnumbered_planes(design: Design) -> dict[str, str]:
    """Return the text `plane 1` for each tier whose rack names leave out the number of plane 1, by the tier's name in
    the lock (`compute leaf`). They do if it is the only plane, or was when the lock first named the racks.
    """
    kept_holders, unnumbered = list_kept_runs(design.layout.lock), design.layout.lock.find_words(UNNUMBERED)
    planes = {}
    sizes = {tier.key.text: tier.sizes["plane"] for tier in design.tiers if "plane" in tier.per}
    # a tier that is gone may have given its name to racks that the lock keeps
    for tier in (*sizes, *sorted({name.partition(PLANE)[0] for name in kept_holders if PLANE in name} - sizes.keys())):
        prefix = tier + PLANE
        planes_in_lock = {name.removeprefix(prefix).split()[0] for name in kept_holders if name.startswith(prefix)}
        if tier in unnumbered or planes_in_lock == {"1"} or (not planes_in_lock and sizes[tier] == 1):
            planes[tier] = f"{PLANE.strip()} 1"
    return planes


def list_unnumbered_words(design: Design) -> dict[str, str]:
    """Return what a lock has to remember so that names go on without a site or plane now that there are several: the
    site under `sites`, and `plane 1` under each tier's name in the lock.
    """
    layout = design.layout
    words = {"sites": layout.unnamed_site} if layout.unnamed_site and len(layout.sites) > 1 else {}
    several_planes = {tier.key.text for fabric in design.fabrics for tier in fabric.tiers if tier.sizes["plane"] > 1}
    return words | {tier: plane for tier, plane in find_unnumbered_planes(design).items() if tier in several_planes}


class HallLookup:
    """Finds the hall whose network rows serve a site, pod or unit: the hall that the pod states, else the first of the
    site.
    """

    def __init__(self, design: Design, halls: Sequence[Hall]) -> None:
        self._layout, self._halls = design.layout, halls
        words = design.layout.lock.find_words(UNNUMBERED)
        self._of_site = [
            min(
                (i for i, hall in enumerate(halls) if hall.site == number),
                # the hall that the lock has as the site's only one stays first (False sorts before True)
                key=lambda i: halls[i].name != words.get(name_hall_holder(site)),
            )
            for number, site in enumerate(design.layout.sites)
        ]
        pods = design.loaded.blueprint.expand_pods(design.layout.lock.find_allocations("pods"))
        names = {(hall.site, hall.name): i for i, hall in enumerate(halls)}
        sites = design.layout.sites
        self._of_pod = [
            names.get((sites.index(pod.site), pods[pod.name].hall or ""), self._of_site[sites.index(pod.site)])
            for pod in design.layout.pods
        ]

    def find_prefix(self, hall: int) -> str:
        """Return the prefix of rack names in a hall: the hall's name, or the site's in the first hall of a site. It is
        "" in the first hall of the site that names leave out (`Layout.unnamed_site`).
        """
        is_first = self._of_site[self._halls[hall].site] == hall
        if not is_first:
            return f"{self._halls[hall].name}-"
        site = self._layout.sites[self._halls[hall].site]
        return "" if site == self._layout.unnamed_site else f"{site}-"

    def find_hall_of_site(self, site: int) -> int:
        """Return the index of the hall of devices that serve a whole site, by the site's index."""
        return self._of_site[site]

    def find_hall_of_place(self, layout: Layout, scope: str, place: int) -> int:
        """Return the index of the hall of devices that serve a place of a scope; `place` is its number in `layout`, the
        layout of their tier.
        """
        if scope in (WHOLE, "site"):
            return self._of_site[find_site_of_place(layout, scope, place)]
        return self._of_pod[layout.cluster_pods[find_pod_of_place(layout, scope, place)]]


def _list_wanted_runs(design: Design, hall_lookup: HallLookup) -> Iterator[tuple[str, TierDesign | None, int, int]]:
    """Yield (owner, tier, plane, hall) of every run of devices, as if no tier were split into parts.

    Extra devices have owner "" and tier None, scale-up trays tier None. Plane and hall count from 0; plane -1 stands
    for all planes.
    """
    layout = design.layout
    extra_sites = {site for _, _, site in design.extra_devices.values()}
    for site in sorted({layout.sites.index(s) if s else layout.first_site for s in extra_sites}):
        yield "", None, -1, hall_lookup.find_hall_of_site(site)
    for fabric in design.fabrics:
        for tier in fabric.tiers:
            if not stands_in_run(design, tier):
                continue
            planes = range(tier.sizes["plane"]) if "plane" in tier.per else [-1]  # -1: all planes
            halls_of_tier = sorted(
                {hall_lookup.find_hall_of_place(tier.layout, tier.scope, place) for place in range(tier.places)}
            )
            for plane, hall in product(planes, halls_of_tier):
                yield fabric.name, tier, plane, hall
    for scale_up in design.scale_up:
        if scale_up.trays and scale_up.tray_scope != "rack":
            pods = scale_up.places.list_pods(layout) if scale_up.per == "pod" else ()
            for hall in sorted(
                {hall_lookup.find_hall_of_place(layout, "pod", pod) for pod in pods}
                or {hall_lookup.find_hall_of_site(0)}
            ):
                yield scale_up.name, None, -1, hall


class TierGroups(NamedTuple):
    """For each group of a tier: its hall, plane (-1: all planes), and number in its run, counted without planes."""

    hall: tuple[int, ...]
    plane: tuple[int, ...]
    number: tuple[int, ...]


def make_tier_groups(tier: TierDesign, hall_lookup: HallLookup) -> TierGroups:
    """Return hall, plane and number of every group of a tier, place by place.

    Groups of different planes have the same numbers: the number of their place in the site, times the groups that a
    place has in one plane, plus their number among these.
    """
    scope = tier.scope
    groups_per_place = tier.groups // tier.places
    values_by_group = [split_group_number(tier, i) for i in range(groups_per_place)]
    planes = [group_values.pop("plane", -1) for group_values in values_by_group]
    # `split_group_number` lists the fastest dimension first: sort by the slowest one first
    without_planes = [tuple(group_values.values()) for group_values in values_by_group]
    groups_without_planes = sorted(set(without_planes), key=lambda values: values[::-1])
    numbers = [groups_without_planes.index(values) for values in without_planes]
    halls = [
        hall_lookup.find_hall_of_place(tier.layout, scope, place) for place in range(tier.groups // groups_per_place)
    ]
    place_numbers = number_places(tier.layout, scope, "site") if scope != WHOLE else (0,)
    return TierGroups(
        hall=tuple(hall for hall in halls for _ in values_by_group),
        plane=tuple(plane for _ in halls for plane in planes),
        number=tuple(
            place_numbers[place] * len(groups_without_planes) + number
            for place in range(len(halls))
            for number in numbers
        ),
    )


def split_group_number(tier: TierDesign, group: int) -> dict[str, int]:
    """Return the number (from 0) that a group of a place has in each inner dimension (rail, plane and so on), by
    dimension; the dimension that counts fastest, the last of `list_inner_dimensions`, comes first.
    """
    values = {}
    for dimension in reversed(list_inner_dimensions(tier.per)):
        # the last dimension turns fastest
        group, values[dimension] = divmod(group, tier.sizes[dimension])
    return values


def is_in_run(run: NetworkRun, plane: Any, group: Any, number: Any) -> Any:
    """Whether a switch is of the plane and part of a run; takes ints or int arrays.

    `plane` and `group` are the plane and number of its group (`TierGroups`), `number` is its number in the group.
    """
    in_run_plane = (plane == run.plane) | (run.plane < 0)
    if run.tier is None or run.parts == 1:
        return in_run_plane
    return in_run_plane & (find_part_of_switch(run.tier.count, number, group, run.parts) == run.part)


# The rows of a hall for shared network racks: which floor rows they are, and which run of racks has which places.
# Places are numbered row by row. By default the network rows lie before the node rows and are numbered away from them.
# Runs of racks that fit into one row share rows; larger runs have rows to themselves behind the shared ones.

_MAX_PLACES = 1 << 40

KIND = "floor"
"""Kind of lock entry: places of racks in the network rows of a hall."""

JOINED = "joined"
"""Kind of lock entry: positions of the runs of devices that share a run of racks, one kind for each run of racks."""

EXTRAS, PLANE, PART = "extra devices", " plane ", " part "
"""The lock key of the run of extra devices; and the words in other lock keys before the number of a plane and before
the letter of a part.
"""


class NetworkArea(NamedTuple):
    """Network rows of a hall: `rows` rows from floor row `first` on, and overflow rows. `rows` is 0 if none lie between
    node rows.

    Racks that do not fit into the `rows` rows stand before the first row in a hall without limits, else in its last
    rows. With `outwards` racks are placed from the middle of a row to both sides.
    """

    hall: Hall
    first: int
    rows: int
    outwards: bool

    def find_floor_row(self, row: Any) -> Any:
        """Return the floor row of a node row, both from 0; takes an int or an int array."""
        return row + (row >= self.first) * self.rows

    def locate_place(self, place: int) -> tuple[int, int]:
        """Return (floor row, column) of a place, by its number; rows before the first are negative."""
        row, column = divmod(place, self.hall.racks_per_row)
        if self.outwards:
            column = place_outwards(column, self.hall.racks_per_row)
        if row < self.rows:
            return self.first + row, column
        # overflow rows: before the first row of an endless hall, from the last row of any other down
        overflow_row = row - self.rows
        return (-1 - overflow_row if self.hall.rows == ENDLESS else self.hall.rows - 1 - overflow_row), column

    def count_overflow_rows(self, places: int) -> int:
        """Return how many rows `places` places take beyond the rows kept for network racks."""
        return max(0, -(-places // self.hall.racks_per_row) - self.rows)


def place_outwards(place: int, length: int) -> int:
    """Return the column of a place in a row of `length` columns if places count from the middle, alternating between
    both sides.
    """
    middle = (length - 1) // 2
    # odd places to the right, even ones to the left: 0, 1, 2, 3 are middle, +1, -1, +2
    return middle + (place + 1) // 2 if place % 2 else middle - place // 2


def allocate_own_rows(wanted: Mapping[str, int], per_row: int) -> dict[str, Intervals]:
    """Return the places of runs that have rows to themselves: the first row of every run comes before the second row of
    any run.

    Places count row by row: row times `per_row` plus column, from 0. `wanted` is how many racks each run has; each run
    gets whole rows, at least one.
    """
    run_count = len(wanted)
    places = {}
    for run_number, (name, racks) in enumerate(wanted.items()):
        rows_of_run = range(max(1, -(-racks // per_row)))
        places[name] = tuple(Interval((run_number + row * run_count) * per_row, per_row) for row in rows_of_run)
    return places


def allocate_together(
    kept_places: Allocations, wanted: Mapping[str, int], racks_with_reserve: Mapping[str, int], per_row: int
) -> dict[str, Intervals]:
    """Return the places of runs that fill rows together: those that the lock has (`kept_places`), and new ones.

    A place is a number: its row times `per_row`, the places in a row, plus its column. `wanted` is how many racks each
    run has, `racks_with_reserve` how many it will have with all reserved units. A run that fits into a row gets the
    first free gap for all of its racks in a row that is open to it: runs of different lanes (`choose_lane`) never share
    a row, so that the loss of one row leaves the other lane.

    Each run gets places for all of its racks with the reserve, but no more than a row if it fits into one now; it gets
    further places only when it outgrows them. Larger runs have whole rows to themselves: behind the shared ones if the
    lock has no places at all, else in the first free gap of rows.
    """
    placed: dict[str, Intervals] = {}
    kept_size = {name: count_numbers(kept_places.get(name, ())) for name in wanted}
    # a run that fits into one row now gets no more than a row
    size_of_new_run = {
        name: min(racks_with_reserve[name], per_row) if racks <= per_row else racks_with_reserve[name]
        for name, racks in wanted.items()
    }
    size = {
        name: kept_racks if kept_racks >= max(1, wanted[name]) else max(1, size_of_new_run[name])
        for name, kept_racks in kept_size.items()
    }
    # lane by lane; the sort is stable, so that runs of a lane stay in their order
    for name in sorted((name for name in wanted if size[name] <= per_row), key=choose_lane):
        allocated = {**kept_places, **placed}
        request = AllocationRequest(name, size[name], _list_open_rows(name, allocated, per_row))
        placed |= allocate_intervals(allocated, [request])
    large_runs = {name: size[name] for name in wanted if size[name] > per_row}
    if not kept_places:
        places_before = _count_rows({**kept_places, **placed}, per_row) * per_row
        for name, intervals in allocate_own_rows(large_runs, per_row).items():
            placed[name] = tuple(Interval(places_before + first, count) for first, count in intervals)
        return {name: placed[name] for name in wanted}
    for name, racks in large_runs.items():
        allocated, kept_racks = {**kept_places, **placed}, count_numbers(kept_places.get(name, ()))
        racks_in_rows = kept_racks + -(-(racks - kept_racks) // per_row) * per_row
        placed |= allocate_intervals(
            allocated, [AllocationRequest(name, racks_in_rows, (Interval(0, _MAX_PLACES),), per_row)]
        )
    return {name: placed[name] for name in wanted}


def choose_lane(name: str) -> str:
    """Return the lane of a run by its lock key, a letter: runs of different lanes never share a row.

    It is the letter of the part of a split tier, else "a" for odd planes and "b" for even ones. Runs without parts and
    planes are in lane "a".
    """
    if PART in name:
        return name.rpartition(PART)[2]
    # planes count from 1 in the lock
    return "b" if PLANE in name and int(name.rpartition(PLANE)[2]) % 2 == 0 else "a"


def _count_rows(allocated: Allocations, per_row: int) -> int:
    """Return how many rows of `per_row` places there are up to the last one in which any run of racks has a place."""
    end = max((interval.end for places in allocated.values() for interval in places), default=0)
    return -(-end // per_row)


def _list_open_rows(name: str, allocated: Allocations, per_row: int) -> Intervals:
    """Return the places of rows open to a run: all rows without places of another lane, up to the first empty row."""
    lane = choose_lane(name)
    closed_rows = {
        row
        for other_name, places in allocated.items()
        if choose_lane(other_name) != lane
        for interval in places
        for row in range(interval.first // per_row, -(-interval.end // per_row))
    }
    rows_to_first_empty = range(_count_rows(allocated, per_row) + 1)
    return tuple(Interval(row * per_row, per_row) for row in rows_to_first_empty if row not in closed_rows)


def allocate_places(
    kept_places: Allocations, wanted: Mapping[str, int], per_row: int, *, shared: bool
) -> dict[str, Intervals]:
    """Return the places of each run of racks: those that the lock has (`kept_places`), and new ones in the first free
    gap.

    A place is a number: its row times `per_row` plus its column. `wanted` is how many racks each run has. With
    `shared`, runs share rows, and each new run gets the next power of two of places, so that it may grow; else each run
    gets whole rows.
    """
    if not kept_places and not shared:
        return allocate_own_rows(wanted, per_row)
    all_places = (Interval(0, _MAX_PLACES),)
    requests = []
    for name, racks in wanted.items():
        kept_racks = count_numbers(kept_places.get(name, ()))
        new_size = round_up_to_power_of_two(max(1, racks)) if shared else -(-max(1, racks) // per_row) * per_row
        requests.append(
            AllocationRequest(
                name,
                kept_racks if kept_racks >= racks and kept_racks else max(new_size, kept_racks),
                all_places,
                1 if shared else per_row,
            )
        )
    return allocate_intervals(kept_places, requests)


def find_highest_place(places: Mapping[str, Intervals], wanted: Mapping[str, int]) -> int:
    """Return one more than the highest place with a rack; each run has `wanted` racks, in the first of its places."""
    return max(
        (number + 1 for name, racks in wanted.items() for number in list_first_numbers(places[name], racks)), default=0
    )
