"""Management ports of switches on the management fabric: which leaf takes which port, and how many ports a leaf keeps
for them.

A managed switch goes to a management leaf of the narrowest place that both share: rack, unit, pod, site or the whole
cluster. In each place every managed switch has a position, from the lock or the next free one. Switches of a scalable
unit, and trays of a rack, are assigned to the leaves of that place round-robin by position. Switches that serve more
than a unit (spines, cores) fill one leaf after another, a fixed number on each, so that growth moves none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from typing import NamedTuple

from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.layout import Layout, PodLayout
from fabricgen.design.scale_up.model import ScaleUpDesign
from fabricgen.design.shape import depth, inner, place_numbers, scope_count, scope_of
from fabricgen.kernel.intervals import (
    AllocationRequest,
    Allocations,
    Interval,
    allocate_intervals,
    first_numbers,
    numbers,
    to_intervals,
)

SHARED_PORTS = 8
"""Ports that each management leaf keeps for switches that serve more than the leaf's own place."""

TRAY_TIER = "switch-tray"
"""What devices.csv calls the tier of scale-up switch trays."""

AREAS = "managed areas"
"""Kind of entry in the lock: ranges of management ports of a leaf, by the place that the leaf shares with the managed
devices.
"""


PLACES = ("all", "site", "pod", "su", "rack")
"""Places for which a lock keeps management ports, from wide to narrow."""


def known_place(scope: str) -> str:
    """The place of `PLACES` that a scope is, else the next wider one."""
    return next(place for place in reversed(PLACES) if depth(place) <= depth(scope))


@dataclass(frozen=True, slots=True)
class ManagedDevices:
    """Switches of one tier, or scale-up trays, that have management ports: where they stand and how many there are."""

    fabric: str
    tier: str
    scope: str
    count: int
    slots: int
    """How many there would be if no slot were omitted."""
    labels: tuple[str, ...] = ("",)
    """What tells the groups in one place apart, such as `rail1 plane2`."""
    in_rack: int = 0
    in_unit: int = 0
    """Of trays: the most in a rack and in a unit."""

    def scope_in(self, place: str) -> str:
        """Their scope seen from a place: trays that stand in racks are counted over their whole unit."""
        return "su" if self.tier == TRAY_TIER and self.scope == "rack" and place != "rack" else self.scope


class Holder(NamedTuple):
    """Who has positions in a place: a group of switches, by where in the place it stands and its label."""

    fabric: str
    tier: str
    inside: str
    label: str

    @property
    def name(self) -> str:
        """Its key in the lock."""
        return " ".join(part for part in self if part)


def managed_devices(
    layout: Layout, fabrics: Iterable[FabricDesign], scale_up: Iterable[ScaleUpDesign], own: str
) -> tuple[ManagedDevices, ...]:
    """Everything with a management port but the switches of the management fabric `own` itself."""
    tiers = [_switches(layout, f, t) for f in fabrics if f.name != own for t in f.tiers]
    trays = [_trays(s) for s in scale_up if s.trays]
    return (*tiers, *trays)


def _switches(layout: Layout, fabric: FabricDesign, tier: TierDesign) -> ManagedDevices:
    """The switches of a tier; where its groups are narrower than any place of `PLACES`, their place is part of the
    label.
    """
    scope, labels = scope_of(tier.per), group_labels(tier.per, fabric.tier_sizes)
    place = known_place(scope)
    if place == scope:
        return ManagedDevices(fabric.name, tier.name, scope, tier.switches, tier.switches, labels)
    inside = max(place_numbers(layout, scope, place, by_slot=False)) + 1
    labels = tuple(f"{scope}{n + 1} {label}".rstrip() for n in range(inside) for label in labels)
    slots = scope_count(layout, place) * len(labels) * tier.count
    return ManagedDevices(fabric.name, tier.name, place, tier.switches, slots, labels)


def _trays(scale_up: ScaleUpDesign) -> ManagedDevices:
    each = scale_up.trays_each
    in_unit = each * len(scale_up.places.groups)
    return ManagedDevices(
        scale_up.name, TRAY_TIER, scale_up.tray_scope, scale_up.trays, scale_up.tray_slots, ("",), each, in_unit
    )


def group_labels(per: tuple[str, ...], sizes: Mapping[str, int]) -> tuple[str, ...]:
    """What tells the groups in one place apart, in their order: `rail1 plane2`."""
    dimensions = inner(per)
    values = product(*(range(1, sizes[d] + 1) for d in dimensions))
    return tuple(" ".join(f"{d}{v}" for d, v in zip(dimensions, some, strict=True)) for some in values)


def shared_scope(switch_scope: str, leaf_scope: str) -> str:
    """The narrowest place that a managed switch and a management leaf have in common."""
    return PLACES[min(PLACES.index(switch_scope), PLACES.index(known_place(leaf_scope)))]


def in_turn(place: str, leaf_scope: str) -> bool:
    """Whether switches of a place are assigned round-robin: where growth adds no leaves to the place."""
    return PLACES.index(place) >= min(PLACES.index(known_place(leaf_scope)), PLACES.index("su"))


def inside_text(place: str, scope: str, pod: str, su: int, rack: int) -> str:
    """Where in a place a narrower scope is, in words; su and rack count from 1, a site is passed as `pod`."""
    wide, narrow = PLACES.index(place), PLACES.index(scope)
    named = [
        (narrow > wide < PLACES.index("pod"), pod),
        (narrow >= PLACES.index("su") > wide, f"su{su}"),
        (narrow == PLACES.index("rack") > wide, f"rack{rack}"),
    ]
    return " ".join(text for known, text in named if known)


ManagedPorts = Callable[[str, int, bool], int]
"""(scope of the management leaves, how many, whether sized for the reserve) -> most management ports of one leaf."""


def managed_ports(layout: Layout, managed: tuple[ManagedDevices, ...]) -> ManagedPorts:
    """A function for how many management ports one leaf needs, for leaves of any scope."""
    load_of = cache(lambda scope: ManagementLoad(layout, managed, scope))
    return lambda scope, leaves, for_reserve: load_of(scope).most(leaves, for_reserve)


class ManagementLoad:
    """The management ports of one fabric, whose leaves stand in places of `leaf_scope`."""

    def __init__(self, layout: Layout, managed: tuple[ManagedDevices, ...], leaf_scope: str) -> None:
        self._layout, self._leaf_scope = layout, known_place(leaf_scope)
        shared = [(shared_scope(m.scope, leaf_scope), m) for m in managed]
        self.by_place = {place: tuple(m for scope, m in shared if scope == place) for place in PLACES}

    def instances(self, place: str) -> list[tuple[str, tuple[PodLayout, ...]]]:
        """(kind of lock entry, its pods) of each place that may differ from others of its scope; places below a pod are
        all alike.
        """
        pods = self._layout.pods
        if place == "pod":
            return [(f"managed {place}", (pod,)) for pod in pods]
        if place == "site":
            sites = self._layout.sites
            return [(f"managed at {site}", tuple(pod for pod in pods if pod.site == site)) for site in sites]
        return [(f"managed {place}", pods)]

    @cached_property
    def held(self) -> dict[str, Allocations]:
        """Positions by kind of lock entry and holder, including those of holders that are gone."""
        found: dict[str, Allocations] = {}
        for place in PLACES:
            instances = self.instances(place) if self.by_place[place] else []
            if place == "pod" and instances:
                fullest = max((pods for _, pods in instances), key=lambda pods: pods[0].su)
                instances = [("managed pod", fullest)]
            for kind, pods in instances:
                found[kind] = self._positions(kind, self._ordered(place, pods))
        return found

    @cached_property
    def holders(self) -> dict[tuple[str, str], int]:
        """(kind of lock entry, holder) of every group there is, and how many positions it needs."""
        return {
            (kind, name): count
            for place in PLACES
            for kind, pods in (self.instances(place) if self.by_place[place] else [])
            for name, count in self._counts(place, pods).items()
        }

    def _positions(self, kind: str, ordered: list[tuple[str, int]]) -> Allocations:
        """A position for each (holder, index), in this order: the one in the lock, else the next free one."""
        before = self._layout.lock.of(kind)
        mine = {name: list(numbers(intervals)) for name, intervals in before.items()}
        taken = {n for some in mine.values() for n in some}
        free = 0
        for name, index in ordered:
            have = mine.setdefault(name, [])
            if index >= len(have):
                while free in taken:
                    free += 1
                have.append(free)
                taken.add(free)
        return {name: to_intervals(some) for name, some in mine.items()}

    def _ordered(self, place: str, pods: tuple[PodLayout, ...]) -> list[tuple[str, int]]:
        """(holder, index) of every managed switch in a place, in the order in which positions are given without a lock.

        Switches that serve more than a unit come first, then unit by unit, so that a new unit moves none. Of the former
        the first switches of all groups come before the second ones, then those up to the fourth, the eighth and so on,
        so that a group that doubles moves none of another.
        """
        found = []
        for number, managed in enumerate(self.by_place[place]):
            wide = min(PLACES.index(managed.scope), PLACES.index("su"))
            shared = wide < PLACES.index("su")
            for holder, unit, group, count in self._groups(place, managed, pods):
                for index in range(count):
                    within = (index.bit_length(), number, group, index) if shared else (0, number, index, group)
                    found.append(((wide, -1 if shared else unit, *within), holder.name, index))
        return [(name, index) for _, name, index in sorted(found)]

    def _groups(
        self, place: str, managed: ManagedDevices, pods: tuple[PodLayout, ...]
    ) -> Iterator[tuple[Holder, int, int, int]]:
        """(holder, its unit's number, its number, its switches) of every group of a tier in a place."""
        scope = managed.scope_in(place)
        each = {"rack": managed.in_rack, "su": managed.in_unit}.get(scope, 0) if managed.tier == TRAY_TIER else 0
        each = each or -(-managed.slots // (scope_count(self._layout, scope) * len(managed.labels)))
        for number, (unit, inside) in enumerate(self._insides(place, scope, pods)):
            for i, label in enumerate(managed.labels):
                holder = Holder(managed.fabric, managed.tier, inside, label)
                yield holder, unit, number * len(managed.labels) + i, each

    def _insides(self, place: str, scope: str, pods: tuple[PodLayout, ...]) -> Iterator[tuple[int, str]]:
        """(number of the unit, name in words) of every place of a narrower scope in a wider one."""
        racks = range(1, self._layout.racks_per_su + 1) if scope == "rack" and place != "rack" else range(1, 2)
        if scope == place:
            yield 0, ""
        elif place == "su":
            yield from ((0, inside_text(place, scope, "", 1, rack)) for rack in racks)
        elif scope == "site":
            yield from ((i, site) for i, site in enumerate(self._layout.sites))
        elif scope == "pod":
            yield from ((i, pod.name) for i, pod in enumerate(pods))
        else:
            units = [(pod.name, su + 1) for pod in pods for su in range(pod.su)]
            for i, (pod_name, su) in enumerate(units):
                yield from ((i, inside_text(place, scope, pod_name, su, rack)) for rack in racks)

    def span(self, place: str, kind: str, pods: tuple[PodLayout, ...]) -> int:
        """One more than the highest position in use in a place."""
        held, counts = self.held[kind], self._counts(place, pods)
        return max((1 + max(first_numbers(held[name], count)) for name, count in counts.items() if count), default=0)

    def _counts(self, place: str, pods: tuple[PodLayout, ...]) -> dict[str, int]:
        """Number of switches by holder in a place."""
        groups = (group for managed in self.by_place[place] for group in self._groups(place, managed, pods))
        return {holder.name: count for holder, _, _, count in groups}

    def share(self, place: str, leaves: int, *, for_reserve: bool) -> int:
        """The most ports of one leaf that switches of a place take; `leaves` counts the leaves of the whole fabric.

        Leaves sized `for_reserve` keep room for switches of wider places while there is only one unit.
        """
        if not self.by_place[place]:
            return 0
        most = 0
        for kind, pods in self.instances(place):
            sharing = self._leaves_inside(leaves, place, pods)
            if for_reserve and PLACES.index(self._leaf_scope) >= PLACES.index("su") > PLACES.index(place):
                sharing = leaves // self._layout.units
            most = max(most, -(-self.span(place, kind, pods) // max(1, sharing)))
        if in_turn(place, self._leaf_scope):
            return most
        return max(SHARED_PORTS, most, self._layout.lock.rooms.get(f"managed {place}", 0))

    def _leaves_inside(self, leaves: int, place: str, pods: tuple[PodLayout, ...]) -> int:
        """How many of the fabric's leaves stand in one place made up of these pods."""
        layout, scope = self._layout, self._leaf_scope
        if PLACES.index(place) >= PLACES.index("su"):
            return -(-leaves // scope_count(layout, place))
        if PLACES.index(scope) >= PLACES.index("su"):
            return -(-leaves // layout.units) * sum(pod.su for pod in pods)
        if scope == "pod":
            return leaves // len(layout.pods) * len(pods)
        return -(-leaves // scope_count(layout, place))

    def areas(self, leaves: int, *, for_reserve: bool) -> Allocations:
        """Ranges of management ports of a leaf by the place shared: as in the lock, then the narrowest place first."""
        shares = [(place, self.share(place, leaves, for_reserve=for_reserve)) for place in reversed(PLACES)]
        held = self._layout.lock.of(AREAS)
        wanted = [AllocationRequest(place, share, (Interval(0, 1 << 20),)) for place, share in shares if share]
        return {**held, **allocate_intervals(held, wanted)}

    def most(self, leaves: int, for_reserve: bool) -> int:
        """The most management ports that one of so many leaves takes."""
        areas = self.areas(leaves, for_reserve=for_reserve)
        return max((interval.end for intervals in areas.values() for interval in intervals), default=0)
