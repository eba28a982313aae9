"""Shapes whose switches meet within their tier: balanced dragonflies, and HyperX of one to three dimensions.

A dragonfly is balanced if each of the a switches of a group has p node ports, 2p local links and h = p global ones, so
that a = 2p, and if there are at most a h + 1 groups (Kim et al., Technology-Driven, Highly-Scalable Dragonfly Topology,
ISCA 2008). Fewer switches, with m links between every two, do as much if (a - 1) m >= 2p - 1. A HyperX has, along a
dimension of S switches with T node ports each, K links between every two switches. K S^2 / 4 of them cross the middle,
so that full bisection takes K = 2 T / S (Ahn et al., HyperX: Topology, Routing, and Packaging of Efficient Large-Scale
Networks, SC 2009). Both are in bandwidth here, as links between switches may be faster than those of nodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from math import ceil, floor, gcd, prod

from fabricgen.design.inside.derived import find_widths
from fabricgen.design.ports import PortDemand, SwitchDemand, find_largest, place_ports
from fabricgen.size.hardware import MOST_NODES, Hardware, Ports, Shape, count_nodes

MOST_DIMENSIONS = 3
"""The most dimensions of a HyperX for which no widths are wished."""

MOST_UNITS = 100
"""The most sizes of units that are tried, evenly spaced where more are possible."""

FEWEST_SWITCHES = 4
"""The most shapes of a kind that are tried: those with the fewest switches, and of these with the fewest links."""


def list_meshed_shapes(hardware: Hardware, form: str, switch: str, planes: int, nodes: int) -> Iterator[Shape]:
    """Yield the dragonflies or HyperX (`form`) of a switch over `planes` planes that carry the nodes.

    Shapes with fewest switches come first. If no shape carries the nodes, the one that carries most is yielded; if NICs
    cannot be cabled to the switch, a shape without widths.
    """
    wishes, ports = hardware.wishes, hardware.find_ports(switch, planes)
    for ratio in wishes.oversubscription:
        for attach, rails, meet in _list_attachments(hardware):
            base = Shape(1, switch, planes, attach, rails, 1, ratio, meet, form=form)
            if isinstance(ports, str):
                yield base
                continue
            # stated widths, or the best of stated units, that do not fit are refused by their design, with their ports
            if wishes.widths:
                yield from _list_stated(base, hardware, ports, nodes)
            elif fitting := _find_fitting(base, hardware, ports, nodes):
                yield from fitting
            elif wishes.unit_size:
                yield from _list_joined(base, hardware, ports, nodes)[:1]
            else:
                yield from _find_greatest(base, hardware, ports, nodes)


def _list_attachments(hardware: Hardware) -> Iterator[tuple[str, int, str]]:
    """Yield (how nodes attach, rails that share a network, tier in which rails meet or "") for each wished way."""
    wishes, rails = hardware.wishes, hardware.rails
    if "meet" in wishes.rails and ("group" in wishes.attach or (rails == 1 and "rail" in wishes.attach)):
        yield "group", rails, "leaf"
    if "apart" in wishes.rails:
        rail_counts = [1] * ("rail" in wishes.attach)
        rail_counts += [number for number in range(2, rails) if rails % number == 0 and "group" in wishes.attach]
        yield from (("group" if number > 1 else "rail", number, "") for number in rail_counts if number < rails)


def _list_joined(base: Shape, hardware: Hardware, ports: Ports, nodes: int) -> list[Shape]:
    """Return the shapes that `base` becomes with each size of a unit and widths to try, and the links these take.

    They are sorted by the number of switches, then of links, then by name.
    """
    most = max(nodes, count_nodes(hardware.wishes.growth_to or 0, hardware))
    legs, ordered = base.rails * ports.legs, []
    for unit in _list_units(base, hardware, ports, most):
        for widths in _list_widths(base, hardware, ports, -(-most // unit), unit * legs):
            shape = _join_switches(replace(base, unit=unit, widths=widths), ports, unit * legs)
            if shape is not None:
                ordered.append((-(-nodes // unit) * prod(widths[1:]), count_links(shape), shape.name, shape))
    return [shape for *_, shape in sorted(ordered, key=lambda row: row[:3])]


def _find_fitting(base: Shape, hardware: Hardware, ports: Ports, nodes: int) -> list[Shape]:
    """Return the `FEWEST_SWITCHES` shapes with fewest switches among those whose links fit the ports of the switch."""
    joined = _list_joined(base, hardware, ports, nodes)
    return list(islice((shape for shape in joined if _has_ports(shape, ports, hardware)), FEWEST_SWITCHES))


def _list_stated(base: Shape, hardware: Hardware, ports: Ports, nodes: int) -> Iterator[Shape]:
    """Yield the shapes of stated widths.

    A dragonfly whose switches lack ports for the local links that balance takes gets as many local links as fit.
    """
    for shape in _list_joined(base, hardware, ports, nodes):
        between, *local = shape.links
        fewer = (replace(shape, links=(between, links)) for links in range(local[0], 0, -1)) if local else ()
        fitting = (one for one in fewer if one.form == "dragonfly" and _has_ports(one, ports, hardware))
        yield next(fitting, shape)


def _list_units(base: Shape, hardware: Hardware, ports: Ports, nodes: int) -> list[int]:
    """Return the sizes of a unit to try, in nodes.

    They are the wished sizes. Else, if widths are wished, they are the sizes that spread the nodes over the units of
    these widths. Else they are sizes that spread the nodes over any number of units, and powers of two: at most
    `MOST_UNITS` of all.
    """
    wishes, per_rack = hardware.wishes, hardware.in_rack if hardware.rack else 1
    if wishes.unit_size:
        return [unit for unit in wishes.unit_size if unit % per_rack == 0]
    legs = base.rails * ports.legs
    if wishes.widths:
        units = set()
        for groups, *grid in wishes.widths:
            unit = -(-nodes // groups)
            # rounded up, so that node ports divide over the switches of a unit and nodes fill racks
            step = per_rack * (prod(grid) // gcd(prod(grid), per_rack * legs))
            units.add(-(-unit // step) * step)
        return sorted(units)
    most_ports = _count_most_ports(ports, wishes.spare_ports)
    # node ports of a group: those of as many switches as balance allows, or of a grid of two dimensions
    most_nodes = min(MOST_NODES, nodes - 1, most_ports**2 * (2 if base.form == "dragonfly" else most_ports) // legs)
    equal_sizes = {-(-nodes // -(-nodes // unit)) for unit in range(1, most_nodes + 1)}
    equal_sizes |= {1 << bit for bit in range(most_nodes.bit_length())}
    sizes = sorted({-(-unit // per_rack) * per_rack for unit in equal_sizes} - {nodes})
    return sizes[:: -(-len(sizes) // MOST_UNITS)] if sizes else []


def _count_most_ports(ports: Ports, spare: int) -> int:
    """Return the most node ports of a switch that has equally many ports for other switches, and `spare` free ones."""
    return find_largest(lambda count: _can_place(ports, count, (count,), spare), 4096)


def _list_widths(
    base: Shape, hardware: Hardware, ports: Ports, groups: int, node_ports: int
) -> Iterator[tuple[int, ...]]:
    """Yield (units, switches of a unit along each dimension) that share the `node_ports` of a unit equally.

    `groups` is the number of units; wished widths with another number of units are left out.
    """
    for wished in hardware.wishes.widths:
        is_of_form = len(wished) == 2 or base.form == "hyperx"
        if is_of_form and wished[0] == groups and node_ports % prod(wished[1:]) == 0:
            yield wished
    if hardware.wishes.widths or not 1 < groups <= MOST_NODES:
        return
    # with fewer switches, each would have more node ports than fit
    fewest = -(-node_ports // _count_most_ports(ports, hardware.wishes.spare_ports))
    divisors = [number for number in range(fewest, node_ports + 1) if node_ports % number == 0]
    for switches in divisors:
        # with more switches than twice the node ports of each there are more local links than balance asks for
        if base.form == "dragonfly" and 1 < switches <= max(2, 2 * node_ports // switches):
            yield groups, switches
        elif base.form == "hyperx":
            grids = [()] if switches == 1 else [find_widths(switches, more) for more in range(1, MOST_DIMENSIONS)]
            yield from ((groups, *grid) for grid in grids if grid is not None)


def _join_switches(shape: Shape, ports: Ports, node_ports: int) -> Shape | None:
    """Return a shape with its `links` between every two switches or groups that meet: as many as carry what the nodes
    send, divided by the wished oversubscription.

    `node_ports` is how many ports of nodes a unit (group) has. Return None for a dragonfly with more groups than
    balance allows.
    """
    groups, *grid = shape.widths
    per_switch = node_ports // prod(grid)
    # links between switches for each node port
    scale = Fraction(ports.kind.speed_gbps, ports.inside.speed_gbps) / shape.ratio
    if shape.form == "dragonfly":
        local = Fraction(2 * per_switch - 1) * scale
        between = floor(node_ports * scale / (groups - 1)) if groups > 1 else 0
        return replace(shape, links=(between, ceil(local / max(1, grid[0] - 1)))) if between else None
    # half of what `width` switches send crosses the middle, where (width // 2) x (the other half) pairs meet
    links = (ceil(per_switch * scale * width / (2 * (width // 2) * -(-width // 2))) for width in shape.widths)
    return replace(shape, links=tuple(links))


def _list_port_counts(shape: Shape) -> tuple[int, ...]:
    """Return how many ports of a switch are for links along each dimension; the dimension of units is last."""
    (groups, *grid), (between, *local) = shape.widths, shape.links
    across = (groups - 1) * between
    ports = [(width - 1) * links for width, links in zip(grid, local, strict=True)]
    return (*ports, -(-across // prod(grid)) if shape.form == "dragonfly" else across)


def _has_ports(shape: Shape, ports: Ports, hardware: Hardware) -> bool:
    """Whether a switch has the ports that the shape takes of each switch."""
    per_switch = shape.unit * shape.rails * ports.legs // prod(shape.widths[1:])
    return _can_place(ports, per_switch, _list_port_counts(shape), hardware.wishes.spare_ports)


def _can_place(ports: Ports, down: int, inside: Sequence[int], spare: int) -> bool:
    """Whether a switch has ports for `down` nodes, `spare` free ones, and for each number of `inside` as many more."""
    room_gbps = sum(cage.count * cage.lanes_gbps for cage in ports.profile.cages)
    if down * ports.kind.speed_gbps + sum(inside) * ports.inside.speed_gbps > room_gbps:
        return False
    demands = tuple(PortDemand(ports.inside, count, ports=count, last=True) for count in inside)
    downs = (PortDemand(ports.kind, down, ports=down + spare),)
    return place_ports(ports.profile, SwitchDemand(downs, demands)) is not None


def count_links(shape: Shape) -> int:
    """Return the links between the switches of a shape with all of its units, in one network of rails and planes."""
    switches = prod(shape.widths)
    *local, across = _list_port_counts(shape)
    groups, between = shape.widths[0], shape.links[0]
    ends_between_units = groups * (groups - 1) * between if shape.form == "dragonfly" else switches * across
    return (switches * sum(local) + ends_between_units) // 2


def _find_greatest(base: Shape, hardware: Hardware, ports: Ports, nodes: int) -> Iterator[Shape]:
    """Yield the shape of `base` that carries the most nodes, to say how many fit; nothing if it carries `nodes`.

    A HyperX has three equal widths.
    """
    spare, legs = hardware.wishes.spare_ports, base.rails * ports.legs
    scale = Fraction(ports.kind.speed_gbps, ports.inside.speed_gbps) / base.ratio
    greatest: tuple[int, Shape] | None = None
    for per_switch in range(_count_most_ports(ports, spare), 0, -1):
        for widths in _list_greatest_widths(base.form, per_switch, scale):
            unit = prod(widths[1:]) * per_switch // legs
            node_ports = unit * legs
            if not unit or unit > MOST_NODES or node_ports % prod(widths[1:]):
                continue
            shape = _join_switches(replace(base, unit=unit, widths=widths), ports, node_ports)
            if shape and _has_ports(shape, ports, hardware):
                reach = unit * widths[0]
                greatest = (reach, shape) if greatest is None or reach > greatest[0] else greatest
                break
    if greatest is not None and greatest[0] < nodes:
        yield greatest[1]


def _list_greatest_widths(form: str, per_switch: int, scale: Fraction) -> Iterator[tuple[int, ...]]:
    """Yield widths of a shape with `per_switch` node ports on each switch, the greatest first.

    The greatest are those with which one link joins every two switches or units that meet. `scale` is how many links
    between switches each node port needs, at the wished oversubscription.
    """
    if form == "dragonfly":
        switches = ceil((2 * per_switch - 1) * scale) + 1
        yield floor(switches * per_switch * scale) + 1, switches
        return
    greatest = max(2, floor(2 * per_switch * scale))
    yield from ((width, width, width) for width in range(greatest + 1, 1, -1))


TIER = "router"
"""The tier of switches that meet."""

GRID = ("row", "column", "layer")
"""Dimensions of the switches of a unit."""


def write_meshed_tier(shape: Shape, hardware: Hardware, places: Sequence[str]) -> str:
    """Return the line of a blueprint for the tier of a shape, grouped by `places` (words of `per`), with its meshes."""
    ports = hardware.find_ports(shape.switch, shape.planes)
    assert isinstance(ports, Ports)  # noqa: S101 - shapes that do not fit have been sorted out
    faster = ports.inside.speed_gbps != ports.kind.speed_gbps
    texts = [f"{number} x {ports.inside.speed_gbps}G" if faster else str(number) for number in shape.links]
    grid = shape.widths[1:]
    names = (TIER,) if len(grid) == 1 else GRID[: len(grid)]
    keys = [f"switch: {shape.switch}", f"per: [{', '.join(places)}]", f"count: {prod(grid)}"]
    if len(grid) > 1:
        keys.append(f"grid: {{{', '.join(f'{name}: {width}' for name, width in zip(names, grid, strict=True))}}}")
    across = f"{{links: {texts[0]}, spread: true}}" if shape.form == "dragonfly" else texts[0]
    meshes = [f"{name}: {text}" for name, text, width in zip(names, texts[1:], grid, strict=True) if width > 1]
    keys.append(f"mesh: {{{', '.join([*meshes, f'su: {across}'])}}}")
    if hardware.wishes.spare_ports:
        keys.append(f"spare_ports: {hardware.wishes.spare_ports}")
    return f"{TIER}: {{{', '.join(keys)}}}"


def pauses_in_a_circle(shape: Shape) -> bool:
    """Whether shortest paths have several links within the tier, so that pauses may wait in a circle (FG323)."""
    return sum(width > 1 for width in shape.widths) > 1
