"""InfiniBand: one subnet manager routes all switches, so that a fabric takes files and a switch none.

- `topology.net`: every device and link as ibnetdiscover prints them (rdma-core, infiniband-diags/man,
  ibnetdiscover.8: TOPOLOGY FILE FORMAT), which is also what ibsim reads (ibsim, sim_net.c). A port of a node is an
  adapter of one port, as ConnectX cards show each of their ports.
- `opensm.conf`: tokens of opensm 3.3 alone, which has no adaptive routing and no SHARP. `routing_engine ftree,nue`
  where all nodes hang on the lowest of two or more tiers (opensm(8): FTREE is for symmetrical or almost symmetrical
  fat-trees), and `nue` for all else and for trees that lack too much: it joins all pairs of any topology and has no
  credit loops on one virtual lane (opensm(8): Nue Routing Algorithm). Up/down needs roots, which opensm detects by
  counting hops where their GUIDs are not known: with a tier that is skipped, peer links or a span it finds none and
  falls back to min-hop, which may deadlock, or finds some and loses pairs; and it joins no two roots. DNUP ranks
  switches by their distance from adapters alone, so that a way over a core with an adapter goes up after down. LMC
  stays 0: ftree refuses others.
- `root-guids.conf`: the switches with no tier above, in opensm's map format: `#` begins a comment, an unknown GUID is
  an error in the log and skipped (opensm, cl_nodenamemap.c and osm_ucast_ftree.c). A file that lacks some roots ranks
  the others wrong, so the options name it only when all of its GUIDs are of real hardware; without it opensm detects
  the roots.
- `opensm-standby.conf`: the same for a second UFM appliance that runs opensm, with a lower priority. The master is the
  SM of the highest priority, of equal ones that of the lowest GUID (opensm(8), --priority).
- `partitions.conf`: the default partition, with all as full members: nodes of one job must reach each other, and
  limited members do not (opensm(8), PARTITION CONFIGURATION). With `default_partition: limited` switches and
  subnet managers alone are full members, and what nodes do with each other needs partitions that the user adds. opensm
  gives limited membership to what a file leaves out. With tenants nodes are limited members too, and each tenant has a
  partition of its own (`_opensm.partitions`), which switches enforce at both ends of a link (`part_enforce both`).
- `ib-node-name-map`: names by GUID (ibnetdiscover.8: NODE NAME MAP FILE FORMAT).
- `p2p.csv`: the point-to-point list of UFM's Cable Validation Tool (its manual, P2P File: rack, U, name and port of
  either end; a port is a number, or CAGE/PORT of a twin-port cage, and sw17p2 on XDR switches; an adapter's port is its
  number, 1 for mlx5_0). The tool takes it as a sheet of a workbook.

With `subnet_manager: ufm` the options are for UFM's own subnet manager (MLNX SM), which opensm 3.3 would not know:

- `opensm.conf`: `routing_engine ar_updn`, adaptive routing over up/down, which is its default and fits fat-trees
  (NVIDIA, InfiniBand Cluster Bring-up Procedure, Adaptive Routing) and the only adaptive one for XDR (UFM Enterprise
  User Manual 6.21, Appendix - Adaptive Routing: the root_guid file must be provided). It joins no switches without a
  root above both: FG317 says which nodes lose each other. UFM has no `nue`, and what joins roots (`connect_roots`,
  `dnup`, `ftree` with I/O nodes) may make loops of credits, as walks over such tables of opensm show. Files are where
  UFM has them (the same manual, SM Default Files).
- `sm_priority 15` is UFM's default (UFM Enterprise REST API Guide 6.22, SM Configuration), the highest there is. Two
  UFMs of a high-availability pair share their files and run one subnet manager at a time, so that they need no two
  priorities.
- `gv.cfg`: SHARP's aggregation manager (UFM Enterprise User Manual, NVIDIA SHARP Integration: section Sharp,
  sharp_enabled), for fabrics of accelerators whose engine it supports: updn, ar_updn, ftree, ar_ftree (NVIDIA SHARP
  3.2, Setup Requirements).
- No `partitions.conf`: UFM writes its own, with all ports as full members of the default partition, and it cannot be
  edited (UFM Enterprise User Manual, Appendix - Partitioning). Partitions of tenants are in `partitions.conf.user_ext`,
  which UFM adds to its own; `default_membership = limited` (gv.cfg, section MngNetwork) makes nodes limited members of
  the default one, and `opensm.conf` has a key for each port, without which it answers no request to change its tables
  (NVIDIA InfiniBand - Security Overview and Guidelines, Practical Guidelines: m_key_per_port, m_key of all ones for a
  random one, m_key_protection_level 2; UFM Enterprise User Manual 6.22, Appendix - Security Features:
  sa_enhanced_trust_model).

XDR switches of several ASICs are one switch of so many 800G ports here, as their face and NVOS number them.

A statement of a partition is `NAME=PKEY,FLAGS : GUIDS ;`, and statements of the same P_Key add up (opensm(8), PARTITION
CONFIGURATION; UFM Enterprise User Manual 6.22, Appendix - Partitioning: a long partition is split so, as a line is read
up to 4,096 characters). There is one for each node, so that a node that moves is one line that moves.

`indx0` puts the partition first in the P_Key table of a port, where NCCL (`NCCL_IB_PKEY`), IPoIB's `ib0` and much else
look; the default partition comes behind it. A device that tenants share has no first one. UFM's grammar has no such
flag (the same manual, SM Partitions.conf File Format). `ipoib` makes the group that IP needs, in each partition alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from fabricgen.catalog.loader import Catalog
from fabricgen.render.escape import require_token
from fabricgen.views.fabric import FabricAdapter, FabricSwitch, FabricView

GUIDS_A_LINE = 128
"""At twenty characters each, well within a line."""


class Statement(NamedTuple):
    """A statement of a partition for one node: names, and P_Key and GUIDs as hexadecimal text.

    `first`: the partition is the first in the P_Key table of the node's ports (`indx0`). `planned`: the GUIDs are
    planned ones, which no hardware has.
    """

    partition: str
    pkey: str
    first: bool
    guids: str
    node: str
    planned: bool


def list_statements(view: FabricView) -> Iterator[Statement]:
    """Yield the statements of the tenants' partitions, by P_Key; none for a fabric without tenants."""
    puts_first = view.subnet_manager == "opensm"
    for partition in view.partitions:
        for member in partition.members:
            for start in range(0, len(member.guids), GUIDS_A_LINE):
                guids = ", ".join(f"0x{guid:016x}" for guid in member.guids[start : start + GUIDS_A_LINE])
                pkey, name = f"0x{partition.pkey:04x}", require_token(partition.name)
                yield Statement(
                    name, pkey, member.alone and puts_first, guids, require_token(member.node), member.planned
                )


WHOLE_FABRIC = True

XDR_LANE_GBPS = 200

_RATES = ((200, "XDR"), (100, "NDR"), (50, "HDR"), (25, "EDR"), (14, "FDR"), (10, "QDR"), (5, "DDR"))
"""(lane speed in Gb/s, its name in ibnetdiscover)"""


MASTER_PRIORITY, STANDBY_PRIORITY = 15, 14
"""Of subnet managers: from 0 to 15, the highest."""

ETC, UFM = "/etc/opensm", "/opt/ufm/files/conf/opensm"
"""Folders of the files of opensm and of UFM's subnet manager."""


def files(view: FabricView) -> tuple[tuple[str, str], ...]:
    """Return (template, file name) of each file of a fabric: what each has, and what its subnet manager needs."""
    # files of every fabric, then those of the subnet manager that runs it
    names = ["ib-node-name-map", "opensm.conf", "p2p.csv", "root-guids.conf", "topology.net"]
    if _runs_sharp(view) or (view.partitions and view.subnet_manager == "ufm"):
        names.append("gv.cfg")
    if view.partitions and view.subnet_manager == "ufm":
        names.append("partitions.conf.user_ext")
    if view.subnet_manager == "opensm":
        names.append("partitions.conf")
        names += ["opensm-standby.conf"] if len(view.managers) > 1 else []
    return tuple((f"{name}.j2", name) for name in sorted(names))


def values(view: FabricView, catalog: Catalog) -> dict[str, Any]:  # noqa: ARG001 - one signature for all NOSes
    """Return the values for the templates in `templates/opensm`."""
    roots = [switch for switch in view.switches if switch.top]
    is_ufm, managers = view.subnet_manager == "ufm", [require_token(name) for name in view.managers]
    return {
        "fabric": require_token(view.name),
        "planned": sum(not node.stated for node in view.nodes),
        "devices": len(view.nodes),
        "subnets": view.subnets,
        "engines": _choose_engines(view),
        "uses_roots": is_ufm or view.is_tree,
        "detects_roots": view.is_tree or len(view.switches) == view.subnets,
        "ufm": is_ufm,
        "folder": UFM if is_ufm else ETC,
        "root_file": "root_guid.conf" if is_ufm else "root-guids.conf",
        "priority": MASTER_PRIORITY,
        "standby_priority": STANDBY_PRIORITY,
        "master": managers[0] if managers else "",
        "standby": ", ".join(managers[1:]),
        "membership": view.default_partition,
        "partitions": list(list_statements(view)),
        "sharp": _runs_sharp(view),
        "manager_ports": [_write_guid(a.port_guid) for a in view.adapters if a.name in view.managers and a.stated],
        # subnets count from 1 in files
        "roots": sorted((switch.subnet + 1, require_token(switch.name), _write_guid(switch.guid)) for switch in roots),
        "planned_roots": sum(not switch.stated for switch in roots),
        "names": [(_write_guid(node.guid), _make_label(node)) for node in view.nodes],
        "p2p": list(_list_cable_ends(view)),
        **_make_topology(view),
    }


def _choose_engines(view: FabricView) -> str:
    """Return the routing engines that the subnet manager is to try, in order."""
    if view.subnet_manager == "ufm":
        return "ar_updn"
    return "ftree,nue" if view.is_tree else "nue"


def _runs_sharp(view: FabricView) -> bool:
    """Whether UFM runs in-network aggregation (SHARP) in the fabric."""
    return view.subnet_manager == "ufm" and view.has_accelerators and not view.has_high_nodes


def _write_guid(guid: int) -> str:
    """Return a GUID as sixteen hexadecimal digits."""
    return f"{guid:016x}"


def _make_label(node: FabricSwitch | FabricAdapter) -> str:
    """Return the displayed name of a device: a switch's name, or node and port of an adapter."""
    return (
        require_token(node.name)
        if isinstance(node, FabricSwitch)
        else f"{require_token(node.name)} {require_token(node.port)}"
    )


def _make_id(node: FabricSwitch | FabricAdapter) -> str:
    """Return the id of a device in ibnetdiscover's notation: its kind and GUID."""
    return f"{'S' if isinstance(node, FabricSwitch) else 'H'}-{_write_guid(node.guid)}"


class ListedLink(NamedTuple):
    """A link as listed under the device at one of its ends."""

    port: int
    far: str
    """Id of the far end."""
    far_port: int
    far_guid: str
    """Port GUID of a far adapter, "" for a switch."""
    far_name: str
    rate: str


def _make_topology(view: FabricView) -> dict[str, Any]:
    """Return switches with their links, sorted by port, and adapters with their single link."""
    nodes = view.nodes
    ids, labels = [_make_id(node) for node in nodes], [_make_label(node) for node in nodes]
    port_guids = ["" if isinstance(node, FabricSwitch) else f"{node.port_guid:x}" for node in nodes]
    links: list[list[ListedLink]] = [[] for _ in nodes]
    rates = {pair: _make_rate(*pair) for pair in {(link.speed_gbps, link.lane_gbps) for link in view.links}}
    for link in view.links:
        rate = rates[link.speed_gbps, link.lane_gbps]
        a, b = link.a, link.b
        links[a].append(ListedLink(link.a_port, ids[b], link.b_port, port_guids[b], labels[b], rate))
        links[b].append(ListedLink(link.b_port, ids[a], link.a_port, port_guids[a], labels[a], rate))
    count = len(view.switches)
    rows = [{"guid": _write_guid(node.guid), "id": ids[i], "name": labels[i]} for i, node in enumerate(nodes)]
    return {
        "switches": [
            {**rows[i], "ports": node.ports, "links": sorted(links[i])} for i, node in enumerate(view.switches)
        ],
        "adapters": [{**rows[i], "port_guid": port_guids[i], "link": links[i][0]} for i in range(count, len(nodes))],
    }


def _make_rate(speed_gbps: float, lane_gbps: float) -> str:
    """Return width and speed of a link in ibnetdiscover's notation: 4xNDR for 400 Gb/s over lanes of 100."""
    name = next((name for gbps, name in _RATES if lane_gbps >= gbps), "SDR")
    return f"{round(speed_gbps / lane_gbps)}x{name}"


class ListedCableEnd(NamedTuple):
    """One end of a cable in the point-to-point list."""

    rack: str
    u: int
    name: str
    port: str


def _list_cable_ends(view: FabricView) -> Iterator[tuple[ListedCableEnd, ListedCableEnd]]:
    """Yield (lower end, upper end) of every link, for the point-to-point list."""
    nodes = view.nodes
    positions = [(require_token(node.rack), node.u, require_token(node.name)) for node in nodes]
    for link in view.links:
        lower = ListedCableEnd(*positions[link.a], _make_port_label(nodes[link.a], link.a_cage, link.a_sub))
        upper = ListedCableEnd(*positions[link.b], _make_port_label(nodes[link.b], link.b_cage, link.b_sub))
        yield lower, upper


def _make_port_label(node: FabricSwitch | FabricAdapter, cage: int, sub: int) -> str:
    """Return the label of a port: an adapter's number, `sw17p2` on XDR switches, else `CAGE/PORT`, or the cage of one
    port.

    `cage` counts from 1, and `sub`, the port in its cage, from 0.
    """
    if isinstance(node, FabricAdapter):
        return str(node.number)
    if node.lane_gbps >= XDR_LANE_GBPS:
        # as the labels of XDR switches are
        return f"sw{cage}p{sub + 1}"
    return f"{cage}/{sub + 1}" if node.per_cage > 1 else str(cage)
