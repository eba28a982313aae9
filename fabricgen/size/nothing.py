"""What is said where nothing fits: the commonest reasons, and what would fit instead."""

from __future__ import annotations

from collections import Counter
from math import ceil

from fabricgen.catalog.loads import planned_w
from fabricgen.kernel.diagnostics import InputError, fault
from fabricgen.size.front import Candidate
from fabricgen.size.shapes import Hardware, most_nodes, shapes
from fabricgen.size.wishes import Wishes

CODE = "FG150"

HUNGRY = "nodes, switches and optics draw more than is allowed"
"""The reason of a candidate that draws too much."""


def refuse_hungry_nodes(hardware: Hardware, nodes: int) -> None:
    """Raise InputError (FG150) where the nodes alone draw more than is allowed: no design changes that."""
    limit, each = hardware.wishes.max_power, planned_w(hardware.node)
    if limit is None or not each or each * nodes <= limit:
        return
    draw = f"{nodes:,} x {hardware.node.id} draw {each * nodes / 1000:,.0f} kW without any switch"
    most = int(limit / each)
    fewer = f", or take fewer GPUs: the nodes of {most * hardware.gpus_per_node:,} draw as much"
    hint = f"allow more{fewer if most else ''}"
    raise fault(CODE, f"{draw}; {limit / 1000:,.0f} kW are allowed", path=("max_power",), hint=hint)


def nothing(hardware: Hardware, nodes: int, reasons: Counter[str], frugal: Candidate | None) -> InputError:
    """The error where nothing fits: the commonest reasons, and what would fit instead.

    `frugal` is the design that draws least where all draw too much; None where that is not so.
    """
    wishes = hardware.wishes
    others = [why for why, _ in reasons.most_common() if why != HUNGRY or not frugal]
    hungry = [_hungry(frugal, wishes.max_power or 0)] if frugal else []
    told = "; ".join([*hungry, *others][:3]) or _no_shape(hardware, nodes)
    message = f"no design carries {wishes.gpus:,} GPUs of {wishes.node} as wished: {told}"
    hint = _nearest(hardware, nodes)
    if HUNGRY in reasons:
        enough = f"`max_power: {ceil(frugal.figures.draw_w / 1000)}kW` is enough for it" if frugal else "allow more"
        hint = f"{enough}; or take fewer GPUs"
    return fault(CODE, message, path=("gpus",), hint=hint)


def _hungry(frugal: Candidate, limit: float) -> str:
    """What the most frugal design draws, and what is allowed."""
    draw = f"{frugal.figures.draw_w / 1000:,.1f} kW in {frugal.name}, which draws least"
    return f"nodes, switches and optics draw {draw}; {limit / 1000:,.1f} kW are allowed"


def _no_shape(hardware: Hardware, nodes: int) -> str:
    """Why wishes leave no shape at all."""
    wishes, together, up = hardware.wishes, hardware.in_rack, max(hardware.wishes.tiers)
    if not hardware.switches:
        planes = f" in {' or '.join(map(str, wishes.planes))} planes" if wishes.planes else ""
        return f"no switch of the catalogue takes its NICs{planes}"
    if wishes.attach == ("tor",) and up == 1:
        return "in one tier, leaves of racks (`tor`) would be joined by nothing"
    if wishes.attach == ("tor",) and wishes.rails == ("apart",):
        return "all rails of a rack meet in its leaf (`tor`)"
    if wishes.attach == ("tor",) and wishes.unit_size and all(size % together for size in wishes.unit_size):
        return f"a unit of whole racks (`tor`) has a multiple of {together} nodes"
    if wishes.spare_ports:
        return f"no leaf has ports for a node beside the {wishes.spare_ports:,} that are kept free"
    if wishes.rails == ("meet",) and up == 1:
        return "in one tier, rails meet only where one leaf takes all of them (`attach: group`)"
    return f"{nodes:,} node{'s are' if nodes > 1 else ' is'} too few: upper tiers would join a single leaf"


def _nearest(hardware: Hardware, nodes: int) -> str:
    """The most accelerators that fit, and each wish that stands in the way alone, with a shape that was not tried."""
    wishes, tried = hardware.wishes, list(dict.fromkeys(shapes(hardware, nodes)))
    reach = max(((most_nodes(shape, hardware), shape) for shape in tried), key=lambda one: one[0], default=None)
    found = []
    if reach and 0 < reach[0] < nodes:
        found.append(f"{reach[0] * hardware.gpus_per_node:,} GPUs fit as {reach[1].name}")
    for key in sorted(wishes.model_fields_set & _FREED):
        usual = Wishes.model_fields[key].default
        freed = Hardware(wishes.model_copy(update={key: usual}), hardware.catalog)
        others = (shape for shape in shapes(freed, nodes) if shape not in tried)
        one = next((shape for shape in others if most_nodes(shape, freed) >= nodes), None)
        if one is not None:
            found.append(f"without `{key}`: {one.name}")
    return "; ".join(found) or "fewer GPUs, or other switches"


_FREED = {"tiers", "planes", "attach", "unit_size", "switch", "rails", "spare_ports", "oversubscription"}
"""Wishes that may stand in the way, and have a usual value."""
