"""Runs of shared network racks: which devices stand in each run, in which order, and in which hall."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from string import ascii_lowercase
from typing import Any

from fabricgen.blueprint.beside.lock import UNNUMBERED, Lock
from fabricgen.blueprint.beside.split_sites import hall_holder
from fabricgen.blueprint.dimensions import WHOLE
from fabricgen.blueprint.sections.floor import Stand
from fabricgen.design.fabric_model import TierDesign, TierKey
from fabricgen.design.floor.halls import Hall
from fabricgen.design.floor.network_area import KIND, PART, PLANE
from fabricgen.design.floor.unit_racks import part_of, stand_of
from fabricgen.design.layout import Layout
from fabricgen.design.management.managed import TRAY_TIER
from fabricgen.design.model import Design
from fabricgen.design.shape import inner, place_numbers, pod_of_unit, site_of_place, spans_units, units_of


@dataclass(frozen=True, slots=True)
class NetworkRun:
    """A run of shared network racks: a series of racks for one kind of device, in one hall.

    `tier` and `plane` (-1: all planes) say which switches it holds; if a tier's switches are split over `parts` runs,
    this one has number `part`. Runs of extra devices have tier None and owner "", runs of scale-up trays tier None and
    the owner that they belong to.
    """

    name: str
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
    def holder(self) -> str:
        """Its key in the lock, unique within the hall."""
        if self.tier is None:
            return f"{self.owner} {TRAY_TIER}" if self.owner else "extra devices"
        plane = f"{PLANE}{self.plane + 1}" if self.plane >= 0 else ""
        part = f"{PART}{ascii_lowercase[self.part]}" if self.lettered else ""
        return f"{self.owner} {self.tier.key.tier}{plane}{part}"


def stated_stand(design: Design, tier: TierDesign) -> Stand:
    """Where the switches of a tier stand: as stated, else by what they serve."""
    return stand_of(tier, design.loaded.blueprint.fabrics[tier.fabric].tiers[tier.name].stand)


def stands_in_run(design: Design, tier: TierDesign) -> bool:
    """Whether the switches of a tier stand in runs of shared racks, and not in racks of the units."""
    return spans_units(tier.per) or stated_stand(design, tier) == "network-row"


def shared_name(run: NetworkRun, place: int) -> str:
    """The usual name of a rack of a run, by its number from 0."""
    return f"net-{run.name}-{place + 1:02d}"


def racks_of(design: Design, tier: TierDesign) -> int:
    """How many network racks, or runs of them, the switches of a tier are split over."""
    return design.loaded.blueprint.fabrics[tier.fabric].tiers[tier.name].racks


def network_runs(design: Design, halls: Sequence[Hall]) -> tuple[NetworkRun, ...]:
    """The runs of shared network racks: extra devices, then switches tier by tier, then scale-up trays."""
    found = []
    kept, hall_lookup = kept_runs(design.layout.lock), HallLookup(design, halls)
    for name, owner, tier, plane, hall in _wanted(design, hall_lookup):
        full = hall_lookup.prefix(hall) + name
        parts = racks_of(design, tier) if tier else 1
        at_ends = tier is not None and stated_stand(design, tier) == "row-end"
        for part in range(parts):
            run = NetworkRun(full, owner, tier, plane, hall, part, parts, at_ends)
            lettered = replace(run, name=f"{full}-{ascii_lowercase[part]}", lettered=True)
            alone = run.holder in kept if (run.holder in kept) != (lettered.holder in kept) else parts == 1
            found.append(run if alone and part == 0 else lettered)
    return tuple(found)


def kept_runs(lock: Lock) -> set[str]:
    """The holders of runs of shared racks that a lock has places for, in any hall."""
    return {name for kind, held in lock.held.items() if kind.split()[0] == KIND for name in held}


def unnumbered_planes(design: Design) -> dict[str, str]:
    """`plane 1` by tier whose racks are named without it: it was the only one, or as the lock has it was once."""
    kept, words = kept_runs(design.layout.lock), design.layout.lock.words_of(UNNUMBERED)
    found = {}
    for tier in (tier for fabric in design.fabrics for tier in fabric.tiers if "plane" in tier.per):
        before = f"{tier.key.text}{PLANE}"
        numbers = {name.removeprefix(before).split()[0] for name in kept if name.startswith(before)}
        if tier.key.text in words or numbers == {"1"} or (not numbers and tier.sizes["plane"] == 1):
            found[tier.key.text] = f"{PLANE.strip()} 1"
    return found


def unnumbered_words(design: Design) -> dict[str, str]:
    """What the lock has to remember of names that leave out a site or plane which is alone no longer."""
    layout = design.layout
    found = {"sites": layout.unnamed_site} if layout.unnamed_site and len(layout.sites) > 1 else {}
    several = {tier.key.text for fabric in design.fabrics for tier in fabric.tiers if tier.sizes["plane"] > 1}
    return found | {tier: plane for tier, plane in unnumbered_planes(design).items() if tier in several}


class HallLookup:
    """The hall whose network rows serve a site, pod or unit: the one that the pod states, else the first
    of the site.
    """

    def __init__(self, design: Design, halls: Sequence[Hall]) -> None:
        self._layout, self._halls = design.layout, halls
        words = design.layout.lock.words_of(UNNUMBERED)
        self._of_site = [
            min(
                (i for i, hall in enumerate(halls) if hall.site == number),
                key=lambda i: halls[i].name != words.get(hall_holder(site)),
            )
            for number, site in enumerate(design.layout.sites)
        ]
        pods = design.loaded.blueprint.expanded_pods(design.layout.lock.of("pods"))
        names = {(hall.site, hall.name): i for i, hall in enumerate(halls)}
        sites = design.layout.sites
        self._of_pod = [
            names.get((sites.index(pod.site), pods[pod.name].hall or ""), self._of_site[sites.index(pod.site)])
            for pod in design.layout.pods
        ]

    def prefix(self, hall: int) -> str:
        """The prefix of rack names in a hall; "" in the first one of the site that names leave out."""
        first = self._of_site[self._halls[hall].site] == hall
        if not first:
            return f"{self._halls[hall].name}-"
        site = self._layout.sites[self._halls[hall].site]
        return "" if site == self._layout.unnamed_site else f"{site}-"

    def of_site(self, site: int) -> int:
        """The hall for devices that serve a whole site."""
        return self._of_site[site]

    def of_place(self, layout: Layout, scope: str, place: int) -> int:
        """The hall for devices that serve a place of a scope, by the place's number in the layout of their tier."""
        if scope in (WHOLE, "site"):
            return self._of_site[site_of_place(layout, scope, place)]
        pod = place if scope == "pod" else pod_of_unit(layout, next(units_of(layout, scope, place)))
        return self._of_pod[layout.cluster_pods[pod]]


def _wanted(design: Design, hall_lookup: HallLookup) -> Iterator[tuple[str, str, TierDesign | None, int, int]]:
    """(name, owner, tier, plane, hall) of every kind of run, before those of a tier are split into parts."""
    layout, unnumbered = design.layout, unnumbered_planes(design)
    stated = {site for _, _, site in design.extra_devices.values()}
    for site in sorted({layout.sites.index(s) if s else layout.first_site for s in stated}):
        yield "extra", "", None, -1, hall_lookup.of_site(site)
    for fabric in design.fabrics:
        for tier in fabric.tiers:
            if not stands_in_run(design, tier):
                continue
            planes = range(tier.sizes["plane"]) if "plane" in tier.per else range(-1, 0)
            at = sorted({hall_lookup.of_place(tier.layout, tier.scope, place) for place in range(tier.places)})
            for plane, hall in product(planes, at):
                suffix = f"-pl{plane + 1}" if plane > 0 or (plane == 0 and tier.key.text not in unnumbered) else ""
                yield f"{fabric.name}-{_in_names(tier)}{suffix}", fabric.name, tier, plane, hall
    for scale_up in design.scale_up:
        if scale_up.trays and scale_up.tray_scope != "rack":
            pods = scale_up.places.pods(layout) if scale_up.per == "pod" else ()
            for hall in sorted({hall_lookup.of_place(layout, "pod", pod) for pod in pods} or {hall_lookup.of_site(0)}):
                yield f"{scale_up.name}-{TRAY_TIER}", scale_up.name, None, -1, hall


def _in_names(tier: TierDesign) -> str:
    """A tier in names of racks, with the part of the cluster that its switches are for: `leaf`, `leaf-b300`."""
    return tier.key.tier.replace("/", "-").replace("+", "-")


@dataclass(frozen=True, slots=True)
class TierGroups:
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


def tier_groups(tier: TierDesign, hall_lookup: HallLookup) -> TierGroups:
    """Hall, plane and number of every group of a tier."""
    scope = tier.scope
    each = tier.groups // tier.places
    values = [inner_values(tier, i) for i in range(each)]
    planes = [value.get("plane", -1) for value in values]
    apart = sorted({tuple(v for d, v in value.items() if d != "plane") for value in values}, key=lambda v: v[::-1])
    order = {value: i for i, value in enumerate(apart)}
    numbers = [order[tuple(v for d, v in value.items() if d != "plane")] for value in values]
    halls = [hall_lookup.of_place(tier.layout, scope, place) for place in range(tier.groups // each)]
    places = place_numbers(tier.layout, scope, "site") if scope != WHOLE else (0,)
    return TierGroups(
        hall=tuple(hall for hall in halls for _ in values),
        plane=tuple(plane for _ in halls for plane in planes),
        number=tuple(places[place] * len(apart) + number for place in range(len(halls)) for number in numbers),
    )


def inner_values(tier: TierDesign, group: int) -> dict[str, int]:
    """By dimension, the values (from 0) of rail, plane and so on that tell a tier's group from others in its place."""
    found = {}
    for dimension in reversed(inner(tier.per)):
        group, found[dimension] = divmod(group, tier.sizes[dimension])
    return found


def in_plane(run: NetworkRun, plane: Any, group: Any, number: Any) -> Any:
    """Whether a switch, or each of an array of switches, is of the plane and part of a run; `group` is its group,
    `number` its number there.
    """
    here = (plane == run.plane) | (run.plane < 0)
    if run.tier is None or run.parts == 1:
        return here
    return here & (part_of(run.tier.count, number, group, run.parts) == run.part)


def key_of(run: NetworkRun) -> TierKey:
    """The key of the tier in a run; an empty key for extra devices and trays."""
    return run.tier.key if run.tier else TierKey("", "")
