"""Where nodes stand and how places are numbered: sites, pods, scalable units, racks and node slots."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from fabricgen.blueprint.beside.lock import Lock
from fabricgen.blueprint.models import Blueprint, natural
from fabricgen.blueprint.sections.slots import NodeSlot, omitted_slots
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import RackProfile
from fabricgen.design.floor.rack_types import network_rack
from fabricgen.design.floor.spare_nodes import spare_nodes
from fabricgen.design.floor.unit_kind import NodeSet, UnitKind, unit_kind
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


@dataclass(frozen=True)
class Layout:
    """Sites, pods, scalable units, racks and nodes of a cluster. All count from 0 inside, from 1 in names."""

    pods: tuple[PodLayout, ...]
    kind: UnitKind
    """What the units hold."""
    network_rack: RackProfile
    omitted: frozenset[NodeSlot]
    spare: frozenset[NodeSlot]
    """Nodes that are present, and in reserve for others."""
    lock: Lock
    """What was given before."""
    numbering: Numbering

    @property
    def node_sets(self) -> tuple[NodeSet, ...]:
        """Sets of nodes, and of what stands beside them, in every unit."""
        return self.kind.node_sets

    @property
    def nodes_per_rack(self) -> int:
        """Nodes in a full node rack."""
        return self.kind.nodes_per_rack

    @property
    def node_rack(self) -> RackProfile:
        """The type of the node racks."""
        return self.kind.node_rack

    @property
    def rack_units(self) -> int:
        """Height of a node rack, rack units."""
        return self.node_rack.units

    @property
    def nodes_per_su(self) -> int:
        """Node slots in a scalable unit."""
        return self.kind.nodes

    @property
    def members_per_su(self) -> int:
        """Slots in a scalable unit of nodes and of what else stands in their racks."""
        return self.kind.members

    @property
    def racks_of_members(self) -> tuple[int, ...]:
        """The rack of every member of a unit, by number."""
        return self.kind.racks_of_members

    @property
    def unit_order(self) -> tuple[int, ...]:
        """Members of a unit rack by rack: the order in which they are given ports."""
        return self.kind.order

    @property
    def racks_per_su(self) -> int:
        """Node racks in a scalable unit; the last may be part filled."""
        return self.kind.racks

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

    def present(self, node_set: NodeSet) -> int:
        """How many of one node set are present: slots less those omitted."""
        omitted = sum(node_set.holds(slot.node - 1) for slot in self.omitted)
        return self.units * node_set.count - omitted

    def in_use(self, node_set: NodeSet) -> int:
        """How many of one node set are present and not spare."""
        return self.present(node_set) - sum(node_set.holds(slot.node - 1) for slot in self.spare)

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
    kind = unit_kind(blueprint, catalog)
    if len(pods) < sum(pod.count for pod in blueprint.pods.values()):
        raise fault(
            "FG037",
            "`count` gives a pod the name of another",
            path=("pods",),
            hint="pods are named after their key and counted on: p1 with count 2 is p1 and p2",
        )
    omitted = _with_empty_racks(omitted_slots(blueprint, pods, kind.nodes_per_rack), kind)
    return Layout(
        pods=tuple(PodLayout(*size, first_su=start) for size, start in zip(sizes, starts, strict=False)),
        kind=kind,
        network_rack=network_rack(blueprint, catalog, kind.node_rack.units),
        omitted=omitted,
        spare=spare_nodes(blueprint, pods, kind, omitted),
        lock=lock,
        numbering=number(sizes, sorted(blueprint.fabrics, key=fabric_order), lock),
    )


def _with_empty_racks(omitted: frozenset[NodeSlot], kind: UnitKind) -> frozenset[NodeSlot]:
    """Leave out what stands beside the nodes, too, in racks that hold no node."""
    beside, per_rack = [s for s in kind.node_sets if s.per_rack], kind.nodes_per_rack
    if not beside:
        return omitted
    missing: dict[tuple[int, int, int], int] = {}
    for slot in omitted:
        key = (slot.pod, slot.su, (slot.node - 1) // per_rack)
        missing[key] = missing.get(key, 0) + 1
    more = {
        NodeSlot(pod, su, s.first + rack * s.per_rack + i + 1)
        for (pod, su, rack), count in missing.items()
        if count == min(per_rack, kind.nodes - rack * per_rack)
        for s in beside
        for i in range(s.per_rack)
    }
    return omitted | more
