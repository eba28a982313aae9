"""Which node slots form a scale-up domain, and where each domain is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from fabricgen.blueprint.models import ScaleUp
from fabricgen.blueprint.slots import NodeSlot
from fabricgen.design.floor.unit_kind import NodeSet, UnitKind
from fabricgen.design.layout import Layout
from fabricgen.kernel.diagnostics import Path, fault


class DomainPlacement(NamedTuple):
    """The domains of one kind by place. `groups` lists, by kind of unit, the node slots (from 0) of each domain inside
    a unit; a domain of `su` or wider has all slots of its units. Kinds of units whose nodes form none are left out.

    `units` is how many scalable units one domain spans (1 below a pod), `slots` how many domains there is room for.
    """

    per: str
    racks: int
    groups: Mapping[str, tuple[tuple[int, ...], ...]]
    units: int
    slots: int
    per_node: int
    """Accelerators of one node."""

    @property
    def nodes(self) -> int:
        """Nodes of a domain without omitted slots, over all of its units."""
        return self._each * self.units

    @property
    def _each(self) -> int:
        """Nodes of a domain without omitted slots, in each of its units."""
        return len(next(iter(self.groups.values()))[0])

    @property
    def accelerators(self) -> int:
        """Accelerators of a domain without omitted slots."""
        return self.nodes * self.per_node

    def find_domain(self, layout: Layout, slot: NodeSlot) -> tuple[int, int] | None:
        """(domain, position in it) of a node slot, from 0; None where the slot is in no domain."""
        node, groups = slot.node - 1, self.groups.get(layout.kind_of_pod[slot.pod].name, ())
        group = next((g for g, nodes in enumerate(groups) if node in nodes), None)
        if group is None:
            return None
        unit, position = layout.unit_index(slot), groups[group].index(node)
        # domains of their own in each unit
        if self.units == 1 and self.per not in ("pod", "cluster"):
            return self.count_first_domains(layout)[unit] + group, position
        # a domain of all units of a pod, and one of several units or of all of them
        if self.per == "pod":
            return self.pods(layout).index(slot.pod), (slot.su - 1) * self._each + position
        return 0, self.count_first_domains(layout)[unit] * self._each + position

    def pods(self, layout: Layout) -> tuple[int, ...]:
        """The pods whose nodes form domains."""
        return tuple(pod for pod, kind in enumerate(layout.kind_of_pod) if kind.name in self.groups)

    def count_first_domains(self, layout: Layout) -> tuple[int, ...]:
        """By unit, how many groups of nodes that form domains, or parts of one, the units before it have."""
        groups_per_pod = [len(self.groups.get(kind.name, ())) for kind in layout.kind_of_pod]
        counts = (count for pod, count in zip(layout.pods, groups_per_pod, strict=True) for _ in range(pod.su))
        return tuple(accumulate(counts, initial=0))[:-1]

    @property
    def what(self) -> str:
        """What a domain is made of, in words."""
        words = {"node": "a node", "su": "a scalable unit", "pod": "a pod", "cluster": "the cluster"}
        if self.per == "rack":
            return f"{self.racks} racks of" if self.racks > 1 else "a rack of"
        return words[self.per]


def place_domains(spec: ScaleUp, members: list[NodeSet], layout: Layout, path: Path) -> DomainPlacement:
    """Divide nodes into domains; raises InputError where they do not make up equal domains."""
    counts = {s.profile.accelerators.count for s in members if s.profile.accelerators}
    if len(counts) > 1:
        raise fault(
            "FG301",
            f"nodes with {' and '.join(map(str, sorted(counts)))} accelerators cannot share a scale-up domain",
            path=path,
            hint="give each kind of node a domain profile of its own, named in the node's `scale_up`",
        )
    # kinds of units that have nodes of the domain
    kinds = [kind for kind in layout.kinds if any(s.unit == kind.name for s in members)]
    groups = {kind.name: _group_nodes(spec, kind, members, path) for kind in kinds}
    sizes = sorted({len(g) for kind_groups in groups.values() for g in kind_groups})
    if len(sizes) > 1:
        of_rack = spec.per == "rack"
        raise fault(
            "FG301",
            f"a domain of {spec.domain} is a rack, and racks of a unit hold {sizes[0]} to {sizes[-1]} of its nodes"
            if of_rack
            else f"kinds of units have {sizes[0]} to {sizes[-1]} nodes for a domain of {spec.domain}",
            path=path,
            hint="let `nodes_per_rack` divide the nodes of a unit"
            if of_rack
            else "let all units have as many, or take domains per rack or node",
        )
    # by pod: its units, and domains (or parts of one) in each
    of_pods = zip(layout.pods, layout.kind_of_pod, strict=True)
    units, slots = _count_span(spec, [(pod.su, len(groups[k.name])) for pod, k in of_pods if k.name in groups], path)
    return DomainPlacement(spec.per, spec.racks or 1, groups, units, slots, counts.pop())


def _group_nodes(spec: ScaleUp, kind: UnitKind, members: Sequence[NodeSet], path: Path) -> tuple[tuple[int, ...], ...]:
    """The node slots of each domain, or of the part of one, in a unit of a kind."""
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
    by_rack: dict[int, list[int]] = {}
    for slot in slots:
        by_rack.setdefault(slot // kind.nodes_per_rack // racks, []).append(slot)
    return tuple(tuple(nodes) for _, nodes in sorted(by_rack.items()))


def _count_span(spec: ScaleUp, pods: Sequence[tuple[int, int]], path: Path) -> tuple[int, int]:
    """(scalable units of one domain, number of domains) in the pods that form any: units, and groups in each."""
    units = sorted({su for su, _ in pods})
    if spec.per == "cluster":
        return sum(su for su, _ in pods), 1
    if spec.per != "pod":
        return 1, sum(su * groups for su, groups in pods)
    if len(units) > 1:
        raise fault(
            "FG301",
            f"one scale-up domain per pod needs pods of one size; they have {units[0]} to {units[-1]} units",
            path=(*path, "per"),
            hint="make each pod the same size, or take a domain per su",
        )
    return units[0], len(pods)
