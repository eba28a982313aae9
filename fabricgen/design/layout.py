"""Where nodes stand and how places are numbered: sites, pods, scalable units, racks and node slots."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from fabricgen.blueprint.beside.lock import Lock
from fabricgen.blueprint.models import Blueprint, natural
from fabricgen.blueprint.sections.slots import NodeSlot, omitted_slots
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import NodeProfile, RackProfile
from fabricgen.design.floor.rack_types import network_rack, node_rack
from fabricgen.design.numbering import Numbering, PodSize, number
from fabricgen.design.order import fabric_order
from fabricgen.kernel.diagnostics import fault
from fabricgen.kernel.intervals import first_numbers


@dataclass(frozen=True, slots=True)
class PodLayout:
    """A pod: its scalable units now, its slots, and the first of its units among those of the cluster."""

    name: str
    site: str
    su: int
    slots: int
    first_su: int


@dataclass(frozen=True, slots=True)
class NodeSet:
    """Nodes of one profile in every scalable unit; `first` is the number (from 0) of the first in the unit.

    What stands in every rack beside the nodes (power shelves) is a set too, numbered after the nodes: `per_rack` of
    them in each rack, 0 for nodes.
    """

    name: str
    profile: NodeProfile
    count: int
    first: int
    per_rack: int = 0


@dataclass(frozen=True)
class Layout:
    """Sites, pods, scalable units, racks and nodes of a cluster. All count from 0 inside, from 1 in names."""

    pods: tuple[PodLayout, ...]
    node_sets: tuple[NodeSet, ...]
    nodes_per_rack: int
    node_rack: RackProfile
    network_rack: RackProfile
    omitted: frozenset[NodeSlot]
    lock: Lock
    """What was given before."""
    numbering: Numbering

    @property
    def rack_units(self) -> int:
        """Height of a node rack, rack units."""
        return self.node_rack.units

    @cached_property
    def nodes_per_su(self) -> int:
        """Node slots in a scalable unit."""
        return sum(s.count for s in self.node_sets if not s.per_rack)

    @cached_property
    def members_per_su(self) -> int:
        """Slots in a scalable unit of nodes and of what else stands in their racks."""
        return sum(s.count for s in self.node_sets)

    def rack_of(self, member: int) -> int:
        """The rack (from 0, in its unit) of a node, or of what stands beside the nodes."""
        for members in self.node_sets:
            if members.per_rack and members.first <= member < members.first + members.count:
                return (member - members.first) // members.per_rack
        return member // self.nodes_per_rack

    @cached_property
    def racks_of_members(self) -> tuple[int, ...]:
        """The rack of every member of a unit, by number."""
        return tuple(self.rack_of(member) for member in range(self.members_per_su))

    @cached_property
    def unit_order(self) -> tuple[int, ...]:
        """Members of a unit rack by rack: the order in which they are given ports."""
        return tuple(sorted(range(self.members_per_su), key=lambda member: (self.racks_of_members[member], member)))

    @cached_property
    def racks_per_su(self) -> int:
        """Node racks in a scalable unit; the last may be part filled."""
        return -(-self.nodes_per_su // self.nodes_per_rack)

    @cached_property
    def units(self) -> int:
        """Scalable units in the cluster."""
        return sum(p.su for p in self.pods)

    @cached_property
    def unit_slots(self) -> int:
        """Scalable-unit slots in the cluster, growth included."""
        return sum(p.slots for p in self.pods)

    def unit_numbers(self, scope: str, *, by_slot: bool) -> tuple[int, ...]:
        """The number of every unit within its `pod`, `site` or the cluster (`all`): by slot, or of those there are."""
        kind = "units" if by_slot else "ports"
        return tuple(
            number
            for pod in self.pods
            for number in (
                range(pod.su) if scope == "pod" else first_numbers(self.numbering.of(kind, pod.name, scope), pod.su)
            )
        )

    def pod_numbers(self, scope: str) -> tuple[int, ...]:
        """The number of every pod within its site or the cluster (`all`)."""
        return tuple(self.numbering.of("pods", pod.name, scope)[0].first for pod in self.pods)

    @cached_property
    def first_site(self) -> int:
        """The site (by its place in `sites`) that was there first: where things stand that name none."""
        return self.site_numbers.index(min(self.site_numbers))

    @cached_property
    def site_numbers(self) -> tuple[int, ...]:
        """The number of every site, in the order of `sites`."""
        return tuple(self.numbering.held["sites"][site][0].first for site in self.sites)

    @cached_property
    def sites(self) -> tuple[str, ...]:
        """Names of the sites, sorted."""
        return tuple(sorted({p.site for p in self.pods}, key=natural))

    @cached_property
    def nodes(self) -> int:
        """Nodes present: slots less those omitted."""
        omitted = sum(slot.node <= self.nodes_per_su for slot in self.omitted)
        return self.units * self.nodes_per_su - omitted

    def omitted_of(self, node_set: NodeSet) -> int:
        """How many slots of one node set are omitted."""
        return sum(node_set.first < slot.node <= node_set.first + node_set.count for slot in self.omitted)

    def unit_index(self, slot: NodeSlot) -> int:
        """The number (from 0) of a slot's scalable unit in the whole cluster."""
        return self.pods[slot.pod].first_su + slot.su - 1


def lay_out(blueprint: Blueprint, catalog: Catalog, lock: Lock) -> Layout:
    """Number pods, scalable units, racks and nodes of a blueprint, as the lock has them.

    Raises InputError for unknown node profiles, omitted slots that do not exist, and racks too small.
    """
    pods = blueprint.expanded_pods()
    starts = list(accumulate((p.su for p in pods.values()), initial=0))
    sizes = [PodSize(name, pod.site or blueprint.site, pod.su, pod.slots) for name, pod in pods.items()]
    racks = blueprint.scalable_unit.racks
    sets = _node_sets(blueprint, catalog)
    nodes = sum(s.count for s in sets)
    tallest = max(s.profile.rack_units for s in sets)
    rack = node_rack(blueprint, catalog)
    per_rack = racks.nodes_per_rack or len(rack.fixed.get("node", ())) or max(1, (rack.units - 2) // tallest)
    sets += _beside(blueprint, catalog, nodes, -(-nodes // per_rack))
    if per_rack * tallest > rack.units:
        raise fault(
            "FG601",
            f"{per_rack} nodes of {tallest} rack units need {per_rack * tallest} U, a rack has {rack.units} U",
            path=("scalable_unit", "racks", "nodes_per_rack"),
            hint=f"at most {rack.units // tallest} nodes fit a rack",
        )
    if len(pods) < sum(pod.count for pod in blueprint.pods.values()):
        raise fault(
            "FG037",
            "`count` gives a pod the name of another",
            path=("pods",),
            hint="pods are named after their key and counted on: p1 with count 2 is p1 and p2",
        )
    return Layout(
        pods=tuple(PodLayout(*size, first_su=start) for size, start in zip(sizes, starts, strict=False)),
        node_sets=sets,
        nodes_per_rack=per_rack,
        node_rack=rack,
        network_rack=network_rack(blueprint, catalog, rack.units),
        omitted=_with_empty_racks(omitted_slots(blueprint, pods, per_rack), sets, nodes, per_rack),
        lock=lock,
        numbering=number(sizes, sorted(blueprint.fabrics, key=fabric_order), lock),
    )


def _with_empty_racks(
    omitted: frozenset[NodeSlot], sets: tuple[NodeSet, ...], nodes: int, per_rack: int
) -> frozenset[NodeSlot]:
    """Leave out what stands beside the nodes, too, in racks that hold no node."""
    beside = [s for s in sets if s.per_rack]
    if not beside:
        return omitted
    missing: dict[tuple[int, int, int], int] = {}
    for slot in omitted:
        key = (slot.pod, slot.su, (slot.node - 1) // per_rack)
        missing[key] = missing.get(key, 0) + 1
    more = {
        NodeSlot(pod, su, s.first + rack * s.per_rack + i + 1)
        for (pod, su, rack), count in missing.items()
        if count == min(per_rack, nodes - rack * per_rack)
        for s in beside
        for i in range(s.per_rack)
    }
    return omitted | more


def _node_sets(blueprint: Blueprint, catalog: Catalog) -> tuple[NodeSet, ...]:
    sets: list[NodeSet] = []
    first = 0
    for name, nodes in sorted(blueprint.scalable_unit.nodes.items(), key=lambda item: natural(item[0])):
        profile = catalog.node(nodes.profile, ("scalable_unit", "nodes", name))
        sets.append(NodeSet(name, profile, nodes.count, first))
        first += nodes.count
    return tuple(sets)


def _beside(blueprint: Blueprint, catalog: Catalog, first: int, racks: int) -> tuple[NodeSet, ...]:
    """What stands in every rack beside the nodes, numbered after them."""
    sets: list[NodeSet] = []
    devices = blueprint.scalable_unit.racks.devices
    for name, devices_of in sorted(devices.items(), key=lambda item: natural(item[0])):
        profile = catalog.node(devices_of.profile, ("scalable_unit", "racks", "devices", name))
        sets.append(NodeSet(name, profile, devices_of.count * racks, first, devices_of.count))
        first += devices_of.count * racks
    return tuple(sets)
