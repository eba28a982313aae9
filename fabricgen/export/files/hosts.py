"""hosts/NODE/: netplan and kernel settings for each node's ports on Ethernet fabrics, and what RDMA needs; on request.

Every port has its address, its MTU and a routing table of its own, which a rule selects by source address. So packets
of a NIC leave by that NIC, to nodes of its rail and of others (AMD Instinct system acceptance, Configure network
routing; AMD RoCE cluster network configuration guide: `arp_ignore` 1 and `arp_announce` 2 against ARP flux; Linux
ip-sysctl: `rp_filter` 2 is loose). In-band and front-end ports with the default route use the main table instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

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
from fabricgen.export.host_shapes import BATCH_NODES, HostShape, PortKey, flag_values, write_node_files
from fabricgen.export.rdma.files import write_rdma_files
from fabricgen.export.table import ExportContext, File, pick_names
from fabricgen.numbering.addresses.rail_subnets import list_node_prefixes
from fabricgen.wiring.arrays import Ints64


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield hosts/NODE/60-fabric.yaml and 90-fabric.conf, node by node, then the files for RDMA.

    Raises InputError (FG041) if two ports of a node get one interface name, or a name that Linux does not accept.
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
    routes = DefaultRoutes(design)
    make_texts = cache(lambda keys: HostShape(cluster, keys, prefixes, routes).texts)
    for start, end in split_by_device(cluster.plan.links.a_device[rows], BATCH_NODES):
        fields, keys = _list_values(cluster, rows[start:end], mtus)
        yield from write_node_files(cluster, rows[start:end], keys, fields, make_texts)
    yield from write_rdma_files(cluster)


def _list_values(
    cluster: Cluster, rows: Ints64, mtus: Mapping[tuple[str, str], int]
) -> tuple[list[list[str]], list[PortKey]]:
    """Return (columns of text, keys), both with an entry for each of the links at `rows`.

    The columns are the leaf, the leaf's port, the `FIELDS` of each address family, those of each fabric that shares
    ports, and the MAC. A key tells what the port at the lower end has in common with the same port of other nodes.
    `mtus` are the MTUs, in bytes, that the blueprint states for ports of switches, by (switch, port).
    """
    links = cluster.plan.links
    families, sharing = cluster.addresses.families, [f.name for f in cluster.design.fabrics if f.shares_ports]
    fields = [column for allocated in families for column in list_family_texts(cluster, allocated, rows)]
    fields += [
        column
        for name in sharing
        for allocated in families
        for column in list_shared_texts(cluster, allocated, name, rows)
    ]
    fields.append(_list_macs(cluster, rows))
    leaves, leaf_ports = pick_names(cluster.name_column, links.b_device[rows]), cluster.b_port[rows].tolist()
    mtu_limits = [mtus.get(leaf, 0) for leaf in zip(leaves, leaf_ports, strict=True)]
    key_columns = (links.segment[rows].tolist(), links.a_port[rows].tolist(), flag_values(fields), mtu_limits)
    shared_columns = (*list_bond_columns(cluster, rows), find_sharing_tenants(cluster, rows))
    return [leaves, leaf_ports, *fields], [PortKey(*key) for key in zip(*key_columns, *shared_columns, strict=True)]


def _list_macs(cluster: Cluster, rows: Ints64) -> list[str]:
    """Return the MAC of the lower end of each link, "" if the inventory does not have it."""
    mac_by_port = cluster.design.loaded.macs
    if not mac_by_port:
        return [""] * len(rows)
    names = pick_names(cluster.name_column, cluster.plan.links.a_device[rows])
    return [mac_by_port.get(port, "") for port in zip(names, cluster.a_port[rows].tolist(), strict=True)]
