"""Slots: places of nodes in the cluster by name, such as `p1/su-last/node-last`."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fabricgen.blueprint.models import Blueprint, Pod
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity, did_you_mean

_PART = re.compile(r"^(su|node|rack)-(\d{1,9}|last|\*)$")


class NodeSlot(NamedTuple):
    """A node slot: `pod` counts from 0 in pod order, `su` and `node` from 1."""

    pod: int
    su: int
    node: int


class UnitSize(NamedTuple):
    """How many node slots a scalable unit has, and how many each of its racks."""

    nodes: int
    nodes_per_rack: int


class PodUnits(NamedTuple):
    """A pod as the blueprint states it, and the size of its units."""

    pod: Pod
    unit: UnitSize


def list_omitted_slots(blueprint: Blueprint, pods: Mapping[str, PodUnits]) -> frozenset[NodeSlot]:
    """Return the node slots that are empty: those that `omit` names, and the last ones of a pod that states fewer
    `nodes` than its units hold.

    `pods` are the pods by name in pod order. Raises InputError (FG013) for a slot that does not exist, and for a number
    of `nodes` that the units of a pod do not hold.
    """
    omitted, faults = _list_unfilled(pods)
    for i, text in enumerate(blueprint.omit):
        slots = parse_slots(text, pods)
        if isinstance(slots, str):
            hint = "write it like p1/su-last/node-last"
            hint = f"{did_you_mean(text.split('/')[0], pods)}; {hint}" if "no pod" in slots else hint
            faults.append(Diagnostic("FG013", Severity.ERROR, f"omit: {slots}", ("omit", i), hint))
        else:
            omitted |= slots
    if faults:
        raise InputError(faults)
    return frozenset(omitted)


def parse_slots(text: str, pods: Mapping[str, PodUnits]) -> set[NodeSlot] | str:
    """Return the slots that a text names, omitted ones included, or a text that says what is wrong with it."""
    pod_name, *steps = text.split("/")
    if pod_name not in pods and pod_name != "*":
        return f"there is no pod '{pod_name}'"
    parts = [m.groups() if (m := _PART.match(p)) else ("", p) for p in steps]
    if [kind for kind, _ in parts] not in (["su"], ["su", "node"], ["su", "rack"]):
        return f"'{text}' is not a slot"
    slots: set[NodeSlot] = set()
    for index, (name, (pod, unit)) in enumerate(pods.items()):
        if pod_name not in (name, "*"):
            continue
        units = _parse_numbers(parts[0][1], pod.su)
        if not units:
            return f"{name} has {pod.su} scalable units, there is no {steps[0]}"
        members = _list_members(parts[1:], unit)
        if not members:
            return f"a scalable unit has {unit.nodes} nodes in racks of {unit.nodes_per_rack}, there is no {steps[1]}"
        slots |= {NodeSlot(index, su, node) for su in units for node in members}
    return slots


def _list_members(parts: Sequence[Sequence[str]], unit: UnitSize) -> range:
    """Return the nodes of a unit, from 1, that a step of a slot such as (`rack`, `last`) names; all nodes if there
    is no step.
    """
    if not parts:
        return range(1, unit.nodes + 1)
    (kind, number), *_ = parts
    if kind == "node":
        return _parse_numbers(number, unit.nodes)
    racks = _parse_numbers(number, -(-unit.nodes // unit.nodes_per_rack))
    if not racks:
        return range(0)
    # the last rack of a unit may be part filled
    return range((racks[0] - 1) * unit.nodes_per_rack + 1, min(racks[-1] * unit.nodes_per_rack, unit.nodes) + 1)


def _list_unfilled(pods: Mapping[str, PodUnits]) -> tuple[set[NodeSlot], list[Diagnostic]]:
    """Return the slots that pods with a stated number of `nodes` leave empty in their last units, and faults of
    these numbers.
    """
    unfilled: set[NodeSlot] = set()
    faults: list[Diagnostic] = []
    for i, (name, (pod, unit)) in enumerate(pods.items()):
        if pod.nodes is None:
            continue
        slots = pod.su * unit.nodes
        # the last unit has at least one node, else the pod states a unit too many
        fewest = slots - unit.nodes + 1
        if not fewest <= pod.nodes <= slots:
            message = (
                f"{name} has {pod.nodes} nodes: {pod.su} units of {unit.nodes} hold {fewest} to {slots}, "
                f"the last one part filled"
            )
            hint = f"su: {-(-pod.nodes // unit.nodes)}"
            faults.append(Diagnostic("FG013", Severity.ERROR, message, ("pods", name, "nodes"), hint))
        unfilled |= {NodeSlot(i, pod.su, node) for node in range(pod.nodes - fewest + 2, unit.nodes + 1)}
    return unfilled, faults


def _parse_numbers(text: str, last: int) -> range:
    """Return the numbers, of those from 1 to `last`, that `3`, `last` or `*` names; an empty range if there are
    none.
    """
    if text == "*":
        return range(1, last + 1)
    number = last if text == "last" else int(text)
    return range(number, number + 1) if 1 <= number <= last else range(0)
