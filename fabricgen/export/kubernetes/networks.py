"""A secondary network of pods for each rail and port of RoCE, with the addresses that the plan gives its NICs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from ipaddress import ip_network

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.design.fabric_model import Attachment, FabricDesign
from fabricgen.design.names.interfaces import interface_name
from fabricgen.export.columns import picked
from fabricgen.export.host_links import family_texts, host_links
from fabricgen.export.rdma.ports import nic_of, rail_name
from fabricgen.numbering.addresses.node_prefixes import node_prefixes

VENDORS = {"mlx5": "15b3"}
"""Driver -> PCI vendor id, of NICs that the device plugin of NVIDIA's operator hands to pods."""


@dataclass(frozen=True, slots=True)
class Network:
    """A network: its name (`compute-r1`), the resource that pods ask for, and what nodes call the port."""

    fabric: str
    device: str
    interfaces: tuple[str, ...]
    vendors: tuple[str, ...]
    routed: bool

    @property
    def name(self) -> str:
        """As Kubernetes takes names."""
        return self.device.replace("_", "-")

    @property
    def resource(self) -> str:
        """As the device plugin takes names."""
        return self.device.replace("-", "_")


@dataclass(frozen=True, slots=True)
class Pool:
    """The addresses of a network: a prefix that holds them, and (node, its prefix, its gateway)."""

    network: Network
    cidr: str
    length: int
    nodes: tuple[tuple[str, str, str], ...]


def networks(cluster: Cluster) -> tuple[Network, ...]:
    """The networks in order of fabrics, rails and ports."""
    return tuple(network for fabric in cluster.design.fabrics for network in _of_fabric(cluster, fabric))


def _sides(fabric: FabricDesign) -> list[Attachment]:
    return list({id(side): side for _, side in fabric.attachments}.values())


def _of_fabric(cluster: Cluster, fabric: FabricDesign) -> Iterator[Network]:
    if fabric.protocol != "roce" or fabric.shares_ports:
        return
    blueprint = cluster.design.loaded.blueprint
    interfaces: dict[tuple[int, str], dict[str, str]] = {}
    for side in _sides(fabric):
        for number, leg in enumerate(side.legs):
            nic = nic_of(cluster, side, leg)
            name = interface_name(blueprint, side.profile.id, leg.name)
            found = interfaces.setdefault((leg.rail, rail_name(fabric.name, side, number)), {})
            found[name] = VENDORS.get(nic.driver, "") if nic else ""
    for (_, device), found in sorted(interfaces.items()):
        vendors = tuple(sorted({vendor for vendor in found.values() if vendor}))
        yield Network(fabric.name, device, tuple(sorted(found)), vendors, fabric.hosts == "routed")


def pools(cluster: Cluster) -> Iterator[Pool]:
    """The pools of the networks of routed hosts, in their order: the prefix of each NIC's link, in the first family."""
    rows, links = host_links(cluster), cluster.plan.links
    segments = links.segments
    by_network: dict[str, list[tuple[str, str, str]]] = {}

    @cache
    def device(segment: int, leg: int) -> str:
        side = segments[segment].a
        return rail_name(segments[segment].fabric, side, leg) if isinstance(side, Attachment) else ""

    names = picked(cluster.name_column, links.a_device[rows])
    own = np.array([s.lower == "node" for s in segments], dtype=bool)[links.segment[rows]]
    for found in cluster.addresses.families:
        address, _, gateway, _ = family_texts(cluster, found, rows)
        kinds = zip(links.segment[rows].tolist(), links.a_port[rows].tolist(), own.tolist(), strict=True)
        for (segment, leg, is_node), node, at, via in zip(kinds, names, address, gateway, strict=True):
            if is_node and via and (name := device(segment, leg)):
                by_network.setdefault(f"{found.family.word} {name}", []).append((node, at, via))
    for network in networks(cluster) if by_network else ():
        for found in cluster.addresses.families:
            nodes = by_network.get(f"{found.family.word} {network.device}")
            if network.routed and nodes:
                fabric = cluster.design.fabric(network.fabric)
                held = node_prefixes(
                    cluster.design, cluster.addresses.lock, cluster.addresses.used, fabric, found.family
                )
                yield _pool(network, held, nodes)
                break


def _pool(network: Network, held: tuple[str, ...], nodes: list[tuple[str, str, str]]) -> Pool:
    whole = ip_network(held[0])
    while not all(whole.supernet_of(ip_network(prefix)) for prefix in held):  # type: ignore[arg-type]
        whole = whole.supernet()
    prefixes = [ip_network(address, strict=False) for _, address, _ in nodes]
    rows = tuple((node, str(prefix), via) for (node, _, via), prefix in zip(nodes, prefixes, strict=True))
    return Pool(network, str(whole), prefixes[0].prefixlen, rows)
