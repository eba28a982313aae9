"""Scale-up domains in the symmetric form, and the interface of a kind of domain."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple, Protocol

from fabricgen.blueprint.models import ScaleUp
from fabricgen.blueprint.slots import NodeSlot
from fabricgen.catalog.scale_up_models import ScaleUpDomainProfile
from fabricgen.design.floor.unit_kind import NodeSet, UnitKind
from fabricgen.design.layout import Layout
from fabricgen.kernel.diagnostics import Path, fault
from fabricgen.kernel.grouping import group_pairs


class LocalLink(NamedTuple):
    """One link within a domain; accelerators, switches and their ports count from 0.

    `far` is the number of a switch if `far_switch` is true, else of an accelerator.
    """

    accelerator: int
    port: int
    far_switch: bool
    far: int
    far_port: int


class DomainSize(NamedTuple):
    """How many accelerators, switches and links a full domain has, and how many links one accelerator has."""

    accelerators: int
    switches: int
    links: int
    links_each: int


class MisfitError(ValueError):
    """Raised for a domain that cannot be wired, with the reason and what would fit."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class ScaleUpKind(Protocol):
    """The interface of a module in `scale_up.kinds`. For a kind that joins domains, `accelerators` are the domains'
    switches.

    `size` is called first and must not enumerate links, so that it is quick at any size.
    """

    def size(self, domain: ScaleUpDomainProfile, accelerators: int, ports: int) -> DomainSize:
        """Return the size of a domain of `accelerators` accelerators with `ports` links each (0 if unknown); raises
        MisfitError if it cannot be wired.
        """

    def links(self, domain: ScaleUpDomainProfile, accelerators: int) -> Iterable[LocalLink]:
        """Return every link of a full domain that `size` accepted."""


class ScaleUpDesign(NamedTuple):
    """The scale-up domains of one entry of `scale_up`. `domains` counts those that have nodes, `accelerators` and
    `links` those that are present.
    """

    name: str
    profile: ScaleUpDomainProfile
    places: "DomainPlacement"
    size: DomainSize
    """The size of a full domain."""
    domains: int
    accelerators: int
    links: int
    path: Path
    below: "ScaleUpDesign | None" = None
    """The domains whose switches it joins, as a tier above them; None if it joins accelerators."""

    @property
    def per(self) -> str:
        """The place that forms one domain: node, rack, su, pod or cluster."""
        return self.places.per

    @property
    def switches(self) -> int:
        """How many switch ASICs or optical circuit switches all domains have."""
        return self.domains * self.size.switches

    @property
    def gbps_per_accelerator(self) -> float:
        """Bandwidth of an accelerator into its domain, per direction, Gb/s; in a tier above other domains, its share of
        the links.
        """
        if self.below:
            return min(
                self.size.links * self.profile.link_gbps / self.size.accelerators, self.below.gbps_per_accelerator
            )
        return self.size.links_each * self.profile.link_gbps

    @property
    def trays_each(self) -> int:
        """How many switch trays of a domain stand in racks; 0 for switch ASICs on a node's board."""
        return 0 if self.per == "node" else self.profile.tray_count

    @property
    def trays(self) -> int:
        """How many switch trays all domains have."""
        return self.domains * self.trays_each

    @property
    def tray_scope(self) -> str:
        """The scope of its trays for the management fabric: they stand in racks of nodes, of a pod, or of the
        cluster.
        """
        return {"pod": "pod", "cluster": "all"}.get(self.per, "rack")


# Which node slots form a scale-up domain, and where each domain is.


class DomainPlacement(NamedTuple):
    """Where the domains of one kind are."""

    per: str
    """The place that forms one domain: node, rack, su, pod or cluster."""
    racks: int
    """How many adjacent racks form a domain, if domains are formed per rack."""
    groups: Mapping[str, tuple[tuple[int, ...], ...]]
    """For each kind of unit whose nodes form domains, the node slots (from 0) of each domain inside a unit; for domains
    of `su` or wider, the slots that a unit has in its domain.
    """
    units: int
    """How many scalable units one domain spans; 1 for domains narrower than a pod."""
    slots: int
    """How many domains there would be if none were empty."""
    per_node: int
    """How many accelerators a node has."""

    @property
    def nodes(self) -> int:
        """How many nodes a domain without omitted slots has, over all of its units."""
        return self._nodes_per_unit * self.units

    @property
    def _nodes_per_unit(self) -> int:
        """How many nodes a domain without omitted slots has in each of its units."""
        return len(next(iter(self.groups.values()))[0])

    @property
    def accelerators(self) -> int:
        """How many accelerators a domain without omitted slots has."""
        return self.nodes * self.per_node

    def find_domain(self, layout: Layout, slot: NodeSlot) -> tuple[int, int] | None:
        """Return (domain, position in it) of a node slot, from 0; None if the slot is in no domain."""
        node_slot, groups_of_unit = slot.node - 1, self.groups.get(layout.kind_of_pod[slot.pod].name, ())
        group = next((number for number, nodes in enumerate(groups_of_unit) if node_slot in nodes), None)
        if group is None:
            return None
        unit, position = layout.unit_index(slot), groups_of_unit[group].index(node_slot)
        # domains within a unit
        if self.units == 1 and self.per not in ("pod", "cluster"):
            return self.count_domains_before(layout)[unit] + group, position
        # a domain of a pod, or the one domain of the cluster
        if self.per == "pod":
            return self.list_pods(layout).index(slot.pod), (slot.su - 1) * self._nodes_per_unit + position
        return 0, self.count_domains_before(layout)[unit] * self._nodes_per_unit + position

    def list_pods(self, layout: Layout) -> tuple[int, ...]:
        """Return the numbers of the pods whose nodes form domains."""
        return tuple(pod for pod, kind in enumerate(layout.kind_of_pod) if kind.name in self.groups)

    def count_domains_before(self, layout: Layout) -> tuple[int, ...]:
        """Return, for each unit, how many groups of nodes (domains, or parts of one) the units before it have."""
        groups_per_pod = [len(self.groups.get(kind.name, ())) for kind in layout.kind_of_pod]
        counts = (count for pod, count in zip(layout.pods, groups_per_pod, strict=True) for _ in range(pod.su))
        return tuple(accumulate(counts, initial=0))[:-1]

    @property
    def place_text(self) -> str:
        """The place that a domain is made of, in words."""
        words = {"node": "a node", "su": "a scalable unit", "pod": "a pod", "cluster": "the cluster"}
        if self.per == "rack":
            return f"{self.racks} racks of" if self.racks > 1 else "a rack of"
        return words[self.per]


def place_domains(spec: ScaleUp, members: list[NodeSet], layout: Layout, path: Path) -> DomainPlacement:
    """Return how nodes are divided into domains.

    Raises InputError (FG301) if nodes have unequal numbers of accelerators, or do not make up equal domains.
    """
    per_node = {node_set.profile.accelerators.count for node_set in members if node_set.profile.accelerators}
    if len(per_node) > 1:
        raise fault(
            "FG301",
            f"nodes with {' and '.join(map(str, sorted(per_node)))} accelerators cannot share a scale-up domain",
            path=path,
            hint="give each kind of node a domain profile of its own, named in the node's `scale_up`",
        )
    # the kinds of units that have nodes of the domain
    kinds = [kind for kind in layout.kinds if any(node_set.unit == kind.name for node_set in members)]
    groups = {kind.name: _group_nodes(spec, kind, members, path) for kind in kinds}
    # nodes of a domain, or of its part in a unit
    sizes = sorted({len(group) for kind_groups in groups.values() for group in kind_groups})
    if len(sizes) > 1:
        per_rack = spec.per == "rack"
        raise fault(
            "FG301",
            f"a domain of {spec.domain} is a rack, and racks of a unit hold {sizes[0]} to {sizes[-1]} of its nodes"
            if per_rack
            else f"kinds of units have {sizes[0]} to {sizes[-1]} nodes for a domain of {spec.domain}",
            path=path,
            hint="let `nodes_per_rack` divide the nodes of a unit"
            if per_rack
            else "let all units have as many, or take domains per rack or node",
        )
    pods_and_kinds = zip(layout.pods, layout.kind_of_pod, strict=True)
    units_and_groups = [(pod.su, len(groups[kind.name])) for pod, kind in pods_and_kinds if kind.name in groups]
    units_per_domain, domain_count = _count_span(spec, units_and_groups, path)
    return DomainPlacement(spec.per, spec.racks or 1, groups, units_per_domain, domain_count, per_node.pop())


def _group_nodes(spec: ScaleUp, kind: UnitKind, members: Sequence[NodeSet], path: Path) -> tuple[tuple[int, ...], ...]:
    """Return the node slots, from 0, of each domain within a unit of a kind: an entry for each domain of a node or of
    racks; for domains of `su` or wider a single one, with all slots that the unit has in its domain.

    Raises InputError (FG301) if domains of several racks do not divide the racks of a unit.
    """
    slots = sorted(n for s in members if s.unit == kind.name for n in range(s.first, s.first + s.count))
    if spec.per == "node":
        return tuple((slot,) for slot in slots)
    if spec.per != "rack":
        return (tuple(slots),)
    racks = spec.racks or 1
    if kind.racks % racks:
        raise fault(
            "FG301",
            f"domains of {racks} adjacent racks do not divide the {kind.racks} racks of a unit",
            path=(*path, "racks"),
            hint=f"a unit of {kind.racks} racks takes domains of "
            + ", ".join(str(n) for n in range(1, kind.racks + 1) if kind.racks % n == 0),
        )
    nodes_by_racks = group_pairs((slot // kind.nodes_per_rack // racks, slot) for slot in slots)
    return tuple(tuple(nodes) for _, nodes in sorted(nodes_by_racks.items()))


def _count_span(spec: ScaleUp, pods: Sequence[tuple[int, int]], path: Path) -> tuple[int, int]:
    """Return (scalable units of one domain, number of domains); `pods` are (units, groups of nodes in each unit) of the
    pods that form domains. Raises InputError (FG301) if domains are pods, and pods differ in size.
    """
    pod_sizes = sorted({units for units, _ in pods})
    if spec.per == "cluster":
        return sum(units for units, _ in pods), 1
    if spec.per != "pod":
        return 1, sum(units * groups_per_unit for units, groups_per_unit in pods)
    if len(pod_sizes) > 1:
        raise fault(
            "FG301",
            f"one scale-up domain per pod needs pods of one size; they have {pod_sizes[0]} to {pod_sizes[-1]} units",
            path=(*path, "per"),
            hint="make each pod the same size, or take a domain per su",
        )
    return pod_sizes[0], len(pods)
