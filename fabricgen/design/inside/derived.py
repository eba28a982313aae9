"""Sizes of meshes that a blueprint leaves out: of a balanced dragonfly, and widths of a grid.

A dragonfly of a routers a group, with p node ports and h global links each, is balanced where a = 2p = 2h, and has at
most a h + 1 groups (Kim et al., Technology-Driven, Highly-Scalable Dragonfly Topology, ISCA 2008): a packet takes at
most two local links and a global one, so that each router has twice as many local links as node ports, and as many
global ones. The widths of a regular HyperX are equal, or as near as they can be (Ahn et al., SC 2009).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import prod
from typing import NamedTuple

from fabricgen.blueprint.sections.fabric import Tier
from fabricgen.blueprint.sections.mesh import MeshSpec
from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.inside.meshes import list_mesh_sizes, refuse_mesh
from fabricgen.design.model import Design
from fabricgen.design.shape import find_scope
from fabricgen.design.tiers import TierSpec
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity


class Balance(NamedTuple):
    """A balanced dragonfly: routers of a group, node ports and so global links of each, links of every two groups, and
    the most groups that these allow.
    """

    routers: int
    ports: int
    links: int
    most_groups: int


def is_derived(mesh: MeshSpec) -> bool:
    """Whether the number of its links follows from node ports: groups that are spread, of which none is stated."""
    return mesh.spread and mesh.links.count is None


def balance_groups(node_ports: int, groups: int, routers: int | None) -> Balance:
    """Routers and links of `groups` groups of a dragonfly that have so many node ports each; `routers` where stated.

    Routers that do not divide the node ports of a group are not taken, so that each has as many.
    """
    # a p = node_ports and a = 2 p: of what divides them, the nearest to the root of twice as many
    divisors = [number for number in range(1, node_ports + 1) if node_ports % number == 0]
    count = routers or min(divisors, key=lambda number: abs(number * number - 2 * node_ports))
    ports = -(-node_ports // count)
    links = max(1, count * ports // max(1, groups - 1))
    return Balance(count, ports, links, count * ports // links + 1)


def count_node_ports(design: Design, tier: TierDesign) -> int:
    """Ports of a switch of a tier for nodes."""
    feeds = (feed for fabric in design.fabrics for feed in fabric.node_feeds if feed.leaf == tier.key)
    return sum(feed.per_switch for feed in feeds)


def complete_mesh(spec: TierSpec, node_ports: int, sizes: Mapping[str, int]) -> TierSpec:
    """A tier with the links, switches and widths of its meshes that it leaves out; `node_ports` are those of a group.

    Raises InputError (FG140) where there is nothing to derive them from.
    """
    tier = _share_out_grid(spec)
    for name, mesh in tier.mesh.items():
        path = (*spec.path, "mesh", name)
        if mesh.pairs:
            tier = _check_pairs(spec, tier, name, sizes)
        if not is_derived(mesh):
            continue
        if not node_ports or name != find_scope(spec.per):
            message = f"how many links every two {name} groups of {spec.name} have follows from node ports alone"
            raise refuse_mesh(path, f"{message}, and it has none there", "state `links`")
        groups = max(size.span for size in list_mesh_sizes(spec.layout, spec.per, sizes, {}, name))
        balance = balance_groups(node_ports, groups, tier.count)
        if groups > balance.most_groups:
            raise refuse_mesh(
                path,
                f"{groups} groups of {balance.routers} {spec.name} switches with {balance.ports} node ports each: a "
                f"balanced dragonfly has as many global links, and {balance.most_groups} groups",
                "take larger groups, or state `links`",
            )
        links = mesh.links.model_copy(update={"count": balance.links})
        meshes = tier.mesh | {name: mesh.model_copy(update={"links": links})}
        tier = tier.model_copy(update={"count": balance.routers, "mesh": meshes})
    return replace(spec, spec=tier)


def _check_pairs(spec: TierSpec, tier: Tier, name: str, sizes: Mapping[str, int]) -> Tier:
    """A tier with as many switches as the table of a mesh has, where it states none.

    Raises InputError (FG140) where the table has more numbers than its dimension, or leaves switches apart.
    """
    import networkx as nx  # a fifth of a second that pages without a table do not need

    pairs, path = tier.mesh[name].pairs, (*spec.path, "mesh", name)
    if name == spec.name and not tier.grid and not tier.count:
        tier = tier.model_copy(update={"count": 1 + max(pair.b for pair in pairs)})
    known = {name, *sizes, *tier.grid, spec.name, find_scope(spec.per)}
    if name not in known:
        return tier  # `check_meshes` says what the tier has
    grid = {key: width or 1 for key, width in tier.grid.items()} or {spec.name: tier.count or 1}
    along = list_mesh_sizes(spec.layout, spec.per, sizes, grid, name) if name in known - {spec.name} | set(grid) else ()
    span = max((size.span for size in along), default=0)
    if beyond := next((pair for pair in pairs if pair.b >= span), None):
        message = f"there are {span} {name} numbers, and the table has {beyond.b + 1}"
        raise InputError([Diagnostic("FG140", Severity.ERROR, message, path, span=beyond.span)])
    graph = nx.Graph([pair[:2] for pair in pairs])
    graph.add_nodes_from(range(span))
    apart = sorted(map(min, nx.connected_components(graph)))
    if len(apart) > 1:
        message = f"the table joins {spec.name} switches 1 and {apart[1] + 1} in no way"
        raise refuse_mesh((*path, "table"), message, f"let it join all {span} of {name}")
    return tier


def _share_out_grid(spec: TierSpec) -> Tier:
    """A tier with equal widths of the dimensions of its grid that states none, or as near as its count allows."""
    tier, open_dimensions = spec.spec, [name for name, width in spec.spec.grid.items() if width is None]
    if not open_dimensions:
        return tier
    stated = prod(width for width in tier.grid.values() if width)
    left, rest = divmod(tier.count or 0, stated)
    widths = find_widths(left, len(open_dimensions)) if left and not rest else None
    if not widths:
        number = f"{tier.count} {spec.name} switches of a group" if tier.count else f"{spec.name}, without a `count`,"
        message = f"{number} cannot lie {len(tier.grid)} ways, of which {' and '.join(open_dimensions)} follow"
        raise refuse_mesh((*spec.path, "grid"), message, "state a `count` with as many factors of 2 or more")
    return tier.model_copy(update={"grid": tier.grid | dict(zip(open_dimensions, widths, strict=True))})


def find_widths(number: int, dimensions: int) -> tuple[int, ...] | None:
    """Factors of a number, of 2 or more and ascending, whose sum is least; None where it has not so many."""
    if dimensions == 1:
        return (number,) if number > 1 else None
    found = [
        (first, *others)
        for first in range(2, int(number ** (1 / dimensions) + 1e-9) + 1)
        if number % first == 0 and (others := find_widths(number // first, dimensions - 1)) and others[0] >= first
    ]
    return min(found, key=sum, default=None)
