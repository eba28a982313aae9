"""InfiniBand: one subnet manager routes all switches, so that a fabric takes files and a switch none.

- `topology.net`: every device and link as ibnetdiscover prints them (rdma-core, infiniband-diags/man,
  ibnetdiscover.8: TOPOLOGY FILE FORMAT), which is also what ibsim reads (ibsim, sim_net.c). A port of a node is an
  adapter of one port, as ConnectX cards show each of their ports.
- `opensm.conf`: `routing_engine ftree,updn` where all nodes hang on the lowest of two or more tiers (opensm(8):
  FTREE is for symmetrical or almost symmetrical fat-trees). A fat-tree that lacks too much falls back to up/down, not
  to min-hop, which may deadlock. Nodes that hang above the lowest tier take `dnup`, since up/down joins no two roots
  (opensm(8): Purpose of DNUP Algorithm). All else takes `updn`. LMC stays 0: ftree refuses others.
- `root-guids.conf`: the switches with no tier above, in opensm's map format: `#` begins a comment, an unknown GUID is
  an error in the log and skipped (opensm, cl_nodenamemap.c and osm_ucast_ftree.c). A file that lacks some roots ranks
  the others wrong, so the options name it only when all of its GUIDs are of real hardware; without it opensm detects
  the roots.
- `partitions.conf`: the default partition with all as full members; opensm gives limited membership to what a file
  leaves out, and limited members do not reach each other (opensm(8), PARTITION CONFIGURATION).
- `ib-node-name-map`: names by GUID (ibnetdiscover.8: NODE NAME MAP FILE FORMAT).
- `p2p.csv`: the point-to-point list of UFM's Cable Validation Tool (its manual, P2P File: rack, U, name and port of
  either end; a port is a number, or CAGE/PORT of a twin-port cage, and sw17p2 on XDR switches; an adapter's port is its
  number, 1 for mlx5_0). The tool takes it as a sheet of a workbook.

XDR switches of several ASICs are one switch of so many 800G ports here, as their face and NVOS number them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from fabricgen.catalog.loader import Catalog
from fabricgen.render.escape import token
from fabricgen.views.fabric import FabricAdapter, FabricSwitch, FabricView

WHOLE_FABRIC = True

XDR_LANE_GBPS = 200

_RATES = ((200, "XDR"), (100, "NDR"), (50, "HDR"), (25, "EDR"), (14, "FDR"), (10, "QDR"), (5, "DDR"))
"""(lane speed in Gb/s, its name in ibnetdiscover)"""


def files(view: FabricView) -> tuple[tuple[str, str], ...]:  # noqa: ARG001 - one signature for all NOSes
    """The files of a fabric."""
    names = ("ib-node-name-map", "opensm.conf", "p2p.csv", "partitions.conf", "root-guids.conf", "topology.net")
    return tuple((f"{name}.j2", name) for name in names)


def values(view: FabricView, catalog: Catalog) -> dict[str, Any]:  # noqa: ARG001 - one signature for all NOSes
    """The values for the templates in `templates/opensm`."""
    roots = [switch for switch in view.switches if switch.top]
    return {
        "fabric": token(view.name),
        "planned": sum(not node.stated for node in view.nodes),
        "devices": len(view.nodes),
        "subnets": view.subnets,
        "engines": "ftree,updn" if view.is_tree else "dnup" if view.has_high_nodes else "updn",
        "roots": sorted((switch.subnet + 1, token(switch.name), _hex(switch.guid)) for switch in roots),
        "planned_roots": sum(not switch.stated for switch in roots),
        "names": [(_hex(node.guid), _label(node)) for node in view.nodes],
        "p2p": list(_point_to_point(view)),
        **_topology(view),
    }


def _hex(guid: int) -> str:
    """A GUID as sixteen hexadecimal digits."""
    return f"{guid:016x}"


def _label(node: FabricSwitch | FabricAdapter) -> str:
    """The displayed name of a device: a switch's name, or node and port of an adapter."""
    return token(node.name) if isinstance(node, FabricSwitch) else f"{token(node.name)} {token(node.port)}"


def _id(node: FabricSwitch | FabricAdapter) -> str:
    """The id of a device in ibnetdiscover's notation: its kind and GUID."""
    return f"{'S' if isinstance(node, FabricSwitch) else 'H'}-{_hex(node.guid)}"


class LinkEnd(NamedTuple):
    """A link as listed under the device at one of its ends."""

    port: int
    far: str
    """Id of the far end."""
    far_port: int
    far_guid: str
    """Port GUID of a far adapter, "" for a switch."""
    far_name: str
    rate: str


def _topology(view: FabricView) -> dict[str, Any]:
    """Switches with their links, sorted by port, and adapters with their single link."""
    nodes = view.nodes
    ids, labels = [_id(node) for node in nodes], [_label(node) for node in nodes]
    port_guids = ["" if isinstance(node, FabricSwitch) else f"{node.port_guid:x}" for node in nodes]
    links: list[list[LinkEnd]] = [[] for _ in nodes]
    rates = {pair: _rate(*pair) for pair in {(link.speed_gbps, link.lane_gbps) for link in view.links}}
    for link in view.links:
        rate = rates[link.speed_gbps, link.lane_gbps]
        a, b = link.a, link.b
        links[a].append(LinkEnd(link.a_port, ids[b], link.b_port, port_guids[b], labels[b], rate))
        links[b].append(LinkEnd(link.b_port, ids[a], link.a_port, port_guids[a], labels[a], rate))
    count = len(view.switches)
    rows = [{"guid": _hex(node.guid), "id": ids[i], "name": labels[i]} for i, node in enumerate(nodes)]
    return {
        "switches": [
            {**rows[i], "ports": node.ports, "links": sorted(links[i])} for i, node in enumerate(view.switches)
        ],
        "adapters": [{**rows[i], "port_guid": port_guids[i], "link": links[i][0]} for i in range(count, len(nodes))],
    }


def _rate(speed_gbps: float, lane_gbps: float) -> str:
    """Width and speed of a link in ibnetdiscover's notation: 4xNDR for 400 Gb/s over lanes of 100."""
    name = next((name for gbps, name in _RATES if lane_gbps >= gbps), "SDR")
    return f"{round(speed_gbps / lane_gbps)}x{name}"


class CableEnd(NamedTuple):
    """One end of a cable in the point-to-point list."""

    rack: str
    u: int
    name: str
    port: str


def _point_to_point(view: FabricView) -> Iterator[tuple[CableEnd, CableEnd]]:
    """(lower end, upper end) of every link."""
    nodes = view.nodes
    places = [(token(node.rack), node.u, token(node.name)) for node in nodes]
    for link in view.links:
        lower = CableEnd(*places[link.a], _port_label(nodes[link.a], link.a_cage, link.a_sub))
        upper = CableEnd(*places[link.b], _port_label(nodes[link.b], link.b_cage, link.b_sub))
        yield lower, upper


def _port_label(node: FabricSwitch | FabricAdapter, cage: int, sub: int) -> str:
    """The label of a port: an adapter's number, `CAGE/PORT`, or the cage's number if it has one port only."""
    if isinstance(node, FabricAdapter):
        return str(node.number)
    if node.lane_gbps >= XDR_LANE_GBPS:
        return f"sw{cage}p{sub + 1}"
    return f"{cage}/{sub + 1}" if node.per_cage > 1 else str(cage)
