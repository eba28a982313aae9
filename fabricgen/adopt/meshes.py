"""Infer links within a tier: the grid in which switches of a group lie, and meshes along its dimensions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

from fabricgen.adopt.forms import TierForm, group_members, make_tuple
from fabricgen.adopt.networks import STRAY, choose_mode

GRID_DIMENSIONS = ("block", "layer", "row", "column")
"""The names of the dimensions of a grid; one of two dimensions has rows and columns."""
MAX_IN_GRID = 512
"""The most switches of a group for which grids are tried."""


def find_mesh(tier: TierForm, pairs: Mapping[tuple[str, str], int]) -> dict[str, Any] | None:
    """Return `mesh` of a tier in a page by the links between pairs of its switches.

    A mesh is along the dimension in which its ends differ: one of `per`, or one of `tier.grid` within a group. Returns
    {} if switches meet in pairs, and None if they meet by no rule of a page, as those of a Slim Fly.
    """
    grid = tier.grid or {tier.name: tier.count}
    links_of_pair: dict[str, Counter[int]] = defaultdict(Counter)
    steps: dict[str, Counter[int]] = defaultdict(Counter)
    links_of_groups: dict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
    dealt = Counter[str]()  # links between groups whose ends have different numbers
    for (a, b), links in pairs.items():
        a_at, b_at = ({**tier.at[s], **_find_in_grid(int(str(tier.at[s][tier.name])) - 1, grid)} for s in (a, b))
        between = [dimension for dimension in tier.per if a_at[dimension] != b_at[dimension]]
        differing = between or [dimension for dimension in grid if a_at[dimension] != b_at[dimension]]
        if len(differing) != 1:
            continue
        (dimension,) = differing
        a_number, b_number = (make_tuple(at[dimension])[-1] for at in (a_at, b_at))
        links_of_pair[dimension][links] += 1
        if isinstance(a_number, int) and isinstance(b_number, int):
            steps[dimension][abs(a_number - b_number)] += links
        if between:
            dealt[dimension] += tier.at[a][tier.name] != tier.at[b][tier.name]
            groups = sorted(str([at.get(d) for d in tier.per]) for at in (a_at, b_at))
            links_of_groups[dimension][groups[0], groups[1]] += links
    if links_of_pair.keys() <= {tier.name} and tier.count <= 2:
        return {}
    mesh: dict[str, Any] = {}
    # ports are dealt in the order of a page: as a rule to links within groups first
    for dimension in [dimension for dimension in (*grid, *tier.per) if dimension in links_of_pair]:
        counts = links_of_pair[dimension]
        links = choose_mode(counts)
        if dealt[dimension] > STRAY * counts.total():
            mesh[dimension] = {"links": choose_mode(links_of_groups[dimension].values()), "spread": True}
            continue
        size = grid.get(dimension) or len({values[dimension] for values in tier.at.values()})
        reach = _find_reach(steps[dimension], size)
        if 2 * counts.total() < len(tier.at) * min(2 * reach or size, size - 1) / 2:
            return None
        mesh[dimension] = {"links": links, "reach": reach} if reach else links
    return mesh


def _find_reach(steps: Mapping[int, int], size: int) -> int:
    """Return how many steps in a ring of `size` the farthest ends of links are apart, 0 if all meet all.

    `steps` has links by the difference of the numbers of their ends; rare differences are taken for faults.
    """
    common = [step for step, links in steps.items() if links >= STRAY * max(steps.values())]
    reach = max((min(step, size - step) for step in common), default=size)
    return reach if reach < size // 2 else 0


def _find_in_grid(number: int, grid: Mapping[str, int]) -> dict[str, int]:
    """Return the coordinates, from 1, of a switch in the grid of its group by its number from 0; the last counts
    fastest.
    """
    at: dict[str, int] = {}
    for dimension, size in reversed(list(grid.items())):
        number, at[dimension] = number // size, number % size + 1
    return at


def find_grid(tier: TierForm, pairs: Mapping[tuple[str, str], int]) -> dict[str, int]:
    """Return `grid` of a tier: the fewest dimensions in which switches of a group that meet differ in one alone.

    Returns {} if one dimension gives the links within groups as well, or if no grid gives them.
    """
    members = group_members(tier.at, tier.per)
    group_of = {switch: group for group, switches in members.items() for switch in switches}
    inside = Counter[tuple[int, int]]()
    for a, b in pairs:
        if group_of[a] == group_of[b]:
            a_number, b_number = (int(str(tier.at[switch][tier.name])) - 1 for switch in (a, b))
            inside[min(a_number, b_number), max(a_number, b_number)] += 1
    linked = {pair for pair, count in inside.items() if 2 * count >= len(members)}
    best, fewest_wrong = dict[str, int](), len(linked)
    for sizes in sorted(_list_factors(tier.count), key=len) if linked and tier.count <= MAX_IN_GRID else ():
        grid = dict(zip(GRID_DIMENSIONS[-len(sizes) :], sizes, strict=True))
        wrong = len(linked ^ _list_meeting(linked, grid, tier.count))
        if wrong < fewest_wrong:
            best, fewest_wrong = grid, wrong
    return best if len(best) > 1 and fewest_wrong <= STRAY * len(linked) else {}


def _list_factors(number: int) -> Iterator[tuple[int, ...]]:
    """Yield the ways to write a number as a product of at most as many factors as grids have dimensions, in order."""
    pending: list[tuple[int, ...]] = [(number,)]
    while pending:
        *first_factors, last_factor = pending.pop()
        yield (*first_factors, last_factor)
        if len(first_factors) + 1 < len(GRID_DIMENSIONS):
            pending += [
                (*first_factors, size, last_factor // size)
                for size in range(2, last_factor // 2 + 1)
                if last_factor % size == 0
            ]


def _list_meeting(linked: set[tuple[int, int]], grid: Mapping[str, int], count: int) -> set[tuple[int, int]]:
    """Return the pairs of numbers in a group of `count` that would meet if meshes along a grid give `linked` pairs.

    `grid` has the size of each dimension. Two numbers meet if they differ in one dimension, by at most the reach that
    the `linked` pairs have there, counted round the ring.
    """
    coordinates = [_find_in_grid(number, grid) for number in range(count)]
    differing = {
        pair: [dimension for dimension in grid if coordinates[pair[0]][dimension] != coordinates[pair[1]][dimension]]
        for pair in combinations(range(count), 2)
    }
    only_dimension = {pair: dimensions[0] for pair, dimensions in differing.items() if len(dimensions) == 1}
    step_of = {
        pair: abs(coordinates[pair[0]][dimension] - coordinates[pair[1]][dimension])
        for pair, dimension in only_dimension.items()
    }
    steps_along = {d: Counter(step_of[pair] for pair in linked if only_dimension.get(pair) == d) for d in grid}
    reach_of = {d: _find_reach(steps_along[d], size) or (size if steps_along[d] else 0) for d, size in grid.items()}
    return {pair for pair, d in only_dimension.items() if min(step_of[pair], grid[d] - step_of[pair]) <= reach_of[d]}
