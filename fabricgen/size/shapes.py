"""Shapes of fabrics: what is tried, under names that say what they are, and how many accelerators each can reach.

Closed forms prune before anything is compiled: with D down ports a leaf, U uplinks and R ports a switch, a spine group
takes as many leaves as a spine has ports for, since each leaf has a link to every spine: two tiers carry D x R ports,
three D x (D of a spine) x R; without oversubscription R^2/2 and R^3/4 (Al-Fares et al., SIGCOMM 2008).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from fabricgen.size.hardware import MOST_NODES, Hardware, Ports, Shape, count_nodes
from fabricgen.size.meshed import list_meshed_shapes


def count_most_nodes(shape: Shape, hardware: Hardware) -> int:
    """The most nodes that a shape can carry by the arithmetic of ports; 0 where a leaf takes none of its units."""
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
    groups = 1 if shape.meet == "spine" else hardware.rails // shape.rails
    joined = hardware.rails // shape.rails // groups  # leaf groups of a unit that a spine serves
    leaves_below = leaves * joined
    if shape.tiers == 2:
        return ports.count_most_above(top=True) // leaves_below * leaf_nodes
    in_pod = shape.pod * (shape.unit // leaf_nodes) * leaves_below
    spines = _count_spines(
        in_pod, ports.count_uplinks(min(down, leaf_nodes * legs), shape.ratio), ports.count_most_above(top=False)
    )
    if not spines:
        return 0
    below = groups if shape.meet == "core" else 1
    pods = ports.count_most_above(top=True) // (below * (1 if shape.by_spine else spines))
    return pods * shape.pod * shape.unit


def find_likeness(shape: Shape, hardware: Hardware, nodes: int) -> tuple[object, ...]:
    """What sizing goes by: of shapes with equal ones, so many nodes take as many switches and links in each tier.

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
    together = hardware.in_rack if shape.attach == "tor" else shape.unit
    joined = groups if shape.meet == "spine" else 1
    leaves_below, units = shape.unit // together * joined, -(-nodes // shape.unit)
    pods, rest = divmod(units, shape.pod) if shape.pod else (1, 0)
    in_pod = (shape.pod or units) * leaves_below
    down = ports.count_most_down(shape.ratio, hardware.wishes.spare_ports) if isinstance(ports, Ports) else 0
    full, uneven = divmod(together * legs, -(-together * legs // down)) if down else (0, 1)
    apart = shape.meet == "" and groups > 1 and shape.tiers > 2
    if not (uneven or rest or apart or nodes % shape.unit):
        # full leaves are alike whatever units and pods they are of: so many below each of so many groups of spines
        return (*shape_key, full, in_pod * together * legs // full, groups // joined * pods, shape.by_spine)
    return (*shape_key, together * legs, groups // joined, in_pod, pods, rest * leaves_below, shape.by_spine, apart)


def _count_spines(leaves: int, uplinks: int, down: int) -> int:
    """The fewest spines that divide the uplinks of leaves and have the ports for them; 0 where none do."""
    fits = (count for count in range(1, uplinks + 1) if uplinks % count == 0 and leaves * (uplinks // count) <= down)
    return next(fits, 0)


def list_shapes(hardware: Hardware, nodes: int) -> Iterator[Shape]:
    """Every shape that is wished for, in a fixed order; `count_most_nodes` says which of them fit."""
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
    """(how nodes attach, rails that share a leaf)."""
    wishes, rails = hardware.wishes, hardware.rails
    if "rail" in wishes.attach:
        yield "rail", 1
    if "group" in wishes.attach:
        yield from (("group", shared_rails) for shared_rails in range(2, rails + 1) if rails % shared_rails == 0)
    if "tor" in wishes.attach and tiers > 1:
        yield "tor", rails


def _list_unit_sizes(hardware: Hardware, ports: Ports, shape: Shape, nodes: int) -> list[int]:
    """Nodes of a unit: as wished, else those that fill leaves, half of them, or all leaves alike."""
    wishes, per_rack = hardware.wishes, hardware.in_rack
    if shape.tiers == 1:
        return [min(nodes, MOST_NODES)]
    if wishes.unit_size:
        return [unit for unit in wishes.unit_size if shape.attach != "tor" or unit % per_rack == 0]
    if shape.attach == "tor":
        racks = -(-nodes // per_rack)
        alike_racks = -(-racks // -(-racks // 8))  # else racks that are not there have leaves
        return [per_rack * count for count in sorted({4, 8, alike_racks}) if per_rack * count <= MOST_NODES]
    if hardware.rack:
        return [per_rack * racks for racks in (1, 2, 4, 8)]
    full = ports.count_most_down(shape.ratio, wishes.spare_ports) // (shape.rails * ports.legs)
    if full < 1:
        return []
    # the greatest power of two that fits
    even = 1 << (full.bit_length() - 1)
    # no more units than needed, all of one size but for the last
    alike = -(-nodes // -(-nodes // full))
    sizes = {full, even, even // 2, alike}
    return sorted({min(unit, nodes, MOST_NODES) for unit in sizes if unit})


def _list_upper_shapes(shape: Shape, hardware: Hardware, ports: Ports, nodes: int) -> Iterator[Shape]:
    """A shape with each wished tier in which its rails meet and, of three tiers, each size of its pods."""
    wishes, has_groups = hardware.wishes, hardware.rails > shape.rails
    every = ("spine", "core", "") if has_groups else ("spine",)
    meets = [meet for meet in every if ("meet" if meet else "apart") in wishes.rails]
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
    """Units of a pod: those that fill its spines, and a half, a quarter and an eighth of them."""
    full = ports.count_most_above(top=False) // _count_unit_leaves(shape, hardware, ports)
    return sorted({full // part for part in (1, 2, 4, 8)} - {0, 1})


def _count_unit_leaves(shape: Shape, hardware: Hardware, ports: Ports) -> int:
    """Leaves of a unit below one spine."""
    down = ports.count_most_down(shape.ratio, hardware.wishes.spare_ports)
    together = hardware.in_rack if shape.attach == "tor" else shape.unit
    # so many leaves for the nodes of one rack, or of the unit, as their ports fill
    leaves = shape.unit // together * -(-together * shape.rails * ports.legs // max(1, down))
    return leaves * (hardware.rails // shape.rails if shape.meet == "spine" else 1)
