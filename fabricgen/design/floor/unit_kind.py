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
from fabricgen.kernel.grouping import group_pairs


@dataclass(frozen=True, slots=True)
class NodeSet:
    """Nodes of one profile in every scalable unit, numbered one after the other in the unit.

    Devices that stand in every rack beside the nodes, such as power shelves, are a set too; their numbers follow those
    of the nodes.
    """

    name: str
    profile: NodeProfile
    count: int
    first: int
    """The number of its first node in the unit, from 0."""
    per_rack: int
    """How many of these devices stand in each rack beside the nodes; 0 for a set of nodes."""
    path: Path
    skip: tuple[str, ...] = ()
    """Fabrics that the nodes do not attach to."""
    unit: str = ""
    """The name of the kind of units that the set belongs to."""

    def attaches_to(self, fabric: str, role: str) -> bool:
        """Whether the nodes attach to a fabric that asks for NICs of a role."""
        return role in self.profile.roles and fabric not in self.skip

    def holds(self, member: int) -> bool:
        """Whether a member of the unit, by its number from 0, is in this set."""
        return self.first <= member < self.first + self.count


@dataclass(frozen=True)
class UnitKind:
    """What every scalable unit of a kind holds. Its members count from 0: nodes first, then devices beside the
    nodes.
    """

    name: str
    """Its name in `scalable_units`; "" for `scalable_unit`."""
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
        """What is put behind lock kinds and names of this kind, such as ` /b300`; "" for the kind without a name."""
        return make_suffix(self.name)

    @property
    def racks_path(self) -> Path:
        """The path of the blueprint's section on its racks."""
        return (*self.path, "racks")

    @cached_property
    def nodes(self) -> int:
        """How many node slots a unit has."""
        return sum(s.count for s in self.node_sets if not s.per_rack)

    @property
    def size(self) -> UnitSize:
        """How many node slots a unit and a rack have."""
        return UnitSize(self.nodes, self.nodes_per_rack)

    @cached_property
    def members(self) -> int:
        """How many slots a unit has, for nodes and for devices beside the nodes."""
        return sum(s.count for s in self.node_sets)

    def rack_of(self, member: int) -> int:
        """Return the rack (from 0, in the unit) of a node or of a device beside the nodes, by its number in the
        unit.
        """
        for node_set in self.node_sets:
            if node_set.per_rack and node_set.holds(member):
                return (member - node_set.first) // node_set.per_rack
        return member // self.nodes_per_rack

    @cached_property
    def racks_of_members(self) -> tuple[int, ...]:
        """The rack of every member of a unit, by the member's number."""
        return tuple(self.rack_of(member) for member in range(self.members))

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The numbers of a unit's members rack by rack, the order in which they are given ports."""
        return tuple(sorted(range(self.members), key=lambda member: (self.racks_of_members[member], member)))

    @cached_property
    def racks(self) -> int:
        """How many node racks a unit has; the last one may be part filled."""
        return -(-self.nodes // self.nodes_per_rack)


def make_suffix(kind: str) -> str:
    """Return what is put behind lock kinds and names of a kind of units, by its name: ` /b300` for `b300`; "" for the
    kind without a name.
    """
    return f" /{kind}" if kind else ""


def make_unit_kinds(blueprint: Blueprint, catalog: Catalog, order_by_word: Mapping[str, str]) -> dict[str, UnitKind]:
    """Return the kinds of scalable units that a blueprint states, by name; "" for `scalable_unit`.

    `order_by_word` has the names of the sets in the order that the lock keeps, joined by ", ", by lock word: `nodes` or
    `racks` and the kind's suffix. Sets that the lock does not know come last.

    Raises InputError for unknown node and rack profiles, for sets that skip unknown fabrics (FG016), and for nodes that
    are too tall for a rack (FG601).
    """
    return {
        name: _make_unit_kind(name, path, stated, blueprint, catalog, order_by_word)
        for name, (path, stated) in sorted(
            blueprint.unit_kinds.items(), key=lambda name_and_unit: make_natural_key(name_and_unit[0])
        )
    }


def _make_unit_kind(
    name: str,
    path: Path,
    stated: ScalableUnit,
    blueprint: Blueprint,
    catalog: Catalog,
    order_by_word: Mapping[str, str],
) -> UnitKind:
    """Return a kind of scalable units, which the blueprint states at `path`; see `make_unit_kinds` for the errors
    raised.

    A rack has as many nodes as stated, else as its type has places for nodes, else as fit beside two free rack units.
    """
    racks, (order_of_nodes, order_beside) = (
        stated.racks,
        [order_by_word.get(f"{word}{make_suffix(name)}", "") for word in ("nodes", "racks")],
    )
    sets_of_nodes = _make_node_sets(catalog, stated.nodes, (*path, "nodes"), name, order_of_nodes, first=0)
    _check_skipped_fabrics(sets_of_nodes, blueprint.fabrics)
    node_count, tallest = sum(s.count for s in sets_of_nodes), max(s.profile.rack_units for s in sets_of_nodes)
    rack_type = choose_node_rack(racks, (*path, "racks"), blueprint.floor, catalog)
    nodes_per_rack = (
        racks.nodes_per_rack or len(rack_type.fixed.get("node", ())) or count_node_slots(rack_type, tallest)
    )
    devices_path = (*path, "racks", "devices")
    sets_beside = _make_node_sets(
        catalog,
        racks.devices,
        devices_path,
        name,
        order_beside,
        first=node_count,
        racks=-(-node_count // nodes_per_rack),
    )
    if nodes_per_rack * tallest > rack_type.units:
        raise fault(
            "FG601",
            f"{nodes_per_rack} nodes of {tallest} rack units need {nodes_per_rack * tallest} U, a rack has "
            f"{rack_type.units} U",
            path=(*path, "racks", "nodes_per_rack"),
            hint=f"at most {rack_type.units // tallest} nodes fit a rack",
        )
    rank_on_page = list(blueprint.unit_kinds).index(name)
    return UnitKind(name, path, racks, sets_of_nodes + sets_beside, nodes_per_rack, rack_type, rank_on_page)


def _check_skipped_fabrics(sets: Iterable[NodeSet], fabrics: Iterable[str]) -> None:
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
    """Return sets of nodes whose numbers in the unit follow one another from `first` on. With `racks` above 0 they are
    sets of devices beside the nodes: as many as stated in each of `racks` racks.

    `order` is the lock's list of set names, joined by ", ": sets in it come before all others. `unit` is the name of
    the kind of units.
    """
    node_sets: list[NodeSet] = []
    names_in_lock = order.split(", ")
    for name in sorted(
        stated,
        # sets that the lock knows keep their numbers; new ones come behind
        key=lambda name: (
            names_in_lock.index(name) if name in names_in_lock else len(names_in_lock),
            make_natural_key(name),
        ),
    ):
        count_of = stated[name]
        profile = catalog.node(count_of.profile, (*path, name))
        count = count_of.count * max(1, racks)
        skip = count_of.skip if isinstance(count_of, NodeSetOf) else ()
        node_sets.append(
            NodeSet(name, profile, count, first, count_of.count if racks else 0, (*path, name), skip, unit)
        )
        first += count
    return tuple(node_sets)


# Spare nodes: slots that are wired and bought like all others, and are not counted as accelerators in use.

CODE = "FG057"


def find_spare_nodes(
    blueprint: Blueprint, pods: Mapping[str, PodUnits], kinds: Mapping[str, UnitKind], omitted: frozenset[NodeSlot]
) -> frozenset[NodeSlot]:
    """Return the slots of spare nodes: slots that the blueprint names, and the last `count` slots of each rack, unit or
    pod that are neither omitted nor spare already.

    If a unit has nodes with accelerators, only these are counted as its last slots. `kinds` has the kind of units of
    each pod, by name.

    Raises InputError (FG057) for slots that do not exist, are omitted or are stated twice, for kinds of units that no
    pod has, and if no node of a rack, unit or pod would be left in use.
    """
    stated, path = blueprint.spare_nodes, ("spare_nodes",)
    if isinstance(stated, SpareNodes):
        return frozenset(_list_last_slots(stated, pods, kinds, omitted, path))
    spare: set[NodeSlot] = set()
    faults: list[Diagnostic] = []
    for i, entry in enumerate(stated):
        if isinstance(entry, SpareNodes):
            spare.update(_list_last_slots(entry, pods, kinds, omitted | spare, (*path, i)))
            continue
        slots = parse_slots(entry, pods)
        if isinstance(slots, str):
            hint = did_you_mean(entry.split("/")[0], pods) if "pod" in slots else "write it like p1/su-last/node-last"
            faults.append(_explain_spare_fault(slots, ("spare_nodes", i), hint))
        elif not slots - omitted:
            faults.append(
                _explain_spare_fault(f"{entry} is omitted", ("spare_nodes", i), "remove it here or from `omit`")
            )
        elif repeated := slots & spare:
            message = f"{entry} names {len(repeated)} of the nodes that are spare already"
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
    """Yield the last `stated.count` slots of each rack, unit or pod, without slots in `excluded` (omitted or spare
    already).

    `path` is the place of `stated` in the blueprint. Raises InputError (FG057) for a kind of units that no pod has, and
    if no node would be left in use.
    """
    kind_names = sorted({kind.name for kind in kinds.values()})
    if stated.unit is not None and stated.unit not in kind_names:
        hint = did_you_mean(stated.unit, kind_names) if any(kind_names) else "take `unit` away"
        raise InputError([_explain_spare_fault(f"no pod has units of '{stated.unit}'", (*path, "unit"), hint)])
    for pod_index, (name, (pod, _)) in enumerate(pods.items()):
        kind = kinds[name]
        if stated.unit not in (None, kind.name):
            continue
        sets_of_nodes = [s for s in kind.node_sets if not s.per_rack]
        node_sets = [s for s in sets_of_nodes if s.profile.accelerators] or sets_of_nodes
        node_numbers = [node for s in node_sets for node in range(s.first, s.first + s.count)]
        slots_and_racks = (
            (NodeSlot(pod_index, su, node + 1), f"{name}/su-{su}", kind.rack_of(node) + 1)
            for su in range(1, pod.su + 1)
            for node in node_numbers
        )
        # by what `per` counts spare nodes in: this pod, a unit or a rack
        slots_by_owner = group_pairs(
            ({"pod": name, "su": unit, "rack": f"{unit}/rack-{rack}"}[stated.per], slot)
            for slot, unit, rack in slots_and_racks
            if slot not in excluded
        )
        for owner, slots in slots_by_owner.items():
            if len(slots) <= stated.count:
                raise fault(
                    CODE,
                    f"spare_nodes: {owner} has {len(slots)} nodes, and {stated.count} spare ones leave none in use",
                    path=(*path, "count"),
                    hint=f"at most {len(slots) - 1}, or count them per unit or pod" if len(slots) > 1 else "name slots",
                )
            yield from slots[-stated.count :]
