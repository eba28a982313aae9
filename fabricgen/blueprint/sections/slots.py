"""Slots: places in the cluster by name, such as `p1/su-last/node-last`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fabricgen.blueprint.models import Blueprint, Pod
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity, did_you_mean

_PART = re.compile(r"^(su|node|rack)-(\d{1,9}|last|\*)$")


@dataclass(frozen=True, slots=True, order=True)
class NodeSlot:
    """One node slot; pod counts from 0 in pod order, su and node from 1."""

    pod: int
    su: int
    node: int


def nodes_per_unit(blueprint: Blueprint) -> int:
    """Node slots in a scalable unit, over all its node sets."""
    return sum(n.count for n in blueprint.scalable_unit.nodes.values())


def omitted_slots(blueprint: Blueprint, pods: dict[str, Pod], nodes_per_rack: int) -> frozenset[NodeSlot]:
    """Return the node slots that `omit` leaves empty.

    `pods` are the pods by name in pod order. Raises InputError for a slot that does not exist.
    """
    found, faults = _not_yet_filled(pods, nodes_per_unit(blueprint))
    for i, text in enumerate(blueprint.omit):
        slots = _expand(text, pods, nodes_per_unit(blueprint), nodes_per_rack)
        if isinstance(slots, str):
            hint = did_you_mean(text.split("/")[0], pods) if "pod" in slots else "write it like p1/su-last/node-last"
            faults.append(Diagnostic("FG013", Severity.ERROR, f"omit: {slots}", ("omit", i), hint))
        else:
            found |= slots
    if faults:
        raise InputError(faults)
    return frozenset(found)


def stated_slots(text: str, blueprint: Blueprint, pods: dict[str, Pod], nodes_per_rack: int) -> set[NodeSlot] | str:
    """Return the slots a text names, omitted ones included, or what is wrong with it."""
    return _expand(text, pods, nodes_per_unit(blueprint), nodes_per_rack)


def _expand(text: str, pods: dict[str, Pod], nodes: int, nodes_per_rack: int) -> set[NodeSlot] | str:
    """Return the slots a text names, or what is wrong with it."""
    pod_name, *rest = text.split("/")
    if pod_name not in pods and pod_name != "*":
        return f"there is no pod '{pod_name}'"
    parts = [m.groups() if (m := _PART.match(p)) else ("", p) for p in rest]
    kinds = [kind for kind, _ in parts]
    if kinds not in (["su"], ["su", "node"], ["su", "rack"]):
        return f"'{text}' is not a slot"
    chosen = list(pods) if pod_name == "*" else [pod_name]
    units = {name: _numbers(parts[0][1], pods[name].su) for name in chosen}
    for name, numbers in units.items():
        if not numbers:
            return f"{name} has {pods[name].su} scalable units, there is no {rest[0]}"
    members = range(1, nodes + 1)
    if kinds[-1] == "node":
        members = _numbers(parts[1][1], nodes)
    elif kinds[-1] == "rack":
        racks = _numbers(parts[1][1], -(-nodes // nodes_per_rack))
        members = range(
            (racks[0] - 1) * nodes_per_rack + 1 if racks else 1,
            min(racks[-1] * nodes_per_rack, nodes) + 1 if racks else 1,
        )
    if not members:
        return f"a scalable unit has {nodes} nodes in racks of {nodes_per_rack}, there is no {rest[1]}"
    order = list(pods)
    return {NodeSlot(order.index(name), su, node) for name in chosen for su in units[name] for node in members}


def _not_yet_filled(pods: dict[str, Pod], nodes: int) -> tuple[set[NodeSlot], list[Diagnostic]]:
    """Slots of last units that pods with a number of `nodes` leave for later."""
    found: set[NodeSlot] = set()
    faults: list[Diagnostic] = []
    for i, (name, pod) in enumerate(pods.items()):
        if pod.nodes is None:
            continue
        slots = pod.su * nodes
        if not slots - nodes < pod.nodes <= slots:
            message = (
                f"{name} has {pod.nodes} nodes: {pod.su} units of {nodes} hold {slots - nodes + 1} to {slots}, "
                f"the last one part filled"
            )
            hint = f"su: {-(-pod.nodes // nodes)}"
            faults.append(Diagnostic("FG013", Severity.ERROR, message, ("pods", name, "nodes"), hint))
        found |= {NodeSlot(i, pod.su, node) for node in range(pod.nodes - slots + nodes + 1, nodes + 1)}
    return found, faults


def _numbers(text: str, last: int) -> range:
    if text == "*":
        return range(1, last + 1)
    number = last if text == "last" else int(text)
    return range(number, number + 1) if 1 <= number <= last else range(0)
