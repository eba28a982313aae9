"""The Pareto front: candidates that no other beats, and by which one each of the others is beaten.

One beats another that it is no worse than on any axis and better than on one (Pareto dominance). What nobody knows is
worse than anything known: a switch without a power figure does not win by it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, inf

from fabricgen.catalog.loads import planned_w
from fabricgen.kernel.diagnostics import InputError, fault
from fabricgen.size.figures import Figures
from fabricgen.size.hardware import Hardware, Shape
from fabricgen.size.shapes import count_most_nodes, list_shapes
from fabricgen.size.wishes import Wishes

MORE_IS_BETTER = ("bisection", "left")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A design: its shape, its blueprint, its figures; other shapes whose designs are alike in every figure."""

    shape: Shape
    text: str
    figures: Figures
    alike: tuple[Shape, ...] = ()
    checked: bool = field(default=False, compare=False)
    """Whether its figures are those of its wiring plan, and it lints clean."""

    @property
    def name(self) -> str:
        """The name of its shape."""
        return self.shape.name

    def list_axis_values(self, axes: Sequence[str]) -> tuple[float, ...]:
        """Its figures on some axes, turned so that less is better; `inf` for what nobody knows."""
        values = []
        for axis in axes:
            value = self.figures.on(axis)
            values.append(inf if value is None else -value if axis in MORE_IS_BETTER else value)
        return tuple(values)


def beats(place: Sequence[float], other_place: Sequence[float]) -> bool:
    """Whether a place is no worse than another on every axis, and better on one."""
    return place != other_place and all(a <= b for a, b in zip(place, other_place, strict=True))


def find_front(candidates: Sequence[Candidate], axes: Sequence[str]) -> list[Candidate]:
    """The candidates that no other beats, in their order."""
    places = [candidate.list_axis_values(axes) for candidate in candidates]
    # what is beaten by anything is beaten by one that comes before it in this order, and is on the front
    best: list[tuple[float, ...]] = []
    for place in sorted(set(places)):
        if not any(beats(best_place, place) for best_place in best):
            best.append(place)
    best_places = set(best)
    return [candidate for candidate, place in zip(candidates, places, strict=True) if place in best_places]


NEAR = 0.05 + 1e-9
"""How far apart two candidates that are nearly alike are on an axis, at most, of the one of the front."""


def measure_distances(base: Candidate, candidate: Candidate, axes: Sequence[str]) -> dict[str, float]:
    """By axis how far a candidate is off one of the front, of 1; `inf` where only one of two figures is known."""
    distances = {}
    for axis in axes:
        base_value, value = base.figures.on(axis), candidate.figures.on(axis)
        if base_value != value:
            distances[axis] = value / base_value - 1 if base_value and value is not None else inf
    return distances


def find_near_alike(
    front: Sequence[Candidate], beaten: Sequence[Candidate], axes: Sequence[str]
) -> dict[str, tuple[Candidate, ...]]:
    """By name of one of the front: for each other number of planes the nearest of the beaten, at most `NEAR` off it on
    every axis.

    Planes of which one on the front is as near are left out: that is shown. One that is checked goes before others, so
    that few are wired to find it.
    """
    near_by_name = {}
    for candidate in front:
        shown = {neighbor.shape.planes for neighbor in front if _is_near(candidate, neighbor, axes)}
        nearest: dict[int, tuple[tuple[bool, float, str], Candidate]] = {}
        for neighbor in beaten:
            planes = neighbor.shape.planes
            if planes == candidate.shape.planes or planes in shown or not _is_near(candidate, neighbor, axes):
                continue
            most = max(map(abs, measure_distances(candidate, neighbor, axes).values()), default=0.0)
            order = (not neighbor.checked, most, neighbor.name)
            if planes not in nearest or order < nearest[planes][0]:
                nearest[planes] = (order, neighbor)
        if nearest:
            near_by_name[candidate.name] = tuple(neighbor for _, (_, neighbor) in sorted(nearest.items()))
    return near_by_name


def _is_near(base: Candidate, candidate: Candidate, axes: Sequence[str]) -> bool:
    """Whether two candidates of one switch are nearly alike on every axis."""
    alike = (base.shape.switch, base.shape.form) == (candidate.shape.switch, candidate.shape.form)
    return alike and all(abs(part) <= NEAR for part in measure_distances(base, candidate, axes).values())


def find_winner(candidate: Candidate, front: Sequence[Candidate], axes: Sequence[str]) -> Candidate | None:
    """The first of the front that beats a candidate; None where none does."""
    place = candidate.list_axis_values(axes)
    return next((winner for winner in front if beats(winner.list_axis_values(axes), place)), None)


# What is said where nothing fits: the commonest reasons, and what would fit instead.

CODE = "FG150"

HUNGRY = "nodes, switches and optics draw more than is allowed"
"""The reason of a candidate that draws too much."""

UNKNOWN_DRAW = "nobody publishes what its switches draw, so that no limit is known to hold"
"""The reason of a candidate of unknown power where power is limited."""


def refuse_hungry_nodes(hardware: Hardware, nodes: int) -> None:
    """Raise InputError (FG150) where the nodes alone draw more than is allowed: no design changes that."""
    limit, node_w = hardware.wishes.max_power, planned_w(hardware.node)
    if limit is None or not node_w or node_w * nodes <= limit:
        return
    draw = f"{nodes:,} x {hardware.node.id} draw {node_w * nodes / 1000:,.0f} kW without any switch"
    most = int(limit / node_w)
    fewer = f", or take fewer GPUs: the nodes of {most * hardware.gpus_per_node:,} draw as much"
    hint = f"allow more{fewer if most else ''}"
    raise fault(CODE, f"{draw}; {limit / 1000:,.0f} kW are allowed", path=("max_power",), hint=hint)


def refuse_all(hardware: Hardware, nodes: int, reasons: Counter[str], frugal: Candidate | None) -> InputError:
    """The error where nothing fits: the commonest reasons, and what would fit instead.

    `frugal` is the design that draws least where all draw too much; None where that is not so.
    """
    wishes = hardware.wishes
    other_reasons = [why for why, _ in reasons.most_common() if why != HUNGRY or not frugal]
    hungry = [_describe_draw(frugal, wishes.max_power or 0)] if frugal else []
    reasons_text = "; ".join([*hungry, *other_reasons][:3]) or _explain_no_shape(hardware, nodes)
    message = f"no design carries {wishes.gpus:,} GPUs of {wishes.node} as wished: {reasons_text}"
    hint = _suggest_nearest(hardware, nodes)
    if HUNGRY in reasons:
        enough = f"`max_power: {ceil(frugal.figures.draw_w / 1000)}kW` is enough for it" if frugal else "allow more"
        hint = f"{enough}; or take fewer GPUs"
    return fault(CODE, message, path=("gpus",), hint=hint)


def _describe_draw(frugal: Candidate, limit: float) -> str:
    """What the most frugal design draws, and what is allowed."""
    draw = f"{frugal.figures.draw_w / 1000:,.1f} kW in {frugal.name}, which draws least"
    return f"nodes, switches and optics draw {draw}; {limit / 1000:,.1f} kW are allowed"


def _explain_no_shape(hardware: Hardware, nodes: int) -> str:
    """Why wishes leave no shape at all."""
    wishes, together, up = hardware.wishes, hardware.in_rack, max(hardware.wishes.tiers)
    if "clos" not in wishes.shape:
        return _explain_no_meshed_shape(hardware, nodes)
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


def _explain_no_meshed_shape(hardware: Hardware, nodes: int) -> str:
    """Why wishes leave no dragonfly and no HyperX at all."""
    wishes, forms = hardware.wishes, " or ".join(hardware.wishes.shape)
    if wishes.rails == ("meet",) and "group" not in wishes.attach:
        return f"all rails meet on the switches of a unit in a {forms} (`attach: group`), or are `apart`"
    if wishes.widths:
        widths = " or ".join("x".join(map(str, widths)) for widths in wishes.widths)
        return (
            f"no {forms} of {widths} switches: the ports of {nodes:,} nodes do not divide over so many units and "
            "switches, or these have not the ports for node and other links"
        )
    return f"{nodes:,} node{'s are' if nodes > 1 else ' is'} too few for two units of equal switches"


def _suggest_nearest(hardware: Hardware, nodes: int) -> str:
    """The most accelerators that fit, and each wish that stands in the way alone, with a shape that was not tried."""
    wishes, tried = hardware.wishes, list(dict.fromkeys(list_shapes(hardware, nodes)))
    reach = max(((count_most_nodes(shape, hardware), shape) for shape in tried), key=lambda one: one[0], default=None)
    suggestions = []
    if reach and 0 < reach[0] < nodes:
        suggestions.append(f"{reach[0] * hardware.gpus_per_node:,} GPUs fit as {reach[1].name}")
    changes = {key: (f"without `{key}`", Wishes.model_fields[key].default) for key in wishes.model_fields_set & _FREED}
    if "apart" not in wishes.rails:
        changes["rails"] = ("with `--rails apart`", ("apart",))
    for key, (words, value) in sorted(changes.items()):
        freed = Hardware(wishes.model_copy(update={key: value}), hardware.catalog)
        untried = (shape for shape in list_shapes(freed, nodes) if shape not in tried)
        fitting = next((shape for shape in untried if count_most_nodes(shape, freed) >= nodes), None)
        if fitting is not None:
            suggestions.append(f"{words}: {fitting.name}")
    return "; ".join(suggestions) or "fewer GPUs, or other switches"


_FREED = {"widths", "tiers", "planes", "attach", "unit_size", "switch", "rails", "spare_ports", "oversubscription"}
"""Wishes that may stand in the way, and have a usual value."""
