"""Spare nodes: slots that are wired and bought like all others, and are not counted as accelerators in use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from fabricgen.blueprint.models import Blueprint, SpareNodes
from fabricgen.blueprint.slots import NodeSlot, PodUnits, stated_slots
from fabricgen.design.floor.unit_kind import UnitKind
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Path, Severity, did_you_mean, fault

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
        slots = stated_slots(text, pods)
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
