"""hosts/NODE/: netplan and kernel settings for each node's ports on Ethernet fabrics, and what RDMA needs; on request.

Every port has its address, MTU and a routing table of its own, which a rule selects by source address: what a NIC sends
leaves by that NIC, to nodes of its rail and of others (AMD Instinct system acceptance, Configure network routing; AMD
RoCE cluster network configuration guide: `arp_ignore` 1 and `arp_announce` 2 against ARP flux; Linux ip-sysctl:
`rp_filter` 2 is loose). In-band and front-end ports with the default route use the main table instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.design.extras.exits import DefaultRoutes
from fabricgen.export.host_links import (
    find_sharing_tenants,
    list_bond_columns,
    list_family_texts,
    list_host_links,
    list_shared_texts,
    split_by_device,
)
from fabricgen.export.host_shapes import HostShape, PortKey
from fabricgen.export.rdma.files import write_rdma_files
from fabricgen.export.table import ExportContext, File, pick_names
from fabricgen.numbering.addresses.rail_subnets import list_node_prefixes
from fabricgen.wiring.arrays import Ints64

ON_REQUEST = True

BATCH_NODES = 1024
"""Nodes whose values are computed together: enough for array operations to pay, and few enough to keep memory low."""

FLAGS_IN_A_NUMBER = 63
"""Bits of an int64 without its sign."""


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield hosts/NODE/60-fabric.yaml and 90-fabric.conf, node by node, then what RDMA needs (`export.rdma`).

    Raises InputError where two ports of a node get one interface name, or a name that Linux does not accept.
    """
    rows, design, addresses = list_host_links(cluster), cluster.design, cluster.addresses
    prefixes = {
        (fabric.name, allocated.family.word): list_node_prefixes(
            design, addresses.lock, addresses.used, fabric, allocated.family
        )
        for fabric in design.fabrics
        for allocated in addresses.families
    }
    mtus = {
        (device, port): settings.mtu
        for device, device_config in design.loaded.blueprint.config_of.items()
        for port, settings in device_config.ports.items()
        if settings.mtu is not None
    }
    shapes: dict[tuple[PortKey, ...], HostShape] = {}
    routes = DefaultRoutes(design)

    def make_shape(port_keys: tuple[PortKey, ...]) -> HostShape:
        if port_keys not in shapes:
            shapes[port_keys] = HostShape(cluster, port_keys, prefixes, routes)
        return shapes[port_keys]

    for first, end in split_by_device(cluster.plan.links.a_device[rows], BATCH_NODES):
        yield from _write_node_files(cluster, rows[first:end], mtus, make_shape)
    yield from write_rdma_files(cluster)


def _write_node_files(
    cluster: Cluster,
    rows: Ints64,
    mtus: Mapping[tuple[str, str], int],
    make_shape: Callable[[tuple[PortKey, ...]], HostShape],
) -> Iterator[File]:
    """The files of some nodes, from the rows of all their links."""
    links = cluster.plan.links
    families, sharing = cluster.addresses.families, [f.name for f in cluster.design.fabrics if f.shares_ports]
    fields = [column for allocated in families for column in list_family_texts(cluster, allocated, rows)]
    fields += [
        column
        for name in sharing
        for allocated in families
        for column in list_shared_texts(cluster, allocated, name, rows)
    ]
    leaves = list(
        zip(pick_names(cluster.name_column, links.b_device[rows]), cluster.b_port[rows].tolist(), strict=True)
    )
    fields.append(_list_macs(cluster, rows))
    values = [(*leaf, *texts) for leaf, *texts in zip(leaves, *fields, strict=True)]
    has_value = [np.array(column, dtype=object).astype(bool) for column in fields]
    # a bit for each field that has a value: nodes alike in that share a text
    flag_type = np.int64 if len(has_value) < FLAGS_IN_A_NUMBER else object
    flags = np.sum([column.astype(flag_type) << bit for bit, column in enumerate(has_value)], axis=0)
    mtu_limits = [mtus.get(leaf, 0) for leaf in leaves]
    key_columns = (links.segment[rows].tolist(), links.a_port[rows].tolist(), flags.tolist(), mtu_limits)
    keys = [
        PortKey(*key)
        for key in zip(
            *key_columns, *list_bond_columns(cluster, rows), find_sharing_tenants(cluster, rows), strict=True
        )
    ]
    for first, end in split_by_device(links.a_device[rows], 1):
        name = cluster.names[links.a_device[rows[first]]]
        node_values = [text for port in values[first:end] for text in port]
        node_values.append(name)
        for file, text in make_shape(tuple(keys[first:end])).texts:
            yield f"hosts/{name}/{file}", text.fill(node_values)


def _list_macs(cluster: Cluster, rows: Ints64) -> list[str]:
    """The MAC of the lower end of some links, "" where the inventory does not have it."""
    mac_by_port = cluster.design.loaded.macs
    if not mac_by_port:
        return [""] * len(rows)
    names = pick_names(cluster.name_column, cluster.plan.links.a_device[rows])
    return [mac_by_port.get(port, "") for port in zip(names, cluster.a_port[rows].tolist(), strict=True)]
