"""Which lower switches meet in a group of the tier above, and the ranks that they have in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Protocol

from fabricgen.design.layout import Layout
from fabricgen.design.shape import Coarser, find_scope, group_met_numbers, list_inner_dimensions, number_children
from fabricgen.design.tiers import TierSpec


class Grouped(Protocol):
    """A tier, as written or as designed: its name and what it is grouped by."""

    @property
    def name(self) -> str:
        """Its name in its fabric."""

    @property
    def per(self) -> tuple[str, ...]:
        """The dimensions that it is grouped by."""

    @property
    def layout(self) -> Layout:
        """The units that it serves."""


def count_lowers(
    lower: TierSpec, count: int, upper: TierSpec, sizes: Mapping[str, int], coarser: Coarser
) -> tuple[int, int, int]:
    """Lower switches in the fullest upper group, three counts: of units there are, of all reserved slots, and of slots
    up to the last one in use.
    """
    lowers_per_place = max(len(ranks) for ranks in list_ranks(lower.per, lower.name, count, upper.per, sizes, coarser))
    scopes = find_scope(lower.per), find_scope(upper.per)
    by_unit, by_slot = (number_children(lower.layout, *scopes, by_slot=by_slot) for by_slot in (False, True))
    in_use = (place_numbers.numbers[-1].end for place_numbers in by_slot if place_numbers.numbers)
    now, slots = (max(place_numbers.span for place_numbers in numberings) for numberings in (by_unit, by_slot))
    return now * lowers_per_place, slots * lowers_per_place, max(in_use, default=0) * lowers_per_place


def list_ranks(
    per: tuple[str, ...],
    name: str,
    count: int,
    upper_per: tuple[str, ...],
    sizes: Mapping[str, int],
    coarser: Coarser,
) -> list[tuple[int, ...]]:
    """The ranks, from 0, that lower switches of one place have in an upper group: an entry for each kind of group.

    Kinds differ where an upper group has what follows from a dimension of the lower tier, and some have more values of
    it than others: of four rails in groups of three and one. `sizes` and `coarser` are those of the lower tier's
    fabric.
    """
    # dimensions that both tiers are grouped by are the same for all lower switches of a group
    dimensions = [d for d in list_inner_dimensions(per) if d not in upper_per]
    together = [group_met_numbers(d, upper_per, sizes[d], coarser) for d in dimensions]
    shape = [max(map(len, groups)) for groups in together] + ([] if name in upper_per else [count])
    ranks_by_kind = []
    for numbers_together in product(*together):
        positions_by_dimension = [range(len(numbers)) for numbers in numbers_together] + (
            [] if name in upper_per else [range(count)]
        )
        ranks_by_kind.append(tuple(_find_rank(position, shape) for position in product(*positions_by_dimension)))
    return ranks_by_kind


def list_group_ranks(
    lower: Grouped,
    count: int,
    upper: Grouped,
    sizes: Mapping[str, int],
    coarser: Coarser,
    *,
    by_slot: bool = True,
) -> Iterator[tuple[list[int], int]]:
    """(ranks of the lower switches in an upper group, how many groups are so) for every kind of upper group, of each of
    the kinds in `list_ranks`.
    """
    kinds = list_ranks(lower.per, lower.name, count, upper.per, sizes, coarser)
    ranks_per_place = max(max(ranks, default=-1) for ranks in kinds) + 1
    for place in number_children(lower.layout, find_scope(lower.per), find_scope(upper.per), by_slot=by_slot):
        numbers = [number for run in place.numbers for number in range(run.first, run.end)]
        for ranks in kinds:
            yield [number * ranks_per_place + rank for number in numbers for rank in ranks], place.places


def _find_rank(position: Sequence[int], shape: Sequence[int]) -> int:
    """The number of a position, dimension by dimension, in an array of a shape."""
    rank = 0
    for coordinate, size in zip(position, shape, strict=True):
        # mixed radix, the last dimension fastest: as rows are numbered in the device table
        rank = rank * size + coordinate
    return rank
