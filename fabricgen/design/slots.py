"""Down-port slots: which slot of which lowest switch each leg of each node slot has, omitted nodes included."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise, product

from fabricgen.design.fabric_model import Attachment, Leg
from fabricgen.design.layout import Layout
from fabricgen.design.shape import group_index, inner, lodgings, scope_of

Combo = tuple[int, ...]


@dataclass(frozen=True)
class SlotTable:
    """Slots of the lowest tier's groups, in the order pod, unit, node, rail, plane, port.

    A combo is the values (from 0) of those of rail, plane and port that the tier is grouped by.
    """

    layout: Layout
    per: tuple[str, ...]
    sizes: Mapping[str, int]
    attachments: tuple[tuple[int, Attachment], ...]

    def combo(self, leg: Leg) -> Combo:
        """The combo a leg belongs to."""
        values = {
            "rail": leg.rail - 1,
            "rail-group": leg.rail_group - 1,
            "plane": leg.plane - 1,
            "port": leg.port - 1,
        }
        return tuple(values[d] for d in inner(self.per))

    @cached_property
    def combos(self) -> tuple[Combo, ...]:
        """All combos, in order."""
        return tuple(product(*(range(self.sizes[d]) for d in inner(self.per))))

    @cached_property
    def _legs_of_node(self) -> tuple[tuple[Leg, ...], ...]:
        """For each member number of a unit, its legs."""
        legs: list[tuple[Leg, ...]] = [()] * self.layout.members_per_su
        for index, attachment in self.attachments:
            nodes = self.layout.node_sets[index]
            legs[nodes.first : nodes.first + nodes.count] = [attachment.legs] * nodes.count
        return tuple(legs)

    @cached_property
    def _ordered(self) -> dict[Combo, tuple[int, ...]]:
        """For each combo, the slots before each member of a unit in rack order, and in the end their sum."""
        found: dict[Combo, list[int]] = {combo: [] for combo in self.combos}
        for member in self.layout.unit_order:
            counts = dict.fromkeys(self.combos, 0)
            for leg in self._legs_of_node[member]:
                counts[self.combo(leg)] += 1
            for combo, count in counts.items():
                found[combo].append(count)
        return {combo: tuple(accumulate(counts, initial=0)) for combo, counts in found.items()}

    @cached_property
    def offsets(self) -> dict[Combo, tuple[int, ...]]:
        """For each combo, the slots before each member of a unit, by its number."""
        place = {member: i for i, member in enumerate(self.layout.unit_order)}
        order = [place[member] for member in range(len(place))]
        return {combo: tuple(slots[i] for i in order) for combo, slots in self._ordered.items()}

    @cached_property
    def per_unit(self) -> dict[Combo, int]:
        """Slots of each combo in a unit."""
        return {combo: slots[-1] for combo, slots in self._ordered.items()}

    @cached_property
    def rack_starts(self) -> dict[Combo, tuple[int, ...]]:
        """For each combo, the slots of a unit before each of its racks, and in the end their sum."""
        racks = [self.layout.racks_of_members[member] for member in self.layout.unit_order]
        first = [bisect_left(racks, rack) for rack in range(self.layout.racks_per_su + 1)]
        return {combo: tuple(slots[i] for i in first) for combo, slots in self._ordered.items()}

    def rank(self, legs: tuple[Leg, ...], leg: Leg) -> int:
        """The place of a leg among its node's legs of the same combo."""
        same = [other for other in legs if self.combo(other) == self.combo(leg)]
        return same.index(leg)

    @cached_property
    def units_before(self) -> tuple[int, ...]:
        """For each unit of the cluster, its number in its group's scope: units before it, there or once there."""
        scope = scope_of(self.per)
        if scope in ("su", "rack"):
            return (0,) * self.layout.units
        return self.layout.unit_numbers(scope, by_slot=False)

    @cached_property
    def slots_per_group(self) -> int:
        """Slots of the fullest group."""
        return max(self.group_sizes(), default=0)

    def slots_to_serve(self, *, reserve: bool) -> int:
        """Slots of the fullest group now, or with every reserved unit."""
        scope = scope_of(self.per)
        if not reserve or scope in ("su", "rack"):
            return self.slots_per_group
        return max(self.per_unit.values(), default=0) * max(self._units_per_place(scope, by_slot=True))

    def group_sizes(self) -> dict[int, int]:
        """Slots in a group -> how many groups have so many."""
        found: dict[int, int] = {}
        scope = scope_of(self.per)
        for combo, each in self.per_unit.items():
            if scope == "rack":
                starts = self.rack_starts[combo]
                sizes = [(after - before, self.layout.units) for before, after in pairwise(starts)]
            elif scope == "su":
                sizes = [(each, self.layout.units)]
            else:
                sizes = [(units * each, 1) for units in self._units_per_place(scope)]
            for slots, groups in sizes:
                found[slots] = found.get(slots, 0) + groups
        return found

    def slots_in_group(self, group: int) -> int:
        """Slots of one group, by its number."""
        scope = scope_of(self.per)
        place, number = divmod(group, len(self.combos))
        combo = self.combos[number]
        if scope == "rack":
            starts, rack = self.rack_starts[combo], place % self.layout.racks_per_su
            return starts[rack + 1] - starts[rack]
        each = self.per_unit[combo]
        return each if scope == "su" else each * self._units_per_place(scope)[place]

    def _units_per_place(self, scope: str, *, by_slot: bool = False) -> list[int]:
        """Numbers of units that are given in every place of a scope."""
        return [one.span for one in lodgings(self.layout, "su", scope, by_slot=by_slot)]

    def slot_of(self, unit: int, node: int, leg: Leg) -> tuple[int, int]:
        """(group, slot) of a leg; unit in the cluster and node in the unit count from 0."""
        combo = self.combo(leg)
        pod = next(i for i, p in enumerate(self.layout.pods) if p.first_su <= unit < p.first_su + p.su)
        rack = self.layout.racks_of_members[node]
        coordinates = {
            "site": self.layout.sites.index(self.layout.pods[pod].site),
            "pod": pod,
            "unit": unit,
            "rack": rack,
            **dict(zip(inner(self.per), combo, strict=True)),
        }
        slot = self.units_before[unit] * self.per_unit[combo] + self.offsets[combo][node]
        if scope_of(self.per) == "rack":
            slot = self.offsets[combo][node] - self.rack_starts[combo][rack]
        legs = self._legs_of_node[node]
        return group_index(self.layout, self.per, self.sizes, coordinates), slot + self.rank(legs, leg)

    def holes(self) -> list[tuple[int, int]]:
        """(group, slot) of every leg of every omitted node, in slot order."""
        return [
            self.slot_of(self.layout.unit_index(omitted), omitted.node - 1, leg)
            for omitted in sorted(self.layout.omitted)
            for leg in self._legs_of_node[omitted.node - 1]
        ]
