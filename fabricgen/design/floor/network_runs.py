"""Runs of shared network racks: which devices stand in each run, in which order, and in which hall."""

from __future__ import annotations

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
from fabricgen.design.floor.unit_racks import find_default_stand, find_part
from fabricgen.design.layout import Layout
from fabricgen.design.management.managed import TRAY_TIER
from fabricgen.design.model import Design
from fabricgen.design.shape import (
    find_pod_of_unit,
    find_site_of_place,
    list_inner_dimensions,
    list_units_of_place,
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
    list_numbers,
)
from fabricgen.kernel.units import round_up_to_power_of_two


class NetworkRun(NamedTuple):
    """What stands in shared network racks of one hall: devices of one kind, in order.

    `tier` and `plane` (-1: all planes) say which switches it holds; if a tier's switches are split over `parts` runs,
    this one has number `part`. Runs of extra devices have tier None and owner "", runs of scale-up trays tier None and
    the owner that they belong to.
    """

    owner: str
    tier: TierDesign | None
    plane: int
    hall: int
    part: int
    parts: int
    at_ends: bool
    """Whether its racks stand at the ends of node rows, as the tier says."""
    lettered: bool = False
    """Whether it is called after its part: not the one that was there before others."""

    @property
    def key(self) -> tuple[int, str]:
        """Its hall and its key in the lock."""
        return self.hall, self.holder

    @property
    def holder(self) -> str:
        """Its key in the lock, unique within the hall."""
        if self.tier is None:
            return f"{self.owner} {TRAY_TIER}" if self.owner else EXTRAS
        plane = f"{PLANE}{self.plane + 1}" if self.plane >= 0 else ""
        part = f"{PART}{ascii_lowercase[self.part]}" if self.lettered else ""
        return f"{self.owner} {self.tier.key.tier}{plane}{part}"


class RackRun(NamedTuple):
    """Network racks side by side in a hall, and the runs of devices in them: one, and those that joined it.

    `holder` is its key in the lock: that of the run that was there first.
    """

    name: str
    holder: str
    hall: int
    at_ends: bool
    """Whether they stand at the ends of node rows, as their tier says."""
    runs: tuple[NetworkRun, ...]


def find_stand(design: Design, tier: TierDesign) -> Stand:
    """Where the switches of a tier stand: as stated, else by what they serve."""
    return find_default_stand(tier, design.loaded.blueprint.fabrics[tier.fabric].tiers[tier.name].stand)


def stands_in_run(design: Design, tier: TierDesign) -> bool:
    """Whether the switches of a tier stand in runs of shared racks, and not in racks of the units."""
    return spans_units(tier.per) or find_stand(design, tier) == "network-row"


def name_usual_rack(run: RackRun, place: int) -> str:
    """The usual name of a rack of a run, by its number from 0."""
    return f"net-{run.name}-{place + 1:02d}"


def count_racks_of_tier(design: Design, tier: TierDesign) -> int:
    """How many network racks, or runs of them, the switches of a tier are split over."""
    return design.loaded.blueprint.fabrics[tier.fabric].tiers[tier.name].racks


def list_network_runs(design: Design, halls: Sequence[Hall]) -> tuple[NetworkRun, ...]:
    """The runs of shared network racks: extra devices, then switches tier by tier, then scale-up trays."""
    runs = []
    kept_holders, hall_lookup = list_kept_runs(design.layout.lock), HallLookup(design, halls)
    for owner, tier, plane, hall in _list_wanted_runs(design, hall_lookup):
        parts = count_racks_of_tier(design, tier) if tier else 1
        at_ends = tier is not None and find_stand(design, tier) == "row-end"
        for part in range(parts):
            run = NetworkRun(owner, tier, plane, hall, part, parts, at_ends)
            lettered = run._replace(lettered=True)
            without_letter = (
                run.holder in kept_holders
                if (run.holder in kept_holders) != (lettered.holder in kept_holders)
                else parts == 1
            )
            runs.append(run if without_letter and part == 0 else lettered)
    return tuple(runs)


def name_run(design: Design, holder: str, prefix: str) -> str:
    """The name of a run of racks by its key in the lock; `prefix` is that of its hall (`HallLookup.prefix`)."""
    whole, _, part = holder.partition(PART)
    tier, _, plane = whole.partition(PLANE)
    words = [re.sub("[ /+]", "-", "extra" if tier == EXTRAS else tier)]
    if plane and not (plane == "1" and tier in find_unnumbered_planes(design)):
        words.append(f"pl{plane}")
    return prefix + "-".join([*words, part] if part else words)


def list_kept_runs(lock: Lock) -> set[str]:
    """The holders of runs of shared racks that a lock has places for, in any hall."""
    return {name for kind, held in lock.held.items() if kind.split()[0] in (KIND, JOINED) for name in held}


def find_unnumbered_planes(design: Design) -> dict[str, str]:
    """`plane 1` by tier whose racks are named without it: it was the only one, or as the lock has it was once."""
    kept_holders, words = list_kept_runs(design.layout.lock), design.layout.lock.find_words(UNNUMBERED)
    planes = {}
    sizes = {tier.key.text: tier.sizes["plane"] for tier in design.tiers if "plane" in tier.per}
    # those that are gone may have given racks their name
    for tier in (*sizes, *sorted({name.partition(PLANE)[0] for name in kept_holders if PLANE in name} - sizes.keys())):
        prefix = tier + PLANE
        numbers = {name.removeprefix(prefix).split()[0] for name in kept_holders if name.startswith(prefix)}
        if tier in words or numbers == {"1"} or (not numbers and sizes[tier] == 1):
            planes[tier] = f"{PLANE.strip()} 1"
    return planes


def list_unnumbered_words(design: Design) -> dict[str, str]:
    """What the lock has to remember of names that leave out a site or plane which is alone no longer."""
    layout = design.layout
    words = {"sites": layout.unnamed_site} if layout.unnamed_site and len(layout.sites) > 1 else {}
    several_planes = {tier.key.text for fabric in design.fabrics for tier in fabric.tiers if tier.sizes["plane"] > 1}
    return words | {tier: plane for tier, plane in find_unnumbered_planes(design).items() if tier in several_planes}


class HallLookup:
    """The hall whose network rows serve a site, pod or unit: the one that the pod states, else the first
    of the site.
    """

    def __init__(self, design: Design, halls: Sequence[Hall]) -> None:
        self._layout, self._halls = design.layout, halls
        words = design.layout.lock.find_words(UNNUMBERED)
        self._of_site = [
            min(
                (i for i, hall in enumerate(halls) if hall.site == number),
                # the hall that was there alone stays the site's own (False sorts before True), else its first
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
        """The prefix of rack names in a hall; "" in the first one of the site that names leave out."""
        is_first = self._of_site[self._halls[hall].site] == hall
        if not is_first:
            return f"{self._halls[hall].name}-"
        site = self._layout.sites[self._halls[hall].site]
        return "" if site == self._layout.unnamed_site else f"{site}-"

    def find_hall_of_site(self, site: int) -> int:
        """The hall for devices that serve a whole site."""
        return self._of_site[site]

    def find_hall_of_place(self, layout: Layout, scope: str, place: int) -> int:
        """The hall for devices that serve a place of a scope, by the place's number in the layout of their tier."""
        if scope in (WHOLE, "site"):
            return self._of_site[find_site_of_place(layout, scope, place)]
        pod = place if scope == "pod" else find_pod_of_unit(layout, next(list_units_of_place(layout, scope, place)))
        return self._of_pod[layout.cluster_pods[pod]]


def _list_wanted_runs(design: Design, hall_lookup: HallLookup) -> Iterator[tuple[str, TierDesign | None, int, int]]:
    """(owner, tier, plane, hall) of every kind of run, before those of a tier are split into parts."""
    layout = design.layout
    extra_sites = {site for _, _, site in design.extra_devices.values()}
    for site in sorted({layout.sites.index(s) if s else layout.first_site for s in extra_sites}):
        yield "", None, -1, hall_lookup.find_hall_of_site(site)
    for fabric in design.fabrics:
        for tier in fabric.tiers:
            if not stands_in_run(design, tier):
                continue
            # -1 alone: no plane
            planes = range(tier.sizes["plane"]) if "plane" in tier.per else range(-1, 0)
            halls_of_tier = sorted(
                {hall_lookup.find_hall_of_place(tier.layout, tier.scope, place) for place in range(tier.places)}
            )
            for plane, hall in product(planes, halls_of_tier):
                yield fabric.name, tier, plane, hall
    for scale_up in design.scale_up:
        if scale_up.trays and scale_up.tray_scope != "rack":
            pods = scale_up.places.pods(layout) if scale_up.per == "pod" else ()
            for hall in sorted(
                {hall_lookup.find_hall_of_place(layout, "pod", pod) for pod in pods}
                or {hall_lookup.find_hall_of_site(0)}
            ):
                yield scale_up.name, None, -1, hall


class TierGroups(NamedTuple):
    """By group of a tier: its hall, its plane (-1: all), and its number for ordering within a run, planes
    not counted.
    """

    hall: tuple[int, ...]
    plane: tuple[int, ...]
    number: tuple[int, ...]

    @property
    def span(self) -> int:
        """One more than the highest number."""
        return max(self.number, default=-1) + 1


def make_tier_groups(tier: TierDesign, hall_lookup: HallLookup) -> TierGroups:
    """Hall, plane and number of every group of a tier."""
    scope = tier.scope
    groups_per_place = tier.groups // tier.places
    values = [split_group_number(tier, i) for i in range(groups_per_place)]
    planes = [value.get("plane", -1) for value in values]
    # `split_group_number` lists the fastest dimension first: turned round, the slowest one counts first
    distinct = sorted({tuple(v for d, v in value.items() if d != "plane") for value in values}, key=lambda v: v[::-1])
    order = {value: i for i, value in enumerate(distinct)}
    numbers = [order[tuple(v for d, v in value.items() if d != "plane")] for value in values]
    halls = [
        hall_lookup.find_hall_of_place(tier.layout, scope, place) for place in range(tier.groups // groups_per_place)
    ]
    places = number_places(tier.layout, scope, "site") if scope != WHOLE else (0,)
    return TierGroups(
        hall=tuple(hall for hall in halls for _ in values),
        plane=tuple(plane for _ in halls for plane in planes),
        number=tuple(places[place] * len(distinct) + number for place in range(len(halls)) for number in numbers),
    )


def split_group_number(tier: TierDesign, group: int) -> dict[str, int]:
    """By dimension, the values (from 0) of rail, plane and so on that tell a tier's group from others in its place."""
    values = {}
    for dimension in reversed(list_inner_dimensions(tier.per)):
        # the last dimension turns fastest
        group, values[dimension] = divmod(group, tier.sizes[dimension])
    return values


def is_in_run(run: NetworkRun, plane: Any, group: Any, number: Any) -> Any:
    """Whether a switch, or each of an array of switches, is of the plane and part of a run; `group` is its group,
    `number` its number there.
    """
    in_run_plane = (plane == run.plane) | (run.plane < 0)
    if run.tier is None or run.parts == 1:
        return in_run_plane
    return in_run_plane & (find_part(run.tier.count, number, group, run.parts) == run.part)


# The rows of a hall for shared network racks: which floor rows they are, and which run of racks has which places.
# Places are numbered row by row. By default these rows lie before those of nodes and are numbered away from them, and
# runs of racks fill them together: those that go into one row share rows, larger ones have rows of their own behind.

_MOST_PLACES = 1 << 40

KIND = "floor"
"""Kind of lock entry: places of racks in the network rows of a hall."""

JOINED = "joined"
"""Kind of lock entry: positions of the runs of devices that share a run of racks, one kind for each of these."""

EXTRAS, PLANE, PART = "extra devices", " plane ", " part "
"""The lock key of the run of extra devices, and what stands before the number of a plane, and then the letter of a
part, in the lock key of others.
"""


class NetworkArea(NamedTuple):
    """Network rows of a hall: `rows` rows from floor row `first` on (0: none between node rows), and an overflow area.

    Racks that do not fit overflow before the first row in a hall without limits, else into its last rows. With
    `outwards` racks are placed from the middle of a row to both sides.
    """

    hall: Hall
    first: int
    rows: int
    outwards: bool

    def node_row(self, row: Any) -> Any:
        """The floor row of a row of nodes, or of an array of rows, both from 0."""
        return row + (row >= self.first) * self.rows

    def locate_place(self, place: int) -> tuple[int, int]:
        """(floor row, column) of a place; rows before the first are negative."""
        row, column = divmod(place, self.hall.racks_per_row)
        if self.outwards:
            column = place_outwards(column, self.hall.racks_per_row)
        if row < self.rows:
            return self.first + row, column
        # rows that were not kept: before the first row of an endless hall, from the end of another
        behind = row - self.rows
        return (-1 - behind if self.hall.rows == ENDLESS else self.hall.rows - 1 - behind), column

    def count_overflow_rows(self, places: int) -> int:
        """How many rows so many places take beyond those kept for them."""
        return max(0, -(-places // self.hall.racks_per_row) - self.rows)


def place_outwards(place: int, length: int) -> int:
    """The column of a place when places count from the middle of a row, alternating between both sides."""
    middle = (length - 1) // 2
    # odd places to the right, even ones to the left: 0, 1, 2, 3 are middle, +1, -1, +2
    return middle + (place + 1) // 2 if place % 2 else middle - place // 2


def allocate_own_rows(wanted: Mapping[str, int], per_row: int) -> dict[str, Intervals]:
    """Places of runs that have rows of their own: the first row of every run comes before the second of any."""
    runs = len(wanted)
    places = {}
    for number, (name, racks) in enumerate(wanted.items()):
        rows = range(max(1, -(-racks // per_row)))
        places[name] = tuple(Interval((number + wrap * runs) * per_row, per_row) for wrap in rows)
    return places


def allocate_together(
    held: Allocations, wanted: Mapping[str, int], room: Mapping[str, int], per_row: int
) -> dict[str, Intervals]:
    """Places of runs that fill rows together: those in the lock, and for others the first row with room for all of it.

    `wanted` are racks that a run has, `room` those that it will have with the reserve. Runs that need more than a row
    have rows of their own behind. Parts that a tier is split into, and odd and even planes, stand in different rows:
    the loss of one leaves the others.
    """
    placed: dict[str, Intervals] = {}
    size = {name: count_numbers(held.get(name, ())) for name in wanted}
    most_racks = {name: min(room[name], per_row) if racks <= per_row else room[name] for name, racks in wanted.items()}
    size = {
        name: kept_racks if kept_racks >= max(1, wanted[name]) else max(1, most_racks[name])
        for name, kept_racks in size.items()
    }
    # lane by lane, which is a stable sort: within one they stay in the order of the runs
    for name in sorted((name for name in wanted if size[name] <= per_row), key=choose_lane):
        allocated = {**held, **placed}
        request = AllocationRequest(name, size[name], _list_open_rows(name, allocated, per_row))
        placed |= allocate_intervals(allocated, [request])
    large = {name: size[name] for name in wanted if size[name] > per_row}
    if not held:
        behind = _count_rows({**held, **placed}, per_row) * per_row
        for name, intervals in allocate_own_rows(large, per_row).items():
            placed[name] = tuple(Interval(first + behind, count) for first, count in intervals)
        return {name: placed[name] for name in wanted}
    for name, racks in large.items():
        allocated, kept_racks = {**held, **placed}, count_numbers(held.get(name, ()))
        racks_in_rows = kept_racks + -(-(racks - kept_racks) // per_row) * per_row
        placed |= allocate_intervals(
            allocated, [AllocationRequest(name, racks_in_rows, (Interval(0, _MOST_PLACES),), per_row)]
        )
    return {name: placed[name] for name in wanted}


def choose_lane(name: str) -> str:
    """Which rows a run may share with others, by its lock key: those of its part, else those of odd or even planes.

    What is not split stands with the first part and the odd planes.
    """
    if PART in name:
        return name.rpartition(PART)[2]
    # planes count from 1 in the lock
    return "b" if PLANE in name and int(name.rpartition(PLANE)[2]) % 2 == 0 else "a"


def _count_rows(allocated: Allocations, per_row: int) -> int:
    """How many rows have places of some runs, up to the last."""
    last = max((interval.end for places in allocated.values() for interval in places), default=0)
    return -(-last // per_row)


def _list_open_rows(name: str, allocated: Allocations, per_row: int) -> Intervals:
    """The rows in which a run may have places: those where no other lane has any, the first empty row included."""
    lane = choose_lane(name)
    closed_rows = {
        row
        for other_name, places in allocated.items()
        if choose_lane(other_name) != lane
        for interval in places
        for row in range(interval.first // per_row, -(-interval.end // per_row))
    }
    rows = range(_count_rows(allocated, per_row) + 1)
    return tuple(Interval(row * per_row, per_row) for row in rows if row not in closed_rows)


def allocate_places(
    held: Allocations, wanted: Mapping[str, int], per_row: int, *, shared: bool
) -> dict[str, Intervals]:
    """Places of each run of racks: those in the lock, and new ones where there is room.

    Where runs share rows each gets room for up to twice as many racks (the next power of two), else whole rows.
    """
    if not held and not shared:
        return allocate_own_rows(wanted, per_row)
    window = (Interval(0, _MOST_PLACES),)
    demands = []
    for name, racks in wanted.items():
        kept_racks = count_numbers(held.get(name, ()))
        room = round_up_to_power_of_two(max(1, racks)) if shared else -(-max(1, racks) // per_row) * per_row
        demands.append(
            AllocationRequest(
                name,
                kept_racks if kept_racks >= racks and kept_racks else max(room, kept_racks),
                window,
                1 if shared else per_row,
            )
        )
    return allocate_intervals(held, demands)


def find_highest_place(places: Mapping[str, Intervals], wanted: Mapping[str, int]) -> int:
    """One more than the highest place that holds a rack."""
    return max((n + 1 for name, racks in wanted.items() for n in _list_first(places[name], racks)), default=0)


def _list_first(intervals: Intervals, count: int) -> Sequence[int]:
    return [n for n, _ in zip(list_numbers(intervals), range(count), strict=False)]
