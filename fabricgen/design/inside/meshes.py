"""Links within a tier: which of its switches meet, how many ports that takes, and how many links there are.

Two switches meet in a dimension if they differ in it and agree in all other dimensions of their tier: full meshes of
groups, the dimensions of a HyperX (Ahn et al., SC 2009), rings and tori. With `spread` whole groups meet, and their
links are dealt over their switches: the global links of a dragonfly (Kim et al., ISCA 2008).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from math import prod
from typing import NamedTuple

from fabricgen.blueprint.dimensions import WHOLE, list_dimension_names, list_scopes
from fabricgen.blueprint.sections.mesh import MeshSpec
from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.inside.links import Mesh
from fabricgen.design.layout import Layout
from fabricgen.design.ports import count_connectors
from fabricgen.design.shape import (
    count_places,
    find_scope,
    list_inner_dimensions,
    number_children,
)
from fabricgen.design.tiers import TierSpec
from fabricgen.kernel.diagnostics import InputError, Path, did_you_mean, fault
from fabricgen.kernel.grouping import group_pairs
from fabricgen.kernel.intervals import Interval, Intervals, count_numbers, list_numbers


class MeshSize(NamedTuple):
    """How many values the dimension of a mesh has in sets of switches that are alike."""

    numbers: int
    """How many values there are in one set."""
    last: int
    """One more than the highest value in use."""
    span: int
    """One more than the highest value with every reserved place."""
    times: int
    """How many sets of switches are alike."""
    held: Intervals
    """The values that exist."""


def list_grid(spec: TierSpec, count: int) -> dict[str, int]:
    """Return the dimensions within a group of `count` switches, with how many lie along each; the last counts
    fastest.
    """
    return {name: width or 1 for name, width in spec.spec.grid.items()} or {spec.name: count}


def find_wider_scope(per: tuple[str, ...]) -> str:
    """Return the narrowest place of `per` that is wider than its scope; `all` if there is none."""
    places = [scope for scope in list_scopes() if scope in per]
    return places[-2] if len(places) > 1 else WHOLE


def list_mesh_sizes(
    layout: Layout, per: tuple[str, ...], sizes: Mapping[str, int], grid: Mapping[str, int], dimension: str
) -> Iterator[MeshSize]:
    """Yield how many values a dimension has in each set of a tier's switches; a set agrees in all other dimensions.

    Sets that are alike are one `MeshSize`, whose `times` counts them in the whole tier. `sizes` has how many values
    each inner dimension has, `grid` how many switches lie along each dimension of the tier's grid.
    """
    inner = {name: sizes[name] for name in list_inner_dimensions(per)}
    if dimension == find_scope(per):
        sets_per_place = prod(inner.values()) * prod(grid.values())
        for children in number_children(layout, dimension, find_wider_scope(per), by_slot=True):
            end_number = children.numbers[-1].end if children.numbers else 0
            existing = children.numbers
            yield MeshSize(
                count_numbers(existing), end_number, children.span, children.places * sets_per_place, existing
            )
        return
    size = (grid if dimension in grid else inner)[dimension]
    switch_sets = count_places(layout, find_scope(per)) * prod(inner.values()) * prod(grid.values())
    yield MeshSize(size, size, size, switch_sets // size, (Interval(0, size),))


def count_ring_neighbours(size: int, reach: int) -> int:
    """Return how many other switches each of `size` switches in a ring meets within `reach` steps."""
    return min(2 * reach, size - 1)


def count_mesh_ports(mesh: MeshSpec, size: int, count: int) -> int:
    """Return the most ports that one switch has for a mesh along a dimension of `size` values; its group has `count`
    switches.
    """
    links = mesh.links.count or 1
    if mesh.pairs:  # ports for all pairs of the table, whether their switches exist or not
        return links * max(Counter(number for pair in mesh.pairs for number in pair[:2]).values())
    if mesh.reach:
        # opposite switches of an even ring meet once, and take no second port
        return links * max(0, count_ring_neighbours(size, mesh.reach))
    links_to_others = max(0, size - 1) * links
    return -(-links_to_others // count) if mesh.spread else links_to_others


def count_mesh_links(tier: TierDesign, mesh: Mesh) -> int:
    """Return the number of links of a tier along one of its dimensions, of a span, or of its pairs."""
    dealt = tier.count if mesh.spread else 1
    return sum(count_meetings(mesh, size) * mesh.links * (size.times // dealt) for size in list_sizes(tier, mesh))


def list_sizes(tier: TierDesign, mesh: Mesh) -> list[MeshSize]:
    """Return how many values the dimension of a mesh has in each set of switches, as `list_mesh_sizes` does; a pair is
    a set of two.
    """
    if mesh.word == "peer":
        return [MeshSize(2, 2, 2, tier.switches // 2, (Interval(0, 2),))]
    return list(list_mesh_sizes(tier.layout, tier.per, tier.sizes, tier.grid, mesh.dimension))


class Meeting(NamedTuple):
    """Two members of a set that meet: `low` and `high` are their positions in the set, the lower one first.

    `low_port` is how many pairs the lower member has before this one: its ports for this pair begin at `low_port *
    links`, by `Mesh.links`. `high_port` is the same for the higher member.
    """

    low: int
    high: int
    low_port: int
    high_port: int


def list_meetings(mesh: Mesh, numbers: Sequence[int]) -> Iterator[Meeting]:
    """Yield the members of a set that meet by the ring or the table of a mesh; nothing for a full mesh, in which all
    meet. `numbers` are the numbers of the members, ascending.

    In a ring each member has two ports a step, forward and back, but only one to the opposite member of an even ring.
    By a table a member has a port for each of its pairs in the table, in their order, whether the other member is there
    or not.
    """
    if mesh.reach:
        size = len(numbers)
        for steps in range(1, min(mesh.reach, size // 2) + 1):
            for value in range(size // 2 if 2 * steps == size else size):
                forward_port, forward_value = 2 * (steps - 1), value + steps
                back_port = forward_port + (2 * steps != size)
                # where the ring closes, the member ahead has the lower position
                yield (
                    Meeting(value, forward_value, forward_port, back_port)
                    if forward_value < size
                    else Meeting(forward_value - size, value, back_port, forward_port)
                )
    position_of_number, ports_by_number = {number: index for index, number in enumerate(numbers)}, Counter[int]()
    for low_number, high_number in mesh.pairs:
        if low_number in position_of_number and high_number in position_of_number:
            yield Meeting(
                position_of_number[low_number],
                position_of_number[high_number],
                ports_by_number[low_number],
                ports_by_number[high_number],
            )
        ports_by_number.update((low_number, high_number))


def count_meetings(mesh: Mesh, size: MeshSize) -> int:
    """Return how many pairs meet in each set of this size."""
    if mesh.pairs or mesh.reach:
        return sum(1 for _ in list_meetings(mesh, list(list_numbers(size.held))))
    return size.numbers * (size.numbers - 1) // 2


def count_mesh_sets(tier: TierDesign, mesh: Mesh) -> int:
    """Return how many sets of nodes there are if each set sends to the next one along a mesh: the nodes of each switch
    are a set, or with `spread` those of each group.
    """
    return tier.groups if mesh.spread else tier.switches


def has_indirect_paths(tier: TierDesign) -> bool:
    """Whether a shortest path between two switches of a tier may have several links of the tier: if it has several
    meshes, a mesh that a table states, or a ring in which not all switches are linked.
    """
    rings = [mesh for mesh in tier.meshes if mesh.reach]
    return (
        len(tier.meshes) > 1
        or any(mesh.pairs for mesh in tier.meshes)
        or any(
            count_ring_neighbours(size.numbers, mesh.reach) < size.numbers - 1
            for mesh in rings
            for size in list_sizes(tier, mesh)
        )
    )


# Cables of links within a tier, where a connector carries several ports: one hangs on each connector of a lower end.
# Ports are numbered as they are wired: a switch has `links` ports for each other number of its dimension, in their
# order, and ports of groups are dealt over the switches of each in turn.


def count_mesh_cables(tier: TierDesign, mesh: Mesh) -> int:
    """Return the number of cables of a tier along one of its dimensions, of a span, or of its pairs."""
    per = mesh.run.links_per_connector
    if per == 1:
        return count_mesh_links(tier, mesh)
    dealt = tier.count if mesh.spread else 1
    return sum(
        size.times // dealt * sum(_count_dealt_connectors(ports, dealt, per) for ports in _list_lower_ports(mesh, size))
        for size in list_sizes(tier, mesh)
    )


def _count_dealt_connectors(ports: Sequence[range], dealt: int, per: int) -> int:
    """Return how many connectors are in use on `dealt` switches if `ports`, ascending ranges, are dealt over them in
    turn. A connector has `per` ports.
    """
    # of the ports of a range, a switch has every `dealt`-th, and counts them anew
    ports_by_switch = (
        [range(-(-(run.start - switch) // dealt), -(-(run.stop - switch) // dealt)) for run in ports]
        for switch in range(dealt)
    )
    return sum(count_connectors(dealt_ports, per) for dealt_ports in ports_by_switch)


def _list_lower_ports(mesh: Mesh, size: MeshSize) -> Iterator[list[range]]:
    """Yield, for each switch of a set, the ranges of its ports to switches of higher numbers, ascending."""
    if mesh.pairs or mesh.reach:
        meetings = list_meetings(mesh, list(list_numbers(size.held)))
        for ports in group_pairs((meeting.low, meeting.low_port) for meeting in meetings).values():
            yield [range(port * mesh.links, (port + 1) * mesh.links) for port in sorted(ports)]
        return
    for number in list_numbers(size.held):
        later_intervals = (
            (max(interval.first, number + 1), interval.end) for interval in size.held if interval.end > number + 1
        )
        # a switch has no ports to itself: those to higher numbers begin one place lower
        yield [
            range((first_number - 1) * mesh.links, (end_number - 1) * mesh.links)
            for first_number, end_number in later_intervals
        ]


def check_meshes(spec: TierSpec) -> None:
    """Raise InputError (FG140) for a mesh along a dimension that its tier does not have, and for a grid that has
    another number of switches than a group.
    """
    tier, grid = spec.spec, list_grid(spec, spec.spec.count or 1)
    if tier.grid:
        if clash := sorted(set(tier.grid) & {*list_dimension_names(), *spec.per, spec.name}):
            message = f"'{clash[0]}' is a dimension already, and names no other in a grid of {spec.name}"
            raise refuse_mesh((*spec.path, "grid", clash[0]), message, "call it row, column or layer")
        in_grid = prod(grid.values())
        if in_grid != tier.count:
            text = " x ".join(map(str, grid.values()))
            stated = f"a group of {spec.name} has {tier.count}" if tier.count else f"{spec.name} states no `count`"
            message = f"a grid of {text} has {in_grid} switches, and {stated}"
            raise refuse_mesh((*spec.path, "grid"), message, f"state `count: {in_grid}`, or another grid")
        if not tier.mesh:
            message = f"nothing says which switches of the grid of {spec.name} meet"
            raise refuse_mesh((*spec.path, "grid"), message, f"add `mesh: {{{next(iter(tier.grid))}: 1}}`")
    if tier.mesh and spec.upper is not None:
        message = f"{spec.name} is linked up to {spec.upper.tier}: only switches with no tier above meet along a `mesh`"
        raise refuse_mesh((*spec.path, "mesh"), message, "take `mesh` away, or say it of the top tier")
    scope = find_scope(spec.per)
    usable = [*((scope,) if scope != WHOLE else ()), *list_inner_dimensions(spec.per), *grid]
    for dimension, mesh in tier.mesh.items():
        path = (*spec.path, "mesh", dimension)
        if dimension not in usable:
            message = f"{spec.name} has no dimension '{dimension}' along which its switches could meet"
            suggestion = did_you_mean(dimension, usable)
            raise refuse_mesh(path, message, suggestion or f"it has {', '.join(usable)}")
        if mesh.spread and dimension in grid:
            message = f"'{dimension}' tells switches of one group of {spec.name} apart, and `spread` joins groups"
            raise refuse_mesh(
                (*path, "spread"), message, f"leave `spread` out, or take {scope} or another of its `per`"
            )


def refuse_mesh(path: Path, message: str, hint: str) -> InputError:
    """Return the error (FG140) for a mesh that cannot be."""
    return fault("FG140", message, path=path, hint=hint)


def list_unmet_dimensions(tier: TierDesign) -> list[str]:
    """Return the dimensions along which no mesh joins the switches of a top tier with meshes.

    Places that it is grouped by are looked at and, if no tier is below, the dimensions of its grid. Rails and planes
    are not, since nodes have ports in each; nor are sites, which are apart on purpose or joined by spans.
    """
    within = [name for name, size in tier.grid.items() if size > 1 and tier.lowest]
    unjoined_places = [
        scope
        for wider, scope in pairwise(list_scopes())
        if scope in tier.per and scope != "site" and count_places(tier.layout, scope) > count_places(tier.layout, wider)
    ]
    return [name for name in (*unjoined_places, *within) if name not in {mesh.dimension for mesh in tier.meshes}]


# What crosses cuts of fabrics whose switches are linked within a tier: the bisection along one of its dimensions.
# The least cut of a HyperX into halves divides one dimension (Ahn et al., SC 2009); that of a dragonfly divides its
# groups or, if global links are many, the switches of each group. Each dimension is cut in its middle, and the least
# cut counts; cuts that follow no dimension are not examined, so that the figure is an upper bound.


def compute_mesh_bisection(tier: TierDesign, nodes_gbps: int, *, per_node: int, lost: int = 0) -> Fraction:
    """Return the least bandwidth, Gb/s each way, between two halves of the nodes below a tier with links within it; 0
    if nothing joins the tier along one of its dimensions other than its scope and its grid.

    `nodes_gbps` is the bandwidth of all node ports, Gb/s. A node has its ports on `per_node` consecutive switches of a
    group, which no cut divides. Each of `lost` lost switches is taken to carry as much across the cut as any other.
    """
    scope = tier.scope if tier.scope != WHOLE else ""
    if set(list_unmet_dimensions(tier)) - {scope, *tier.grid}:
        return Fraction(0)
    grid = tier.grid if tier.lowest else {}
    sizes = {name: size for name, size in grid.items() if _keeps_nodes_whole(tier, name, per_node)}
    sizes |= {scope: tier.places} if scope else {}
    # the bandwidth of links whose ends are in different halves of a dimension
    crossing_gbps = [
        sum(mesh.run.speed_gbps * _count_crossing(tier, mesh, dimension) for mesh in tier.meshes)
        for dimension, size in sizes.items()
        if size > 1
    ]
    fraction_left = max(Fraction(0), 1 - Fraction(2 * lost, tier.switches))
    return min([Fraction(nodes_gbps, 2), *(fraction_left * crossing for crossing in crossing_gbps)])


def _count_crossing(tier: TierDesign, mesh: Mesh, dimension: str) -> int:
    """Return how many links of a mesh cross the middle of a dimension."""
    sizes = list_sizes(tier, mesh)
    if mesh.dimension == dimension:
        set_counts = (size.times // tier.count if mesh.spread else size.times for size in sizes)
        return sum(
            _count_crossing_pairs(mesh, size) * set_count * mesh.links
            for size, set_count in zip(sizes, set_counts, strict=True)
        )
    if not mesh.spread or dimension not in tier.grid:
        return 0
    in_first_half = _list_sides(tier, dimension)
    return sum(_count_between_sides(mesh, size, in_first_half) * (size.times // tier.count) for size in sizes)


def _list_sides(tier: TierDesign, dimension: str) -> list[bool]:
    """Return, for each switch of a group, whether it is in the first half of a dimension of its grid."""
    names = list(tier.grid)
    # neighbours along the dimension are `step` numbers apart in their group
    step, size = prod(tier.grid[name] for name in names[names.index(dimension) + 1 :]), tier.grid[dimension]
    return [index // step % size < size // 2 for index in range(tier.count)]


def _keeps_nodes_whole(tier: TierDesign, dimension: str, per_node: int) -> bool:
    """Whether the middle of a dimension divides no node: a node has ports on `per_node` consecutive switches, and nodes
    follow one another from the first switch of a group on.
    """
    in_first_half = _list_sides(tier, dimension)
    return all(
        len(set(in_first_half[first_switch : first_switch + per_node])) == 1
        for first_switch in range(0, tier.count, per_node)
    )


def _count_crossing_pairs(mesh: Mesh, size: MeshSize) -> int:
    """Return how many pairs are linked that have one switch in the first half of a dimension and one in the second."""
    half = size.numbers // 2
    if mesh.pairs or mesh.reach:
        numbers = list(list_numbers(size.held))
        return sum(meeting.low < half <= meeting.high for meeting in list_meetings(mesh, numbers))
    return half * (size.numbers - half)


def _count_between_sides(mesh: Mesh, size: MeshSize, in_first_half: list[bool]) -> int:
    """Return how many links between groups join switches in different halves of a group. `in_first_half` says of each
    switch of a group whether it is in the first half; the links of a group are dealt over its switches in turn.
    """
    # a group has no ports to itself: those to higher groups begin one place lower
    return sum(
        in_first_half[((higher_group - 1) * mesh.links + link) % len(in_first_half)]
        != in_first_half[(lower_group * mesh.links + link) % len(in_first_half)]
        for lower_group, higher_group in combinations(range(size.numbers), 2)
        for link in range(mesh.links)
    )
