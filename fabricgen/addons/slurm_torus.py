"""slurm-torus/: topology.yaml of Slurm 26.05 with a topology of rings beside the tree and blocks of slurm/; on request.

topology/torus3d has a node in each cell of three dimensions, and places a job in a cuboid that is listed: `x` counts
the nodes of a switch and then the switches of the first dimension, so that cuboids of whole switches are cuboids of
the wired torus. Each region is the nodes of one switch; cells that none takes stay empty, and a cuboid with such a
cell is given to no job. One dimension whose rings have at most 16 nodes is topology/ring, which has no list of sizes.

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
    split_networks,
    write_head,
    write_yaml_lines,
)
from fabricgen.api import ClusterView, InputError, join_hostlist

MOST_RING_NODES = 16
"""Nodes of a ring (ring_record.h: MAX_RING_SIZE)."""
MOST_DIMENSIONS = 3

Shape = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Torus:
    """A network of rings: its name, switches along each dimension, and the nodes at each of its switches."""

    name: str
    switches: Shape
    nodes: dict[Shape, list[str]]

    @property
    def width(self) -> int:
        """The most nodes of a switch."""
        return max(map(len, self.nodes.values()))

    @property
    def is_ring(self) -> bool:
        """Whether it is of one dimension, and Slurm takes it as a ring."""
        return self.switches[1:] == (1, 1) and sum(map(len, self.nodes.values())) <= MOST_RING_NODES


def files(view: ClusterView) -> Iterator[tuple[str, str]]:
    """Yield the file; raises InputError (FG155) where nodes are not on switches that are rings, of three dimensions at
    most.
    """
    leaves = list_leaves(view)
    toruses = list_toruses(view, leaves)
    write = _write_ring_lines if all(torus.is_ring for torus in toruses) else _write_torus_lines
    trees = write_yaml_lines(list_trees(view, leaves), list_blocks(view, leaves))
    yield "topology.yaml", join_lines(write_head(view), ["# from Slurm 26.05"], trees, write(toruses))


def list_toruses(view: ClusterView, leaves: Iterable[Leaf]) -> list[Torus]:
    """The networks as tori; raises InputError (FG155) for one that is none that Slurm knows."""
    place = view.devices.torus
    places_by_node = dict[int, set[str]]()
    for node, switch in zip(view.links.a.tolist(), place[view.links.b].tolist(), strict=True):
        places_by_node.setdefault(node, set()).add(switch)
    return [_read_torus(view, network, places_by_node) for network in split_networks(leaves)]


def _read_torus(view: ClusterView, network: list[Leaf], places_by_node: dict[int, set[str]]) -> Torus:
    # the last group that a leaf is in is the network, by whose name it goes
    names, devices, nodes = view.groups.name, view.places.device, dict[Shape, list[str]]()
    for leaf in network:
        leaf_name = names[leaf.groups[0]]
        places = {place for row in leaf.nodes for place in places_by_node[int(devices[row])] if place}
        if len(places) != 1:
            problem = f"are at {len(places)} places of rings" if places else "are on no switch that is in rings alone"
            raise _refuse(view, f"nodes of {leaf_name} {problem}", "`reach: 1` along each dimension of a `mesh`")
        # a dimension of one switch is none
        steps = [step for step in (tuple(map(int, text.split("/"))) for text in places.pop().split()) if step[1] > 1]
        if len(steps) > MOST_DIMENSIONS:
            raise _refuse(view, f"{leaf_name} is in rings of {len(steps)} dimensions", "three dimensions at most")
        numbers, lengths = zip(*steps, *[(1, 1)] * (MOST_DIMENSIONS - len(steps)), strict=True)
        nodes.setdefault(tuple(number - 1 for number in numbers), []).extend(view.places.node[list(leaf.nodes)])
    return Torus(names[network[0].groups[-1]], lengths, nodes)


def _refuse(view: ClusterView, problem: str, needed: str) -> InputError:
    hint = f"Slurm's ring and torus3d want {needed}; `--only slurm` has the tree and blocks"
    return view.refuse("FG155", f"Slurm cannot be told of a torus: {problem}", path=("fabrics",), hint=hint)


def list_placements(switches: Shape, width: int) -> list[Shape]:
    """A cuboid of nodes for each size that divides the torus evenly, the nearest to a cube of switches, by size.

    Within a switch they are along x. Cuboids of one size lie side by side and fill the torus, so that none overlap.
    """
    whole = [(width * x, y, z) for x, y, z in product(*map(_list_divisors, switches))]
    shapes = sorted(whole, key=lambda shape: (shape[0] // width + shape[1] + shape[2], -shape[0], -shape[1]))
    by_size = {n: (n, 1, 1) for n in _list_divisors(width)}
    for shape in shapes:
        by_size.setdefault(prod(shape), shape)
    return [by_size[size] for size in sorted(by_size)]


def _list_divisors(number: int) -> list[int]:
    return [n for n in range(1, number + 1) if number % n == 0]


def _write_ring_lines(rings: list[Torus]) -> Iterator[str]:
    # the order of the nodes is that of the ring: no short form, which sorts
    yield from ("- topology: ring", "  cluster_default: false", "  ring:", "    rings:")
    for ring in rings:
        nodes = ",".join(node for place in sorted(ring.nodes) for node in ring.nodes[place])
        yield from (f"      - ring: {dumps(ring.name)}", f"        nodes: {dumps(nodes)}")


def _write_torus_lines(toruses: list[Torus]) -> Iterator[str]:
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
