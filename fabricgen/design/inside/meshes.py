"""Links within a tier: which of its switches meet, how many ports that takes, and how many links there are.

Two switches meet in a dimension if they differ in it and agree in all other dimensions of their tier: full meshes of
groups, the dimensions of a HyperX (Ahn et al., SC 2009), rings and tori. With `spread` whole groups meet, and their
links are dealt over their switches: the global links of a dragonfly (Kim et al., ISCA 2008).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import prod
from typing import NamedTuple

from fabricgen.blueprint.dimensions import WHOLE, list_dimension_names, list_scopes
from fabricgen.blueprint.sections.mesh import MeshSpec
from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.inside.links import Mesh
from fabricgen.design.layout import Layout
from fabricgen.design.ports import PortDemand, PortKind, PortRun
from fabricgen.design.shape import (
    count_places,
    count_places_in_pod,
    find_depth,
    find_scope,
    list_inner_dimensions,
    number_children,
    number_places,
)
from fabricgen.design.tiers import TierSpec
from fabricgen.kernel.diagnostics import InputError, Path, did_you_mean, fault
from fabricgen.kernel.intervals import Interval, Intervals, count_numbers


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
    held: Intervals = ()
    """The values that exist; () if all values below `last` do."""

    def has_pair(self, pair: tuple[int, int]) -> bool:
        """Whether there are switches of both numbers."""
        held = self.held or (Interval(0, self.last),)
        return all(any(run.first <= number < run.end for run in held) for number in pair)


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
    """Yield how many values a dimension has in each set of a tier's switches that agree in all other dimensions;
    `times` also counts the inner dimensions of groups and the grid.
    """
    inner = {name: sizes[name] for name in list_inner_dimensions(per)}
    if dimension == find_scope(per):
        sets_per_place = prod(inner.values()) * prod(grid.values())
        for children in number_children(layout, dimension, find_wider_scope(per), by_slot=True):
            last = children.numbers[-1].end if children.numbers else 0
            held = children.numbers
            yield MeshSize(count_numbers(held), last, children.span, children.places * sets_per_place, held)
        return
    size = (grid if dimension in grid else inner)[dimension]
    switch_sets = count_places(layout, find_scope(per)) * prod(inner.values()) * prod(grid.values())
    yield MeshSize(size, size, size, switch_sets // size)


def count_ring_neighbours(size: int, reach: int) -> int:
    """Return how many other switches each of `size` switches in a ring meets within `reach` steps."""
    return min(2 * reach, size - 1)


def count_mesh_ports(mesh: MeshSpec, size: int, count: int) -> int:
    """Return the most ports that a switch of a group of `count` has for a mesh along `size` values."""
    links = mesh.links.count or 1
    if mesh.pairs:  # ports for all pairs of the table, whether their switches exist or not
        return links * max(Counter(number for pair in mesh.pairs for number in pair[:2]).values())
    if mesh.reach:
        # opposite switches of an even ring meet once, and take no second port
        return links * max(0, count_ring_neighbours(size, mesh.reach))
    links_to_others = max(0, size - 1) * links
    return -(-links_to_others // count) if mesh.spread else links_to_others


def count_mesh_links(tier: TierDesign, mesh: Mesh) -> int:
    """Return the number of links of a tier along one of its dimensions."""
    return sum(_count_links_of_size(mesh, size, tier.count) for size in list_sizes(tier, mesh))


def list_sizes(tier: TierDesign, mesh: Mesh) -> list[MeshSize]:
    """Return how many values the dimension of a mesh has in each set of switches, as `list_mesh_sizes` does."""
    return list(list_mesh_sizes(tier.layout, tier.per, tier.sizes, tier.grid, mesh.dimension))


def _count_links_of_size(mesh: Mesh, size: MeshSize, count: int) -> int:
    """Return the number of links of the sets of switches of one size, in groups of `count` switches."""
    if mesh.pairs:
        return sum(map(size.has_pair, mesh.pairs)) * mesh.links * size.times
    neighbours = count_ring_neighbours(size.numbers, mesh.reach) if mesh.reach else size.numbers - 1
    pairs = max(0, size.numbers * neighbours) // 2
    return pairs * mesh.links * (size.times // count if mesh.spread else size.times)


def count_mesh_sets(tier: TierDesign, mesh: Mesh) -> int:
    """Return how many neighbours send to the next along a mesh: groups if their links are spread, else switches."""
    return tier.groups if mesh.spread else tier.switches


def has_indirect_paths(tier: TierDesign) -> bool:
    """Whether shortest paths between switches of a tier can have several of its links: along several dimensions, or
    around a ring.
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


def count_links_between_pods(tier: TierDesign, mesh: Mesh) -> Iterator[tuple[int, int, int]]:
    """Yield (pod, pod, links) of a tier along one of its dimensions, by the numbers of pods from 0. All links of a tier
    wider than a pod are counted between pods 0 and 0.
    """
    pods = len(tier.layout.pods)
    if find_depth(tier.scope) < find_depth("pod"):
        yield 0, 0, count_mesh_links(tier, mesh)
    elif mesh.dimension == "pod":
        wider = find_wider_scope(tier.per)
        numbers = number_places(tier.layout, "pod", wider)
        places = [pod.site if wider == "site" else "" for pod in tier.layout.pods]
        between = mesh.links * (tier.per_place // tier.count if mesh.spread else tier.per_place)
        for place in dict.fromkeys(places):
            members = sorted((pod for pod in range(pods) if places[pod] == place), key=lambda pod: numbers[pod])
            for low, high in combinations(range(len(members)), 2):
                steps = min(high - low, len(members) - high + low)
                pair = numbers[members[low]], numbers[members[high]]
                if pair in mesh.pairs if mesh.pairs else not mesh.reach or steps <= mesh.reach:
                    yield members[low], members[high], between
    elif tier.scope == mesh.dimension and find_wider_scope(tier.per) == "pod":
        for pod, size in enumerate(list_sizes(tier, mesh)):
            yield pod, pod, _count_links_of_size(mesh, size, tier.count)
    else:
        links = count_mesh_links(tier, mesh)
        for number, pod_of_tier in enumerate(tier.layout.pods):
            # all places have equally many links inside
            places_of_pod = count_places_in_pod(tier.layout, tier.scope, pod_of_tier.su)
            yield number, number, links * places_of_pod // tier.places


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


def demand_mesh_ports(
    spec: TierSpec, sizes: Mapping[str, int], count: int, default_kind: PortKind
) -> tuple[PortDemand, ...]:
    """Return the ports of each of `count` switches of a group for the meshes of its tier, in the order of
    `order_meshes`.

    A mesh that states no speed has that of `default_kind`.
    """
    demands = []
    for dimension, mesh in order_meshes(spec):
        mesh_sizes = list(list_mesh_sizes(spec.layout, spec.per, sizes, list_grid(spec, count), dimension))
        used = max((count_mesh_ports(mesh, size.last, count) for size in mesh_sizes), default=0)
        numbered = max((count_mesh_ports(mesh, size.span, count) for size in mesh_sizes), default=0)
        kind = default_kind._replace(speed_gbps=mesh.links.speed_gbps or default_kind.speed_gbps)
        demands.append(PortDemand(kind, used, None, numbered, last=True))
    return tuple(demands)


def order_meshes(spec: TierSpec) -> list[tuple[str, MeshSpec]]:
    """Return the meshes of a tier in the order in which they take ports: the mesh along its places, which grows, comes
    last.
    """
    return sorted(spec.spec.mesh.items(), key=lambda name_and_mesh: name_and_mesh[0] == find_scope(spec.per))


def make_meshes(spec: TierSpec, runs: Sequence[PortRun], demands: Sequence[PortDemand]) -> tuple[Mesh, ...]:
    """Return the links within a sized tier along its dimensions; the last of `runs`, the ports for links inside the
    tier, are those of its meshes.
    """
    meshes = order_meshes(spec)
    first_mesh = len(runs) - len(meshes)
    return tuple(
        Mesh(
            dimension=dimension,
            links=mesh.links.count or 1,
            reach=mesh.reach or 0,
            spread=mesh.spread,
            run=run,
            max_links=demand.needed,
            path=(*spec.path, "mesh", dimension),
            pairs=tuple(pair[:2] for pair in mesh.pairs),
        )
        for (dimension, mesh), run, demand in zip(meshes, runs[first_mesh:], demands[first_mesh:], strict=True)
    )


def list_unmet_dimensions(tier: TierDesign) -> list[str]:
    """Return the dimensions of a top tier with meshes that nothing joins: no links along them, no tier below, and no
    nodes, which have ports in every rail and plane. Sites are left out: they are apart on purpose, or joined by
    spans.
    """
    within = [name for name, size in tier.grid.items() if size > 1 and tier.lowest]
    places = [scope for scope in list_scopes() if scope in tier.per and scope != "site"]
    unjoined_places = [
        scope
        for scope in places
        if count_places(tier.layout, scope) > count_places(tier.layout, _find_next_wider(scope))
    ]
    return [name for name in (*unjoined_places, *within) if name not in {mesh.dimension for mesh in tier.meshes}]


def _find_next_wider(scope: str) -> str:
    """Return the next wider place than a scope."""
    return list_scopes()[list_scopes().index(scope) - 1]
