"""Shapes of fabrics: which are tried, which of them are alike, and how many nodes each can carry.

Closed forms prune before anything is compiled. With D down ports and U uplinks of a leaf, and R ports of a switch, a
spine group takes as many leaves as a spine has ports for, since each leaf has a link to every spine. So two tiers carry
D x R ports, and three tiers D x (down ports of a spine) x R; without oversubscription these are R^2/2 and R^3/4
(Al-Fares et al., SIGCOMM 2008).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from fabricgen.size.hardware import MOST_NODES, Hardware, Ports, Shape, count_nodes
from fabricgen.size.meshed import list_meshed_shapes


def count_most_nodes(shape: Shape, hardware: Hardware) -> int:
    """Return the most nodes that a shape can carry by the arithmetic of ports; 0 if it can carry no unit."""
    ports = hardware.find_ports(shape.switch, shape.planes)
    if isinstance(ports, str):
        return 0
    if shape.form != "clos":
        return shape.unit * shape.widths[0] if shape.widths else 0
    spare, legs = hardware.wishes.spare_ports, shape.rails * ports.legs
    if shape.tiers == 1:
        return (ports.count_most_down(None) - spare) // legs
    down = ports.count_most_down(shape.ratio, spare)
    leaf_nodes = hardware.in_rack if shape.attach == "tor" else shape.unit
    leaves = -(-leaf_nodes * legs // down) if down else 0
    if not leaves:
        return 0
    # of a unit: groups of leaves with spines of their own
    groups = 1 if shape.meet == "spine" else hardware.rails // shape.rails
    joined = hardware.rails // shape.rails // groups  # leaf groups of a unit that a spine serves
    leaves_below = leaves * joined
    if shape.tiers == 2:
        return ports.count_most_above(top=True) // leaves_below * leaf_nodes
    pod_leaves = shape.pod * (shape.unit // leaf_nodes) * leaves_below
    spines = _count_spines(
        pod_leaves, ports.count_uplinks(min(down, leaf_nodes * legs), shape.ratio), ports.count_most_above(top=False)
    )
    if not spines:
        return 0
    spine_groups = groups if shape.meet == "core" else 1  # of a pod, below one core
    pods = ports.count_most_above(top=True) // (spine_groups * (1 if shape.by_spine else spines))
    return pods * shape.pod * shape.unit


def find_likeness(shape: Shape, hardware: Hardware, nodes: int) -> tuple[object, ...]:
    """Return a key of a shape: shapes of equal keys take equal switches and links in each tier for `nodes` nodes.

    A leaf for 64 nodes of one rail and one for 32 nodes of two rails have the same ports in use.
    """
    ports = hardware.find_ports(shape.switch, shape.planes)
    legs = shape.rails * (ports.legs if isinstance(ports, Ports) else 1)
    if shape.form != "clos":
        return (shape.form, shape.switch, shape.planes, shape.unit * legs, shape.widths, shape.links, shape.meet == "")
    shape_key = (shape.tiers, shape.switch, shape.planes, shape.ratio, shape.attach == "tor", shape.ready)
    groups = hardware.rails // shape.rails
    if shape.tiers == 1:
        return (*shape_key, nodes * legs, groups)
    # the nodes of one leaf of each rail: those of a rack, or of a unit
    leaf_nodes = hardware.in_rack if shape.attach == "tor" else shape.unit
    joined = groups if shape.meet == "spine" else 1
    leaves_below, units = shape.unit // leaf_nodes * joined, -(-nodes // shape.unit)
    pods, last_units = divmod(units, shape.pod) if shape.pod else (1, 0)
    pod_leaves = (shape.pod or units) * leaves_below
    down = ports.count_most_down(shape.ratio, hardware.wishes.spare_ports) if isinstance(ports, Ports) else 0
    # ports of nodes on each leaf; `uneven` is not 0 if some leaf has one more
    full, uneven = divmod(leaf_nodes * legs, -(-leaf_nodes * legs // down)) if down else (0, 1)
    apart = shape.meet == "" and groups > 1 and shape.tiers > 2
    groups_of_spines = groups // joined
    if not (uneven or last_units or apart or nodes % shape.unit):
        # of full leaves only their number below a group of spines counts, whatever units and pods they are of
        return (*shape_key, full, pod_leaves * leaf_nodes * legs // full, groups_of_spines * pods, shape.by_spine)
    last_leaves = last_units * leaves_below
    return (*shape_key, leaf_nodes * legs, groups_of_spines, pod_leaves, pods, last_leaves, shape.by_spine, apart)


def _count_spines(leaves: int, uplinks: int, down: int) -> int:
    """Return the fewest spines that divide the `uplinks` of a leaf and have ports for all leaves; 0 if none do.

    `down` is the most downlinks of a spine.
    """
    counts = (count for count in range(1, uplinks + 1) if uplinks % count == 0 and leaves * (uplinks // count) <= down)
    return next(counts, 0)


def list_shapes(hardware: Hardware, nodes: int) -> Iterator[Shape]:
    """Yield every shape that fits the wishes, in a fixed order; `count_most_nodes` tells which carry the nodes."""
    wishes = hardware.wishes
    for switch in hardware.switches:
        for planes in hardware.planes:
            for form in wishes.shape:
                if form != "clos":
                    yield from list_meshed_shapes(hardware, form, switch, planes, nodes)
            if "clos" not in wishes.shape:
                continue
            ports = hardware.find_ports(switch, planes)
            if isinstance(ports, str):
                yield Shape(min(wishes.tiers), switch, planes, "rail", 1, 1, Fraction(1), "spine")
                continue
            for tiers in wishes.tiers:
                for ratio in wishes.oversubscription if tiers > 1 else (Fraction(1),):
                    for attach, rails in _list_attachments(hardware, tiers):
                        flat = Shape(tiers, switch, planes, attach, rails, 1, ratio, "")
                        for unit in _list_unit_sizes(hardware, ports, flat, nodes):
                            yield from _list_upper_shapes(replace(flat, unit=unit), hardware, ports, nodes)


def _list_attachments(hardware: Hardware, tiers: int) -> Iterator[tuple[str, int]]:
    """Yield (how nodes attach, how many rails share a leaf) for each way of attaching in the wishes.

    "tor", a leaf for all rails of a rack, takes more than one tier of switches.
    """
    wishes, rails = hardware.wishes, hardware.rails
    if "rail" in wishes.attach:
        yield "rail", 1
    if "group" in wishes.attach:
        yield from (("group", shared_rails) for shared_rails in range(2, rails + 1) if rails % shared_rails == 0)
    if "tor" in wishes.attach and tiers > 1:
        yield "tor", rails


def _list_unit_sizes(hardware: Hardware, ports: Ports, shape: Shape, nodes: int) -> list[int]:
    """Return the sizes of a unit to try, in nodes.

    They are the wished sizes, else those that fill leaves, the greatest power of two and half of it, and the size that
    fills all units equally. Units of nodes that come in racks are whole racks.
    """
    wishes, per_rack = hardware.wishes, hardware.in_rack
    if shape.tiers == 1:
        return [min(nodes, MOST_NODES)]
    if wishes.unit_size:
        return [unit for unit in wishes.unit_size if shape.attach != "tor" or unit % per_rack == 0]
    if shape.attach == "tor":
        racks = -(-nodes // per_rack)
        equal_racks = -(-racks // -(-racks // 8))  # units of equal size, so that no leaf is in a rack that is not there
        return [per_rack * count for count in sorted({4, 8, equal_racks}) if per_rack * count <= MOST_NODES]
    if hardware.rack:
        return [per_rack * racks for racks in (1, 2, 4, 8)]
    full = ports.count_most_down(shape.ratio, wishes.spare_ports) // (shape.rails * ports.legs)
    if full < 1:
        return []
    # the greatest power of two that fits
    even = 1 << (full.bit_length() - 1)
    # no more units than needed, all of one size but for the last
    equal = -(-nodes // -(-nodes // full))
    sizes = {full, even, even // 2, equal}
    return sorted({min(unit, nodes, MOST_NODES) for unit in sizes if unit})


def _list_upper_shapes(shape: Shape, hardware: Hardware, ports: Ports, nodes: int) -> Iterator[Shape]:
    """Yield the shapes to try that have the leaves of `shape`: one for each wished tier in which rails meet (`meet`)
    and, with three tiers, for each size of a pod (`pod`).

    A shape of one tier is yielded once, or not at all if the wishes forbid it. Left out are two tiers whose spines
    would join a single leaf, and pods that would hold all of the `nodes`. `by_spine` is set where they do not fit
    without it.
    """
    wishes, has_groups = hardware.wishes, hardware.rails > shape.rails
    tiers_to_meet = ("spine", "core", "") if has_groups else ("spine",)
    meets = [meet for meet in tiers_to_meet if ("meet" if meet else "apart") in wishes.rails]
    if shape.tiers == 1:
        if ("apart" if has_groups else "meet") in wishes.rails:
            yield shape if has_groups else replace(shape, meet="leaf")
        return
    units, grown = -(-nodes // shape.unit), count_nodes(wishes.growth_to or 0, hardware)
    if shape.tiers == 2:  # a spine of one leaf, now and later, joins nothing
        flat_shapes = (replace(shape, meet=meet) for meet in meets if meet != "core")
        yield from (
            flat
            for flat in flat_shapes
            if _count_unit_leaves(flat, hardware, ports) > 1 or max(nodes, grown) > shape.unit
        )
        return
    for meet in meets:
        for pod in _list_pod_sizes(replace(shape, meet=meet), hardware, ports):
            if pod < units:
                pod_shape = replace(shape, meet=meet, pod=pod)
                yield replace(pod_shape, by_spine=count_most_nodes(pod_shape, hardware) < max(nodes, grown))


def _list_pod_sizes(shape: Shape, hardware: Hardware, ports: Ports) -> list[int]:
    """Return the sizes of a pod in units: the one that fills its spines, and a half, a quarter and an eighth of it."""
    full = ports.count_most_above(top=False) // _count_unit_leaves(shape, hardware, ports)
    return sorted({full // part for part in (1, 2, 4, 8)} - {0, 1})


def _count_unit_leaves(shape: Shape, hardware: Hardware, ports: Ports) -> int:
    """Return how many leaves of a unit have links to one spine."""
    down = ports.count_most_down(shape.ratio, hardware.wishes.spare_ports)
    leaf_nodes = hardware.in_rack if shape.attach == "tor" else shape.unit
    # as many leaves as the ports of the nodes of one rack, or of the unit, fill
    leaves = shape.unit // leaf_nodes * -(-leaf_nodes * shape.rails * ports.legs // max(1, down))
    return leaves * (hardware.rails // shape.rails if shape.meet == "spine" else 1)
