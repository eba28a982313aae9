"""Links inside a tier as columns: which switches meet, of pairs, over a span or along a dimension, by which ports."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.inside.links import Mesh
from fabricgen.design.inside.meshes import find_wider_scope, list_meetings
from fabricgen.design.shape import find_place_number, list_inner_dimensions, number_places
from fabricgen.wiring.arrays import Ints
from fabricgen.wiring.links.columns import make_tier_columns


class MeshLinks(NamedTuple):
    """Links within a tier: rows of both ends in it, and numbers of their ports in the run that they are of; int32,
    length links.
    """

    a: Ints
    a_port: Ints
    b: Ints
    b_port: Ints


def join_mesh(tier: TierDesign, mesh: Mesh) -> MeshLinks:
    """Return the links within a tier that a word of the blueprint asks for, such as `peer`, set by set of switches."""
    joined = [_join_set(switches, numbers, tier, mesh) for switches, numbers in list_sets(tier, mesh)]
    columns = zip(*joined, strict=True) if joined else ((np.empty(0, dtype=np.int32),),) * 4
    return MeshLinks(*(np.concatenate(parts).astype(np.int32) for parts in columns))


def list_sets(tier: TierDesign, mesh: Mesh) -> Iterator[tuple[Ints, Ints]]:
    """Yield (switches, numbers) of each place within which switches of a tier are joined to each other.

    `switches` are rows of the tier, int32 (sets, values): each row is a set of switches that differ in one dimension
    only, by whose values pairs of them meet. `numbers` are these values, int32 (values,), ascending. With `spread`
    groups meet, and the first switch of each stands for it.
    """
    if mesh.word == "peer":
        # the two switches of a pair follow each other in the tier
        yield np.arange(tier.switches, dtype=np.int32).reshape(-1, 2), np.arange(2, dtype=np.int32)
        return
    inner = [tier.sizes[dimension] for dimension in list_inner_dimensions(tier.per)]
    grid = list(tier.grid.values())
    rows = np.arange(tier.switches, dtype=np.int32).reshape(tier.places, *inner, *grid)
    if mesh.spread:
        # a group is told by its first switch
        rows = rows.reshape(tier.places, *inner, tier.count)[..., 0]
    if mesh.dimension != tier.scope:
        axis = 1 + [*list_inner_dimensions(tier.per), *tier.grid].index(mesh.dimension)
        size = rows.shape[axis]
        yield np.moveaxis(rows, axis, -1).reshape(-1, size), np.arange(size, dtype=np.int32)
        return
    wider = find_wider_scope(tier.per)
    # coordinates of one switch of each place
    coordinates = {name: column[:: tier.per_place] for name, column in make_tier_columns(tier).items()}
    wider_place = np.broadcast_to(find_place_number(tier.layout, wider, coordinates), tier.places)
    numbers = np.array(number_places(tier.layout, tier.scope, wider), dtype=np.int32)
    for place in range(int(wider_place.max()) + 1):
        inside = np.flatnonzero(wider_place == place)
        inside = inside[np.argsort(numbers[inside], kind="stable")]
        yield rows[inside].reshape(len(inside), -1).T, numbers[inside]


def _join_set(switches: Ints, numbers: Ints, tier: TierDesign, mesh: Mesh) -> MeshLinks:
    """Return the links between the switches of each set: set by set, then by pair of switches.

    `switches` are int32 of shape (sets, values); `numbers` are those of the values in the dimension, by which pairs
    meet.
    """
    if mesh.pairs or mesh.reach:
        meetings = list(list_meetings(mesh, numbers.tolist()))
        lower, higher, lower_port, higher_port = np.array(meetings, dtype=np.int32).reshape(-1, 4).T
    else:
        # a switch has a port for every number but its own, in their order, whether there is such a switch or not
        lower, higher = (ends.astype(np.int32) for ends in np.triu_indices(len(numbers), 1))
        lower_port, higher_port = numbers[higher] - 1, numbers[lower]
    link = np.arange(mesh.links, dtype=np.int32)
    # axes: set, pair of values, link of the pair
    a, b = (np.repeat(switches[:, end, None], mesh.links, axis=2) for end in (lower, higher))
    a_port, b_port = (
        np.broadcast_to(first_port + port[:, None] * mesh.links + link, a.shape)
        for first_port, port in zip(mesh.first_ports, (lower_port, higher_port), strict=True)
    )
    if mesh.spread:
        # links of a group are dealt over its switches in turn, so that a further group moves none
        a, b = a + a_port % tier.count, b + b_port % tier.count
        a_port, b_port = a_port // tier.count, b_port // tier.count
    return MeshLinks(*(column.reshape(-1).astype(np.int32) for column in (a, a_port, b, b_port)))
