"""The lattice of coordinates that everything stands on: sites, pods, scalable units, racks and node slots."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from fabricgen.blueprint.models import Blueprint, natural
from fabricgen.blueprint.slots import NodeSlot, omitted_slots
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import NodeProfile
from fabricgen.kernel.diagnostics import fault


@dataclass(frozen=True, slots=True)
class PodLayout:
    """A pod: its scalable units now, its slots, and where both start in the whole cluster's numbering."""

    name: str
    site: str
    su: int
    slots: int
    first_su: int
    first_slot: int


@dataclass(frozen=True, slots=True)
class NodeSet:
    """Nodes of one profile in every scalable unit; `first` is the number (from 0) of the first in the unit."""

    name: str
    profile: NodeProfile
    count: int
    first: int


@dataclass(frozen=True)
class Layout:
    """Who stands where. Nodes, units and racks count from 0 inside, from 1 in names."""

    pods: tuple[PodLayout, ...]
    node_sets: tuple[NodeSet, ...]
    nodes_per_rack: int
    rack_units: int
    omitted: frozenset[NodeSlot]

    @cached_property
    def nodes_per_su(self) -> int:
        """Node slots in a scalable unit."""
        return sum(s.count for s in self.node_sets)

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

    @cached_property
    def sites(self) -> tuple[str, ...]:
        """Names of the sites, sorted."""
        return tuple(sorted({p.site for p in self.pods}, key=natural))

    @cached_property
    def nodes(self) -> int:
        """Nodes present: slots less those omitted."""
        return self.units * self.nodes_per_su - len(self.omitted)

    def omitted_of(self, node_set: NodeSet) -> int:
        """How many slots of one node set are omitted."""
        return sum(node_set.first < slot.node <= node_set.first + node_set.count for slot in self.omitted)

    def unit_index(self, slot: NodeSlot) -> int:
        """The number (from 0) of a slot's scalable unit in the whole cluster."""
        return self.pods[slot.pod].first_su + slot.su - 1


def lay_out(blueprint: Blueprint, catalog: Catalog) -> Layout:
    """Number pods, scalable units, racks and nodes of a blueprint.

    Raises InputError for unknown node profiles, omitted slots that do not exist, racks too small, and several sites.
    """
    pods = blueprint.expanded_pods()
    starts = list(accumulate((p.su for p in pods.values()), initial=0))
    slot_starts = list(accumulate((p.slots for p in pods.values()), initial=0))
    racks = blueprint.scalable_unit.racks
    sets = _node_sets(blueprint, catalog)
    tallest = max(s.profile.rack_units for s in sets)
    per_rack = racks.nodes_per_rack or max(1, (racks.units - 2) // tallest)
    if per_rack * tallest > racks.units:
        raise fault(
            "FG601",
            f"{per_rack} nodes of {tallest} rack units need {per_rack * tallest} U, a rack has {racks.units} U",
            path=("scalable_unit", "racks", "nodes_per_rack"),
            hint=f"at most {racks.units // tallest} nodes fit a rack",
        )
    if len(pods) < sum(pod.count for pod in blueprint.pods.values()):
        raise fault(
            "FG037",
            "`count` gives a pod the name of another",
            path=("pods",),
            hint="pods are named after their key and counted on: p1 with count 2 is p1 and p2",
        )
    sites = sorted({pod.site or blueprint.site for pod in pods.values()})
    if len(sites) > 1:
        raise fault(
            "FG036",
            f"pods stand at {len(sites)} sites ({', '.join(sites)}); a blueprint has one",
            path=("pods",),
            hint="describe each site in a blueprint of its own",
        )
    return Layout(
        pods=tuple(
            PodLayout(name, pod.site or blueprint.site, pod.su, pod.slots, start, slot_start)
            for (name, pod), start, slot_start in zip(pods.items(), starts, slot_starts, strict=False)
        ),
        node_sets=sets,
        nodes_per_rack=per_rack,
        rack_units=racks.units,
        omitted=omitted_slots(blueprint, pods, per_rack),
    )


def _node_sets(blueprint: Blueprint, catalog: Catalog) -> tuple[NodeSet, ...]:
    sets: list[NodeSet] = []
    first = 0
    for name, nodes in sorted(blueprint.scalable_unit.nodes.items(), key=lambda item: natural(item[0])):
        profile = catalog.node(nodes.profile, ("scalable_unit", "nodes", name))
        sets.append(NodeSet(name, profile, nodes.count, first))
        first += nodes.count
    return tuple(sets)
