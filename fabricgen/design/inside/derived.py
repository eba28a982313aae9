"""Sizes of meshes that a blueprint leaves out: of a balanced dragonfly, and the widths of a grid.

A dragonfly of groups of a routers, with p node ports and h global links each, is balanced if a = 2p = 2h, and has at
most a h + 1 groups (Kim et al., Technology-Driven, Highly-Scalable Dragonfly Topology, ISCA 2008): a packet takes at
most two local links and a global one, so that each router has twice as many local links as node ports, and as many
global ones. The widths of a regular HyperX are equal, or as near as they can be (Ahn et al., SC 2009).
"""

from collections.abc import Mapping
from dataclasses import replace
from math import prod
from typing import NamedTuple

from fabricgen.blueprint.sections.fabric import Tier
from fabricgen.blueprint.sections.mesh import MeshSpec
from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.inside.meshes import list_mesh_sizes, refuse_mesh
from fabricgen.design.model import Design
from fabricgen.design.shape import find_scope, list_inner_dimensions
from fabricgen.design.tiers import TierSpec
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity


class Balance(NamedTuple):
    """A balanced dragonfly."""

    routers: int
    """Routers of a group."""
    ports: int
    """Node ports of a router, which has as many global links."""
    links: int
    """Links of every two groups."""
    max_groups: int
    """How many groups these links allow."""


def is_derived(mesh: MeshSpec) -> bool:
    """Whether the number of a mesh's links follows from node ports: it joins groups (`spread`) and states no number."""
    return mesh.spread and mesh.links.count is None


def balance_groups(node_ports: int, groups: int, routers: int | None) -> Balance:
    """Return the routers and links of a dragonfly of `groups` groups with `node_ports` node ports each.

    `routers` is the stated number of routers of a group. If it is None, a number is taken that divides the node ports,
    so that each router has equally many.
    """
    # a p = node_ports and a = 2 p: take the divisor whose square is nearest to twice the node ports
    divisors = [divisor for divisor in range(1, node_ports + 1) if node_ports % divisor == 0]
    router_count = routers or min(divisors, key=lambda divisor: abs(divisor * divisor - 2 * node_ports))
    ports_per_router = -(-node_ports // router_count)
    links_per_pair = max(1, router_count * ports_per_router // max(1, groups - 1))
    return Balance(
        router_count, ports_per_router, links_per_pair, router_count * ports_per_router // links_per_pair + 1
    )


def count_node_ports(design: Design, tier: TierDesign) -> int:
    """Return how many ports a switch of a tier has for nodes."""
    feeds = (feed for fabric in design.fabrics for feed in fabric.node_feeds if feed.leaf == tier.key)
    return sum(feed.per_switch for feed in feeds)


def complete_mesh(spec: TierSpec, node_ports: int, sizes: Mapping[str, int]) -> TierSpec:
    """Return a tier with the links and switches of its meshes and the widths of its grid that it does not state.
    `node_ports` counts the node ports of a group; `sizes` has how many values each inner dimension has.

    Raises InputError (FG140) if there is nothing to derive them from, if a balanced dragonfly has fewer groups, or if a
    table of pairs does not fit.
    """
    tier = _complete_grid(spec)
    for name, mesh in tier.mesh.items():
        path = (*spec.path, "mesh", name)
        if mesh.pairs:
            tier = _complete_table(spec, tier, name, sizes)
        if not is_derived(mesh):
            continue
        if not node_ports or name != find_scope(spec.per):
            message = f"how many links every two {name} groups of {spec.name} have follows from node ports alone"
            raise refuse_mesh(path, f"{message}, and it has none there", "state `links`")
        groups = max(size.span for size in list_mesh_sizes(spec.layout, spec.per, sizes, {}, name))
        balance = balance_groups(node_ports, groups, tier.count)
        if groups > balance.max_groups:
            raise refuse_mesh(
                path,
                f"{groups} groups of {balance.routers} {spec.name} switches with {balance.ports} node ports each: a "
                f"balanced dragonfly has as many global links, and {balance.max_groups} groups",
                "take larger groups, or state `links`",
            )
        links = mesh.links.model_copy(update={"count": balance.links})
        meshes = tier.mesh | {name: mesh.model_copy(update={"links": links})}
        tier = tier.model_copy(update={"count": balance.routers, "mesh": meshes})
    return replace(spec, spec=tier)


def _complete_table(spec: TierSpec, tier: Tier, name: str, sizes: Mapping[str, int]) -> Tier:
    """Return a tier with as many switches as the table of a mesh has, if it states no number.

    Raises InputError (FG140) if the table has higher numbers than its dimension, or does not connect all of its
    numbers.
    """
    import networkx as nx  # a fifth of a second that pages without a table do not need

    pairs, path = tier.mesh[name].pairs, (*spec.path, "mesh", name)
    if name == spec.name and not tier.grid and not tier.count:
        tier = tier.model_copy(update={"count": 1 + max(pair.b for pair in pairs)})
    known_dimensions = {*list_inner_dimensions(spec.per), *tier.grid, spec.name, find_scope(spec.per)}
    if name not in known_dimensions:
        return tier  # `check_meshes` refuses an unknown dimension
    grid = {dimension: width or 1 for dimension, width in tier.grid.items()} or {spec.name: tier.count or 1}
    mesh_sizes = (
        list_mesh_sizes(spec.layout, spec.per, sizes, grid, name)
        if name in known_dimensions - {spec.name} | set(grid)
        else ()
    )
    number_count = max((size.span for size in mesh_sizes), default=0)
    if pair_outside := next((pair for pair in pairs if pair.b >= number_count), None):
        message = f"there are {number_count} {name} numbers, and the table has {pair_outside.b + 1}"
        raise InputError([Diagnostic("FG140", Severity.ERROR, message, path, span=pair_outside.span)])
    graph = nx.Graph([pair[:2] for pair in pairs])
    graph.add_nodes_from(range(number_count))
    lowest_joined_numbers = sorted(map(min, nx.connected_components(graph)))
    if len(lowest_joined_numbers) > 1:
        message = f"the table joins {spec.name} switches 1 and {lowest_joined_numbers[1] + 1} in no way"
        raise refuse_mesh((*path, "table"), message, f"let it join all {number_count} of {name}")
    return tier


def _complete_grid(spec: TierSpec) -> Tier:
    """Return a tier with widths for the dimensions of its grid that state none: equal ones, or as near as its count
    allows.

    Raises InputError (FG140) if the count has too few factors.
    """
    tier, open_dimensions = spec.spec, [name for name, width in spec.spec.grid.items() if width is None]
    if not open_dimensions:
        return tier
    stated = prod(width for width in tier.grid.values() if width)
    width_product, remainder = divmod(tier.count or 0, stated)
    widths = find_widths(width_product, len(open_dimensions)) if width_product and not remainder else None
    if not widths:
        number = f"{tier.count} {spec.name} switches of a group" if tier.count else f"{spec.name}, without a `count`,"
        message = f"{number} cannot lie {len(tier.grid)} ways, of which {' and '.join(open_dimensions)} follow"
        raise refuse_mesh((*spec.path, "grid"), message, "state a `count` with as many factors of 2 or more")
    return tier.model_copy(update={"grid": tier.grid | dict(zip(open_dimensions, widths, strict=True))})


def find_widths(number: int, dimensions: int) -> tuple[int, ...] | None:
    """Return the `dimensions` factors of a number, each 2 or more, ascending, whose sum is least; None if it has too
    few.
    """
    if dimensions == 1:
        return (number,) if number > 1 else None
    candidates = [
        (first_width, *further_widths)
        for first_width in range(2, int(number ** (1 / dimensions) + 1e-9) + 1)
        if number % first_width == 0
        and (further_widths := find_widths(number // first_width, dimensions - 1))
        and further_widths[0] >= first_width
    ]
    return min(candidates, key=sum, default=None)
