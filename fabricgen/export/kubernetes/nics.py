"""What NVIDIA's NIC configuration operator is told of NICs: the same intent as `rdma-setup` of the part `hosts`.

One template for each kind of NIC, since the operator applies none where two match a NIC (Mellanox/
nic-configuration-operator, README).
"""

from __future__ import annotations

from dataclasses import dataclass

from fabricgen.cluster import Cluster
from fabricgen.design.qos import qos_of
from fabricgen.export.rdma.ports import ECT, RING, nic_of
from fabricgen.export.rdma.qos import HostQos


@dataclass(frozen=True, slots=True)
class NicTemplate:
    """Settings of all NICs of a kind, by PCI device id; `qos` is None on InfiniBand. `clash`: fabrics that differ in
    them, so that they are left out.
    """

    device_id: str
    nic: str
    fabrics: tuple[str, ...]
    qos: HostQos | None
    clash: bool

    @property
    def on(self) -> str:
        """The names of its fabrics, as a person reads them."""
        return ", ".join(self.fabrics)

    @property
    def link(self) -> str:
        """The link type, as the operator names it."""
        return "Ethernet" if self.qos else "Infiniband"

    @property
    def traffic_class(self) -> int:
        """Of packets of connections that state none."""
        return self.qos.traffic_class + ECT if self.qos else 0

    @property
    def ring(self) -> int:
        """Entries of rings."""
        return RING


def nic_templates(cluster: Cluster) -> tuple[NicTemplate, ...]:
    """The templates by device id, of NICs on lossless or InfiniBand fabrics."""
    found: dict[tuple[str, str], dict[str, HostQos | None]] = {}
    for fabric in cluster.design.fabrics:
        intent, is_infiniband = qos_of(cluster.design, fabric), fabric.protocol == "infiniband"
        for side in {id(side): side for _, side in fabric.attachments}.values() if not fabric.shares_ports else ():
            for nic in filter(None, (nic_of(cluster, side, leg) for leg in side.legs)):
                if nic.device_id and (is_infiniband or intent.lossless):
                    qos = None if is_infiniband else HostQos(intent, 0)
                    found.setdefault((nic.device_id, nic.name), {})[fabric.name] = qos
    templates: dict[str, NicTemplate] = {}
    for (device_id, name), wants in sorted(found.items()):
        first = templates.get(device_id)
        qos = next(iter(wants.values()))
        names = tuple(dict.fromkeys((*(first.fabrics if first else ()), *wants)))
        clash = any(other != (first.qos if first else qos) for other in wants.values()) or bool(first and first.clash)
        nics = f"{first.nic}, {name}" if first else name
        templates[device_id] = NicTemplate(device_id, nics, names, first.qos if first else qos, clash)
    return tuple(templates.values())
