"""A kind of scalable unit: its nodes, what else stands beside them, and the racks that hold both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cached_property

from fabricgen.blueprint.models import Blueprint, Racks, ScalableUnit, SpareNodes, make_natural_key
from fabricgen.blueprint.scalars import CountOf, NodeSetOf
from fabricgen.blueprint.slots import NodeSlot, PodUnits, UnitSize, parse_slots
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import NodeProfile, RackProfile
from fabricgen.design.floor.rack_space import node_rack, node_slots
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Path, Severity, did_you_mean, fault


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
    per_rack: int
    path: Path
    skip: tuple[str, ...] = ()
    """Fabrics that they do not attach to."""
    unit: str = ""
    """The kind of units that they are of, by name."""

    def attaches(self, fabric: str, role: str) -> bool:
        """Whether they attach to a fabric that asks for NICs of a role."""
        return role in self.profile.roles and fabric not in self.skip

    def holds(self, member: int) -> bool:
        """Whether a member of the unit, by its number from 0, is of this set."""
        return self.first <= member < self.first + self.count


@dataclass(frozen=True)
class UnitKind:
    """What every scalable unit of a kind holds. Members count from 0: nodes, then what stands beside them."""

    name: str
    """As `scalable_units` has it; "" for `scalable_unit`."""
    path: Path
    stated: Racks
    """How the blueprint says that its nodes stand."""
    node_sets: tuple[NodeSet, ...]
    nodes_per_rack: int
    node_rack: RackProfile

    @property
    def suffix(self) -> str:
        """What is behind kinds and names of the lock that are its own; "" for the kind without a name."""
        return suffix_of(self.name)

    @property
    def racks_path(self) -> Path:
        """Where the blueprint says how its nodes stand."""
        return (*self.path, "racks")

    @cached_property
    def nodes(self) -> int:
        """Node slots in a unit."""
        return sum(s.count for s in self.node_sets if not s.per_rack)

    @property
    def size(self) -> UnitSize:
        """Node slots in a unit and in a rack."""
        return UnitSize(self.nodes, self.nodes_per_rack)

    @cached_property
    def members(self) -> int:
        """Slots in a unit of nodes and of what else stands in their racks."""
        return sum(s.count for s in self.node_sets)

    def rack_of(self, member: int) -> int:
        """The rack (from 0, in its unit) of a node, or of what stands beside the nodes."""
        for members in self.node_sets:
            if members.per_rack and members.holds(member):
                return (member - members.first) // members.per_rack
        return member // self.nodes_per_rack

    @cached_property
    def racks_of_members(self) -> tuple[int, ...]:
        """The rack of every member of a unit, by number."""
        return tuple(self.rack_of(member) for member in range(self.members))

    @cached_property
    def order(self) -> tuple[int, ...]:
        """Members of a unit rack by rack: the order in which they are given ports."""
        return tuple(sorted(range(self.members), key=lambda member: (self.racks_of_members[member], member)))

    @cached_property
    def racks(self) -> int:
        """Node racks in a unit; the last may be part filled."""
        return -(-self.nodes // self.nodes_per_rack)


def suffix_of(kind: str) -> str:
    """What is behind kinds and names of the lock that are of one kind of units; "" for the kind without a name."""
    return f" /{kind}" if kind else ""


def unit_kinds(blueprint: Blueprint, catalog: Catalog, filled: Mapping[str, str]) -> dict[str, UnitKind]:
    """The kinds of scalable units that a blueprint states, by name; "" for `scalable_unit`. `filled` has the order of
    their sets as the lock has it: those that come later are behind them.

    Raises InputError for unknown node and rack profiles, for sets that skip unknown fabrics, and for nodes that are too
    tall for a rack.
    """
    return {
        name: _unit_kind(name, path, stated, blueprint, catalog, filled)
        for name, (path, stated) in sorted(blueprint.unit_kinds.items(), key=lambda item: make_natural_key(item[0]))
    }


def _unit_kind(
    name: str, path: Path, stated: ScalableUnit, blueprint: Blueprint, catalog: Catalog, filled: Mapping[str, str]
) -> UnitKind:
    racks, (order, order_beside) = (
        stated.racks,
        [filled.get(f"{what}{suffix_of(name)}", "") for what in ("nodes", "racks")],
    )
    nodes = _sets(catalog, stated.nodes, (*path, "nodes"), name, order, first=0)
    _check_skipped(nodes, blueprint.fabrics)
    count, tallest = sum(s.count for s in nodes), max(s.profile.rack_units for s in nodes)
    rack = node_rack(racks, (*path, "racks"), blueprint.floor, catalog)
    per_rack = racks.nodes_per_rack or len(rack.fixed.get("node", ())) or node_slots(rack, tallest)
    where = (*path, "racks", "devices")
    beside = _sets(catalog, racks.devices, where, name, order_beside, first=count, racks=-(-count // per_rack))
    if per_rack * tallest > rack.units:
        raise fault(
            "FG601",
            f"{per_rack} nodes of {tallest} rack units need {per_rack * tallest} U, a rack has {rack.units} U",
            path=(*path, "racks", "nodes_per_rack"),
            hint=f"at most {rack.units // tallest} nodes fit a rack",
        )
    return UnitKind(name, path, racks, nodes + beside, per_rack, rack)


def _check_skipped(sets: Iterable[NodeSet], fabrics: Iterable[str]) -> None:
    known = sorted(fabrics)
    for nodes in sets:
        for i, name in enumerate(nodes.skip):
            if name not in known:
                raise fault(
                    "FG016",
                    f"{nodes.name} skips '{name}', which is no fabric",
                    path=(*nodes.path, "skip", i),
                    hint=did_you_mean(name, known),
                )


def _sets(
    catalog: Catalog, stated: Mapping[str, CountOf], path: Path, unit: str, order: str, *, first: int, racks: int = 0
) -> tuple[NodeSet, ...]:
    """Sets of nodes numbered from `first` on; with `racks`, of what stands in every one of so many racks. Those in
    `order` are before others.
    """
    sets: list[NodeSet] = []
    known = order.split(", ")
    for name in sorted(
        stated, key=lambda name: (known.index(name) if name in known else len(known), make_natural_key(name))
    ):
        nodes = stated[name]
        profile = catalog.node(nodes.profile, (*path, name))
        count = nodes.count * max(1, racks)
        skip = nodes.skip if isinstance(nodes, NodeSetOf) else ()
        sets.append(NodeSet(name, profile, count, first, nodes.count if racks else 0, (*path, name), skip, unit))
        first += count
    return tuple(sets)


# Spare nodes: slots that are wired and bought like all others, and are not counted as accelerators in use.

CODE = "FG057"


def spare_nodes(
    blueprint: Blueprint, pods: Mapping[str, PodUnits], kinds: Mapping[str, UnitKind], omitted: frozenset[NodeSlot]
) -> frozenset[NodeSlot]:
    """The slots of spare nodes: those stated, and the last so many of each rack, unit or pod that are not spare by what
    is stated before. `kinds` has the kind of units by pod.

    Of these, nodes with accelerators count where there are any. Raises InputError (FG057) for slots that do not exist,
    are omitted or are stated twice, for kinds of units that no pod has, and where no node would be left in use.
    """
    stated, place = blueprint.spare_nodes, ("spare_nodes",)
    if isinstance(stated, SpareNodes):
        return frozenset(_last(stated, pods, kinds, omitted, place))
    found: set[NodeSlot] = set()
    faults: list[Diagnostic] = []
    for i, text in enumerate(stated):
        if isinstance(text, SpareNodes):
            found.update(_last(text, pods, kinds, omitted | found, (*place, i)))
            continue
        slots = parse_slots(text, pods)
        if isinstance(slots, str):
            hint = did_you_mean(text.split("/")[0], pods) if "pod" in slots else "write it like p1/su-last/node-last"
            faults.append(_wrong(slots, ("spare_nodes", i), hint))
        elif not slots - omitted:
            faults.append(_wrong(f"{text} is omitted", ("spare_nodes", i), "remove it here or from `omit`"))
        elif twice := slots & found:
            again = f"{text} names {len(twice)} of the nodes that are spare already"
            faults.append(_wrong(again, ("spare_nodes", i), "name each once"))
        else:
            found |= slots - omitted
    if faults:
        raise InputError(faults)
    return frozenset(found)


def _wrong(message: str, path: Path, hint: str) -> Diagnostic:
    return Diagnostic(CODE, Severity.ERROR, f"spare_nodes: {message}", path, hint)


def _last(
    stated: SpareNodes,
    pods: Mapping[str, PodUnits],
    kinds: Mapping[str, UnitKind],
    taken: Set[NodeSlot],
    place: Path,
) -> Iterator[NodeSlot]:
    """The last so many slots of each place that are not `taken`, omitted or spare; `place` is where it is stated."""
    known = sorted({kind.name for kind in kinds.values()})
    if stated.unit is not None and stated.unit not in known:
        hint = did_you_mean(stated.unit, known) if any(known) else "take `unit` away"
        raise InputError([_wrong(f"no pod has units of '{stated.unit}'", (*place, "unit"), hint)])
    for i, (name, (pod, _)) in enumerate(pods.items()):
        kind = kinds[name]
        if stated.unit not in (None, kind.name):
            continue
        nodes = [s for s in kind.node_sets if not s.per_rack]
        chosen = [s for s in nodes if s.profile.accelerators] or nodes
        counted = [node for s in chosen for node in range(s.first, s.first + s.count)]
        members: dict[str, list[NodeSlot]] = {}
        for su in range(1, pod.su + 1):
            for node in counted:
                slot, unit = NodeSlot(i, su, node + 1), f"{name}/su-{su}"
                whose = {"pod": name, "su": unit, "rack": f"{unit}/rack-{kind.rack_of(node) + 1}"}[stated.per]
                if slot not in taken:
                    members.setdefault(whose, []).append(slot)
        for whose, slots in members.items():
            if len(slots) <= stated.count:
                raise fault(
                    CODE,
                    f"spare_nodes: {whose} has {len(slots)} nodes, and {stated.count} spare ones leave none in use",
                    path=(*place, "count"),
                    hint=f"at most {len(slots) - 1}, or count them per unit or pod" if len(slots) > 1 else "name slots",
                )
            yield from slots[-stated.count :]
