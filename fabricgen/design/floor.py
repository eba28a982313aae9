"""Which rack every switch stands in, where that rack stands, and what feeds it; from the design alone.

The plan gives devices their racks by the same arithmetic. Switches of a unit are stacked in network racks of that unit,
alike in all units; what serves more stands in runs of shared network racks, one a tier, plane and site.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from string import ascii_lowercase
from typing import Any, NamedTuple

from fabricgen.blueprint.floor import Floor
from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.halls import Hall, halls_of
from fabricgen.design.management import TRAY_TIER
from fabricgen.design.model import Design
from fabricgen.design.shape import inner, scope_count, scope_of, site_of_place

TOP_UNITS_FREE = 2
"""Rack units left free at the top of network racks, for patching and air."""


@dataclass(frozen=True, slots=True)
class Stack:
    """Devices of network racks in the order they are stacked: rack number and lowest unit of each."""

    rack: list[int]
    u: list[int]

    @property
    def racks(self) -> int:
        """How many racks it takes."""
        return max(self.rack, default=-1) + 1


def stack(heights: Iterable[int], units: int) -> Stack:
    """Fill racks of `units` from the bottom, one device after the other."""
    racks, bottoms, rack, u = [], [], 0, 1
    for height in heights:
        if u + height - 1 > units - TOP_UNITS_FREE and u > 1:
            rack, u = rack + 1, 1
        racks.append(rack)
        bottoms.append(u)
        u += height
    return Stack(racks, bottoms)


class Spot(NamedTuple):
    """Where a rack stands: site, row (network rows are negative) and column, from 0."""

    site: int
    row: int
    column: int


Place = tuple[int, int]
"""A switch of a tier: its group and its number in the group, from 0."""


@dataclass(frozen=True, slots=True)
class NetworkRun:
    """A run of shared network racks: what stands in it, and its number among the runs of its site.

    `tier` and `plane` (-1: all) say which switches, of which each run takes one in `parts`; extra devices have the tier
    None and the owner "", scale-up trays the owner that they belong to.
    """

    name: str
    owner: str
    tier: TierDesign | None
    plane: int
    site: int
    part: int
    parts: int
    number: int


def network_runs(design: Design) -> tuple[NetworkRun, ...]:
    """The runs of shared network racks: extra devices, then switches tier by tier, then scale-up trays."""
    sites, runs = design.layout.sites, Counter[int]()
    found = []
    for name, owner, tier, plane, site in _wanted_runs(design):
        full = name if len(sites) == 1 else f"{sites[site]}-{name}"
        parts = racks_of(design, tier) if tier else 1
        for part in range(parts):
            suffix = f"-{ascii_lowercase[part]}" if parts > 1 else ""
            found.append(NetworkRun(full + suffix, owner, tier, plane, site, part, parts, runs[site]))
            runs[site] += 1
    return tuple(found)


def racks_of(design: Design, tier: TierDesign) -> int:
    """Over how many network racks, or runs of them, the switches of a tier are dealt."""
    return design.loaded.blueprint.fabrics[tier.fabric].tiers[tier.name].racks


def part_of(count: int, number: Any, group: Any, parts: int) -> Any:
    """Into which of so many runs of racks a switch (or column of switches) is dealt, of groups of `count`.

    Those of a group in turn, alike in all groups, since a tier above may join switches of one number; where groups are
    smaller than that, group after group.
    """
    return (number if count >= parts else number + group) % parts


def _wanted_runs(design: Design) -> Iterator[tuple[str, str, TierDesign | None, int, int]]:
    layout = design.layout
    stated = {site for _, _, site in design.extra_devices.values()}
    for site in sorted({layout.sites.index(s) if s else layout.first_site for s in stated}):
        yield "extra", "", None, -1, site
    for fabric in design.fabrics:
        for tier in fabric.tiers:
            scope = scope_of(tier.per)
            if scope in ("su", "rack"):
                continue
            planes = range(fabric.sizes["plane"]) if "plane" in tier.per else range(-1, 0)
            places = range(scope_count(layout, scope))
            at = sorted({site_of_place(layout, scope, place) for place in places})
            for plane, site in product(planes, at):
                suffix = f"-pl{plane + 1}" if len(planes) > 1 else ""
                yield f"{fabric.name}-{tier.name}{suffix}", fabric.name, tier, plane, site
    for scale_up in design.scale_up:
        if scale_up.trays and scale_up.tray_scope != "rack":
            pods = layout.pods if scale_up.per == "pod" else ()
            for site in sorted({layout.sites.index(pod.site) for pod in pods} or {0}):
                yield f"{scale_up.name}-{TRAY_TIER}", scale_up.name, None, -1, site


class FloorPlan:
    """Racks of a design by what stands in them; nothing here grows with the cluster until it is asked for."""

    def __init__(self, design: Design) -> None:
        self._design, self._layout = design, design.layout
        self._floor: Floor = design.loaded.blueprint.floor

    @cached_property
    def halls(self) -> tuple[Hall, ...]:
        """The halls of all sites."""
        return halls_of(self._floor, self._layout.sites)

    @cached_property
    def unit_tiers(self) -> tuple[tuple[TierDesign, int], ...]:
        """The tiers whose switches stand in network racks of each unit, and how many each unit has."""
        tiers = [t for t in self._design.tiers if scope_of(t.per) == "su"]
        return tuple((tier, tier.switches // self._layout.units) for tier in tiers)

    @cached_property
    def unit_stack(self) -> Stack:
        """How a unit's network racks are filled."""
        switches = [
            (
                part_of(tier.count, i % tier.count, i // tier.count, racks_of(self._design, tier)),
                tier.profile.rack_units,
            )
            for tier, each in self.unit_tiers
            for i in range(each)
        ]
        racks, bottoms, first = [0] * len(switches), [0] * len(switches), 0
        for part in sorted({part for part, _ in switches}):
            mine = [i for i, (of, _) in enumerate(switches) if of == part]
            stacked = stack((switches[i][1] for i in mine), self._layout.network_rack.units)
            for i, rack, u in zip(mine, stacked.rack, stacked.u, strict=True):
                racks[i], bottoms[i] = first + rack, u
            first += stacked.racks
        return Stack(racks, bottoms)

    @cached_property
    def racks_per_unit(self) -> int:
        """Racks of a unit: those of its nodes, then its network racks."""
        return self._layout.racks_per_su + self.unit_stack.racks

    @cached_property
    def runs(self) -> tuple[NetworkRun, ...]:
        """The runs of shared network racks."""
        return network_runs(self._design)

    @cached_property
    def _runs_at(self) -> Counter[int]:
        return Counter(run.site for run in self.runs)

    @cached_property
    def _unit_slots(self) -> tuple[int, ...]:
        return self._layout.unit_numbers("site", by_slot=True)

    @cached_property
    def _site_of_unit(self) -> tuple[int, ...]:
        return tuple(self._layout.sites.index(pod.site) for pod in self._layout.pods for _ in range(pod.su))

    def unit_spot(self, unit: int, rack: int) -> Spot:
        """Where a rack of a unit stands; node racks are numbered before network racks, both from 0."""
        slot = self._unit_slots[unit] * self.racks_per_unit + rack
        return Spot(self._site_of_unit[unit], *divmod(slot, self._floor.racks_per_row))

    def shared_spot(self, run: NetworkRun, place: int) -> Spot:
        """Where the rack of a place (from 0) in a run stands; runs longer than a row go on behind the others."""
        wrap, column = divmod(place, self._floor.racks_per_row)
        return Spot(run.site, -1 - (run.number + wrap * self._runs_at[run.site]), column)

    def unit_racks(self) -> Iterator[tuple[int, list[tuple[TierDesign, int]]]]:
        """(number in the unit, switches) of a unit's network racks: each a tier and its number within the unit."""
        found: dict[int, list[tuple[TierDesign, int]]] = {}
        ordinals = ((tier, i) for tier, each in self.unit_tiers for i in range(each))
        for rack, switch in zip(self.unit_stack.rack, ordinals, strict=True):
            found.setdefault(self._layout.racks_per_su + rack, []).append(switch)
        yield from found.items()

    def shared_racks(self, run: NetworkRun) -> Iterator[list[Place]]:
        """The switches of each rack of a run of them: the first of every group before the second of any."""
        tier = run.tier
        if tier is None:
            return
        groups = self._groups_of(run, tier)
        each = max(1, (self._layout.network_rack.units - TOP_UNITS_FREE) // tier.profile.rack_units)
        mine = [(group, number) for number in range(tier.count) for group in groups]
        if run.parts > 1:
            mine = [(g, n) for g, n in mine if part_of(tier.count, n, g, run.parts) == run.part]
        for first in range(0, len(mine), each):
            yield mine[first : first + each]

    def _groups_of(self, run: NetworkRun, tier: TierDesign) -> Sequence[int]:
        """Groups of a tier at the site and in the plane of a run, ascending."""
        scope = scope_of(tier.per)
        each = tier.groups // scope_count(self._layout, scope)
        sizes = self._design.fabric(tier.fabric).tier_sizes
        if len(self._layout.sites) == 1 and run.plane < 0:
            return range(tier.groups)
        found = []
        for group in range(tier.groups):
            here = len(self._layout.sites) == 1 or site_of_place(self._layout, scope, group // each) == run.site
            if here and (run.plane < 0 or inner_values(tier, sizes, group)["plane"] == run.plane):
                found.append(group)
        return found

    def feeds_of(self, spot: Spot) -> tuple[str, ...]:
        """The power feeds that a rack hangs on; empty where none are stated."""
        feeds, cords = self._floor.feeds, self._floor.cords
        if not feeds:
            return ()
        turn = {"rack": spot.row + spot.column, "row": spot.row, "site": spot.site}[self._floor.feed_per]
        return tuple(feeds[(turn + cord) % len(feeds)] for cord in range(cords))


def inner_values(tier: TierDesign, sizes: dict[str, int], group: int) -> dict[str, int]:
    """Rail, plane and the other values, from 0, that tell a tier's group from others of its place; by dimension."""
    found = {}
    for dimension in reversed(inner(tier.per)):
        group, found[dimension] = divmod(group, sizes[dimension])
    return found
