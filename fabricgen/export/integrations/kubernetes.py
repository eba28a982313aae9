"""kubernetes/: NICs, secondary networks and labels of the nodes as a Kubernetes cluster; on request.

For NVIDIA Network Operator 26.7 (NicClusterPolicy, mellanox.com/v1alpha1; NicConfigurationTemplate,
configuration.net.nvidia.com/v1alpha1), nv-ipam (CIDRPool, nv-ipam.nvidia.com/v1alpha1) and Multus
(NetworkAttachmentDefinition, k8s.cni.cncf.io/v1, with the CNI plugin host-device). Sources: the operators' types and
examples (Mellanox/network-operator, Mellanox/nic-configuration-operator, Mellanox/nvidia-k8s-ipam on GitHub).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from ipaddress import ip_network
from typing import Any

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.design.fabric_model import Attachment, FabricDesign
from fabricgen.design.names.switches import name_interface
from fabricgen.design.qos import resolve_qos
from fabricgen.export.host_links import list_family_texts, list_host_links
from fabricgen.export.locality import PRESETS, group_nodes, write_network_labels, write_place_labels
from fabricgen.export.rdma.files import ECT, RING, find_nic, name_rail_device
from fabricgen.export.rdma.qos import HostQos
from fabricgen.export.table import ExportContext, File, pick_names
from fabricgen.kernel.diagnostics import InputError
from fabricgen.kernel.templates import load_templates
from fabricgen.numbering.addresses.rail_subnets import list_node_prefixes

OPERATOR = "network-operator-v26.7.0"
"""The version of the operator for whose types the files are written."""


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield the files that have any content: those of the operator are for NVIDIA's NICs."""
    pod_networks, templates = list_networks(cluster), list_nic_templates(cluster)
    values: dict[str, Any] = {"cluster": cluster.design.loaded.blueprint.name, "version": OPERATOR}
    plugin_networks = [network for network in pod_networks if network.vendors]
    if plugin_networks or templates:
        yield _render_file("nic-cluster-policy.yaml", values, networks=plugin_networks)
    if templates:
        yield _render_file("nic-configuration-templates.yaml", values, templates=templates)
    if pod_networks:
        pool_by_network = {pool.network: pool for pool in list_pools(cluster)}
        yield _render_file("networks.yaml", values, networks=pod_networks, pools=pool_by_network)
        if pool_by_network:
            yield _render_file("pools.yaml", values, pools=tuple(pool_by_network.values()))
    with suppress(InputError):  # FG155: no fabric joins nodes, and there is nothing to say of where they are
        locality_groups = group_nodes(cluster)
        for preset in PRESETS:
            yield f"kubernetes/labels/{preset.name}.yaml", write_network_labels(locality_groups, preset)
        yield "kubernetes/labels/places.yaml", write_place_labels(locality_groups)


def _render_file(name: str, common: dict[str, Any], **values: Any) -> File:
    return f"kubernetes/{name}", load_templates().get_template(f"kubernetes/{name}.j2").render(
        common, **values
    ).encode()


# Settings of NICs for NVIDIA's NIC configuration operator: the same intent as `rdma-setup` of the part `hosts`.
# There is one template for each kind of NIC, because the operator applies none if two match a NIC
# (Mellanox/nic-configuration-operator, README).


@dataclass(frozen=True, slots=True)
class NicTemplate:
    """The settings of all NICs with one PCI device id. `nic` has the names of their models, `fabrics` those of the
    fabrics that they attach to, and `qos` is None on InfiniBand.

    `clash` says that models or fabrics need different settings, so that the settings are left out. `ports` is the most
    ports that a NIC is split into, at least two; each port has parameters of its own (PortParam in
    Mellanox/nic-configuration-operator).
    """

    device_id: str
    nic: str
    fabrics: tuple[str, ...]
    qos: HostQos | None
    clash: bool
    ports: int

    @property
    def fabric_names(self) -> str:
        """The names of its fabrics, separated by commas."""
        return ", ".join(self.fabrics)

    @property
    def link(self) -> str:
        """The link type, as the operator names it."""
        return "Ethernet" if self.qos else "Infiniband"

    @property
    def traffic_class(self) -> int:
        """The traffic class of packets of connections that state none; 0 on InfiniBand."""
        return self.qos.traffic_class + ECT if self.qos else 0

    @property
    def ring(self) -> int:
        """Number of entries of rings."""
        return RING


def list_nic_templates(cluster: Cluster) -> tuple[NicTemplate, ...]:
    """Return the templates by device id, of NICs on InfiniBand fabrics, and on fabrics in which RoCE has a class of its
    own.
    """
    qos_by_nic: dict[tuple[str, str], dict[str, HostQos | None]] = {}
    for fabric in cluster.design.fabrics:
        intent, is_infiniband = resolve_qos(cluster.design, fabric), fabric.protocol == "infiniband"
        for side in _list_attachments(fabric) if not fabric.shares_ports else ():
            for nic in filter(None, (find_nic(cluster, side, leg) for leg in side.legs)):
                if nic.device_id and (is_infiniband or intent.marks):
                    qos = None if is_infiniband else HostQos(intent, 0)
                    qos_by_nic.setdefault((nic.device_id, nic.name), {})[fabric.name] = qos
    templates: dict[str, NicTemplate] = {}
    for (device_id, name), qos_by_fabric in sorted(qos_by_nic.items()):
        # several NIC models may have one device id: the operator takes one template for an id, so they are merged
        first_template = templates.get(device_id)
        qos = next(iter(qos_by_fabric.values()))
        names = tuple(dict.fromkeys((*(first_template.fabrics if first_template else ()), *qos_by_fabric)))
        # all of them, on all of their fabrics, must have the same settings, or else the id is a clash
        shared_qos = first_template.qos if first_template else qos
        clash = any(fabric_qos != shared_qos for fabric_qos in qos_by_fabric.values()) or bool(
            first_template and first_template.clash
        )
        ports_per_rail = [
            ports
            for fabric in cluster.design.fabrics
            if fabric.name in names
            for _, side in fabric.attachments
            for ports in Counter(leg.rail for leg in side.legs).values()
        ]
        nic_names = f"{first_template.nic}, {name}" if first_template else name
        templates[device_id] = NicTemplate(device_id, nic_names, names, shared_qos, clash, max(2, *ports_per_rail))
    return tuple(templates.values())


# A secondary network of pods for each rail and port of RoCE, with the addresses that the plan gives its NICs.

VENDORS = {"mlx5": "15b3"}
"""PCI vendor id, by driver, of NICs that the device plugin of NVIDIA's operator hands to pods."""


@dataclass(frozen=True, slots=True)
class PodNetwork:
    """A secondary network of pods: the ports of one RDMA device on one fabric, on all models of nodes. `interfaces` are
    the names that nodes have for the port.

    `vendors` are the PCI vendor ids of its NICs, such as `15b3`. `routed` says that hosts of the fabric are routed:
    only then the network has a pool of addresses.
    """

    fabric: str
    device: str
    interfaces: tuple[str, ...]
    vendors: tuple[str, ...]
    routed: bool

    @property
    def name(self) -> str:
        """Its name (`compute-r1`), in the characters that Kubernetes accepts."""
        return self.device.replace("_", "-")

    @property
    def resource(self) -> str:
        """The resource that pods ask for, in the characters that the device plugin accepts."""
        return self.device.replace("-", "_")


@dataclass(frozen=True, slots=True)
class Pool:
    """The addresses of a network: a prefix that holds them, and the (node, its prefix, its gateway) of each node.

    `length` is the length of the nodes' prefixes.
    """

    network: PodNetwork
    cidr: str
    length: int
    nodes: tuple[tuple[str, str, str], ...]


def list_networks(cluster: Cluster) -> tuple[PodNetwork, ...]:
    """Return the networks in the order of fabrics, rails and ports."""
    return tuple(network for fabric in cluster.design.fabrics for network in _list_fabric_networks(cluster, fabric))


def _list_attachments(fabric: FabricDesign) -> list[Attachment]:
    """Return the attachments of a fabric, each once although several tiers may share it."""
    return list({id(side): side for _, side in fabric.attachments}.values())


def _list_fabric_networks(cluster: Cluster, fabric: FabricDesign) -> Iterator[PodNetwork]:
    """Yield the networks of a lossless fabric on ports of its own: one for each rail and RDMA device.

    A network has the interfaces of its device on all models of nodes.
    """
    if fabric.protocol != "roce" or fabric.shares_ports:
        return
    blueprint = cluster.design.loaded.blueprint
    interfaces: dict[tuple[int, str], dict[str, str]] = {}
    for side in _list_attachments(fabric):
        for number, leg in enumerate(side.legs):
            nic = find_nic(cluster, side, leg)
            name = name_interface(blueprint, side.profile.id, leg.name)
            if device := name_rail_device(fabric, side, number):
                vendor_by_interface = interfaces.setdefault((leg.rail, device), {})
                vendor_by_interface[name] = VENDORS.get(nic.driver, "") if nic else ""
    for (_, device), vendor_by_interface in sorted(interfaces.items()):
        yield PodNetwork(
            fabric.name,
            device,
            tuple(sorted(vendor_by_interface)),
            tuple(sorted({vendor for vendor in vendor_by_interface.values() if vendor})),
            fabric.hosts == "routed",
        )


def list_pools(cluster: Cluster) -> Iterator[Pool]:
    """Yield the pool of each network of routed hosts, in the order of `list_networks`.

    A pool has the prefix of the link of each node's NIC, in the first address family that has any.
    """
    rows, links = list_host_links(cluster), cluster.plan.links
    segments = links.segments
    by_network: dict[str, list[tuple[str, str, str]]] = {}

    @cache
    def device(segment: int, leg: int) -> str:
        """Return the RDMA device at a port of a segment's nodes, "" if the lower end is no node.

        `leg` is the index of the port among the legs (logical ports) of the nodes' attachment.
        """
        side, fabric = segments[segment].a, segments[segment].fabric
        return name_rail_device(cluster.design.fabric(fabric), side, leg) if isinstance(side, Attachment) else ""

    names = pick_names(cluster.name_column, links.a_device[rows])
    is_node_link = np.array([s.lower == "node" for s in segments], dtype=bool)[links.segment[rows]]
    for allocated in cluster.addresses.families:
        address, _, gateway, _ = list_family_texts(cluster, allocated, rows)
        kinds = zip(links.segment[rows].tolist(), links.a_port[rows].tolist(), is_node_link.tolist(), strict=True)
        for (segment, leg, is_node), node, node_address, node_gateway in zip(
            kinds, names, address, gateway, strict=True
        ):
            if is_node and node_gateway and (name := device(segment, leg)):
                by_network.setdefault(f"{allocated.family.word} {name}", []).append((node, node_address, node_gateway))
    for network in list_networks(cluster) if by_network else ():
        for allocated in cluster.addresses.families:
            nodes = by_network.get(f"{allocated.family.word} {network.device}")
            # the first address family in which nodes have addresses: there is one pool for each network
            if network.routed and nodes:
                fabric = cluster.design.fabric(network.fabric)
                yield _make_pool(
                    network,
                    list_node_prefixes(
                        cluster.design, cluster.addresses.lock, cluster.addresses.used, fabric, allocated.family
                    ),
                    nodes,
                )
                break


def _make_pool(network: PodNetwork, fabric_prefixes: tuple[str, ...], nodes: list[tuple[str, str, str]]) -> Pool:
    """Return a pool of the prefixes of a network's links; its own prefix contains all prefixes of the fabric.

    `nodes` are (node, its address with length, gateway).
    """
    network_prefix = ip_network(fabric_prefixes[0])
    while not all(network_prefix.supernet_of(ip_network(prefix)) for prefix in fabric_prefixes):  # type: ignore[arg-type]
        network_prefix = network_prefix.supernet()
    prefixes = [ip_network(address, strict=False) for _, address, _ in nodes]
    return Pool(
        network,
        str(network_prefix),
        prefixes[0].prefixlen,
        tuple(
            (node, str(prefix), node_gateway) for (node, _, node_gateway), prefix in zip(nodes, prefixes, strict=True)
        ),
    )
