"""Infer links within a tier: the grid in which switches of a group lie, and meshes along its dimensions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from math import inf
from typing import Any, TypeAlias

import networkx as nx

from fabricgen.adopt.forms import TierForm, group_members, make_tuple
from fabricgen.adopt.networks import STRAY, SwitchWire, choose_mode
from fabricgen.blueprint.models import make_natural_key

GRID_DIMENSIONS = ("block", "layer", "row", "column")
"""The names of the dimensions of a grid; one of two dimensions has rows and columns."""
MAX_IN_GRID = 512
"""The most switches of a group for which grids are tried."""


def find_mesh(tier: TierForm, pairs: Mapping[tuple[str, str], int]) -> dict[str, Any]:
    """Return `mesh` of a tier in a page by the links between pairs of its switches; {} if switches meet in pairs.

    A mesh is along the dimension in which its ends differ: one of `per`, or one of `tier.grid` within a group. The
    value is None for a dimension along which they meet by no rule of a page, as those of a Slim Fly: see `list_tables`.
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
        is_regular = 2 * counts.total() >= len(tier.at) * min(2 * reach or size, size - 1) / 2
        mesh[dimension] = ({"links": links, "reach": reach} if reach else links) if is_regular else None
    return mesh


Row: TypeAlias = tuple[int, int]
"""The numbers of two switches that meet, from 1, the lesser first."""
FarEnds: TypeAlias = dict[int, dict[int, int]]
"""By the number of a switch along a dimension, then by the position of its ports, from 0: the number at the far end."""


def list_tables(
    tier: TierForm, dimension: str, wires: Iterable[SwitchWire], cages: Mapping[str, int]
) -> tuple[int, list[tuple[Row, ...]]]:
    """Return (links of every two switches that meet, tables of who meets) for a dimension along which no rule says it.

    `wires` are links between switches, `cages` the cages of ports by name. In a page, ports lead to switches in the
    order of their numbers, from the last cage on. The first table has the rows that were seen; if ports contradict a
    few of them, a second one has those that the ports tell, so that a crossed cable need not become a row.
    """
    at = {switch: make_tuple(values[dimension]) for switch, values in tier.at.items() if dimension in values}
    names = sorted({str(coordinate[-1]) for coordinate in at.values()}, key=make_natural_key)
    number = {s: last if isinstance(last := at[s][-1], int) else names.index(str(last)) + 1 for s in at}
    # ends that meet along the dimension agree in all others, and in the places around it
    others = {s: (at[s][:-1], *(tier.at[s].get(d) for d in (*tier.per, tier.name) if d != dimension)) for s in at}
    joined = [w for w in wires if w.a in at and w.b in at and others[w.a] == others[w.b] and number[w.a] != number[w.b]]
    if not joined:  # units of other pods, or dimensions of a grid
        return 1, []
    links = choose_mode(Counter((wire.a, wire.b) for wire in joined).values())
    used = Counter(port for wire in joined for port in (wire.a_port, wire.b_port))
    common = [port for port, count in used.items() if count >= STRAY * max(used.values())]
    common.sort(key=lambda port: (-cages.get(port, 0), make_natural_key(port)))
    position = {port: index // links for index, port in enumerate(common)}
    votes: dict[int, dict[int, Counter[int]]] = defaultdict(lambda: defaultdict(Counter))
    for near, port, far in (end for a, a_port, b, b_port in joined for end in ((a, a_port, b), (b, b_port, a))):
        votes[number[near]][position.get(port, len(common))][number[far]] += 1
    far_ends = {near: {port: choose_mode(fars) for port, fars in ports.items()} for near, ports in votes.items()}
    seen = {_make_row(near, far) for near, fars in far_ends.items() for far in fars.values()}
    return links, list(dict.fromkeys(tuple(sorted(rows)) for rows in (seen, _repair_rows(far_ends, seen))))


def _make_row(a: int, b: int) -> Row:
    return min(a, b), max(a, b)


def _repair_rows(far_ends: FarEnds, seen: set[Row]) -> set[Row]:
    """Return the `seen` rows with others in place of those that contradict the order of ports at one of their ends.

    Ports that are free, or of such a row, are paired so that most of them keep that order. If more than a few rows
    contradict it, the ports of the page are others: then `seen` is returned.
    """
    ascending = {near: _keep_ascending(fars) for near, fars in far_ends.items()}
    # the number of a switch, the position of a port, and the least and the most that the number at its far end can be
    open_ports, sure = list[tuple[int, int, float, float]](), set[Row]()
    port_count = choose_mode(len(fars) for fars in far_ends.values())
    for near, fars in far_ends.items():
        known = {port: far for port, far in ascending[near].items() if near in ascending.get(far, {}).values()}
        sure |= {_make_row(near, far) for far in known.values()}
        for port in sorted({*range(port_count), *fars} - known.keys()):
            least = max((far for other, far in known.items() if other < port), default=0)
            most = min((far for other, far in known.items() if other > port), default=inf)
            open_ports.append((near, port, least, most))
    if len(open_ports) > STRAY * 2 * len(seen):
        return seen
    fitting = [
        (a, b) for a, b in combinations(open_ports, 2) if a[0] != b[0] and a[2] < b[0] < a[3] and b[2] < a[0] < b[3]
    ]
    paired = nx.max_weight_matching(nx.Graph(fitting), maxcardinality=True)
    replaced = {_make_row(near, far_ends[near].get(port, near)) for pair in paired for near, port, _, _ in pair}
    return (seen - replaced) | sure | {_make_row(a[0], b[0]) for a, b in paired}


def _keep_ascending(fars: Mapping[int, int]) -> dict[int, int]:
    """Return the ports of a switch without those whose far ends have another order than those of most others."""
    kept = dict(fars)
    while True:
        contradicting = {a: sum((a - b) * (kept[a] - kept[b]) <= 0 for b in kept if b != a) for a in kept}
        worst = max(contradicting, key=contradicting.__getitem__)
        if not contradicting[worst]:
            return kept
        del kept[worst]


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
