"""The blueprint of a shape: text as a person would write it.

Links are fibre, except that those between nodes and the leaf of their rack are copper where possible.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isqrt

from fabricgen.size.hardware import ROLE, Hardware, Ports, Shape
from fabricgen.size.meshed import pauses_in_a_circle, write_meshed_tier

NAME_LENGTH = 32
"""The most characters of a blueprint's name."""

USUAL_PITCH_M = 0.6
"""The usual distance between the centres of racks in a row, m."""

IN_RACK_M = 3
"""How far copper of 100G lanes reaches, m, which is far enough in a rack."""


def write_blueprint(shape: Shape, hardware: Hardware, nodes: int, counts: Mapping[str, int] | None = None) -> str:
    """Return the text of the blueprint of a shape with `nodes` nodes.

    `counts` are the switches of a group to state, by tier. The node's NICs can be cabled to the switch of the shape.
    The addresses of NTP and syslog servers are examples that the user replaces.
    """
    ports = hardware.find_ports(shape.switch, shape.planes)
    assert isinstance(ports, Ports)  # noqa: S101 - shapes that do not fit have been sorted out
    protocol = "infiniband" if ports.profile.protocol == "infiniband" else "roce"
    name = "size-" + shape.name.replace(f"-{shape.switch}", "")
    lines = [
        f"# {nodes * hardware.gpus_per_node:,} GPUs in {nodes:,} nodes, as `fabricgen size` laid them out",
        "fabricgen: 1",
        f"name: {name[:NAME_LENGTH].rstrip('-')}",
        f"scalable_unit: {{nodes: {shape.unit} x {hardware.node.id}, racks: {_format_racks(hardware)}}}",
        f"pods: {_format_pods(shape, nodes)}",
        *_format_scale_up(hardware),
        "fabrics:",
        f"  {ROLE}:",
        f"    protocol: {protocol}",
        *([f"    planes: {shape.planes}"] if shape.planes > 1 else []),
        *_format_rail_groups(shape, hardware),
        "    tiers:",
        *(f"      {tier}" for tier in _format_tiers(shape, hardware, counts or {})),
        *(["    routing: {underlay: ebgp-unnumbered}"] if protocol == "roce" else []),
        *(["    qos: {profile: roce-lossy}"] if protocol == "roce" and pauses_in_a_circle(shape) else []),
        *(_format_operation(ports, hardware) if protocol == "roce" else []),
        *write_floor(shape, hardware, nodes),
    ]
    return "\n".join(lines) + "\n"


def write_floor(shape: Shape, hardware: Hardware, nodes: int, further: str = "") -> list[str]:
    """Return the lines of the floor and of copper; `further` is further text inside the mapping of the floor."""
    return [
        f"floor: {{racks_per_row: {count_row_racks(-(-nodes // hardware.in_rack))}{format_pitch(hardware)}{further}}}",
        f"cabling: {{copper_to_m: {IN_RACK_M if shape.attach == 'tor' else 0}}}",
    ]


def _format_racks(hardware: Hardware) -> str:
    if hardware.rack:
        return f"{{type: {hardware.rack.id}}}"
    return f"{{nodes_per_rack: {hardware.in_rack}}}"


def _format_scale_up(hardware: Hardware) -> list[str]:
    """Return the line of the scale-up domain that the node's profile names; [] if the catalogue has none."""
    domain = hardware.node.scale_up
    if not domain or domain not in hardware.catalog.ids("scale_up"):
        return []
    return [f"scale_up: {{nvlink: {{domain: {domain}, per: {'rack' if hardware.domain_nodes > 1 else 'node'}}}}}"]


def _format_pods(shape: Shape, nodes: int) -> str:
    """Return the mapping of pods: equal pods, and a last one with the remaining units, which may lack nodes."""
    units = -(-nodes // shape.unit)
    if shape.form != "clos":  # units meet within their pod
        node_count = f", nodes: {nodes}" * (nodes < units * shape.unit)
        return f"{{p1: {{su: {units}{node_count}" + f", reserve: {shape.widths[0]}" * (shape.widths[0] > units) + "}}"
    pod_units = shape.pod or units
    full_pods, last_units = divmod(units, pod_units)
    lacks_nodes = nodes < units * shape.unit
    # only a pod apart from the others can state how many nodes it has, even if it has as many units
    if lacks_nodes and not last_units:
        full_pods, last_units = full_pods - 1, pod_units
    pods = []
    if full_pods:
        pods.append(f"p1: {{su: {pod_units}" + (f", count: {full_pods}" if full_pods > 1 else "") + "}")
    if last_units:
        last_nodes = nodes - full_pods * pod_units * shape.unit
        pods.append(f"p{full_pods + 1}: {{su: {last_units}" + (f", nodes: {last_nodes}" if lacks_nodes else "") + "}")
    return f"{{{', '.join(pods)}}}"


def _format_rail_groups(shape: Shape, hardware: Hardware) -> list[str]:
    """Return the line of rail groups: neighbouring rails share a leaf; [] if all rails share one, or none do."""
    if shape.rails in (1, hardware.rails):
        return []
    rails = range(1, hardware.rails + 1, shape.rails)
    groups = ", ".join(f"[{', '.join(map(str, range(first, first + shape.rails)))}]" for first in rails)
    return [f"    rail_groups: [{groups}]"]


def _format_tiers(shape: Shape, hardware: Hardware, counts: Mapping[str, int]) -> list[str]:
    """Return a line for each tier: its switch, what it is grouped by, and what is stated.

    `counts` are the switches of a group to state, by tier.
    """
    rail = {1: ["rail"], hardware.rails: []}.get(shape.rails, ["rail-group"])
    rail = [] if hardware.rails == 1 else rail
    plane = ["plane"] if shape.planes > 1 else []
    if shape.form != "clos":
        return [write_meshed_tier(shape, hardware, ["su", *rail, *plane])]
    # `meet` is the tier in which rails meet, "" if in none: tiers below it are grouped by rail
    apart = rail if shape.meet not in ("spine", "leaf") else []
    leaf_place = {"tor": ["rack"], "rail": ["su"], "group": ["su"]}[shape.attach] if shape.tiers > 1 else []
    spine = [*(["pod"] if shape.tiers == 3 else []), *apart, *plane]
    core = [*(apart if shape.meet == "" else []), *plane, *(["spine"] if shape.by_spine else [])]
    tiers = [("leaf", [*leaf_place, *rail, *plane]), ("spine", spine), ("core", core)][: shape.tiers]
    lines = []
    for name, per in tiers:
        keys = [f"switch: {shape.switch}", f"per: [{', '.join(per)}]"]
        if name == "leaf" and shape.tiers > 1 and shape.ratio != 1:
            keys.append(f'oversubscription: "{shape.ratio.numerator}:{shape.ratio.denominator}"')
        if name != tiers[-1][0] and shape.attach == "tor":
            # figures before wiring count optics at both ends of all uplinks, also where two tiers share a rack
            keys.append("media: {up: [SR, DR, FR, LR]}")
        if name == "leaf" and hardware.wishes.spare_ports:
            keys.append(f"spare_ports: {hardware.wishes.spare_ports}")
        if name in counts:
            keys.append(f"count: {counts[name]}")
        lines.append(f"{name}: {{{', '.join(keys)}}}")
    return lines


def _format_operation(ports: Ports, hardware: Hardware) -> list[str]:
    """Return the lines of the NOS and of NTP and syslog servers, whose addresses are examples to replace."""
    nos = hardware.choose_nos(ports.profile)
    servers = "ntp: [10.32.0.4, 10.32.0.5, 10.32.0.10, 10.32.0.11], syslog: {servers: 10.32.0.6}"
    return [f"nos: {nos}", f"management: {{{servers}}}  # yours"]


def format_pitch(*nodes: Hardware) -> str:
    """Return the text for the pitch of racks if the widest racks of these nodes are wider than usual, else ""."""
    width = max((hardware.rack.width_m for hardware in nodes if hardware.rack), default=0)
    return f", rack_pitch_m: {width:g}" if width > USUAL_PITCH_M else ""


def count_row_racks(racks: int) -> int:
    """Return how many racks a row has in a hall that is about square: rows are four times as far apart as racks."""
    # r racks in rows of 2 sqrt(r) are sqrt(r) / 2 rows, four times as far apart; in whole eights
    return max(16, -(-2 * isqrt(racks) // 8) * 8)
