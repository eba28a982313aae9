"""Cables of links within a tier, where a connector carries several ports: one hangs on each connector of a lower end.

Ports are numbered as they are wired: a switch has `links` ports for each other number of its dimension, in their order,
and ports of groups are dealt over the switches of each in turn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.inside.links import Mesh
from fabricgen.design.inside.meshes import MeshSize, count_mesh_links, list_sizes
from fabricgen.kernel.intervals import Interval


def count_mesh_cables(tier: TierDesign, mesh: Mesh) -> int:
    """The cables of a tier along one of its dimensions."""
    per = mesh.run.per_connector
    if per == 1:
        return count_mesh_links(tier, mesh)
    dealt = tier.count if mesh.spread else 1
    return sum(
        size.times // dealt * sum(_count_connectors(ports, dealt, per) for ports in _list_lower_ports(mesh, size))
        for size in list_sizes(tier, mesh)
    )


def _count_connectors(ports: Iterable[range], dealt: int, per: int) -> int:
    """Connectors of `per` ports on which some ports lie, ascending ranges that are dealt over so many switches."""
    held = list(ports)
    total = 0
    for switch in range(dealt):
        last = -1
        for run in held:
            # of the ports of a run, those of this switch: numbers that leave its own, over the number of switches
            first, end = -(-(run.start - switch) // dealt), -(-(run.stop - switch) // dealt)
            if first < end:
                total += (end - 1) // per - max(first // per - 1, last)
                last = (end - 1) // per
    return total


def _list_lower_ports(mesh: Mesh, size: MeshSize) -> Iterator[list[range]]:
    """The ports of each switch of a set to switches that come after it, ascending."""
    held = size.held or (Interval(0, size.last),)
    if mesh.pairs or mesh.reach:
        for pair_ports in _list_ring(mesh, size.numbers) if mesh.reach else _list_table(mesh, size):
            yield [range(port * mesh.links, (port + 1) * mesh.links) for port in sorted(pair_ports)]
        return
    for number in (number for run in held for number in range(run.first, run.end)):
        after = ((max(run.first, number + 1), run.end) for run in held if run.end > number + 1)
        yield [range((first - 1) * mesh.links, (end - 1) * mesh.links) for first, end in after]


def _list_table(mesh: Mesh, size: MeshSize) -> Iterator[list[int]]:
    """By switch, its ports in pairs of a table in which it comes first; those of switches that come later are kept."""
    taken: Counter[int] = Counter()
    ports: dict[int, list[int]] = {}
    for a, b in mesh.pairs:
        if size.has_pair((a, b)):
            ports.setdefault(a, []).append(taken[a])
        taken.update((a, b))
    yield from ports.values()


def _list_ring(mesh: Mesh, size: int) -> Iterator[list[int]]:
    """By switch, its ports to those further on in a ring: two a step, but one to what is opposite."""
    ports: dict[int, list[int]] = {}
    for step in range(1, min(mesh.reach, size // 2) + 1):
        for value in range(size // 2 if 2 * step == size else size):
            forward = 2 * (step - 1)
            back, far = forward + (2 * step != size), value + step
            lower, port = (value, forward) if far < size else (far - size, back)
            ports.setdefault(lower, []).append(port)
    yield from ports.values()
