"""The Pareto front: candidates that no other beats, and by which one each of the others is beaten.

One beats another that it is no worse than on any axis and better than on one (Pareto dominance). What nobody knows is
worse than anything known: a switch without a power figure does not win by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf

from fabricgen.size.figures import Figures
from fabricgen.size.shapes import Shape

MORE_IS_BETTER = ("bisection",)


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

    def place(self, axes: Sequence[str]) -> tuple[float, ...]:
        """Where it is on some axes; less is better."""
        found = []
        for axis in axes:
            value = self.figures.on(axis)
            found.append(inf if value is None else -value if axis in MORE_IS_BETTER else value)
        return tuple(found)


def beats(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether a place is no worse than another on every axis, and better on one."""
    return one != other and all(a <= b for a, b in zip(one, other, strict=True))


def front_of(candidates: Sequence[Candidate], axes: Sequence[str]) -> list[Candidate]:
    """The candidates that no other beats, in their order."""
    places = [one.place(axes) for one in candidates]
    # what is beaten by anything is beaten by one that comes before it in this order, and is on the front
    best: list[tuple[float, ...]] = []
    for place in sorted(set(places)):
        if not any(beats(other, place) for other in best):
            best.append(place)
    kept = set(best)
    return [one for one, place in zip(candidates, places, strict=True) if place in kept]


NEAR = 0.05 + 1e-9
"""How far apart two candidates that are nearly alike are on an axis, at most, of the one of the front."""


def off(one: Candidate, other: Candidate, axes: Sequence[str]) -> dict[str, float]:
    """By axis how far a candidate is off one of the front, of 1; `inf` where only one of two figures is known."""
    found = {}
    for axis in axes:
        ours, theirs = one.figures.on(axis), other.figures.on(axis)
        if ours != theirs:
            found[axis] = theirs / ours - 1 if ours and theirs is not None else inf
    return found


def near_alike(
    front: Sequence[Candidate], beaten: Sequence[Candidate], axes: Sequence[str]
) -> dict[str, tuple[Candidate, ...]]:
    """By name of one of the front: for each other number of planes the nearest of the beaten, at most `NEAR` off it on
    every axis.

    Planes of which one on the front is as near are left out: that is shown. One that is checked goes before others, so
    that few are wired to find it.
    """
    found = {}
    for one in front:
        shown = {other.shape.planes for other in front if _is_near(one, other, axes)}
        nearest: dict[int, tuple[tuple[bool, float, str], Candidate]] = {}
        for other in beaten:
            planes = other.shape.planes
            if planes == one.shape.planes or planes in shown or not _is_near(one, other, axes):
                continue
            most = max(map(abs, off(one, other, axes).values()), default=0.0)
            order = (not other.checked, most, other.name)
            if planes not in nearest or order < nearest[planes][0]:
                nearest[planes] = (order, other)
        if nearest:
            found[one.name] = tuple(other for _, (_, other) in sorted(nearest.items()))
    return found


def _is_near(one: Candidate, other: Candidate, axes: Sequence[str]) -> bool:
    """Whether two candidates of one switch are nearly alike on every axis."""
    alike = one.shape.switch == other.shape.switch
    return alike and all(abs(part) <= NEAR for part in off(one, other, axes).values())


def beaten_by(candidate: Candidate, front: Sequence[Candidate], axes: Sequence[str]) -> Candidate | None:
    """The first of the front that beats a candidate; None where none does."""
    place = candidate.place(axes)
    return next((one for one in front if beats(one.place(axes), place)), None)
