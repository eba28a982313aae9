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
from fabricgen.export.host_links import bond_columns, by_device, family_texts, host_links, shared_texts, sharing_tenants
from fabricgen.export.host_shapes import HostShape, PortKey
from fabricgen.export.rdma.files import rdma_files
from fabricgen.export.table import ExportContext, File, picked
from fabricgen.numbering.addresses.rail_subnets import list_node_prefixes
from fabricgen.wiring.arrays import Ints64

ON_REQUEST = True

AT_ONCE = 1024
"""Nodes whose values are computed together: enough for array operations to pay, and few enough to keep memory low."""

FLAGS_IN_A_NUMBER = 63
"""Bits of an int64 without its sign."""


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield hosts/NODE/60-fabric.yaml and 90-fabric.conf, node by node, then what RDMA needs (`export.rdma`).

    Raises InputError where two ports of a node get one interface name, or a name that Linux does not accept.
    """
    rows, design, addresses = host_links(cluster), cluster.design, cluster.addresses
    prefixes = {
        (fabric.name, found.family.word): list_node_prefixes(
            design, addresses.lock, addresses.used, fabric, found.family
        )
        for fabric in design.fabrics
        for found in addresses.families
    }
    mtus = {
        (device, port): settings.mtu
        for device, own in design.loaded.blueprint.config_of.items()
        for port, settings in own.ports.items()
        if settings.mtu is not None
    }
    shapes: dict[tuple[PortKey, ...], HostShape] = {}
    routes = DefaultRoutes(design)

    def shape_of(wired: tuple[PortKey, ...]) -> HostShape:
        if wired not in shapes:
            shapes[wired] = HostShape(cluster, wired, prefixes, routes)
        return shapes[wired]

    for first, end in by_device(cluster.plan.links.a_device[rows], AT_ONCE):
        yield from _piece(cluster, rows[first:end], mtus, shape_of)
    yield from rdma_files(cluster)


def _piece(
    cluster: Cluster,
    rows: Ints64,
    mtus: Mapping[tuple[str, str], int],
    shape_of: Callable[[tuple[PortKey, ...]], HostShape],
) -> Iterator[File]:
    """The files of some nodes, from the rows of all their links."""
    links = cluster.plan.links
    families, sharing = cluster.addresses.families, [f.name for f in cluster.design.fabrics if f.shares_ports]
    fields = [column for found in families for column in family_texts(cluster, found, rows)]
    fields += [column for name in sharing for found in families for column in shared_texts(cluster, found, name, rows)]
    leaves = list(zip(picked(cluster.name_column, links.b_device[rows]), cluster.b_port[rows].tolist(), strict=True))
    fields.append(_macs(cluster, rows))
    values = [(*leaf, *texts) for leaf, *texts in zip(leaves, *fields, strict=True)]
    has = [np.array(column, dtype=object).astype(bool) for column in fields]
    wide = np.int64 if len(has) < FLAGS_IN_A_NUMBER else object
    flags = np.sum([column.astype(wide) << bit for bit, column in enumerate(has)], axis=0)
    most = [mtus.get(leaf, 0) for leaf in leaves]
    wired = (links.segment[rows].tolist(), links.a_port[rows].tolist(), flags.tolist(), most)
    keys = [
        PortKey(*key) for key in zip(*wired, *bond_columns(cluster, rows), sharing_tenants(cluster, rows), strict=True)
    ]
    for first, end in by_device(links.a_device[rows], 1):
        name = cluster.names[links.a_device[rows[first]]]
        own = [text for port in values[first:end] for text in port]
        own.append(name)
        for file, text in shape_of(tuple(keys[first:end])).texts:
            yield f"hosts/{name}/{file}", text.filled(own)


def _macs(cluster: Cluster, rows: Ints64) -> list[str]:
    """The MAC of the lower end of some links, "" where the inventory does not have it."""
    known = cluster.design.loaded.macs
    if not known:
        return [""] * len(rows)
    names = picked(cluster.name_column, cluster.plan.links.a_device[rows])
    return [known.get(place, "") for place in zip(names, cluster.a_port[rows].tolist(), strict=True)]
