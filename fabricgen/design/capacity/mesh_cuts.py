"""What crosses cuts of fabrics whose switches are linked within a tier: the bisection along one of its dimensions.

The least cut of a HyperX into halves divides one dimension (Ahn et al., SC 2009); that of a dragonfly divides its
groups or, if global links are many, the switches of each group. Each dimension is cut in its middle, and the least cut
counts; cuts that follow no dimension are not examined, so that the figure is an upper bound.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import prod

from fabricgen.blueprint.dimensions import WHOLE
from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.inside.links import Mesh
from fabricgen.design.inside.meshes import MeshSize, list_meetings, list_sizes, list_unmet_dimensions
from fabricgen.kernel.intervals import list_numbers


def compute_mesh_bisection(tier: TierDesign, nodes_gbps: int, *, per_node: int, lost: int = 0) -> Fraction:
    """Return the least bandwidth, Gb/s each way, between two halves of the nodes below a tier with links within it.

    `nodes_gbps` is the bandwidth of all node ports, Gb/s. A node has its ports on `per_node` consecutive switches of a
    group, which no cut divides. Each of `lost` lost switches is taken to carry as much across the cut as any other.
    """
    place = tier.scope if tier.scope != WHOLE else ""
    if set(list_unmet_dimensions(tier)) - {place, *tier.grid}:
        return Fraction(0)
    grid = tier.grid if tier.lowest else {}
    sizes = {name: size for name, size in grid.items() if _keeps_nodes_whole(tier, name, per_node)}
    sizes |= {place: tier.places} if place else {}
    crossing_gbps = [_sum_crossing(tier, dimension) for dimension, size in sizes.items() if size > 1]
    fraction_left = max(Fraction(0), 1 - Fraction(2 * lost, tier.switches))
    return min([Fraction(nodes_gbps, 2), *(fraction_left * crossing for crossing in crossing_gbps)])


def _sum_crossing(tier: TierDesign, dimension: str) -> int:
    """Return the bandwidth of links whose ends are in different halves of a dimension, Gb/s."""
    return sum(mesh.run.speed_gbps * _count_crossing(tier, mesh, dimension) for mesh in tier.meshes)


def _count_crossing(tier: TierDesign, mesh: Mesh, dimension: str) -> int:
    """Return how many links of a mesh cross the middle of a dimension."""
    sizes = list_sizes(tier, mesh)
    if mesh.dimension == dimension:
        sets = (size.times // tier.count if mesh.spread else size.times for size in sizes)
        return sum(_count_crossing_pairs(mesh, size) * n * mesh.links for size, n in zip(sizes, sets, strict=True))
    if not mesh.spread or dimension not in tier.grid:
        return 0
    sides = _list_sides(tier, dimension)
    return sum(_count_between_sides(mesh, size, sides) * (size.times // tier.count) for size in sizes)


def _list_sides(tier: TierDesign, dimension: str) -> list[bool]:
    """Return, for each switch of a group, whether it is in the first half of a dimension of its grid."""
    names = list(tier.grid)
    # neighbours along the dimension are `step` numbers apart in their group
    step, size = prod(tier.grid[name] for name in names[names.index(dimension) + 1 :]), tier.grid[dimension]
    return [index // step % size < size // 2 for index in range(tier.count)]


def _keeps_nodes_whole(tier: TierDesign, dimension: str, per_node: int) -> bool:
    """Whether the middle of a dimension divides no run of `per_node` switches, counted from the first switch of a
    group.
    """
    sides = _list_sides(tier, dimension)
    return all(len(set(sides[first : first + per_node])) == 1 for first in range(0, tier.count, per_node))


def _count_crossing_pairs(mesh: Mesh, size: MeshSize) -> int:
    """Return how many pairs are linked that have one switch in the first half of a dimension and one in the second."""
    half = size.numbers // 2
    if mesh.pairs or mesh.reach:
        numbers = list(list_numbers(size.held))
        return sum(meeting.low < half <= meeting.high for meeting in list_meetings(mesh, numbers))
    return half * (size.numbers - half)


def _count_between_sides(mesh: Mesh, size: MeshSize, sides: list[bool]) -> int:
    """Return how many links between groups have ends on different sides; links are dealt over the switches of each
    group.
    """
    return sum(
        sides[((high - 1) * mesh.links + link) % len(sides)] != sides[(low * mesh.links + link) % len(sides)]
        for low, high in combinations(range(size.numbers), 2)
        for link in range(mesh.links)
    )
