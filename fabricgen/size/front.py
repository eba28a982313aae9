"""The Pareto front: candidates that no other beats, and for each other candidate one of the front that beats it.

A candidate beats another if it is no worse on any axis and better on at least one (Pareto dominance). What nobody knows
is worse than anything known: a switch without a power figure does not win by it.
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
    """A design: its shape, the text of its blueprint, and its figures.

    `alike` are other shapes whose designs are alike in every figure.
    """

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
        """Return its figures on some axes, negated if more is better; `inf` for a figure that nobody knows."""
        values = []
        for axis in axes:
            value = self.figures.on(axis)
            values.append(inf if value is None else -value if axis in MORE_IS_BETTER else value)
        return tuple(values)


def beats(values: Sequence[float], other_values: Sequence[float]) -> bool:
    """Whether values (`list_axis_values`) are no worse than others on every axis, and better on one."""
    return values != other_values and all(a <= b for a, b in zip(values, other_values, strict=True))


def find_front(candidates: Sequence[Candidate], axes: Sequence[str]) -> list[Candidate]:
    """Return the candidates that no other beats on some axes, in the order given."""
    values_of = [candidate.list_axis_values(axes) for candidate in candidates]
    # if anything beats some values, so do values of the front, which are sorted before them
    best: list[tuple[float, ...]] = []
    for values in sorted(set(values_of)):
        if not any(beats(best_values, values) for best_values in best):
            best.append(values)
    unbeaten = set(best)
    return [candidate for candidate, values in zip(candidates, values_of, strict=True) if values in unbeaten]


NEAR = 0.05 + 1e-9
"""How much a nearly alike candidate may differ from one of the front on an axis, as a fraction of the figure there."""


def measure_distances(base: Candidate, candidate: Candidate, axes: Sequence[str]) -> dict[str, float]:
    """Return, by axis on which they differ, how far a candidate is off `base`, as a fraction of the figure of `base`.

    It is `inf` if only one of the two figures is known, or if that of `base` is 0.
    """
    distances = {}
    for axis in axes:
        base_value, value = base.figures.on(axis), candidate.figures.on(axis)
        if base_value != value:
            distances[axis] = value / base_value - 1 if base_value and value is not None else inf
    return distances


def find_near_alike(
    front: Sequence[Candidate], beaten: Sequence[Candidate], axes: Sequence[str]
) -> dict[str, tuple[Candidate, ...]]:
    """Return, by name of a candidate of the front, beaten ones with other numbers of planes that are nearly alike.

    There is at most one for each number of planes: the nearest of those that differ by at most `NEAR` on every axis,
    checked ones first, so that few have to be wired. There is none for a number of planes with which a candidate of the
    front is nearly alike, since that is shown.
    """
    near_by_name = {}
    for candidate in front:
        shown = {neighbor.shape.planes for neighbor in front if _is_near(candidate, neighbor, axes)}
        nearest: dict[int, tuple[tuple[bool, float, str], Candidate]] = {}
        for neighbor in beaten:
            planes = neighbor.shape.planes
            if planes == candidate.shape.planes or planes in shown or not _is_near(candidate, neighbor, axes):
                continue
            distance = max(map(abs, measure_distances(candidate, neighbor, axes).values()), default=0.0)
            order = (not neighbor.checked, distance, neighbor.name)
            if planes not in nearest or order < nearest[planes][0]:
                nearest[planes] = (order, neighbor)
        if nearest:
            near_by_name[candidate.name] = tuple(neighbor for _, (_, neighbor) in sorted(nearest.items()))
    return near_by_name


def _is_near(base: Candidate, candidate: Candidate, axes: Sequence[str]) -> bool:
    """Whether two candidates have the same switch and form, and are nearly alike on every axis."""
    has_same_switch = (base.shape.switch, base.shape.form) == (candidate.shape.switch, candidate.shape.form)
    return has_same_switch and all(abs(off) <= NEAR for off in measure_distances(base, candidate, axes).values())


def find_winner(candidate: Candidate, front: Sequence[Candidate], axes: Sequence[str]) -> Candidate | None:
    """Return the first candidate of the front that beats another candidate; None if none does."""
    values = candidate.list_axis_values(axes)
    return next((winner for winner in front if beats(winner.list_axis_values(axes), values)), None)


# The error if nothing fits: the commonest reasons, and what would fit instead.

CODE = "FG150"

HUNGRY = "nodes, switches and optics draw more than is allowed"
"""Why a design that draws too much is no candidate."""

UNKNOWN_DRAW = "nobody publishes what its switches draw, so that no limit is known to hold"
"""Why a design of unknown power is no candidate if power is limited."""


def refuse_hungry_nodes(hardware: Hardware, nodes: int) -> None:
    """Raise InputError (FG150) if the nodes alone draw more than is allowed: no design changes that."""
    limit, node_w = hardware.wishes.max_power, planned_w(hardware.node)
    if limit is None or not node_w or node_w * nodes <= limit:
        return
    draw = f"{nodes:,} x {hardware.node.id} draw {node_w * nodes / 1000:,.0f} kW without any switch"
    most_nodes = int(limit / node_w)
    fewer = f", or take fewer GPUs: the nodes of {most_nodes * hardware.gpus_per_node:,} draw as much"
    hint = f"allow more{fewer if most_nodes else ''}"
    raise fault(CODE, f"{draw}; {limit / 1000:,.0f} kW are allowed", path=("max_power",), hint=hint)


def refuse_all(hardware: Hardware, nodes: int, reasons: Counter[str], frugal: Candidate | None) -> InputError:
    """Return the error (FG150) that nothing fits, with the commonest reasons and what would fit instead.

    `reasons` counts shapes by why they are no candidates. `frugal` is the design that draws least if some draw too
    much, else None.
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
    """Say what the most frugal design draws, and what is allowed (`limit`, W)."""
    draw = f"{frugal.figures.draw_w / 1000:,.1f} kW in {frugal.name}, which draws least"
    return f"nodes, switches and optics draw {draw}; {limit / 1000:,.1f} kW are allowed"


def _explain_no_shape(hardware: Hardware, nodes: int) -> str:
    """Say why the wishes leave no shape at all."""
    wishes, per_rack, most_tiers = hardware.wishes, hardware.in_rack, max(hardware.wishes.tiers)
    if "clos" not in wishes.shape:
        return _explain_no_meshed_shape(hardware, nodes)
    if not hardware.switches:
        planes = f" in {' or '.join(map(str, wishes.planes))} planes" if wishes.planes else ""
        return f"no switch of the catalogue takes its NICs{planes}"
    if wishes.attach == ("tor",) and most_tiers == 1:
        return "in one tier, leaves of racks (`tor`) would be joined by nothing"
    if wishes.attach == ("tor",) and wishes.rails == ("apart",):
        return "all rails of a rack meet in its leaf (`tor`)"
    if wishes.attach == ("tor",) and wishes.unit_size and all(size % per_rack for size in wishes.unit_size):
        return f"a unit of whole racks (`tor`) has a multiple of {per_rack} nodes"
    if wishes.spare_ports:
        return f"no leaf has ports for a node beside the {wishes.spare_ports:,} that are kept free"
    if wishes.rails == ("meet",) and most_tiers == 1:
        return "in one tier, rails meet only where one leaf takes all of them (`attach: group`)"
    return f"{nodes:,} node{'s are' if nodes > 1 else ' is'} too few: upper tiers would join a single leaf"


def _explain_no_meshed_shape(hardware: Hardware, nodes: int) -> str:
    """Say why the wishes leave no dragonfly and no HyperX at all."""
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
    """Suggest the most GPUs that fit, and each wish to give up for a shape that carries the nodes, with that shape."""
    wishes, tried = hardware.wishes, list(dict.fromkeys(list_shapes(hardware, nodes)))
    reaches = ((count_most_nodes(shape, hardware), shape) for shape in tried)
    most_nodes, greatest = max(reaches, key=lambda reach: reach[0], default=(0, None))
    suggestions = []
    if greatest and 0 < most_nodes < nodes:
        suggestions.append(f"{most_nodes * hardware.gpus_per_node:,} GPUs fit as {greatest.name}")
    # wish -> (how to give it up, in words; its value then)
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
"""Wishes without which a shape might fit; each has a default."""
