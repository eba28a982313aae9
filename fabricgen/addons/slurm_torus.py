"""slurm-torus/: topology.yaml of Slurm 26.05 with a topology of rings beside the tree and blocks of slurm/; on request.

topology/torus3d has a node in each cell of three dimensions, and places a job in a listed cuboid: `x` counts the nodes
of a switch and then the switches of the first dimension, so that cuboids of whole switches are cuboids of the wired
torus. Each region is the nodes of one switch; cells without a node stay empty, and a cuboid with such a cell is given
to no job. One dimension whose rings have at most 16 nodes is topology/ring, which has no list of sizes.

Sources: github.com/SchedMD/slurm@56fe8678 (26.05.3): doc/man/man5/topology.yaml.5, doc/html/topology.shtml,
src/plugins/topology/torus3d/torus3d_record.c (_validate_regions_config, _build_placement_anchors: anchors are as far
apart as a cuboid is wide; _detect_placement_overlaps), eval_nodes_torus3d.c (sizes that are not listed are refused,
_check_anchor), src/plugins/topology/ring/ring_record.c and ring_record.h (MAX_RING_SIZE),
src/plugins/data_parser/v0.0.45/parsers.c (keys).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from json import dumps
from math import prod

from fabricgen.addons.slurm import (
    Leaf,
    join_lines,
    list_blocks,
    list_leaves,
    list_trees,
    write_head,
    write_yaml_lines,
)
from fabricgen.api import ClusterView, InputError, join_hostlist

MOST_RING_NODES = 16
"""The most nodes of a ring (ring_record.h: MAX_RING_SIZE)."""
MOST_DIMENSIONS = 3

Shape = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Torus:
    """A torus of switches, or a ring: its name, the number of switches along each dimension, and the nodes at each
    switch.

    `nodes` is by the position of the switch, counted from 0 along each dimension. In a scale-up domain each node stands
    for a switch of its own.
    """

    name: str
    switches: Shape
    nodes: dict[Shape, list[str]]

    @property
    def width(self) -> int:
        """The number of nodes at the switch that has most."""
        return max(map(len, self.nodes.values()))

    @property
    def is_ring(self) -> bool:
        """Whether it has one dimension without gaps, and Slurm accepts it as a ring."""
        nodes = sum(map(len, self.nodes.values()))
        return self.switches[1:] == (1, 1) and len(self.nodes) == self.switches[0] and nodes <= MOST_RING_NODES


def files(view: ClusterView) -> Iterator[tuple[str, str]]:
    """Yield the file; raises InputError (FG155) if nodes are in no rings, or in more than three dimensions."""
    leaves = list_leaves(view)
    toruses = list_toruses(view, leaves)
    write = _write_ring_lines if all(torus.is_ring for torus in toruses) else _write_torus_lines
    trees = write_yaml_lines(list_trees(view, leaves), list_blocks(view, leaves))
    yield "topology.yaml", join_lines(write_head(view), ["# from Slurm 26.05"], trees, write(toruses))


def list_toruses(view: ClusterView, leaves: Iterable[Leaf]) -> list[Torus]:
    """Return the scale-up domains that are tori of nodes, or else the networks that are tori of switches.

    The position of a node is its own in the rings of its domain, else that of its switches in theirs. Raises InputError
    (FG155) for a node that is in no ring, at several positions, or in rings of more than three dimensions.
    """
    position_of_device, devices, toruses = view.devices.torus, view.places.device, dict[str, Torus]()
    positions_by_node = dict[int, set[str]]()
    for node, switch in zip(view.links.a.tolist(), position_of_device[view.links.b].tolist(), strict=True):
        positions_by_node.setdefault(node, set()).add(switch)
    for leaf, row in ((switch, row) for switch in leaves for row in switch.nodes):
        node, own_position = view.places.node[row], position_of_device[devices[row]]
        positions = {own_position} if own_position else positions_by_node[int(devices[row])] - {""}
        if len(positions) != 1:
            problem = (
                f"is at {len(positions)} places of rings" if positions else "is on no switch that is in rings alone"
            )
            raise _make_refusal(view, f"{node} {problem}", "`reach: 1` along each dimension of a `mesh`")
        # a position is `3/4 1/8`: number and length of each ring. A dimension with a single switch does not count
        steps = [step for step in (tuple(map(int, text.split("/"))) for text in positions.pop().split()) if step[1] > 1]
        if len(steps) > MOST_DIMENSIONS:
            raise _make_refusal(view, f"{node} is in rings of {len(steps)} dimensions", "three dimensions at most")
        numbers, lengths = zip(*steps, *[(1, 1)] * (MOST_DIMENSIONS - len(steps)), strict=True)
        # the last group that a leaf is in is the network; of a domain there may be but one node
        name = (view.places.domain[row] or node) if own_position else view.groups.name[leaf.groups[-1]]
        torus = toruses.setdefault(name, Torus(name, lengths, {}))
        torus.nodes.setdefault(tuple(number - 1 for number in numbers), []).append(node)
    return list(toruses.values())


def _make_refusal(view: ClusterView, problem: str, needed: str) -> InputError:
    return view.refuse(
        "FG155",
        f"Slurm cannot be told of a torus: {problem}",
        path=("fabrics",),
        hint=f"Slurm's ring and torus3d want {needed}; `--only slurm` has the tree and blocks",
    )


def list_placements(switches: Shape, width: int) -> list[Shape]:
    """Return the cuboids (x, y, z; in nodes) in which jobs are placed, ascending by size: one for each size that fits.

    `switches` is the shape of the torus, whose switches have up to `width` nodes each, counted along x. A cuboid
    divides the torus evenly, so that copies of it fill the torus without overlap; of several cuboids of one size, that
    nearest to a cube of switches is taken.
    """
    cuboids = [(width * x, y, z) for x, y, z in product(*map(_list_divisors, switches))]
    shapes = sorted(cuboids, key=lambda shape: (shape[0] // width + shape[1] + shape[2], -shape[0], -shape[1]))
    by_size = {n: (n, 1, 1) for n in _list_divisors(width)}
    for shape in shapes:
        by_size.setdefault(prod(shape), shape)
    return [by_size[size] for size in sorted(by_size)]


def _list_divisors(number: int) -> list[int]:
    return [n for n in range(1, number + 1) if number % n == 0]


def _write_ring_lines(rings: list[Torus]) -> Iterator[str]:
    """Yield the lines of rings. Nodes are written out in the order of the ring; Slurm's short form of names would sort
    them.
    """
    yield from ("- topology: ring", "  cluster_default: false", "  ring:", "    rings:")
    for ring in rings:
        nodes = ",".join(node for place in sorted(ring.nodes) for node in ring.nodes[place])
        yield from (f"      - ring: {dumps(ring.name)}", f"        nodes: {dumps(nodes)}")


def _write_torus_lines(toruses: list[Torus]) -> Iterator[str]:
    """Yield the lines of tori: their dimensions, the nodes of each switch, and the cuboids for jobs."""
    yield from ("- topology: torus3d", "  cluster_default: false", "  torus3d:", "    toruses:")
    for torus in toruses:
        x, y, z = torus.switches
        yield from (f"      - name: {dumps(torus.name)}", f"        dims: {_write_xyz(torus.width * x, y, z)}")
        yield "        regions:"
        for (x, y, z), nodes in sorted(torus.nodes.items(), key=lambda item: item[0][::-1]):
            yield f"          - anchor: {_write_xyz(torus.width * x, y, z)}"
            yield f"            dims: {_write_xyz(len(nodes), 1, 1)}"
            yield f"            nodes: {dumps(join_hostlist(nodes))}"
        yield "        placements:"
        yield from (f"          - dims: {_write_xyz(*shape)}" for shape in list_placements(torus.switches, torus.width))


def _write_xyz(x: int, y: int, z: int) -> str:
    return f"{{x: {x}, y: {y}, z: {z}}}"
