"""Management ports of switches on the management fabric: which leaf takes which port, and how many ports a leaf keeps
for them.

A managed switch goes to a management leaf of the narrowest place that both share: rack, unit, pod, site or the whole
cluster. In each place every managed switch has a position, from the lock or the next free one. Switches of a scalable
unit, and trays of a rack, are assigned to the leaves of that place round-robin by position. Switches that serve more
than a unit (spines, cores) fill one leaf after another, a fixed number on each, so that growth moves none of them: the
leaves of the first unit of each pod come first, as these are always there. A lock keeps the order of the leaves; where
one is gone, only the switches that it managed get other positions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache, cached_property
from itertools import count as count_from
from itertools import islice

from fabricgen.design.layout import Layout, PodLayout
from fabricgen.design.management.managed import PLACES, TRAY_TIER, Holder, ManagedDevices, known_place
from fabricgen.design.shape import place_numbers, scope_count
from fabricgen.kernel.intervals import (
    AllocationRequest,
    Allocations,
    Interval,
    allocate_intervals,
    count_numbers,
    list_first_numbers,
    list_numbers,
    make_intervals,
)

SHARED_PORTS = 8
"""Ports that each management leaf keeps for switches that serve more than the leaf's own place."""

AREAS = "managed areas"
"""Kind of entry in the lock: ranges of management ports of a leaf, by the place that the leaf shares with the managed
devices.
"""


LEAVES = "managed leaves"
"""Kind of entry in the lock: the order in which leaves are filled with switches that serve more than a unit."""


def shared_scope(switch_scope: str, leaf_scope: str) -> str:
    """The narrowest place that a managed switch and a management leaf have in common."""
    return PLACES[min(PLACES.index(switch_scope), PLACES.index(known_place(leaf_scope)))]


def in_turn(place: str, leaf_scope: str) -> bool:
    """Whether switches of a place are assigned round-robin: where growth adds no leaves to the place."""
    return PLACES.index(place) >= min(PLACES.index(known_place(leaf_scope)), PLACES.index("su"))


def leaves_kind(kind: str) -> str:
    """The kind of lock entry for the order of leaves, by that for positions: `managed leaves at east`."""
    return LEAVES + kind.removeprefix("managed all").removeprefix("managed")


def own_kind(pod: str) -> str:
    """The kind of lock entry for positions of a pod that differ from those that pods have in common."""
    return f"managed of {pod}"


def inside_text(place: str, scope: str, pod: str, su: int, rack: int) -> str:
    """Where in a place a narrower scope is, in words; su and rack count from 1, a site is passed as `pod`."""
    wide, narrow = PLACES.index(place), PLACES.index(scope)
    named = [
        (narrow > wide < PLACES.index("pod"), pod),
        (narrow >= PLACES.index("su") > wide, f"su{su}"),
        (narrow == PLACES.index("rack") > wide, f"rack{rack}"),
    ]
    return " ".join(text for known, text in named if known)


ManagedPorts = Callable[[str, int, bool, bool], int]
"""(scope of the management leaves, how many, whether sized for the reserve, whether numbered for it) -> most management
ports of one leaf.
"""


def _is_first_at(layout: Layout, site: str) -> bool:
    """Whether a part of the cluster was the first to have pods at a site; true for the layout of the whole cluster."""
    if layout.cluster is None:
        return True
    there = {pod.part for pod in layout.cluster.pods if pod.site == site}
    return next(part for part in layout.cluster.part_order if part in there) == layout.parts[0].name


def managed_ports(layout: Layout, managed: tuple[ManagedDevices, ...]) -> ManagedPorts:
    """A function for how many management ports one leaf needs, for leaves of any scope."""
    load_of = cache(lambda scope, by_slot: ManagementLoad(layout, managed, scope, by_slot=by_slot))
    return cache(lambda scope, leaves, for_reserve, by_slot: load_of(scope, by_slot).most(leaves, for_reserve))


class ManagementLoad:
    """The management ports of one fabric on a tier whose leaves stand in places of `leaf_scope`.

    Where leaves serve a part of the cluster that has several, `layout` is that of the part. They manage its switches;
    those of the whole cluster or of a site are on the leaves of the part that was the first to have pods there. With
    `by_slot`, leaves that serve several pods have positions for reserved units too.
    """

    def __init__(
        self, layout: Layout, managed: tuple[ManagedDevices, ...], leaf_scope: str, *, by_slot: bool = False
    ) -> None:
        self._by_slot = by_slot
        self.layout, self._leaf_scope = layout, known_place(leaf_scope)
        named = layout.parts[0].name if layout.cluster else ""
        self.own = f" /{named}" if named else ""
        """What is behind the kinds of the lock that are those of the leaves of one part of the cluster."""
        self.sites = [i for i, site in enumerate(layout.sites) if _is_first_at(layout, site)]
        """The sites whose switches these leaves manage."""
        self.leaves_have_order = leaf_scope == self._leaf_scope != "site"
        """Whether the lock keeps the order of leaves: there are equally many in every unit, or in every pod."""
        shared = [(shared_scope(m.scope, leaf_scope), m) for m in managed if m.stands_in(layout)]
        self.by_place = {place: tuple(m for scope, m in shared if scope == place) for place in PLACES}

    def instances(self, place: str) -> list[tuple[str, tuple[PodLayout, ...]]]:
        """(kind of lock entry, its pods) of each place that may differ from others of its scope; places below a pod are
        all alike.
        """
        pods = self.layout.pods
        if place == "pod":
            return [(self.kind(place), (pod,)) for pod in pods]
        if place == "site":
            sites = [self.layout.sites[i] for i in self.sites]
            return [(f"managed at {site}", tuple(pod for pod in pods if pod.site == site)) for site in sites]
        return [(self.kind(place), pods)]

    def kind(self, place: str) -> str:
        """The kind of lock entry for positions in a place; in a pod or narrower it is of the part of the cluster."""
        return f"managed {place}{self.own if PLACES.index(place) >= PLACES.index('pod') else ''}"

    def room(self, place: str) -> str:
        """The lock's key for the ports that each leaf keeps for switches of a place."""
        return f"managed {place}{self.own}"

    @property
    def areas_kind(self) -> str:
        """The kind of lock entry for the ranges of ports of a leaf."""
        return AREAS + self.own

    def held(self, leaves: int, *, for_reserve: bool) -> dict[str, Allocations]:
        """What the lock keeps for so many leaves, by kind of entry and holder: positions, those of holders that are
        gone included, and the order of leaves.
        """
        found: dict[str, Allocations] = {}
        for place in PLACES:
            instances = self.instances(place) if self.by_place[place] else []
            if in_turn(place, self._leaf_scope):
                found |= {kind: self._in_turn_positions(place, kind, pods) for kind, pods in self._alike(instances)}
                continue
            share = self.share(place, leaves, for_reserve=for_reserve)
            for kind, pods in self._alike(instances):
                there = self._leaves_there(place, kind, pods, leaves)
                found[kind] = self._filled(place, (kind, kind), pods, there, share)
                if place != "pod" and self.leaves_have_order:
                    found |= {leaves_kind(kind): self._leaf_order(kind, pods)}
            if place == "pod" and instances:
                found |= self._of_single_pods(found[self.kind(place)], leaves, share)
        return {kind: held for kind, held in found.items() if held}

    def _alike(self, instances: list[tuple[str, tuple[PodLayout, ...]]]) -> list[tuple[str, tuple[PodLayout, ...]]]:
        """The same with one entry a kind: of pods, which have their positions in common, the one with most units."""
        fullest = dict(sorted(instances, key=lambda one: one[1][0].su if len(one[1]) == 1 else 0))
        return [(kind, fullest[kind]) for kind in dict.fromkeys(kind for kind, _ in instances)]

    def _in_turn_positions(self, place: str, kind: str, pods: tuple[PodLayout, ...]) -> Allocations:
        before, there = self.layout.lock.of(kind), Counter(name for name, _ in self._ordered(place, pods))
        ordered = self._ordered(place, pods, reserved=self._by_slot)
        found = self._positions(before, ordered, count_from())
        wanted = {name: max(count_numbers(before.get(name, ())), there[name]) for name in found}
        return {
            name: make_intervals(list_first_numbers(some, wanted[name])) for name, some in found.items() if wanted[name]
        }

    def _of_single_pods(self, common: Allocations, leaves: int, share: int) -> dict[str, Allocations]:
        """Positions of pods that cannot have those that pods have in common, or have had their own before."""
        found = {}
        for kind, (pod,) in self.instances("pod"):
            own, there = own_kind(pod.name), self._leaves_there("pod", kind, (pod,), leaves)
            counts, known = self._counts("pod", (pod,)), set(there)
            mine = (n for name, count in counts.items() for n in list_first_numbers(common[name], count))
            if self.layout.lock.of(own):
                found[own] = self._filled("pod", (kind, own), (pod,), there, share)
            elif any(n // share not in known for n in mine):
                found[own] = self._moved("pod", common, (pod,), there, share)
        return found

    def _filled(
        self, place: str, kinds: tuple[str, str], pods: tuple[PodLayout, ...], there: Sequence[int], share: int
    ) -> Allocations:
        """Positions that fill leaves one after another, `share` on each; `kinds` are (kind of the place, of the entry).

        Switches whose leaf is not `there` get others. A position is leaf * share + port: those of the lock were
        counted with the share of then, and are counted anew where it has grown.
        """
        before = self.layout.lock.of(kinds[1])
        room = self.layout.lock.rooms.get(self.room(place), share)
        if room != share:
            split = {name: [divmod(n, room) for n in list_numbers(some)] for name, some in before.items()}
            before = {name: make_intervals(leaf * share + port for leaf, port in some) for name, some in split.items()}
        return self._moved(place, before, pods, there, share)

    def _moved(
        self, place: str, before: Allocations, pods: tuple[PodLayout, ...], there: Sequence[int], share: int
    ) -> Allocations:
        """The same positions, but others for the switches whose leaf is not there, and for those that have none."""
        known, counts = set(there), self._counts(place, pods)
        kept = {
            name: [
                n if i >= counts.get(name, 0) or n // share in known else -1 for i, n in enumerate(list_numbers(some))
            ]
            for name, some in before.items()
        }
        free = (leaf * share + port for leaf in there for port in range(share))
        taken = {n for some in kept.values() for n in some}
        more = (n for n in free if n not in taken)
        for name, index in self._ordered(place, pods):
            mine = kept.setdefault(name, [])
            if index >= len(mine):
                mine.append(next(more))
            elif mine[index] < 0:
                mine[index] = next(more)
        return {name: make_intervals(some) for name, some in kept.items()}

    def _leaf_order(self, kind: str, pods: tuple[PodLayout, ...]) -> Allocations:
        """The numbers of the places of leaves, in the order they are filled, by pod: one for each of its units, or one.

        Those that the lock has stay. Without any, the first unit of each pod comes first; a lock of positions that has
        no such numbers is of an older version, which took pod after pod.
        """
        held = self.layout.lock.of(leaves_kind(kind))
        older = bool(self.layout.lock.of(kind)) and not held
        slots = place_numbers(self.layout, "pod" if self._leaf_scope == "pod" else "su")
        names = {pod.name for pod in pods}
        places = [(pod.name, su) for pod in self.layout.pods for su in self._places_of(pod)]
        order = sorted((su > 0 and not older, n, name, su) for n, (name, su) in zip(slots, places, strict=True))
        return self._positions(held, [(name, su) for _, _, name, su in order if name in names], count_from())

    def _places_of(self, pod: PodLayout) -> range:
        """The places of leaves in a pod: its units, or itself."""
        return range(1 if self._leaf_scope == "pod" else pod.su)

    def leaf_numbers(self, place: str, kind: str, pods: tuple[PodLayout, ...], leaves: int) -> list[int]:
        """The number of every leaf of a place in the order they are filled, by row; there are `leaves` of them."""
        if not self.leaves_have_order:
            return list(range(leaves))
        each = max(1, -(-leaves // sum(len(self._places_of(pod)) for pod in pods)))
        if place == "pod":
            first = [su for pod in pods for su in self._places_of(pod)]
        else:
            held = {name: list(list_numbers(some)) for name, some in self._leaf_order(kind, pods).items()}
            first = [held[pod.name][su] for pod in pods for su in self._places_of(pod)]
        return [n * each + i for n in first for i in range(each)]

    def _leaves_there(self, place: str, kind: str, pods: tuple[PodLayout, ...], leaves: int) -> list[int]:
        """The numbers of the leaves that a place has, ascending; `leaves` counts those of the whole fabric."""
        return sorted(self.leaf_numbers(place, kind, pods, self._leaves_inside(leaves, place, pods)))

    @cached_property
    def holders(self) -> dict[tuple[str, str], int]:
        """(kind of lock entry, holder) of every group there is, and how many positions it needs; so for leaves."""
        found: dict[tuple[str, str], int] = {}
        for place in PLACES:
            filled = not in_turn(place, self._leaf_scope)
            for kind, pods in self.instances(place) if self.by_place[place] else []:
                kinds = [kind, own_kind(pods[0].name)] if filled and place == "pod" else [kind]
                counts = self._counts(place, pods)
                found |= {(one, name): number for one in kinds for name, number in counts.items()}
                if filled and place != "pod" and self.leaves_have_order:
                    found |= {(leaves_kind(kind), pod.name): len(self._places_of(pod)) for pod in pods}
        return found

    def _positions(self, before: Allocations, ordered: list[tuple[str, int]], free: Iterator[int]) -> Allocations:
        """A number for each (holder, index), in this order: the one it had before, else the next free one."""
        mine = {name: list(list_numbers(intervals)) for name, intervals in before.items()}
        taken = {n for some in mine.values() for n in some}
        for name, index in ordered:
            have = mine.setdefault(name, [])
            if index >= len(have):
                have.append(next(n for n in free if n not in taken))
        return {name: make_intervals(some) for name, some in mine.items()}

    def _ordered(self, place: str, pods: tuple[PodLayout, ...], *, reserved: bool = False) -> list[tuple[str, int]]:
        """(holder, index) of every managed switch in a place, in the order in which positions are given without a lock.

        Switches that serve more than a unit come first, then unit by unit, so that a new unit moves none. Of the former
        the first switches of all groups come before the second ones, then those up to the fourth, the eighth and so on,
        so that a group that doubles moves none of another.
        """
        found = []
        for number, managed in enumerate(self.by_place[place]):
            wide = min(PLACES.index(managed.scope), PLACES.index("su"))
            shared = wide < PLACES.index("su")
            for holder, unit, group, count in self._groups(place, managed, pods, reserved=reserved):
                for index in range(count):
                    within = (index.bit_length(), number, group, index) if shared else (0, number, index, group)
                    found.append(((wide, -1 if shared else unit, *within), holder.name, index))
        return [(name, index) for _, name, index in sorted(found)]

    def _groups(
        self, place: str, managed: ManagedDevices, pods: tuple[PodLayout, ...], *, reserved: bool = False
    ) -> Iterator[tuple[Holder, int, int, int]]:
        """(holder, its unit's number, its number, its switches) of every group of a tier in a place."""
        scope = managed.scope_in(place)
        each = {"rack": managed.in_rack, "su": managed.in_unit}.get(scope, 0) if managed.tier == TRAY_TIER else 0
        layout, pods = managed.layout or self.layout, tuple(managed.pods_among(pods))
        each = each or -(-managed.slots // (scope_count(layout, scope) * len(managed.labels)))
        racks = layout.racks_per_su if scope == "rack" and place != "rack" else 1
        for number, (unit, inside) in enumerate(self._insides(place, scope, pods, racks, reserved=reserved)):
            for i, label in enumerate(managed.labels):
                holder = Holder(managed.fabric, managed.tier, inside, label)
                yield holder, unit, number * len(managed.labels) + i, each

    def _insides(
        self, place: str, scope: str, pods: tuple[PodLayout, ...], each: int, *, reserved: bool
    ) -> Iterator[tuple[int, str]]:
        """(number of the unit, name in words) of every place of a narrower scope in a wider one, `each` in a unit;
        with `reserved` also of units that may come.
        """
        racks = range(1, each + 1)
        if scope == place:
            yield 0, ""
        elif place == "su":
            yield from ((0, inside_text(place, scope, "", 1, rack)) for rack in racks)
        elif scope == "site":
            yield from ((i, site) for i, site in enumerate(self.layout.sites))
        elif scope == "pod":
            yield from ((i, pod.name) for i, pod in enumerate(pods))
        else:
            units = [(pod.name, su + 1) for pod in pods for su in range(max(pod.su, pod.slots * reserved))]
            for i, (pod_name, su) in enumerate(units):
                yield from ((i, inside_text(place, scope, pod_name, su, rack)) for rack in racks)

    def _span(self, place: str, kind: str, pods: tuple[PodLayout, ...]) -> int:
        """One more than the highest position in use in a place whose leaves take turns."""
        fullest = next(pods for other, pods in self._alike(self.instances(place)) if other == kind)
        held, counts = self._in_turn_positions(place, kind, fullest), self._counts(place, pods)
        return max(
            (1 + max(list_first_numbers(held[name], count)) for name, count in counts.items() if count), default=0
        )

    def _wanted(self, place: str, kind: str, pods: tuple[PodLayout, ...], there: Collection[int]) -> int:
        """The positions of a place whose leaves are filled one after another: those of its switches, and those kept on
        these leaves for switches that are gone.
        """
        counts, room = self._counts(place, pods), self.layout.lock.rooms.get(self.room(place), SHARED_PORTS)
        kinds = [own_kind(pods[0].name), kind] if place == "pod" else [kind]
        held = next((held for kind in kinds if (held := self.layout.lock.of(kind))), {})
        gone = [n for name, some in held.items() for n in islice(list_numbers(some), counts.get(name, 0), None)]
        return sum(counts.values()) + sum(n // room in there for n in gone)

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
        turns, most = in_turn(place, self._leaf_scope), 0
        for kind, pods in self.instances(place):
            sharing = self._leaves_inside(leaves, place, pods)
            if for_reserve and PLACES.index(self._leaf_scope) >= PLACES.index("su") > PLACES.index(place):
                sharing = leaves // self.layout.units
            if turns:
                wanted = self._span(place, kind, pods)
            else:
                wanted = self._wanted(place, kind, pods, set(self._leaves_there(place, kind, pods, leaves)))
            most = max(most, -(-wanted // max(1, sharing)))
        return most if turns else max(SHARED_PORTS, most, self.layout.lock.rooms.get(self.room(place), 0))

    def _leaves_inside(self, leaves: int, place: str, pods: tuple[PodLayout, ...]) -> int:
        """How many of the fabric's leaves stand in one place made up of these pods."""
        layout, scope = self.layout, self._leaf_scope
        if PLACES.index(place) >= PLACES.index("su"):
            return -(-leaves // scope_count(layout, place))
        if PLACES.index(scope) >= PLACES.index("su"):
            return -(-leaves // layout.units) * sum(pod.su for pod in pods)
        if scope == "pod":
            return leaves // len(layout.pods) * len(pods)
        return -(-leaves // scope_count(layout, place))

    def areas(self, leaves: int, *, for_reserve: bool) -> Allocations:
        """Ranges of management ports of a leaf by the place shared: as in the lock, then the narrowest place first.

        On leaves that span units it comes last, as the switches of their own place become more with every unit.
        """
        grows = self._leaf_scope in ("site", "pod")
        ordered = PLACES if grows else tuple(reversed(PLACES))
        shares = [(place, self.share(place, leaves, for_reserve=for_reserve)) for place in ordered]
        held = self.layout.lock.of(self.areas_kind)
        wanted = [AllocationRequest(place, share, (Interval(0, 1 << 20),)) for place, share in shares if share]
        return {**held, **allocate_intervals(held, wanted)}

    def most(self, leaves: int, for_reserve: bool) -> int:
        """The most management ports that one of so many leaves takes."""
        areas = self.areas(leaves, for_reserve=for_reserve)
        return max((interval.end for intervals in areas.values() for interval in intervals), default=0)
