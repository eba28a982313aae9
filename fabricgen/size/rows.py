"""The rows of the first screen: the few designs among which a buyer decides.

The maker's design comes first, then the nearest to the best of each kind (InfiniBand or Ethernet, planes, how nodes
attach) that nobody would call too many switches, then what costs least on each axis, then the nearest of all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

from fabricgen.size.front import Candidate
from fabricgen.size.hardware import Hardware

MOST_ROWS = 8
"""Rows at most."""

MOST_TIMES = 4
"""How many times the fewest switches of Ethernet, or of InfiniBand, a design of a further kind has at most."""


def choose_rows(
    front: Sequence[Candidate], reference: Candidate | None, axes: Sequence[str], hardware: Hardware
) -> tuple[Candidate, ...]:
    """At most `MOST_ROWS` of the front and the maker's design, in the order of the front, the latter last if beaten."""
    distances = measure_distances_to_best(front, axes)
    nearest = sorted(front, key=lambda one: (distances[one.name], one.name))
    switches = {one.name: sum(one.figures.switches.values()) for one in front}
    protocols = {one.name: hardware.catalog.switch(one.shape.switch).protocol for one in front}
    fewest = {
        protocol: min(switches[n] for n in switches if protocols[n] == protocol) for protocol in protocols.values()
    }
    kinds = {
        _describe_kind(one, protocols[one.name]): one
        for one in reversed(nearest)
        if switches[one.name] <= MOST_TIMES * fewest[protocols[one.name]]
    }
    # the safest of all would be one of the smallest leaves and of the most switches
    costs = [axis for axis in axes if axis not in ("loss", "left") and len(_list_values(front, axis)) > 1]
    best = [min(nearest, key=lambda one: one.list_axis_values((axis,))) for axis in costs]
    wanted = [*([reference] if reference else []), *sorted(kinds.values(), key=nearest.index), *best, *nearest]
    names = list(dict.fromkeys(candidate.name for candidate in wanted))[:MOST_ROWS]
    shown = {candidate.name: candidate for candidate in (*front, *([reference] if reference else []))}
    return tuple(candidate for name, candidate in shown.items() if name in names)


def _describe_kind(candidate: Candidate, protocol: str) -> tuple[object, ...]:
    shape = candidate.shape
    return (protocol, shape.form, shape.planes, shape.attach, shape.meet == "", shape.ready)


def measure_distances_to_best(candidates: Sequence[Candidate], axes: Sequence[str]) -> Mapping[str, float]:
    """By name how far a candidate is from the best of all on every axis: the sum of its distances from the best figure,
    of 1 for the worst. What nobody knows is as far as the worst.
    """
    distances = dict.fromkeys((candidate.name for candidate in candidates), 0.0)
    for axis in axes:
        values = _list_values(candidates, axis)
        for candidate in candidates if len(values) > 1 or inf in values else ():
            (value,) = candidate.list_axis_values((axis,))
            known = values - {inf}
            spread = max(known, default=0) - min(known, default=0)
            distances[candidate.name] += 1.0 if value == inf else (value - min(known)) / spread if spread else 0.0
    return distances


def _list_values(candidates: Sequence[Candidate], axis: str) -> set[float]:
    return {value for candidate in candidates for value in candidate.list_axis_values((axis,))}
