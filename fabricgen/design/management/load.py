"""Management ports of switches on the management fabric: which leaf takes which port, and how many ports a leaf keeps
for them.

A managed switch is plugged into a management leaf of the narrowest place that both share: rack, unit, pod, site or the
whole cluster. In each place every managed switch has a position, from the lock or the next free one. Switches of a
scalable unit, and trays of a rack, are dealt over the leaves of that place round-robin by position. Switches that serve
more than a unit (spines, cores) fill one leaf after another, a fixed number on each, so that growth moves none of them:
the leaves of the first unit of each pod come first, as they always exist. A lock keeps the order of the leaves; if a
leaf is gone, only the switches that it managed get other positions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache, cached_property
from itertools import count as count_from
from itertools import islice

from fabricgen.design.layout import Layout, PodLayout
from fabricgen.design.management.managed import PLACES, TRAY_TIER, Holder, ManagedDevices, find_management_place
from fabricgen.design.shape import count_places, number_places
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
"""How many ports each management leaf keeps for switches that serve more than the leaf's own place."""

AREAS = "managed areas"
"""Kind of entry in the lock: ranges of management ports of a leaf, by the place that the leaf shares with the managed
devices.
"""


LEAVES = "managed leaves"
"""Kind of entry in the lock: the order in which leaves are filled with switches that serve more than a unit."""


def is_dealt_in_turn(place: str, leaf_scope: str) -> bool:
    """Whether switches of a place are dealt to its leaves round-robin: if the place is no wider than a unit, or than
    what a leaf serves, growth adds no leaves to it.
    """
    return PLACES.index(place) >= min(PLACES.index(find_management_place(leaf_scope)), PLACES.index("su"))


def name_leaves_kind(kind: str) -> str:
    """Return the kind of lock entry for the order of leaves, from the kind for positions: `managed leaves at east`."""
    return LEAVES + kind.removeprefix("managed all").removeprefix("managed")


def name_pod_kind(pod: str) -> str:
    """Return the kind of lock entry for positions that a pod has to itself, and not in common with other pods."""
    return f"managed of {pod}"


def name_inside(place: str, scope: str, pod: str, su: int, rack: int) -> str:
    """Return in words where a pod, unit or rack is in a wider place: `p1 su2 rack3`, or `su2` in a pod.

    `scope` says which of them it is, `place` the scope of the wider place, whose own word is left out. `pod` is the
    name of the pod; su and rack count from 1.
    """
    word_of_scope = {"pod": pod, "su": f"su{su}", "rack": f"rack{rack}"}
    inner_scopes = PLACES[PLACES.index(place) + 1 : PLACES.index(scope) + 1]
    return " ".join(word_of_scope[inner_scope] for inner_scope in inner_scopes if inner_scope in word_of_scope)


ManagedPorts = Callable[[str, int, bool, bool], int]
"""Returns the management ports of the fullest leaf, given (scope of the leaves, how many leaves there are, whether they
are sized for the reserve, whether ports are numbered for it).
"""


def _is_first_at(layout: Layout, site: str) -> bool:
    """Whether a part of the cluster was the first to have pods at a site; true for the layout of the whole cluster."""
    if layout.cluster is None:
        return True
    parts_at_site = {pod.part for pod in layout.cluster.pods if pod.site == site}
    return next(part for part in layout.cluster.part_order if part in parts_at_site) == layout.parts[0].name


def make_port_counter(layout: Layout, managed: tuple[ManagedDevices, ...]) -> ManagedPorts:
    """Return a function that counts the management ports of the fullest leaf, for leaves of any scope."""
    load_of = cache(lambda scope, by_slot: ManagementLoad(layout, managed, scope, by_slot=by_slot))
    return cache(
        lambda scope, leaves, for_reserve, by_slot: load_of(scope, by_slot).count_ports_of_fullest_leaf(
            leaves, for_reserve
        )
    )


class ManagementLoad:
    """The management ports of one fabric on a tier whose leaves stand in places of `leaf_scope`.

    If leaves serve one of several parts of the cluster, `layout` is that of the part. They manage the switches of the
    part; switches of the whole cluster or of a site are on the leaves of the part that was the first to have pods
    there. With `by_slot`, leaves that serve several pods have positions for reserved units too, so that growth moves
    none.

    A holder is the lock key of a group of managed switches, `compute leaf p1 su1 rail2` (`Holder`). Each of its
    switches has a position, a number from 0, in the place that it shares with a leaf.
    """

    def __init__(
        self, layout: Layout, managed: tuple[ManagedDevices, ...], leaf_scope: str, *, by_slot: bool = False
    ) -> None:
        self._by_slot = by_slot
        self.layout, self._leaf_scope = layout, find_management_place(leaf_scope)
        part_name = layout.parts[0].name if layout.cluster else ""
        self.suffix = f" /{part_name}" if part_name else ""
        """What is put behind lock kinds: ` /b300` for leaves of one part; "" for leaves of all, or a nameless part."""
        self.sites = [i for i, site in enumerate(layout.sites) if _is_first_at(layout, site)]
        """The sites whose switches these leaves manage."""
        self.leaves_have_order = leaf_scope == self._leaf_scope != "site"
        """Whether the lock keeps the order of leaves: every unit, or every pod, has equally many."""
        # (the narrowest place that a managed switch and a leaf have in common, the managed switch)
        shared = [(min(m.scope, self._leaf_scope, key=PLACES.index), m) for m in managed if m.may_stand_in(layout)]
        self.by_place = {place: tuple(m for scope, m in shared if scope == place) for place in PLACES}
        """For each place, the managed devices that share it, and no narrower place, with a leaf."""

    def list_places(self, place: str) -> list[tuple[str, tuple[PodLayout, ...]]]:
        """Return (kind of lock entry, pods) for the places of the scope `place`: of each pod, or of each site, with its
        pods. Units and racks are alike: one entry with all pods stands for them, as for the whole cluster.
        """
        pods = self.layout.pods
        if place == "pod":
            return [(self.make_lock_kind(place), (pod,)) for pod in pods]
        if place == "site":
            sites = [self.layout.sites[i] for i in self.sites]
            return [(f"managed at {site}", tuple(pod for pod in pods if pod.site == site)) for site in sites]
        return [(self.make_lock_kind(place), pods)]

    def make_lock_kind(self, place: str) -> str:
        """Return the kind of lock entry for positions in a place; for a pod or narrower it is that of the part of the
        cluster.
        """
        return f"managed {place}{self.suffix if PLACES.index(place) >= PLACES.index('pod') else ''}"

    def make_room_key(self, place: str) -> str:
        """Return the lock's key for the ports that each leaf keeps for switches of a place."""
        return f"managed {place}{self.suffix}"

    @property
    def areas_kind(self) -> str:
        """The kind of lock entry for the ranges of ports of a leaf."""
        return AREAS + self.suffix

    def list_lock_entries(self, leaves: int, *, for_reserve: bool) -> dict[str, Allocations]:
        """Return what the lock keeps for a fabric with `leaves` leaves, by kind of entry and holder: positions, and the
        order of leaves.

        Positions of holders that are gone are included; kinds without an entry are left out.
        """
        allocations: dict[str, Allocations] = {}
        for place in PLACES:
            instances = self.list_places(place) if self.by_place[place] else []
            if is_dealt_in_turn(place, self._leaf_scope):
                allocations |= {
                    kind: self._assign_in_turn(place, kind, pods) for kind, pods in self._select_fullest(instances)
                }
                continue
            ports_per_leaf = self.count_shared_ports(place, leaves, for_reserve=for_reserve)
            for kind, pods in self._select_fullest(instances):
                leaf_numbers = self._list_leaves(place, kind, pods, leaves)
                allocations[kind] = self._fill_leaves(place, kind, pods, leaf_numbers, ports_per_leaf)
                if place != "pod" and self.leaves_have_order:
                    allocations |= {name_leaves_kind(kind): self._order_leaves(kind, pods)}
            if place == "pod" and instances:
                allocations |= self._assign_single_pods(allocations[self.make_lock_kind(place)], leaves, ports_per_leaf)
        return {kind: allocations_of_kind for kind, allocations_of_kind in allocations.items() if allocations_of_kind}

    def _select_fullest(
        self, instances: list[tuple[str, tuple[PodLayout, ...]]]
    ) -> list[tuple[str, tuple[PodLayout, ...]]]:
        """Return one (kind of lock entry, pods) of each kind in `instances` (entries of `list_places`), in their order.

        Pods have their positions in common, and so one kind: the pod with the most units stands for all.
        """
        fullest = dict(sorted(instances, key=lambda instance: instance[1][0].su if len(instance[1]) == 1 else 0))
        return [(kind, fullest[kind]) for kind in dict.fromkeys(kind for kind, _ in instances)]

    def _assign_in_turn(self, place: str, kind: str, pods: tuple[PodLayout, ...]) -> Allocations:
        """Return the positions, by holder, of a place's switches that are dealt in turn: as in the lock, else the next
        free.

        Positions of reserved units may be set aside; only those of switches that exist, or that the lock has, are
        returned.
        """
        in_lock, switches_by_holder = (
            self.layout.lock.find_allocations(kind),
            Counter(name for name, _ in self._order_switches(place, pods)),
        )
        ordered = self._order_switches(place, pods, reserved=self._by_slot)
        positions = self._assign_positions(in_lock, ordered)
        counts = {name: max(count_numbers(in_lock.get(name, ())), switches_by_holder[name]) for name in positions}
        return {
            name: make_intervals(list_first_numbers(intervals, counts[name]))
            for name, intervals in positions.items()
            if counts[name]
        }

    def _assign_single_pods(self, common: Allocations, leaves: int, ports_per_leaf: int) -> dict[str, Allocations]:
        """Return the positions of pods that cannot use those `common` to all pods, by kind of lock entry: of pods that
        have their own in the lock, and of pods without the leaf of a common position.
        """
        allocations = {}
        for kind, (pod,) in self.list_places("pod"):
            pod_kind, leaf_list = name_pod_kind(pod.name), self._list_leaves("pod", kind, (pod,), leaves)
            counts, leaf_numbers = self._count_switches("pod", (pod,)), set(leaf_list)
            positions = (n for name, count in counts.items() for n in list_first_numbers(common[name], count))
            if self.layout.lock.find_allocations(pod_kind):
                allocations[pod_kind] = self._fill_leaves("pod", pod_kind, (pod,), leaf_list, ports_per_leaf)
            elif any(n // ports_per_leaf not in leaf_numbers for n in positions):
                allocations[pod_kind] = self._move_positions("pod", common, (pod,), leaf_list, ports_per_leaf)
        return allocations

    def _fill_leaves(
        self,
        place: str,
        lock_kind: str,
        pods: tuple[PodLayout, ...],
        leaf_list: Sequence[int],
        ports_per_leaf: int,
    ) -> Allocations:
        """Return positions that fill leaves one after another, `ports_per_leaf` on each; `lock_kind` is the kind of
        lock entry for these positions.

        Switches whose leaf is not in `leaf_list` get other positions. A position is leaf * ports_per_leaf + port: if
        `ports_per_leaf` has grown since the lock was written, its positions are converted.
        """
        kept_positions = self.layout.lock.find_allocations(lock_kind)
        ports_per_leaf_kept = self.layout.lock.rooms.get(self.make_room_key(place), ports_per_leaf)
        if ports_per_leaf_kept != ports_per_leaf:
            leaves_and_ports = {
                name: [divmod(n, ports_per_leaf_kept) for n in list_numbers(numbers)]
                for name, numbers in kept_positions.items()
            }
            kept_positions = {
                name: make_intervals(leaf * ports_per_leaf + port for leaf, port in leaves_and_ports_of_holder)
                for name, leaves_and_ports_of_holder in leaves_and_ports.items()
            }
        return self._move_positions(place, kept_positions, pods, leaf_list, ports_per_leaf)

    def _move_positions(
        self,
        place: str,
        earlier: Allocations,
        pods: tuple[PodLayout, ...],
        leaf_list: Sequence[int],
        ports_per_leaf: int,
    ) -> Allocations:
        """Return earlier positions by holder, with others for the switches whose leaf is gone and for switches without
        one.

        A position is leaf * ports_per_leaf + port. The leaves of `leaf_list` are filled in its order.
        """
        leaf_numbers, counts = set(leaf_list), self._count_switches(place, pods)
        positions = {
            name: [
                # -1: the leaf is gone. Positions of switches that are gone stay, as the switches may come back
                n if i >= counts.get(name, 0) or n // ports_per_leaf in leaf_numbers else -1
                for i, n in enumerate(list_numbers(numbers))
            ]
            for name, numbers in earlier.items()
        }
        positions_by_leaf = (leaf * ports_per_leaf + port for leaf in leaf_list for port in range(ports_per_leaf))
        used = {n for numbers in positions.values() for n in numbers}
        free_positions = (n for n in positions_by_leaf if n not in used)
        for name, index in self._order_switches(place, pods):
            holder_positions = positions.setdefault(name, [])
            if index >= len(holder_positions):
                holder_positions.append(next(free_positions))
            elif holder_positions[index] < 0:
                holder_positions[index] = next(free_positions)
        return {name: make_intervals(numbers) for name, numbers in positions.items()}

    def _order_leaves(self, kind: str, pods: tuple[PodLayout, ...]) -> Allocations:
        """Return, by pod, the ranks of its leaves in the order in which leaves are filled: one for each unit, or one if
        leaves serve whole pods. Ranks in the lock stay. Without any, the first unit of each pod comes first; a lock of
        positions without ranks is of an older version, which took pod after pod.
        """
        kept_order = self.layout.lock.find_allocations(name_leaves_kind(kind))
        is_old_lock = bool(self.layout.lock.find_allocations(kind)) and not kept_order
        slots = number_places(self.layout, "pod" if self._leaf_scope == "pod" else "su")
        names = {pod.name for pod in pods}
        places = [(pod.name, su) for pod in self.layout.pods for su in self._list_leaf_places(pod)]
        order = sorted((su > 0 and not is_old_lock, n, name, su) for n, (name, su) in zip(slots, places, strict=True))
        return self._assign_positions(kept_order, [(name, su) for _, _, name, su in order if name in names])

    def _list_leaf_places(self, pod: PodLayout) -> range:
        """Return the places of leaves in a pod: its units, or the pod itself."""
        return range(1 if self._leaf_scope == "pod" else pod.su)

    def number_leaves(self, place: str, kind: str, pods: tuple[PodLayout, ...], leaves: int) -> list[int]:
        """Return, for each of `leaves` leaves of a place, row by row, its number in the order in which they fill up."""
        if not self.leaves_have_order:
            return list(range(leaves))
        leaves_per_place = max(1, -(-leaves // sum(len(self._list_leaf_places(pod)) for pod in pods)))
        if place == "pod":
            place_numbers = [su for pod in pods for su in self._list_leaf_places(pod)]
        else:
            order_by_pod = {
                name: list(list_numbers(intervals)) for name, intervals in self._order_leaves(kind, pods).items()
            }
            place_numbers = [order_by_pod[pod.name][su] for pod in pods for su in self._list_leaf_places(pod)]
        return [n * leaves_per_place + i for n in place_numbers for i in range(leaves_per_place)]

    def _list_leaves(self, place: str, kind: str, pods: tuple[PodLayout, ...], leaves: int) -> list[int]:
        """Return the numbers of the leaves of a place, ascending; `leaves` counts those of the whole fabric."""
        return sorted(self.number_leaves(place, kind, pods, self._count_leaves_inside(leaves, place, pods)))

    @cached_property
    def holders(self) -> dict[tuple[str, str], int]:
        """How many positions each (kind of lock entry, holder) needs: groups of switches, and the order of leaves."""
        holders: dict[tuple[str, str], int] = {}
        for place in PLACES:
            fills_in_order = not is_dealt_in_turn(place, self._leaf_scope)
            for kind, pods in self.list_places(place) if self.by_place[place] else []:
                kinds = [kind, name_pod_kind(pods[0].name)] if fills_in_order and place == "pod" else [kind]
                counts = self._count_switches(place, pods)
                holders |= {(lock_kind, name): number for lock_kind in kinds for name, number in counts.items()}
                if fills_in_order and place != "pod" and self.leaves_have_order:
                    holders |= {(name_leaves_kind(kind), pod.name): len(self._list_leaf_places(pod)) for pod in pods}
        return holders

    def _assign_positions(self, earlier: Allocations, ordered: list[tuple[str, int]]) -> Allocations:
        """Return a number for each (holder, index), in this order: the number it had before, else the next free one."""
        numbers_by_holder = {name: list(list_numbers(intervals)) for name, intervals in earlier.items()}
        used = {n for held_numbers in numbers_by_holder.values() for n in held_numbers}
        free = (n for n in count_from() if n not in used)
        for name, index in ordered:
            holder_numbers = numbers_by_holder.setdefault(name, [])
            if index >= len(holder_numbers):
                holder_numbers.append(next(free))
        return {name: make_intervals(held_numbers) for name, held_numbers in numbers_by_holder.items()}

    def _order_switches(
        self, place: str, pods: tuple[PodLayout, ...], *, reserved: bool = False
    ) -> list[tuple[str, int]]:
        """Return (holder, index) of every managed switch in a place, in the order in which positions are given without
        a lock.

        Switches that serve more than a unit come first, then switches unit by unit, so that a new unit moves none. Of
        switches that serve more than a unit, the first of all groups come before the second ones, then those up to the
        fourth, the eighth and so on, so that a group that doubles moves no switch of another.
        """
        keys_and_switches = []
        for tier_number, managed in enumerate(self.by_place[place]):
            scope_rank = min(PLACES.index(managed.scope), PLACES.index("su"))
            serves_several_units = scope_rank < PLACES.index("su")
            for holder, unit, group, count in self._list_groups(place, managed, pods, reserved=reserved):
                for index in range(count):
                    order_in_unit = (
                        (index.bit_length(), tier_number, group, index)
                        if serves_several_units
                        else (0, tier_number, index, group)
                    )
                    keys_and_switches.append(
                        ((scope_rank, -1 if serves_several_units else unit, *order_in_unit), holder.name, index)
                    )
        return [(name, index) for _, name, index in sorted(keys_and_switches)]

    def _list_groups(
        self, place: str, managed: ManagedDevices, pods: tuple[PodLayout, ...], *, reserved: bool = False
    ) -> Iterator[tuple[Holder, int, int, int]]:
        """Yield (holder, its unit from 0, its number from 0, how many switches) of every group of a tier in a place."""
        scope = managed.find_scope_in(place)
        switches_per_group = (
            {"rack": managed.in_rack, "su": managed.in_unit}.get(scope, 0) if managed.tier == TRAY_TIER else 0
        )
        layout, pods = managed.layout or self.layout, tuple(managed.select_pods(pods))
        switches_per_group = switches_per_group or -(
            -managed.slots // (count_places(layout, scope) * len(managed.labels))
        )
        racks = layout.racks_per_su if scope == "rack" and place != "rack" else 1
        for number, (unit, place_name) in enumerate(
            self._list_inner_places(place, scope, pods, racks, reserved=reserved)
        ):
            for i, label in enumerate(managed.labels):
                holder = Holder(managed.fabric, managed.tier, place_name, label)
                yield holder, unit, number * len(managed.labels) + i, switches_per_group

    def _list_inner_places(
        self, place: str, scope: str, pods: tuple[PodLayout, ...], per_unit: int, *, reserved: bool
    ) -> Iterator[tuple[int, str]]:
        """Yield (number, name in words) of every place of `scope` within a place of the scope `place`. A unit and each
        of its `per_unit` racks have the unit's number; with `reserved`, units that may come are listed too.
        """
        racks = range(1, per_unit + 1)
        if scope == place:
            yield 0, ""
        elif place == "su":
            yield from ((0, name_inside(place, scope, "", 1, rack)) for rack in racks)
        elif scope == "site":
            yield from ((i, site) for i, site in enumerate(self.layout.sites))
        elif scope == "pod":
            yield from ((i, pod.name) for i, pod in enumerate(pods))
        else:
            units = [(pod.name, su + 1) for pod in pods for su in range(max(pod.su, pod.slots * reserved))]
            for i, (pod_name, su) in enumerate(units):
                yield from ((i, name_inside(place, scope, pod_name, su, rack)) for rack in racks)

    @cached_property
    def _spans(self) -> dict[str, list[int]]:
        """What `_count_span` returns for each of `list_places`, by place; it is the same for any number of leaves."""
        in_turn = (place for place in PLACES if is_dealt_in_turn(place, self._leaf_scope))
        return {
            place: [self._count_span(place, kind, pods) for kind, pods in self.list_places(place)] for place in in_turn
        }

    def _count_span(self, place: str, kind: str, pods: tuple[PodLayout, ...]) -> int:
        """Return one more than the highest position in use in a place whose switches are dealt in turn."""
        fullest = next(pods for other_kind, pods in self._select_fullest(self.list_places(place)) if other_kind == kind)
        positions, counts = self._assign_in_turn(place, kind, fullest), self._count_switches(place, pods)
        return max(
            (1 + max(list_first_numbers(positions[name], count)) for name, count in counts.items() if count), default=0
        )

    def _count_wanted(self, place: str, kind: str, pods: tuple[PodLayout, ...], leaf_numbers: Collection[int]) -> int:
        """Return how many positions a place needs whose leaves are filled one after another: one for each of its
        switches, and one for each position on leaves in `leaf_numbers` that the lock has beyond these. The lock's entry
        is that of the pod, or else that of `kind`.
        """
        counts, ports_per_leaf = (
            self._count_switches(place, pods),
            self.layout.lock.rooms.get(self.make_room_key(place), SHARED_PORTS),
        )
        kinds = [name_pod_kind(pods[0].name), kind] if place == "pod" else [kind]
        in_lock = next((in_lock for kind in kinds if (in_lock := self.layout.lock.find_allocations(kind))), {})
        unused_positions = [
            n for name, intervals in in_lock.items() for n in islice(list_numbers(intervals), counts.get(name, 0), None)
        ]
        return sum(counts.values()) + sum(n // ports_per_leaf in leaf_numbers for n in unused_positions)

    def _count_switches(self, place: str, pods: tuple[PodLayout, ...]) -> dict[str, int]:
        """Return the number of switches by holder in a place."""
        groups = (group for managed in self.by_place[place] for group in self._list_groups(place, managed, pods))
        return {holder.name: count for holder, _, _, count in groups}

    def count_shared_ports(self, place: str, leaves: int, *, for_reserve: bool) -> int:
        """Return the most ports of one leaf that switches of a place take; `leaves` counts the leaves of the whole
        fabric.

        With `for_reserve`, leaves within units have ports for switches of wider places as if there were only one unit.
        """
        if not self.by_place[place]:
            return 0
        in_turn, ports = is_dealt_in_turn(place, self._leaf_scope), 0
        for number, (kind, pods) in enumerate(self.list_places(place)):
            leaves_of_place = self._count_leaves_inside(leaves, place, pods)
            if for_reserve and PLACES.index(self._leaf_scope) >= PLACES.index("su") > PLACES.index(place):
                leaves_of_place = leaves // self.layout.units
            if in_turn:
                positions = self._spans[place][number]
            else:
                positions = self._count_wanted(place, kind, pods, set(self._list_leaves(place, kind, pods, leaves)))
            ports = max(ports, -(-positions // max(1, leaves_of_place)))
        return ports if in_turn else max(SHARED_PORTS, ports, self.layout.lock.rooms.get(self.make_room_key(place), 0))

    def _count_leaves_inside(self, leaves: int, place: str, pods: tuple[PodLayout, ...]) -> int:
        """Return how many of the fabric's leaves stand in one place of the scope `place`, which has these pods."""
        layout, scope = self.layout, self._leaf_scope
        if PLACES.index(place) >= PLACES.index("su"):
            return -(-leaves // count_places(layout, place))
        # leaves in units: equally many in each unit, whatever place the units make up
        if PLACES.index(scope) >= PLACES.index("su"):
            return -(-leaves // layout.units) * sum(pod.su for pod in pods)
        if scope == "pod":
            return leaves // len(layout.pods) * len(pods)
        return -(-leaves // count_places(layout, place))

    def list_port_ranges(self, leaves: int, *, for_reserve: bool) -> Allocations:
        """Return ranges of ports of a leaf, from 0, by the place that the leaf shares with the managed switches: as in
        the lock, then the narrowest place first.

        On leaves that span units the narrowest place comes last, as the switches of their own place grow with every
        unit.
        """
        leaves_span_units = self._leaf_scope in ("site", "pod")
        ordered = PLACES if leaves_span_units else tuple(reversed(PLACES))
        ports_by_place = [(place, self.count_shared_ports(place, leaves, for_reserve=for_reserve)) for place in ordered]
        kept_ranges = self.layout.lock.find_allocations(self.areas_kind)
        # the window has more numbers than any switch has ports
        requests = [
            AllocationRequest(place, ports, (Interval(0, 1 << 20),)) for place, ports in ports_by_place if ports
        ]
        return {**kept_ranges, **allocate_intervals(kept_ranges, requests)}

    def count_ports_of_fullest_leaf(self, leaves: int, for_reserve: bool) -> int:
        """Return the management ports of the fullest of `leaves` leaves."""
        areas = self.list_port_ranges(leaves, for_reserve=for_reserve)
        return max((interval.end for intervals in areas.values() for interval in intervals), default=0)
