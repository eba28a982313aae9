"""Where nodes stand and how places are numbered: sites, pods, scalable units, racks and node slots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from fabricgen.blueprint.beside.lock import SETS, UNNUMBERED, Lock
from fabricgen.blueprint.beside.split_sites import find_only_site, split_by_hall, split_by_site, was_one_of_several
from fabricgen.blueprint.models import Blueprint, Pod, make_natural_key
from fabricgen.blueprint.sections.fabric import PodTier
from fabricgen.blueprint.slots import NodeSlot, PodUnits, list_omitted_slots
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import RackProfile
from fabricgen.design.floor.halls import DEFAULT_HALL
from fabricgen.design.floor.rack_space import choose_network_rack
from fabricgen.design.floor.unit_kind import NodeSet, UnitKind, find_spare_nodes, make_unit_kinds
from fabricgen.design.numbering import Numbering, PodSize, number_all
from fabricgen.design.tier_order import rank_fabric
from fabricgen.kernel.diagnostics import Path, did_you_mean, fault
from fabricgen.kernel.intervals import list_first_numbers


class PodLayout(NamedTuple):
    """A pod and the scalable units in it."""

    name: str
    site: str
    su: int
    """How many scalable units it has now."""
    slots: int
    """How many slots for scalable units it has, reserved ones included."""
    part: str
    """The name of the part of the cluster that it belongs to."""
    first_su: int
    """The number of its first unit among the units of the cluster, from 0."""


class ClusterPart(NamedTuple):
    """The pods of a cluster whose units are of one kind, and whose switches are alike.

    Its name is that of the kind, "" for `scalable_unit`; if its pods state tiers, `+` and their key follow: `b300`,
    `b300+p2`.
    """

    name: str
    kind: UnitKind
    tiers: Mapping[str, PodTier]
    """The tiers that its pods state for their switches, by FABRIC.TIER."""
    path: Path
    """Where these tiers are stated."""

    @property
    def suffix(self) -> str:
        """What is put behind kinds of lock entries for this part: ` /b300`, as `racked` (positions of switches in the
        racks of a unit) becomes `racked /b300`; "" for the part without a name.
        """
        return f" /{self.name}" if self.name else ""


def find_kind(part: str) -> str:
    """Return the name of the kind of units of a part of the cluster, by the part's name: `b300` of `b300+p2`."""
    return part.partition("+")[0]


@dataclass(frozen=True)
class Layout:
    """Sites, pods, scalable units, racks and nodes of a cluster. They count from 0 inside the program, from 1 in
    names.
    """

    pods: tuple[PodLayout, ...]
    parts: tuple[ClusterPart, ...]
    """The parts that pods belong to, in natural order of their names."""
    network_rack: RackProfile
    omitted: frozenset[NodeSlot]
    spare: frozenset[NodeSlot]
    """Nodes that are present, and in reserve for others."""
    lock: Lock
    """The numbers that earlier builds gave."""
    numbering: Numbering
    cluster: Layout | None = None
    """The layout of the whole cluster, if this is the layout of a part; else None."""

    def of_part(self, name: str) -> Layout:
        """Return the layout of the pods of a part alone, with all sites of the cluster; raises KeyError if there is no
        such part.

        Its pods and units count from 0; `cluster_pods` and `cluster_units` have their numbers in the cluster.
        """
        return self._layouts[name] if self.numbering.parts else self

    @cached_property
    def _layouts(self) -> dict[str, Layout]:
        """The layout of each part of the cluster, with its pods, units and slots counted from 0."""
        layouts: dict[str, Layout] = {}
        for part in self.parts:
            pod_numbers = [i for i, pod in enumerate(self.pods) if pod.part == part.name]
            # units of a part are numbered through its own pods
            first_units = accumulate((self.pods[i].su for i in pod_numbers), initial=0)
            number_in_part = {i: number for number, i in enumerate(pod_numbers)}
            layouts[part.name] = replace(
                self,
                pods=tuple(
                    self.pods[i]._replace(first_su=first_unit)
                    for i, first_unit in zip(pod_numbers, first_units, strict=False)
                ),
                parts=(part,),
                omitted=frozenset(
                    s._replace(pod=number_in_part[s.pod]) for s in self.omitted if s.pod in number_in_part
                ),
                spare=frozenset(s._replace(pod=number_in_part[s.pod]) for s in self.spare if s.pod in number_in_part),
                numbering=self.numbering.parts[part.name],
                cluster=self,
            )
        return layouts

    def has_part(self, part: ClusterPart) -> bool:
        """Whether it has pods of a part of the cluster."""
        return any(present.name == part.name for present in self.parts)

    @cached_property
    def cluster_pods(self) -> tuple[int, ...]:
        """For each pod, its number in the whole cluster."""
        names = [pod.name for pod in (self.cluster or self).pods]
        return tuple(names.index(pod.name) for pod in self.pods)

    @cached_property
    def cluster_units(self) -> tuple[int, ...]:
        """For each unit, its number in the whole cluster."""
        pods = (self.cluster or self).pods
        first_units = [pods[pod_number].first_su for pod_number in self.cluster_pods]
        return tuple(start + su for start, pod in zip(first_units, self.pods, strict=True) for su in range(pod.su))

    @cached_property
    def kinds(self) -> tuple[UnitKind, ...]:
        """The kinds of units that pods have, in natural order of their names."""
        return tuple({part.kind.name: part.kind for part in self.parts}.values())

    @property
    def by_part(self) -> dict[str, Layout]:
        """The layout of each part of the cluster, in the order in which parts came; for the layout of a part, itself
        alone.
        """
        return {name: self.of_part(name) for name in self.part_order}

    @cached_property
    def part_order(self) -> tuple[str, ...]:
        """The names of the parts in the order in which they came: by the number of the first pod that each has or
        had.
        """
        names, numbering_by_part = [present_part.name for present_part in self.parts], self.numbering.parts
        if not numbering_by_part:
            return tuple(names)
        pod_numbers = self.numbering.held["pods"]
        pods_by_part = {name: numbering_by_part[name].held[f"pods{numbering_by_part[name].suffix}"] for name in names}
        first_number = {
            name: min(pod_numbers[pod][0].first for pod in pods_by_part[name] if pod in pod_numbers) for name in names
        }
        return tuple(sorted(names, key=lambda name: first_number[name]))

    @property
    def kind(self) -> UnitKind:
        """The kind of all units; raises ValueError if there are several kinds."""
        (kind,) = self.kinds
        return kind

    @cached_property
    def kind_of_pod(self) -> tuple[UnitKind, ...]:
        """For each pod, the kind of its units."""
        kind_by_part = {part.name: part.kind for part in self.parts}
        return tuple(kind_by_part[pod.part] for pod in self.pods)

    @cached_property
    def node_sets(self) -> tuple[NodeSet, ...]:
        """The sets of nodes, and of devices beside nodes, in the units of every kind."""
        return tuple(nodes for kind in self.kinds for nodes in kind.node_sets)

    @property
    def racks_per_su(self) -> int:
        """How many node racks a scalable unit has, the last one perhaps part filled; raises ValueError if there are
        several kinds.
        """
        return self.kind.racks

    @cached_property
    def units(self) -> int:
        """How many scalable units the cluster has."""
        return sum(p.su for p in self.pods)

    @cached_property
    def unit_slots(self) -> int:
        """How many slots for scalable units the cluster has, reserved ones included."""
        return sum(p.slots for p in self.pods)

    def number_units(self, scope: str, *, by_slot: bool) -> tuple[int, ...]:
        """Return the number, from 0, of every unit within its `pod`, its `site` or the cluster (`all`), unit by unit:
        by reserved slot (`by_slot`), or as the units that exist.
        """
        kind = "units" if by_slot else "ports"
        return tuple(
            number
            for pod in self.pods
            for number in (
                range(pod.su)
                if scope == "pod"
                else list_first_numbers(self.numbering.find_numbers(kind, pod.name, scope), pod.su)
            )
        )

    def number_pods(self, scope: str) -> tuple[int, ...]:
        """Return the number, from 0, of every pod within its `site` or the cluster (`all`), in the order of `pods`."""
        return tuple(self.numbering.find_numbers("pods", pod.name, scope)[0].first for pod in self.pods)

    @cached_property
    def first_site(self) -> int:
        """The index in `sites` of the site that was there first: devices that state no site stand there."""
        return self.site_numbers.index(min(self.site_numbers))

    @cached_property
    def site_numbers(self) -> tuple[int, ...]:
        """The number of every site, in the order of `sites`."""
        return tuple(self.numbering.held["sites"][site][0].first for site in self.sites)

    @cached_property
    def sites(self) -> tuple[str, ...]:
        """Names of the sites of the whole cluster, sorted."""
        if self.cluster:
            return self.cluster.sites
        return tuple(sorted({p.site for p in self.pods}, key=make_natural_key))

    @property
    def has_tiers_per_site(self) -> bool:
        """Whether tiers are per site: there are several sites, or the lock has the only one as one of several."""
        return len(self.sites) > 1 or was_one_of_several(self.lock, self.sites[0])

    @cached_property
    def unnamed_site(self) -> str:
        """The site that names leave out: the only one, or the one that the lock says is left out; "" if all are named.

        A site that was ever one of several has numbers to itself in the lock, and is named.
        """
        unnamed = self.lock.find_words(UNNUMBERED).get("sites") or find_only_site(self.lock)
        sites_are_new = self.lock.find_allocations("sites").keys().isdisjoint(self.sites)
        only_site = self.sites[0] if sites_are_new and len(self.sites) == 1 else ""
        return unnamed if unnamed in self.sites else only_site

    @cached_property
    def nodes(self) -> int:
        """How many nodes are present: slots less omitted ones."""
        kinds = self.kind_of_pod
        omitted = sum(slot.node <= kinds[slot.pod].nodes for slot in self.omitted)
        return sum(pod.su * kind.nodes for pod, kind in zip(self.pods, kinds, strict=True)) - omitted

    def count_slots_of_set(self, node_set: NodeSet, slots: Iterable[NodeSlot]) -> int:
        """Return how many of some slots belong to a node set."""
        kinds = self.kind_of_pod
        return sum(kinds[slot.pod].name == node_set.unit and node_set.holds(slot.node - 1) for slot in slots)

    def count_present(self, node_set: NodeSet) -> int:
        """Return how many nodes of a set are present: slots less omitted ones."""
        units = sum(pod.su for pod, kind in zip(self.pods, self.kind_of_pod, strict=True) if kind.name == node_set.unit)
        return units * node_set.count - self.count_slots_of_set(node_set, self.omitted)

    def count_in_use(self, node_set: NodeSet) -> int:
        """Return how many nodes of a set are present and not spare."""
        return self.count_present(node_set) - self.count_slots_of_set(node_set, self.spare)

    def unit_index(self, slot: NodeSlot) -> int:
        """Return the number (from 0) of a slot's scalable unit in the whole cluster."""
        return self.pods[slot.pod].first_su + slot.su - 1


def list_pod_units(blueprint: Blueprint, layout: Layout) -> dict[str, PodUnits]:
    """Return the pods of a blueprint by name, in the order of its layout, with the size of their units."""
    stated = blueprint.expand_pods(layout.lock.find_allocations("pods"))
    return {
        pod.name: PodUnits(stated[pod.name], kind.size)
        for pod, kind in zip(layout.pods, layout.kind_of_pod, strict=True)
    }


def lay_out(blueprint: Blueprint, catalog: Catalog, lock: Lock) -> Layout:
    """Return the layout of a blueprint: its sites, pods, scalable units, racks and nodes, numbered as the lock keeps
    them.

    Raises InputError for unknown node and rack profiles, for pods of one name (FG037), for omitted or spare slots that
    do not exist, and for nodes that are too tall for a rack.
    """
    pod_by_name = blueprint.expand_pods(lock.find_allocations("pods"))
    kinds = make_unit_kinds(blueprint, catalog, lock.find_words(SETS))
    part_of_pod = _find_parts(blueprint, pod_by_name, kinds)
    pod_sizes = [
        PodSize(name, pod.site or blueprint.site, pod.su, pod.slots, part_of_pod[name].name)
        for name, pod in pod_by_name.items()
    ]
    first_units = accumulate((pod.su for pod in pod_by_name.values()), initial=0)
    if len(pod_by_name) < sum(pod.count for pod in blueprint.pods.values()):
        raise fault(
            "FG037",
            "`count` gives a pod the name of another",
            path=("pods",),
            hint="pods are named after their key and counted on: p1 with count 2 is p1 and p2",
        )
    kind_of_pod = {name: part.kind for name, part in part_of_pod.items()}
    only_known_site = find_only_site(lock)
    sites = {pod_size.site for pod_size in pod_sizes}
    halls_by_site = {site: _list_halls(blueprint, site) for site in sites}
    # a lock that knows a single site or hall does not name it; now that there are several, its entries must
    if sum(max(1, len(names)) for names in halls_by_site.values()) > 1 and only_known_site in sites:
        lock = split_by_hall(lock, only_known_site, _find_first_hall(pod_by_name, lock, halls_by_site[only_known_site]))
    lock = split_by_site(lock, only_known_site) if only_known_site and sites > {only_known_site} else lock
    pods = {name: PodUnits(pod, kind_of_pod[name].size) for name, pod in pod_by_name.items()}
    omitted = _omit_empty_racks(list_omitted_slots(blueprint, pods), list(kind_of_pod.values()))
    parts = {part.name: part for part in part_of_pod.values()}
    return Layout(
        pods=tuple(
            PodLayout(*pod_size, first_su=first_unit)
            for pod_size, first_unit in zip(pod_sizes, first_units, strict=False)
        ),
        parts=tuple(sorted(parts.values(), key=lambda part: make_natural_key(part.name))),
        network_rack=choose_network_rack(
            blueprint, catalog, max(kind.node_rack.units for kind in kind_of_pod.values())
        ),
        omitted=omitted,
        spare=find_spare_nodes(blueprint, pods, kind_of_pod, omitted),
        lock=lock,
        numbering=number_all(pod_sizes, sorted(blueprint.fabrics, key=rank_fabric), lock),
    )


def _list_halls(blueprint: Blueprint, site: str) -> list[str]:
    """Return the names of the halls that are stated at a site, in natural order."""
    halls = blueprint.floor.halls.items()
    return sorted((name for name, hall in halls if (hall.site or blueprint.site) == site), key=make_natural_key)


def _find_first_hall(pods: Mapping[str, Pod], lock: Lock, halls: Sequence[str]) -> str:
    """Return which of `halls` was the first hall of its site: that of the first pod in the lock that stands in one of
    them. Without such a pod it is the first of `halls`; "" if `halls` is empty.
    """
    named = (pods[name].hall or DEFAULT_HALL for name in lock.find_allocations("pods") if name in pods)
    return next((hall for hall in (*named, *halls) if hall in halls), "")


def _find_parts(blueprint: Blueprint, pods: Mapping[str, Pod], kinds: Mapping[str, UnitKind]) -> dict[str, ClusterPart]:
    """Return the part of the cluster that each pod belongs to, by the pod's name.

    Raises InputError (FG090) for unknown kinds of units, and if a pod has to state its kind and does not.
    """
    default_kind = "" if "" in kinds else next(iter(kinds)) if len(kinds) == 1 else None
    names = sorted(filter(None, kinds), key=make_natural_key)
    part_of_pod: dict[int, ClusterPart] = {}
    for key, pod in blueprint.pods.items():
        kind_name = pod.unit if pod.unit is not None else default_kind
        path: Path = ("pods", key)
        if kind_name is None or kind_name not in kinds:
            kinds_there = f"there are {', '.join(names)}" if names else "`scalable_units` states none"
            problem = f"has units of '{pod.unit}'," if pod.unit else "does not say which `unit` it has,"
            hint = did_you_mean(pod.unit or "", names) if names else "take `unit` away"
            if "pods" not in blueprint.model_fields_set:
                problem, hint = (
                    "is the only pod, as none is stated,",
                    f"state pods with their kind: pods: {{p1: {{unit: {names[0]}}}}}",
                )
            raise fault(
                "FG090", f"{key} {problem} and {kinds_there}", path=(*path, "unit") if pod.unit else path, hint=hint
            )
        name = kind_name + (f"+{key}" if pod.tiers else "")
        # `pods` has several names for one entry of the blueprint if that stands for several pods
        part_of_pod[id(pod)] = ClusterPart(name, kinds[kind_name], pod.tiers, (*path, "tiers"))
    return {name: part_of_pod[id(pod)] for name, pod in pods.items()}


def _omit_empty_racks(omitted: frozenset[NodeSlot], kinds: Sequence[UnitKind]) -> frozenset[NodeSlot]:
    """Return the omitted slots, with the slots of devices beside the nodes in racks that hold no node; `kinds` has the
    kind of units of each pod, by the pod's index.
    """
    # slots count from 1, racks here from 0
    missing = Counter((slot.pod, slot.su, (slot.node - 1) // kinds[slot.pod].nodes_per_rack) for slot in omitted)
    beside_empty: set[NodeSlot] = set()
    for (pod, su, rack), count in missing.items():
        kind = kinds[pod]
        # the last rack of a unit may hold fewer nodes
        if count == min(kind.nodes_per_rack, kind.nodes - rack * kind.nodes_per_rack):
            sets_beside = [node_set for node_set in kind.node_sets if node_set.per_rack]
            beside_empty |= {
                NodeSlot(pod, su, node_set.first + rack * node_set.per_rack + i + 1)
                for node_set in sets_beside
                for i in range(node_set.per_rack)
            }
    return omitted | beside_empty
