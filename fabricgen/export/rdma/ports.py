"""A node's ports as its RDMA files see them: names by rail, what their NIC is, and the QoS of their fabric."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fabricgen.catalog.models import NicProfile
from fabricgen.catalog.node_models import NicPort
from fabricgen.cluster import Cluster
from fabricgen.design.fabric_model import Attachment, Leg
from fabricgen.design.qos import qos_of
from fabricgen.export.rdma.qos import HostQos
from fabricgen.wiring.tables import Segment

RING = 8192
"""Entries of a ring of an mlx5 port, the most that it takes (NVIDIA, Performance Tuning for Mellanox Adapters;
Linux, mlx5/core/en.h: 2 to the 13th).
"""

ECT = 2
"""ECN-capable, in the lower bits of the traffic class of mlx5 (NVIDIA, doRoCE: 106 for DSCP 26); others set it."""

TEMPLATES = {"mlx5": "rdma/_mlx5.j2", "ionic": "rdma/_ionic_port.j2"}
"""Driver of a NIC -> the commands of its ports; NICs of other drivers are only named."""


@dataclass(frozen=True, slots=True)
class RdmaPort:
    """A port of RDMA as templates see it.

    `device` is the name of its RDMA device, "" where it has none of its own (all ports of a bond but the first) or
    none is known. `mac`, `pci`, `guid` and `cable_m` are placeholders, "" where these are not known.
    """

    interface: str
    label: str
    fabric: str
    role: str
    rail: int
    place: int
    """Of the rail's ports, from 1."""
    is_infiniband: bool
    is_roce: bool
    driver: str
    device: str
    qos: HostQos | None
    """Of a lossless fabric."""
    mac: str = ""
    pci: str = ""
    guid: str = ""
    cable_m: str = ""

    @property
    def ring(self) -> int:
        """Entries of its rings."""
        return RING

    @property
    def template(self) -> str:
        """What is done with it."""
        return TEMPLATES[self.driver] if self.qos and self.driver in TEMPLATES else "rdma/_names.j2"

    @property
    def unknown(self) -> bool:
        """Whether its QoS is left to the reader."""
        return self.qos is not None and self.driver not in TEMPLATES

    @property
    def traffic_class(self) -> int:
        """Of its RoCE packets; 0 where these have no class of their own."""
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
        """What its interface is known by: its PCI address, else its MAC, which interfaces upon it have as well."""
        if self.pci:
            return f'SUBSYSTEMS=="pci", KERNELS=="{self.pci}"'
        return f'ATTR{{address}}=="{self.mac}", ATTR{{type}}=="1", DRIVERS=="?*"'

    @property
    def match_device(self) -> str:
        """What its RDMA device is known by: its PCI address, else its GUID."""
        return f'SUBSYSTEMS=="pci", KERNELS=="{self.pci}"' if self.pci else f'ATTR{{node_guid}}=="{self.guid}"'


def rail_name(fabric: str, side: Attachment, leg: int) -> str:
    """The name of the RDMA device of a leg: `compute_r1`, or `compute_r1p2` where a rail has several ports."""
    same = [i for i, other in enumerate(side.legs) if other.rail == side.legs[leg].rail]
    number = f"p{same.index(leg) + 1}" if len(same) > 1 else ""
    return f"{fabric}_r{side.legs[leg].rail}{number}"


def nic_port(side: Attachment, leg: Leg) -> NicPort:
    """The port in a node's profile that a leg is, or is split from."""
    ports = {port.name: port for port in side.profile.roles[side.role].ports}
    return ports.get(leg.name) or ports[leg.name.rpartition("/")[0]]


def nic_of(cluster: Cluster, side: Attachment, leg: Leg) -> NicProfile | None:
    """The NIC of a leg; None where the catalogue does not say."""
    return cluster.design.catalog.nic(nic_port(side, leg).nic)


def host_qos(cluster: Cluster, segment: Segment) -> HostQos | None:
    """The QoS of node ports, that of the switches they are on; None where these are not lossless Ethernet."""
    owner = cluster.design.fabric(segment.tier.fabric if segment.tier else segment.fabric)
    intent = qos_of(cluster.design, owner)
    lossless = intent.lossless and segment.protocol != "infiniband"
    return HostQos(intent, int(segment.speed_gbps)) if lossless else None


def carries_roce(cluster: Cluster, fabrics: Iterable[str]) -> bool:
    """Whether one of the fabrics on a port is RoCE, or lossless as it says itself."""
    design = cluster.design
    found = [design.fabric(name) for name in fabrics]
    return any(f.protocol == "roce" or (f.protocol == "ethernet" and qos_of(design, f).lossless) for f in found)
