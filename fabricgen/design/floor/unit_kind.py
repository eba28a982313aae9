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
from fabricgen.design.floor.rack_space import choose_node_rack, count_node_slots
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

    def attaches_to(self, fabric: str, role: str) -> bool:
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
    rank_on_page: int = 0
    """Its place among the kinds in the order of the page, `scalable_unit` first: the order of their rows."""

    @property
    def suffix(self) -> str:
        """What is behind kinds and names of the lock that are its own; "" for the kind without a name."""
        return make_suffix(self.name)

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


def make_suffix(kind: str) -> str:
    """What is behind kinds and names of the lock that are of one kind of units; "" for the kind without a name."""
    return f" /{kind}" if kind else ""


def make_unit_kinds(blueprint: Blueprint, catalog: Catalog, filled: Mapping[str, str]) -> dict[str, UnitKind]:
    """The kinds of scalable units that a blueprint states, by name; "" for `scalable_unit`. `filled` has the order of
    their sets as the lock has it: those that come later are behind them.

    Raises InputError for unknown node and rack profiles, for sets that skip unknown fabrics, and for nodes that are too
    tall for a rack.
    """
    return {
        name: _make_unit_kind(name, path, stated, blueprint, catalog, filled)
        for name, (path, stated) in sorted(
            blueprint.unit_kinds.items(), key=lambda name_and_unit: make_natural_key(name_and_unit[0])
        )
    }


def _make_unit_kind(
    name: str, path: Path, stated: ScalableUnit, blueprint: Blueprint, catalog: Catalog, filled: Mapping[str, str]
) -> UnitKind:
    racks, (order_kept, order_beside) = (
        stated.racks,
        [filled.get(f"{word}{make_suffix(name)}", "") for word in ("nodes", "racks")],
    )
    nodes = _make_node_sets(catalog, stated.nodes, (*path, "nodes"), name, order_kept, first=0)
    _check_skipped(nodes, blueprint.fabrics)
    count, tallest = sum(s.count for s in nodes), max(s.profile.rack_units for s in nodes)
    rack = choose_node_rack(racks, (*path, "racks"), blueprint.floor, catalog)
    per_rack = racks.nodes_per_rack or len(rack.fixed.get("node", ())) or count_node_slots(rack, tallest)
    devices_path = (*path, "racks", "devices")
    set_beside = _make_node_sets(
        catalog, racks.devices, devices_path, name, order_beside, first=count, racks=-(-count // per_rack)
    )
    if per_rack * tallest > rack.units:
        raise fault(
            "FG601",
            f"{per_rack} nodes of {tallest} rack units need {per_rack * tallest} U, a rack has {rack.units} U",
            path=(*path, "racks", "nodes_per_rack"),
            hint=f"at most {rack.units // tallest} nodes fit a rack",
        )
    rank_on_page = list(blueprint.unit_kinds).index(name)
    return UnitKind(name, path, racks, nodes + set_beside, per_rack, rack, rank_on_page)


def _check_skipped(sets: Iterable[NodeSet], fabrics: Iterable[str]) -> None:
    names = sorted(fabrics)
    for nodes in sets:
        for i, name in enumerate(nodes.skip):
            if name not in names:
                raise fault(
                    "FG016",
                    f"{nodes.name} skips '{name}', which is no fabric",
                    path=(*nodes.path, "skip", i),
                    hint=did_you_mean(name, names),
                )


def _make_node_sets(
    catalog: Catalog, stated: Mapping[str, CountOf], path: Path, unit: str, order: str, *, first: int, racks: int = 0
) -> tuple[NodeSet, ...]:
    """Sets of nodes numbered from `first` on; with `racks`, of what stands in every one of so many racks. Those in
    `order` are before others.
    """
    sets: list[NodeSet] = []
    known_order = order.split(", ")
    for name in sorted(
        stated,
        # sets that the lock knows keep their numbers; new ones come behind
        key=lambda name: (known_order.index(name) if name in known_order else len(known_order), make_natural_key(name)),
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


def find_spare_nodes(
    blueprint: Blueprint, pods: Mapping[str, PodUnits], kinds: Mapping[str, UnitKind], omitted: frozenset[NodeSlot]
) -> frozenset[NodeSlot]:
    """The slots of spare nodes: those stated, and the last so many of each rack, unit or pod that are not spare by what
    is stated before. `kinds` has the kind of units by pod.

    Of these, nodes with accelerators count where there are any. Raises InputError (FG057) for slots that do not exist,
    are omitted or are stated twice, for kinds of units that no pod has, and where no node would be left in use.
    """
    stated, path = blueprint.spare_nodes, ("spare_nodes",)
    if isinstance(stated, SpareNodes):
        return frozenset(_list_last_slots(stated, pods, kinds, omitted, path))
    spare: set[NodeSlot] = set()
    faults: list[Diagnostic] = []
    for i, text in enumerate(stated):
        if isinstance(text, SpareNodes):
            spare.update(_list_last_slots(text, pods, kinds, omitted | spare, (*path, i)))
            continue
        slots = parse_slots(text, pods)
        if isinstance(slots, str):
            hint = did_you_mean(text.split("/")[0], pods) if "pod" in slots else "write it like p1/su-last/node-last"
            faults.append(_explain_spare_fault(slots, ("spare_nodes", i), hint))
        elif not slots - omitted:
            faults.append(
                _explain_spare_fault(f"{text} is omitted", ("spare_nodes", i), "remove it here or from `omit`")
            )
        elif repeated := slots & spare:
            message = f"{text} names {len(repeated)} of the nodes that are spare already"
            faults.append(_explain_spare_fault(message, ("spare_nodes", i), "name each once"))
        else:
            spare |= slots - omitted
    if faults:
        raise InputError(faults)
    return frozenset(spare)


def _explain_spare_fault(message: str, path: Path, hint: str) -> Diagnostic:
    return Diagnostic(CODE, Severity.ERROR, f"spare_nodes: {message}", path, hint)


def _list_last_slots(
    stated: SpareNodes,
    pods: Mapping[str, PodUnits],
    kinds: Mapping[str, UnitKind],
    excluded: Set[NodeSlot],
    path: Path,
) -> Iterator[NodeSlot]:
    """The last so many slots of each place that are not `excluded`, omitted or spare; `path` is where it is stated."""
    names = sorted({kind.name for kind in kinds.values()})
    if stated.unit is not None and stated.unit not in names:
        hint = did_you_mean(stated.unit, names) if any(names) else "take `unit` away"
        raise InputError([_explain_spare_fault(f"no pod has units of '{stated.unit}'", (*path, "unit"), hint)])
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
                owner = {"pod": name, "su": unit, "rack": f"{unit}/rack-{kind.rack_of(node) + 1}"}[stated.per]
                if slot not in excluded:
                    members.setdefault(owner, []).append(slot)
        for owner, slots in members.items():
            if len(slots) <= stated.count:
                raise fault(
                    CODE,
                    f"spare_nodes: {owner} has {len(slots)} nodes, and {stated.count} spare ones leave none in use",
                    path=(*path, "count"),
                    hint=f"at most {len(slots) - 1}, or count them per unit or pod" if len(slots) > 1 else "name slots",
                )
            yield from slots[-stated.count :]
