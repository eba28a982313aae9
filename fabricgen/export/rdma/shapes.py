"""RDMA files of nodes with the same wiring: one text for all, with placeholders for the values of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from fabricgen.cluster import Cluster
from fabricgen.design.extras.default_routes import DefaultRoutes
from fabricgen.design.fabric_model import Attachment
from fabricgen.design.names.interfaces import interface_name
from fabricgen.export.host_shapes import HostShape, PortKey, Text
from fabricgen.export.rdma.environment import environment
from fabricgen.export.rdma.ports import RdmaPort, carries_roce, host_qos, nic_of, nic_port, rail_name
from fabricgen.export.rdma.qos import OTHERS
from fabricgen.kernel.templates import built_in_templates
from fabricgen.numbering.addresses.shared_ports import fabrics_sharing
from fabricgen.wiring.tables import Segment

FIELDS = ("mac", "pci", "guid", "cable_m")
"""Values of a port, as text."""

SETUP, UNIT, NAMES, ENVIRONMENT = "rdma-setup", "rdma-setup.service", "60-rdma-persistent-naming.rules", "rdma.env"
"""File names."""


class NicKey(NamedTuple):
    """A port with the same text on all nodes of a shape: its segment, its leg, a bit for each of `FIELDS` that it has
    a value of; the NIC of the bond that it is in as in `PortKey`, whether it leads that, and its tenant as there.
    """

    segment: int
    leg: int
    flags: int
    bond: int
    leads: bool
    tenant: int


@dataclass(frozen=True)
class RdmaShape:
    """Nodes with the same wiring. Values of a node: for each port its fields; last the node's name."""

    cluster: Cluster
    keys: tuple[NicKey, ...]

    @cached_property
    def texts(self) -> tuple[tuple[str, Text], ...]:
        """(file name, text) of each file; none for a node without RDMA."""
        return tuple(
            (file, Text(built_in_templates().get_template(f"rdma/{file}.j2").render(self._common, **values)))
            for file, values in self._files()
        )

    @cached_property
    def _common(self) -> dict[str, Any]:
        return {"node": _slot(-1), "cluster": self.cluster.design.loaded.blueprint.name}

    def _files(self) -> Iterator[tuple[str, dict[str, Any]]]:
        ports = self.ports
        roce = [port for port in ports if port.is_roce]
        if roce:
            pollaras = [port.qos for port in roce if port.driver == "ionic"]
            yield (
                SETUP,
                {"ports": roce, "ionic": next(filter(None, pollaras), None), "ionic_others": OTHERS},
            )
            yield UNIT, {}
        if any(port.renamed or port.device_renamed for port in ports):
            yield NAMES, {"ports": ports}
        values = environment(self.cluster, ports, self._sockets)
        if values:
            yield ENVIRONMENT, values

    @cached_property
    def ports(self) -> tuple[RdmaPort, ...]:
        """All ports in order of fabrics, rails and ports."""
        found = [self._port(place, key) for place, key in enumerate(self.keys)]
        order = {name: i for i, name in enumerate(f.name for f in self.cluster.design.fabrics)}
        return tuple(sorted(found, key=lambda port: (order[port.fabric], port.rail, port.place)))

    def _port(self, place: int, key: NicKey) -> RdmaPort:
        segment, side, leg = self._segment(key), self._side(key), self._side(key).legs[key.leg]
        shared = self._shared.get(key.segment, ())
        is_infiniband = segment.protocol == "infiniband"
        is_roce = not is_infiniband and carries_roce(self.cluster, (segment.fabric, *shared))
        nic = nic_of(self.cluster, side, leg)
        slots = {
            name: _slot(place * len(FIELDS) + bit) if key.flags >> bit & 1 else "" for bit, name in enumerate(FIELDS)
        }
        port = RdmaPort(
            interface=interface_name(self.cluster.design.loaded.blueprint, side.profile.id, leg.name),
            label=leg.name,
            fabric=segment.fabric,
            role=side.role,
            rail=leg.rail,
            place=[other for other in side.legs if other.rail == leg.rail].index(leg) + 1,
            is_infiniband=is_infiniband,
            is_roce=is_roce,
            driver=nic.driver if nic else "",
            device=rail_name(segment.fabric, side, key.leg) if is_roce and (key.bond < 0 or key.leads) else "",
            qos=host_qos(self.cluster, segment) if is_roce else None,
            **slots,
        )
        if is_infiniband:
            known = rail_name(segment.fabric, side, key.leg) if port.pci or port.guid else nic_port(side, leg).interface
            return replace(port, device=known)
        return port

    @cached_property
    def _sockets(self) -> tuple[str, ...]:
        """The interfaces with the default route."""
        there = (key for key in self.keys if not self._is_infiniband(key))
        wired = [PortKey(key.segment, key.leg, 0, 0, key.bond, key.leads, key.tenant) for key in there]
        ports = [
            port
            for port in HostShape(self.cluster, tuple(wired), {}, DefaultRoutes(self.cluster.design)).ports
            if port.is_default
        ]
        below = {name for port in ports for name in (*port.members, port.link)}
        return tuple(port.interface for port in ports if port.interface not in below)

    @cached_property
    def _shared(self) -> dict[int, tuple[str, ...]]:
        absent = self.cluster.phase.absent if self.cluster.phase else frozenset[str]()
        return fabrics_sharing(self.cluster.plan, self.cluster.design, absent)

    def _segment(self, key: NicKey) -> Segment:
        return self.cluster.plan.links.segments[key.segment]

    def _is_infiniband(self, key: NicKey) -> bool:
        return self._segment(key).protocol == "infiniband"

    def _side(self, key: NicKey) -> Attachment:
        side = self._segment(key).a
        assert isinstance(side, Attachment)  # noqa: S101 - links of nodes have nothing else there
        return side


def _slot(number: int) -> str:
    return f"\0{number}\0"
