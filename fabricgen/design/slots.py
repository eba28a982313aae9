"""Node slots on the lowest tier: which slot of which switch group each leg of a node has, including omitted nodes.

A slot is a place for one leg, a port of a node, among those that a group of switches serves, numbered from 0.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, pairwise, product
from typing import Any, TypeVar

from fabricgen.blueprint.dimensions import WHOLE, find_leg_number
from fabricgen.blueprint.models import Blueprint
from fabricgen.design.fabric_model import Attachment, Leg
from fabricgen.design.floor.unit_kind import NodeSet
from fabricgen.design.layout import Layout
from fabricgen.design.shape import (
    ChildNumbers,
    count_parts_of_unit,
    count_racks_per_place,
    find_depth,
    find_group_number,
    find_pod_of_place,
    find_scope,
    is_part_of_unit,
    list_inner_dimensions,
    number_children,
    number_unit_groups,
    spans_units,
)
from fabricgen.kernel.diagnostics import did_you_mean, fault

Combo = tuple[int, ...]
T = TypeVar("T")


@dataclass(frozen=True)
class SlotTable:
    """Slots of the lowest tier's groups, in the order pod, unit, node, rail, plane, port.

    A combination (`Combo`) is the values, from 0, of the leg dimensions (rail, plane and so on) that the tier is
    grouped by.
    """

    layout: Layout
    per: tuple[str, ...]
    sizes: Mapping[str, int]
    """How many values each leg dimension has on the tier."""
    attachments: tuple[tuple[NodeSet, Attachment], ...]
    """(nodes of a unit, how they attach)"""
    by_slot: bool = False
    """Whether units are numbered by reserved slot, else only the units that exist or existed."""

    def number_units(self, *, by_slot: bool) -> SlotTable:
        """Return the same table with units numbered by reserved slot (`by_slot`), or as the units that exist."""
        return self if by_slot == self.by_slot else replace(self, by_slot=by_slot)

    def find_combination(self, leg: Leg) -> Combo:
        """Return the combination that a leg belongs to."""
        return tuple(find_leg_number(name, leg) - 1 for name in self._inner)

    @cached_property
    def _inner(self) -> tuple[str, ...]:
        """The dimensions of `per` that are no places."""
        return list_inner_dimensions(self.per)

    @cached_property
    def combos(self) -> tuple[Combo, ...]:
        """All combinations, in order."""
        return tuple(product(*(range(self.sizes[d]) for d in self._inner)))

    @cached_property
    def _legs_of_node(self) -> tuple[tuple[Leg, ...], ...]:
        """For each member of a unit (a node, or a device beside the nodes), by its number, its legs."""
        return self._list_member_values(lambda attachment: attachment.legs, ())

    def _list_member_values(self, read_value: Callable[[Attachment], T], empty: T) -> tuple[T, ...]:
        """Return a value of the attachment of each member of a unit, by its number; `empty` for members that do not
        attach.
        """
        values = [empty] * self.layout.kind.members
        for nodes, attachment in self.attachments:
            values[nodes.first : nodes.first + nodes.count] = [read_value(attachment)] * nodes.count
        return tuple(values)

    @cached_property
    def _slots_before(self) -> dict[Combo, tuple[int, ...]]:
        """For each combination, how many slots lie before those of each member of a unit, in the order in which members
        get slots, rack by rack; the last entry is how many slots there are in all.
        """
        slots_of_members = self._list_member_values(
            lambda attachment: Counter(map(self.find_combination, attachment.legs)), Counter[Combo]()
        )
        counts = [slots_of_members[member] for member in self.layout.kind.order]
        return {combo: tuple(accumulate((c[combo] for c in counts), initial=0)) for combo in self.combos}

    @cached_property
    def offsets(self) -> dict[Combo, tuple[int, ...]]:
        """For each combination, how many slots lie before those of each member of a unit (a node, or a device beside
        the nodes), by the member's number in the unit.
        """
        rank_of_member = {member: i for i, member in enumerate(self.layout.kind.order)}
        order = [rank_of_member[member] for member in range(len(rank_of_member))]
        return {combo: tuple(slots[i] for i in order) for combo, slots in self._slots_before.items()}

    @cached_property
    def per_unit(self) -> dict[Combo, int]:
        """For each combination, how many slots a unit takes of a group, including omitted nodes."""
        return {combo: slots[-1] for combo, slots in self._slots_before.items()}

    @cached_property
    def is_part_of_unit(self) -> bool:
        """Whether a group serves a part of the racks of a unit."""
        return is_part_of_unit(find_scope(self.per))

    def find_part(self, rack: Any) -> Any:
        """Return the part of its unit, from 0, that a rack belongs to, by the scope of the table's groups; takes an int
        or an int array.
        """
        return rack // count_racks_per_place(self.layout, find_scope(self.per))

    @cached_property
    def part_starts(self) -> dict[Combo, tuple[int, ...]]:
        """For each combination, how many slots of a unit lie before each of its parts; the last item is the total of
        the unit.
        """
        part_of_member = [
            self.find_part(self.layout.kind.racks_of_members[member]) for member in self.layout.kind.order
        ]
        part_count = count_parts_of_unit(self.layout, find_scope(self.per))
        first_members = [bisect_left(part_of_member, part_number) for part_number in range(part_count + 1)]
        return {combo: tuple(slots[i] for i in first_members) for combo, slots in self._slots_before.items()}

    def find_rank(self, legs: tuple[Leg, ...], leg: Leg) -> int:
        """Return the position of a leg among its node's legs of the same combination.

        On switches in the rack the legs of a twin-port cage are adjacent: they then meet a twin-port cage of the
        switch, and one straight copper cable can serve both. On other switches, which copper seldom reaches, legs are
        ordered by rail.
        """
        legs_of_combo = [
            other_leg for other_leg in legs if self.find_combination(other_leg) == self.find_combination(leg)
        ]
        if find_scope(self.per) == "rack":
            cages = [other_leg.cage for other_leg in legs_of_combo]
            legs_of_combo.sort(key=lambda other_leg: cages.index(other_leg.cage))
        return legs_of_combo.index(leg)

    @cached_property
    def units_before(self) -> tuple[int, ...]:
        """For each unit of the cluster, its number within the place that its group serves; 0 for groups within a
        unit.
        """
        if not spans_units(self.per):
            return (0,) * self.layout.units
        return number_unit_groups(self.layout, "su", find_scope(self.per), by_slot=self.by_slot)

    @cached_property
    def slots_per_unit(self) -> int:
        """How many slots a unit has in a group, if it has equally many in each group that serves it; else 1."""
        slot_counts = {slots for slots in self.per_unit.values() if slots}
        return slot_counts.pop() if len(slot_counts) == 1 else 1

    @cached_property
    def slots_per_group(self) -> int:
        """How many slots the fullest group has, counting units that exist or existed."""
        return self.count_slots_to_serve(reserve=False)

    @cached_property
    def slots_in_use(self) -> int:
        """How many slots the fullest group has up to the last one in use."""
        return max((runs[-1].stop for runs in self.groups if runs), default=0)

    def count_slots_to_serve(self, *, reserve: bool) -> int:
        """Return how many slots the fullest group has; with `reserve`, including all reserved units."""
        if self.is_part_of_unit:
            return max(end - start for starts in self.part_starts.values() for start, end in pairwise(starts))
        units = [numbers_of_place.span for numbers_of_place in self._number_units(by_slot=reserve)]
        return max(self.per_unit.values(), default=0) * max(units, default=0)

    @cached_property
    def groups(self) -> dict[tuple[range, ...], int]:
        """How many groups have the same slots of existing units, by these slots: a tuple of ranges of consecutive ones,
        such as (range(0, 32), range(64, 96)).
        """
        counts: dict[tuple[range, ...], int] = {}
        part_numbers = range(count_parts_of_unit(self.layout, find_scope(self.per)))
        for combo in self.combos:
            if spans_units(self.per):
                runs_and_groups = [
                    (self._list_runs(combo, numbers_of_place), numbers_of_place.places)
                    for numbers_of_place in self._number_units(by_slot=self.by_slot)
                ]
            else:
                runs_and_groups = [
                    ((range(self._count_part_slots(combo, n)),), self.layout.units) for n in part_numbers
                ]
            for runs, groups in runs_and_groups:
                counts[runs] = counts.get(runs, 0) + groups
        return counts

    def list_group_runs(self, group: int) -> tuple[range, ...]:
        """Return the ranges of consecutive slots of one group whose units exist, by the group's number."""
        # groups of a place are neighbours, one for each combination
        place, number = divmod(group, len(self.combos))
        combo = self.combos[number]
        if spans_units(self.per):
            return self._list_runs(combo, self._number_units(by_slot=self.by_slot)[place])
        return (range(self._count_part_slots(combo, place % count_parts_of_unit(self.layout, find_scope(self.per)))),)

    def _count_part_slots(self, combo: Combo, part: int) -> int:
        starts = self.part_starts[combo]
        return starts[part + 1] - starts[part]

    def _list_runs(self, combo: Combo, units: ChildNumbers) -> tuple[range, ...]:
        slots_per_unit = self.per_unit[combo]
        return tuple(range(run.first * slots_per_unit, run.end * slots_per_unit) for run in units.numbers)

    def _number_units(self, *, by_slot: bool) -> list[ChildNumbers]:
        """Return how units are numbered in every place of the tier's scope."""
        return number_children(self.layout, "su", find_scope(self.per), by_slot=by_slot)

    def slot_of(self, unit: int, node: int, leg: Leg) -> tuple[int, int]:
        """Return (group, slot) of a leg; unit in the cluster and node in the unit count from 0."""
        combo = self.find_combination(leg)
        pod = find_pod_of_place(self.layout, "su", unit)
        rack = self.layout.kind.racks_of_members[node]
        coordinates = {
            "site": self.layout.sites.index(self.layout.pods[pod].site),
            "pod": pod,
            "unit": unit,
            "rack": rack,
            **dict(zip(list_inner_dimensions(self.per), combo, strict=True)),
        }
        # slots of earlier units and members; in a part of a unit, those of the part alone
        slot = self.units_before[unit] * self.per_unit[combo] + self.offsets[combo][node]
        if self.is_part_of_unit:
            slot = self.offsets[combo][node] - self.part_starts[combo][self.find_part(rack)]
        legs = self._legs_of_node[node]
        return find_group_number(self.layout, self.per, self.sizes, coordinates), slot + self.find_rank(legs, leg)

    def list_holes(self) -> list[tuple[int, int]]:
        """Return (group, slot) of every leg of every omitted node, in slot order."""
        return [
            self.slot_of(self.layout.unit_index(omitted), omitted.node - 1, leg)
            for omitted in sorted(self.layout.omitted)
            for leg in self._legs_of_node[omitted.node - 1]
        ]


# Parts of a cluster in a fabric: pods whose units are of one kind, and whose switches are alike.
# A tier that is per pod, or per a narrower place, is there once for each part whose nodes attach to the fabric. A wider
# tier serves all parts.


def is_within_pod(per: Sequence[str]) -> bool:
    """Whether each switch group of a tier serves a pod or a part of one."""
    return find_depth(find_scope(per)) >= find_depth("pod")


def list_fabric_parts(blueprint: Blueprint, layout: Layout, name: str) -> tuple[str, ...]:
    """Return the parts of the cluster that a fabric has tiers in, in the order in which they came.

    These are the parts with nodes in the fabric, in a fabric that it carries, or in one below it. All parts are
    returned if there are none, and if the fabric takes the management ports of switches.
    """
    if len(layout.parts) == 1 or "switches" in blueprint.fabrics[name].also:
        return layout.part_order
    fabric_names = _collect_fabrics_below(blueprint, name, set())
    roles = [
        (fabric_name, blueprint.fabrics[fabric_name].attach or fabric_name) for fabric_name in sorted(fabric_names)
    ]
    parts_with_nodes = []
    for part_name in layout.part_order:
        node_sets = layout.of_part(part_name).node_sets
        if any(nodes.attaches_to(fabric, role) for nodes in node_sets for fabric, role in roles):
            parts_with_nodes.append(part_name)
    return tuple(parts_with_nodes) or layout.part_order


def _collect_fabrics_below(blueprint: Blueprint, name: str, collected: set[str]) -> set[str]:
    """Add a fabric to `collected`, with the fabrics that it carries and those with tiers below its own, and return the
    set.
    """
    if name in collected or name not in blueprint.fabrics:
        return collected
    collected.add(name)
    for other_name, fabric in blueprint.fabrics.items():
        tiers_below = [tier.below for tier in fabric.tiers.values() if tier.below]
        if fabric.carried_by == name or any(text.partition(".")[0] == name for text in tiers_below if "." in text):
            _collect_fabrics_below(blueprint, other_name, collected)
    for tier in blueprint.fabrics[name].tiers.values():
        for upper in tier.above:
            if "." in upper:
                _collect_fabrics_below(blueprint, upper.partition(".")[0], collected)
    return collected


def check_pod_tiers(blueprint: Blueprint) -> None:
    """Raise InputError (FG091) if a pod states a tier that does not exist, or one whose switches serve more than a
    pod.
    """
    tier_names = [f"{name}.{tier}" for name, fabric in blueprint.fabrics.items() for tier in fabric.tiers]
    for key, pod in blueprint.pods.items():
        for text in pod.tiers:
            path = ("pods", key, "tiers", text)
            if text not in tier_names:
                raise fault(
                    "FG091",
                    f"{key} states tier '{text}', and there is none",
                    path=path,
                    hint=f"write FABRIC.TIER; {did_you_mean(text, tier_names)}",
                )
            fabric, _, tier = text.partition(".")
            per = blueprint.fabrics[fabric].tiers[tier].per
            if not is_within_pod(per):
                served = "all pods" if (scope := find_scope(per)) == WHOLE else f"those of a {scope}"
                raise fault(
                    "FG091",
                    f"{key} states switches of {text}, which serve more than a pod: {served}",
                    path=path,
                    hint=f"group {tier} `per: pod` or narrower, or state it in fabrics.{fabric}.tiers.{tier} for all",
                )
