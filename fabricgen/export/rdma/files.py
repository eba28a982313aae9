"""The RDMA files of nodes, made batch by batch, so that memory does not grow with the cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np

from fabricgen.catalog.models import NicProfile
from fabricgen.catalog.node_models import NicPort
from fabricgen.cluster import Cluster
from fabricgen.design.extras.exits import DefaultRoutes
from fabricgen.design.fabric_model import Attachment, FabricDesign, Leg
from fabricgen.design.names.switches import name_interface
from fabricgen.design.qos import resolve_qos
from fabricgen.design.srv6 import uses_srv6
from fabricgen.export.host_links import find_sharing_tenants, list_bond_columns, list_host_links, split_by_device
from fabricgen.export.host_shapes import (
    BATCH_NODES,
    HostShape,
    NodeShape,
    PortKey,
    SlotText,
    flag_values,
    make_slot,
    write_node_files,
)
from fabricgen.export.rdma.qos import OTHERS, HostQos
from fabricgen.export.table import File, pick_names
from fabricgen.kernel.templates import load_templates
from fabricgen.numbering.underlay import list_families
from fabricgen.wiring.arrays import Ints64
from fabricgen.wiring.tables import Segment

# RDMA files of nodes with the same wiring: one text for all, with placeholders for the values of each.

FIELDS = ("mac", "pci", "guid", "cable_m")
"""The values of a port, as text: MAC, PCI address, GUID, and the length of its cable in whole metres."""

SETUP, UNIT, NAMES, ENVIRONMENT = "rdma-setup", "rdma-setup.service", "60-rdma-persistent-naming.rules", "rdma.env"
"""File names."""


class NicKey(NamedTuple):
    """A port that has the same text on all nodes of a shape, which are nodes with the same wiring.

    `flags` has bit n set if the port has a value of field n of `FIELDS`. The other numbers are those of `PortKey`.
    """

    segment: int
    leg: int
    flags: int
    bond: int
    leads: bool
    tenant: int


@dataclass(frozen=True)
class RdmaShape(NodeShape):
    """The RDMA files of nodes with the same wiring; the values of a node are the fields of each port, then its name."""

    keys: tuple[NicKey, ...]

    @cached_property
    def texts(self) -> tuple[tuple[str, SlotText], ...]:
        """The (file name, text) of each file; none for a node without RDMA."""
        common_values = {"node": make_slot(-1), "cluster": self.cluster.design.loaded.blueprint.name}
        return tuple(
            (file, SlotText(load_templates().get_template(f"rdma/{file}.j2").render(common_values, **values)))
            for file, values in self._list_templates()
        )

    def _list_templates(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the name of each file that is needed, and the values of its template."""
        ports = self.ports
        roce = [port for port in ports if port.is_roce]
        if roce:
            yield (
                SETUP,
                {
                    "ports": roce,
                    "ionic": next((port.qos for port in roce if port.driver == "ionic" and port.qos), None),
                    "ionic_others": OTHERS,
                },
            )
            yield UNIT, {}
        if any(port.renamed or port.device_renamed for port in ports):
            yield NAMES, {"ports": ports}
        values = list_environment_values(self.cluster, ports, self._default_interfaces)
        if values:
            yield ENVIRONMENT, values

    @cached_property
    def ports(self) -> tuple[RdmaPort, ...]:
        """All ports in the order of fabrics, rails and ports."""
        ports = [self._make_port(position, key) for position, key in enumerate(self.keys)]
        fabric_rank = {fabric.name: rank for rank, fabric in enumerate(self.cluster.design.fabrics)}
        return tuple(sorted(ports, key=lambda port: (fabric_rank[port.fabric], port.rail, port.place)))

    def _make_port(self, position: int, key: NicKey) -> RdmaPort:
        """Return a port by its key and its position among the keys, with placeholders for the values of a node."""
        segment, attachment = self.find_segment(key.segment), self.find_attachment(key.segment)
        leg = attachment.legs[key.leg]
        sharing_fabrics = self.sharing_by_segment.get(key.segment, ())
        is_infiniband = segment.protocol == "infiniband"
        is_roce = not is_infiniband and carries_roce(self.cluster, (segment.fabric, *sharing_fabrics))
        nic, fabric = find_nic(self.cluster, attachment, leg), self.cluster.design.fabric(segment.fabric)
        slots = {
            # the values of a node stand port after port, and `flags` has a bit for each field that is known
            name: make_slot(position * len(FIELDS) + bit) if key.flags >> bit & 1 else ""
            for bit, name in enumerate(FIELDS)
        }
        port = RdmaPort(
            interface=name_interface(self.cluster.design.loaded.blueprint, attachment.profile.id, leg.name),
            label=leg.name,
            fabric=segment.fabric,
            role=attachment.role,
            rail=leg.rail,
            place=[other_leg for other_leg in attachment.legs if other_leg.rail == leg.rail].index(leg) + 1,
            is_infiniband=is_infiniband,
            is_roce=is_roce,
            driver=nic.driver if nic else "",
            device=name_rail_device(fabric, attachment, key.leg) if is_roce and (key.bond < 0 or key.leads) else "",
            qos=find_host_qos(self.cluster, segment) if is_roce else None,
            **slots,
        )
        if not is_infiniband:
            return port
        has_rule = port.pci or port.guid
        return replace(
            port,
            device=name_rail_device(fabric, attachment, key.leg)
            if has_rule
            else find_nic_port(attachment, leg).interface,
        )

    @cached_property
    def _default_interfaces(self) -> tuple[str, ...]:
        """The interfaces with the default route."""
        ethernet_keys = (key for key in self.keys if self.find_segment(key.segment).protocol != "infiniband")
        port_keys = [PortKey(key.segment, key.leg, 0, 0, key.bond, key.leads, key.tenant) for key in ethernet_keys]
        ports = [
            port
            for port in HostShape(self.cluster, tuple(port_keys), {}, DefaultRoutes(self.cluster.design)).ports
            if port.is_default
        ]
        lower_names = {name for port in ports for name in (*port.members, port.link)}
        return tuple(port.interface for port in ports if port.interface not in lower_names)


# The environment of NCCL, RCCL and UCX: which NICs they use, in order of rails, and how they mark packets.
# Sources: NCCL user guide, Environment variables (NCCL_IB_HCA and NCCL_SOCKET_IFNAME: exact names after `=`;
# NCCL_IB_TC; NCCL_IB_ADDR_FAMILY, since 2.21; NCCL_CROSS_NIC: 0 keeps a ring on its rail, 1 is for NICs on one
# switch, 2, the default, tries to keep it; NCCL_IB_QPS_PER_CONNECTION; NCCL_COLLNET_ENABLE, with the SHARP plugin).
# RCCL takes the same names, of /etc/rccl.conf (ROCm/rccl, src/misc/param.cc). UCX FAQ: UCX_NET_DEVICES as
# DEVICE:PORT, UCX_IB_TRAFFIC_CLASS, ucx.conf.

RAILS = ("rail", "rail-group")
NCCL_DEVICES = 32
"""The most devices of NCCL_IB_HCA, or of a node, that NCCL and RCCL use (MAX_IB_DEVS in src/transport/net_ib of NCCL
2.30; NVIDIA/nccl issue 2282: some releases crash beyond).
"""
COMPUTE = "compute"
"""The NIC role whose ports carry collectives."""


def list_environment_values(cluster: Cluster, ports: Sequence[RdmaPort], sockets: Sequence[str]) -> dict[str, Any]:
    """Return the values of a node's environment file; {} for a node without RDMA ports of the role `compute`.

    `sockets` are the names of the interfaces that collective libraries use for their own connections over IP.
    """
    rdma_ports = [port for port in ports if port.role == COMPUTE and (port.is_infiniband or port.is_roce)]
    if not rdma_ports:
        return {}
    first_port = rdma_ports[0]
    fabric, devices = cluster.design.fabric(first_port.fabric), [port.device for port in rdma_ports if port.device]
    return {
        "library": "rccl" if first_port.driver == "ionic" else "nccl",
        "devices": ",".join(devices),
        "ucx_devices": ",".join(f"{name}:1" for name in devices),
        "most": NCCL_DEVICES,
        "beyond": max(0, len(devices) - NCCL_DEVICES),
        "traffic_class": first_port.traffic_class,
        "roce": first_port.is_roce,
        "family": "AF_INET" if "v4" in list_families(cluster.design, fabric) else "AF_INET6",
        "sockets": ",".join(sockets),
        "cross_nic": choose_cross_nic(cluster, fabric),
        "sharp": runs_sharp(cluster, fabric),
        "several": any(tier.uplink for tier in fabric.tiers) and not uses_srv6(cluster.design, fabric),
    }


def choose_cross_nic(cluster: Cluster, fabric: FabricDesign) -> int | None:
    """Return NCCL_CROSS_NIC, or None for nodes with a single rail and plane.

    It is 0 if no switch joins all rails or planes, 1 if each leaf does, and 2 if a switch above the leaves does.
    """
    has_separate_planes = fabric.planes > 1 and fabric.address_per == "port"
    # what leaves or switches above may be separate by
    dimensions = {*(RAILS if fabric.rails > 1 else ()), *(("plane",) if has_separate_planes else ())}
    if not dimensions:
        return None
    tiers = {tier.key: tier for owner in cluster.design.fabrics for tier in owner.tiers}
    if all(not dimensions & set(tiers[leaf].per) for leaf in fabric.leaves):
        return 1
    reached_tiers, tier_keys = [], list(fabric.leaves)
    while tier_keys:
        reached_tiers.append(tiers[tier_keys.pop()])
        uplink = reached_tiers[-1].uplink
        tier_keys += [uplink.upper] if uplink else []
    return 2 if any(not dimensions & set(tier.per) for tier in reached_tiers) else 0


def runs_sharp(cluster: Cluster, fabric: FabricDesign) -> bool:
    """Whether UFM runs SHARP in a fabric, as in gv.cfg: accelerators attach, and all nodes to the lowest tier."""
    spec, levels = cluster.design.loaded.blueprint.fabrics[fabric.name], cluster.design.levels
    links = cluster.plan.links.segments
    attaches_above = any(s.tier and levels[s.tier] for s in links if s.fabric == fabric.name and s.lower_tier is None)
    accelerated = any(leg.gpu is not None for _, side in fabric.attachments for leg in side.legs)
    return fabric.protocol == "infiniband" and spec.subnet_manager == "ufm" and accelerated and not attaches_above


def write_rdma_files(cluster: Cluster) -> Iterator[File]:
    """Yield the files below hosts/NODE/ that set up RDMA, node by node."""
    rows = list_host_links(cluster, infiniband=True)
    links, make_texts = cluster.plan.links, cache(lambda nic_keys: RdmaShape(cluster, nic_keys).texts)
    for start, end in split_by_device(links.a_device[rows], BATCH_NODES):
        batch = rows[start:end]
        fields = [*_read_inventory(cluster, batch), _list_cable_lengths(cluster, batch)]
        key_columns = (links.segment[batch].tolist(), links.a_port[batch].tolist(), flag_values(fields))
        shared_columns = (*list_bond_columns(cluster, batch), find_sharing_tenants(cluster, batch))
        nic_keys = [NicKey(*values) for values in zip(*key_columns, *shared_columns, strict=True)]
        yield from write_node_files(cluster, batch, nic_keys, fields, make_texts)


def _read_inventory(cluster: Cluster, rows: Ints64) -> Sequence[list[str]]:
    """Return the MACs, PCI addresses and GUIDs of the lower ends of links, "" for what the inventory does not have."""
    rows_by_port = {(row.device, row.port): row for row in cluster.design.loaded.inventory if row.port}
    if not rows_by_port:
        return [[""] * len(rows) for _ in FIELDS[:-1]]
    names = pick_names(cluster.name_column, cluster.plan.links.a_device[rows])
    inventory_rows = [rows_by_port.get(port) for port in zip(names, cluster.a_port[rows].tolist(), strict=True)]
    return [
        [row.mac if row else "" for row in inventory_rows],
        [row.pci if row else "" for row in inventory_rows],
        [format_guid(row.guid) if row and row.guid else "" for row in inventory_rows],
    ]


def format_guid(guid: int) -> str:
    """Return a GUID as sysfs prints it: b83f:d203:00c0:0100."""
    # four groups of four digits, as the kernel prints node_guid
    return ":".join(f"{guid:016x}"[i : i + 4] for i in range(0, 16, 4))


def _list_cable_lengths(cluster: Cluster, rows: Ints64) -> list[str]:
    """Return the length of the cable of each link in whole metres, rounded up; "" for a backplane link."""
    # the 0 at the end answers links without a cable, which have -1
    length = np.append(np.ceil(cluster.plan.cables.length_m), 0).astype(np.int64)[cluster.plan.links.cable[rows]]
    return [str(metres) if metres else "" for metres in length.tolist()]


# A node's ports as its RDMA files see them: names by rail, the driver of their NIC, and the QoS of their fabric.

RING = 8192
"""Entries of a ring of an mlx5 port, the most that it accepts (NVIDIA, Performance Tuning for Mellanox Adapters; Linux,
mlx5/core/en.h: 2 to the 13th).
"""

ECT = 2
"""ECN-capable, in the lower bits of the traffic class of mlx5 (NVIDIA, doRoCE: 106 for DSCP 26); other drivers set it
themselves.
"""

TEMPLATES = {"mlx5": "rdma/_mlx5.j2", "ionic": "rdma/_ionic_port.j2"}
"""Template with the commands of a port, by driver of its NIC; NICs of other drivers only get names."""


@dataclass(frozen=True, slots=True)
class RdmaPort:
    """A port of RDMA as templates see it.

    `device` is the name of its RDMA device, "" if it has none of its own (all ports of a bond but the first) or if none
    is known. `mac`, `pci`, `guid` and `cable_m` are placeholders, "" if the values are not known.
    """

    interface: str
    label: str
    fabric: str
    role: str
    rail: int
    place: int
    """Its number among the ports of its rail, from 1."""
    is_infiniband: bool
    is_roce: bool
    driver: str
    device: str
    qos: HostQos | None
    """The QoS of its fabric; None unless RoCE has a class of its own there."""
    mac: str = ""
    pci: str = ""
    guid: str = ""
    cable_m: str = ""

    @property
    def ring(self) -> int:
        """Number of entries of its rings."""
        return RING

    @property
    def template(self) -> str:
        """The template of the commands that set it up, by the driver of its NIC; only names are set if there
        is no QoS.
        """
        return TEMPLATES[self.driver] if self.qos and self.driver in TEMPLATES else "rdma/_names.j2"

    @property
    def unknown(self) -> bool:
        """Whether setting its QoS is left to the reader, because commands for its driver are not known."""
        return self.qos is not None and self.driver not in TEMPLATES

    @property
    def traffic_class(self) -> int:
        """The traffic class of its RoCE packets; 0 if they have no class of their own."""
        return self.qos.traffic_class + (ECT if self.driver == "mlx5" else 0) if self.qos else 0

    @property
    def renamed(self) -> bool:
        """Whether a rule names its interface."""
        return not self.is_infiniband and bool(self.pci or self.mac)

    @property
    def device_renamed(self) -> bool:
        """Whether a rule names its RDMA device."""
        return bool(self.device and (self.pci or self.guid))

    @property
    def match_net(self) -> str:
        """The udev match for its interface: its PCI address, else its MAC, which interfaces on top of it have too."""
        if self.pci:
            return f'SUBSYSTEMS=="pci", KERNELS=="{self.pci}"'
        return f'ATTR{{address}}=="{self.mac}", ATTR{{type}}=="1", DRIVERS=="?*"'

    @property
    def match_device(self) -> str:
        """The udev match for its RDMA device: its PCI address, else its GUID."""
        return f'SUBSYSTEMS=="pci", KERNELS=="{self.pci}"' if self.pci else f'ATTR{{node_guid}}=="{self.guid}"'


def name_rail_device(fabric: FabricDesign, side: Attachment, leg: int) -> str:
    """Return the name of the RDMA device of a node's port: `compute_r1`, or `compute_r1p2` if its rail has several
    devices.

    `leg` is the index of the port in `side.legs`. If planes share the address of a NIC, its device is named at the port
    of plane 1, and the name is "" for ports of other planes.
    """
    has_device = [fabric.address_per == "port" or other_leg.plane == 1 for other_leg in side.legs]
    rail_legs = [i for i, rail_leg in enumerate(side.legs) if has_device[i] and rail_leg.rail == side.legs[leg].rail]
    number = f"p{rail_legs.index(leg) + 1}" if len(rail_legs) > 1 and leg in rail_legs else ""
    return f"{fabric.name}_r{side.legs[leg].rail}{number}" if leg in rail_legs else ""


def find_nic_port(side: Attachment, leg: Leg) -> NicPort:
    """Return the port in a node's profile that a leg is: for `port1/2`, a part of a split port, it is `port1`."""
    ports = {port.name: port for port in side.profile.roles[side.role].ports}
    # legs of a split port have its name and a number: `port1/2`
    return ports.get(leg.name) or ports[leg.name.rpartition("/")[0]]


def find_nic(cluster: Cluster, side: Attachment, leg: Leg) -> NicProfile | None:
    """Return the NIC of a leg; None if the catalogue does not say."""
    return cluster.design.catalog.nic(find_nic_port(side, leg).nic)


def find_host_qos(cluster: Cluster, segment: Segment) -> HostQos | None:
    """Return the QoS of node ports, which is that of their switches; None if RoCE has no class of its own there."""
    intent = resolve_qos(cluster.design, cluster.design.fabric(segment.tier.fabric if segment.tier else segment.fabric))
    return HostQos(intent, int(segment.speed_gbps)) if (intent.marks and segment.protocol != "infiniband") else None


def carries_roce(cluster: Cluster, fabrics: Iterable[str]) -> bool:
    """Whether one of the fabrics on a port is a RoCE fabric, or an Ethernet fabric with a class for RoCE."""
    design = cluster.design
    designs = [design.fabric(name) for name in fabrics]
    return any(f.protocol == "roce" or (f.protocol == "ethernet" and resolve_qos(design, f).marks) for f in designs)
