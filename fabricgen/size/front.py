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


def beaten_by(candidate: Candidate, front: Sequence[Candidate], axes: Sequence[str]) -> Candidate | None:
    """The first of the front that beats a candidate; None where none does."""
    place = candidate.place(axes)
    return next((one for one in front if beats(one.place(axes), place)), None)
