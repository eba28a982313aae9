"""Which node slots form a scale-up domain, and where each domain is."""

from __future__ import annotations

from dataclasses import dataclass

from fabricgen.blueprint.models import ScaleUp
from fabricgen.blueprint.sections.slots import NodeSlot
from fabricgen.design.floor.unit_kind import NodeSet
from fabricgen.design.layout import Layout
from fabricgen.kernel.diagnostics import Path, fault


@dataclass(frozen=True, slots=True)
class DomainPlacement:
    """The domains of one kind by place. `groups` lists the node slots (from 0) of each domain inside a unit; a domain
    of `su` or wider has all slots of its units.

    `units` is how many scalable units one domain spans (1 below a pod), `slots` how many domains there is room for.
    """

    per: str
    racks: int
    groups: tuple[tuple[int, ...], ...]
    units: int
    slots: int
    per_node: int
    """Accelerators of one node."""

    @property
    def nodes(self) -> int:
        """Nodes of a full domain."""
        return len(self.groups[0]) * self.units

    @property
    def accelerators(self) -> int:
        """Accelerators of a full domain."""
        return self.nodes * self.per_node

    def domain_of(self, layout: Layout, slot: NodeSlot) -> tuple[int, int] | None:
        """(domain, position in it) of a node slot, from 0; None where the slot is in no domain."""
        node = slot.node - 1
        group = next((g for g, nodes in enumerate(self.groups) if node in nodes), None)
        if group is None:
            return None
        unit, place = layout.unit_index(slot), self.groups[group].index(node)
        if self.units == 1:
            return unit * len(self.groups) + group, place
        inside = slot.su - 1 if self.per == "pod" else unit
        return (slot.pod if self.per == "pod" else 0), inside * len(self.groups[0]) + place

    @property
    def what(self) -> str:
        """What a domain is made of, in words."""
        words = {"node": "a node", "su": "a scalable unit", "pod": "a pod", "cluster": "the cluster"}
        if self.per == "rack":
            return f"{self.racks} racks of" if self.racks > 1 else "a rack of"
        return words[self.per]


def domain_placement(spec: ScaleUp, members: list[NodeSet], layout: Layout, path: Path) -> DomainPlacement:
    """Divide nodes into domains; raises InputError where they do not make up equal domains."""
    counts = {s.profile.accelerators.count for s in members if s.profile.accelerators}
    if len(counts) > 1:
        raise fault(
            "FG301",
            f"nodes with {' and '.join(map(str, sorted(counts)))} accelerators cannot share a scale-up domain",
            path=path,
            hint="give each kind of node a domain profile of its own, named in the node's `scale_up`",
        )
    slots = sorted(n for s in members for n in range(s.first, s.first + s.count))
    groups = _groups(spec, slots, layout, path)
    sizes = sorted({len(g) for g in groups})
    if len(sizes) > 1:
        raise fault(
            "FG301",
            f"a domain of {spec.domain} is a rack, and racks of a unit hold {sizes[0]} to {sizes[-1]} of its nodes",
            path=path,
            hint="let `nodes_per_rack` divide the nodes of a unit",
        )
    units, domains = _span(spec, layout, path)
    return DomainPlacement(spec.per, spec.racks or 1, groups, units, domains * len(groups), counts.pop())


def _groups(spec: ScaleUp, slots: list[int], layout: Layout, path: Path) -> tuple[tuple[int, ...], ...]:
    if spec.per == "node":
        return tuple((slot,) for slot in slots)
    if spec.per != "rack":
        return (tuple(slots),)
    racks = spec.racks or 1
    if layout.racks_per_su % racks:
        raise fault(
            "FG301",
            f"domains of {racks} adjacent racks do not divide the {layout.racks_per_su} racks of a unit",
            path=(*path, "racks"),
            hint=f"a unit of {layout.racks_per_su} racks takes domains of "
            + ", ".join(str(n) for n in range(1, layout.racks_per_su + 1) if layout.racks_per_su % n == 0),
        )
    by_rack: dict[int, list[int]] = {}
    for slot in slots:
        by_rack.setdefault(slot // layout.nodes_per_rack // racks, []).append(slot)
    return tuple(tuple(nodes) for _, nodes in sorted(by_rack.items()))


def _span(spec: ScaleUp, layout: Layout, path: Path) -> tuple[int, int]:
    """(scalable units of one domain, number of domains, or of groups of them, in the cluster)."""
    if spec.per == "cluster":
        return layout.units, 1
    if spec.per != "pod":
        return 1, layout.units
    units = sorted({pod.su for pod in layout.pods})
    if len(units) > 1:
        raise fault(
            "FG301",
            f"one scale-up domain per pod needs pods of one size; they have {units[0]} to {units[-1]} units",
            path=(*path, "per"),
            hint="make each pod the same size, or take a domain per su",
        )
    return units[0], len(layout.pods)
