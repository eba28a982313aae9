"""Links of nodes to Ethernet fabrics for the nodes' own configuration: rows by node, addresses and gateways.

`rows` are always rows of the link table, and what functions return by link is in their order.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.design.fabric_model import Attachment
from fabricgen.design.names.switches import name_bond
from fabricgen.numbering.addresses.exit_links import find_exit_segments
from fabricgen.numbering.addresses.family_tables import FamilyAddresses
from fabricgen.numbering.blocks.column import no_addresses
from fabricgen.numbering.lazy_columns import EncodedColumn
from fabricgen.wiring.arrays import Ints, Ints64
from fabricgen.wiring.bonds import PAIR_VLAN, PEER
from fabricgen.wiring.tables import Segment
from fabricgen.wiring.tenants import NOBODY, find_device_tenants

FIELDS = ("address", "own", "gateway", "subnet")
"""Values of a port in each address family: its address with and without prefix length, the leaf's address,
the subnet.
"""


def list_host_links(cluster: Cluster, *, infiniband: bool = False) -> Ints64:
    """Return the rows of links of nodes and extra devices, sorted by device, fabric and port; int64.

    BMCs, external devices and exits are left out because others configure them. InfiniBand ports, which have no
    addresses here, are included only with `infiniband`.
    """
    links, fabrics = cluster.plan.links, [fabric.name for fabric in cluster.design.fabrics]
    exits = find_exit_segments(cluster.design, cluster.plan)
    segments = enumerate(links.segments)
    is_listed = np.array([i not in exits and _is_host_segment(cluster, s, infiniband) for i, s in segments], dtype=bool)
    fabric_ranks = [fabrics.index(s.fabric) if s.fabric in fabrics else -1 for s in links.segments]
    rows = np.flatnonzero(is_listed[links.segment])
    # lexsort sorts by its last column first: device, fabric, port
    return rows[
        np.lexsort(
            (links.a_port[rows], np.array(fabric_ranks, dtype=np.int32)[links.segment[rows]], links.a_device[rows])
        )
    ].astype(np.int64)


def _is_host_segment(cluster: Cluster, segment: Segment, infiniband: bool) -> bool:
    """Whether the lower ends of a segment are ports of hosts that the build configures."""
    side = segment.a
    if not isinstance(side, Attachment) or side.role == "bmc" or side.profile.external:
        return False
    return infiniband or cluster.design.fabric(segment.fabric).protocol != "infiniband"


def list_bond_columns(cluster: Cluster, rows: Ints64) -> tuple[list[int], list[bool]]:
    """Return two lists by link: the NIC of its bond, and whether it is the first link of the bond, which has the
    address.

    The NIC is 0 for a bond of all ports of a node, -1 for a link without a bond.
    """
    bonds = cluster.plan.bonds
    if bonds is None:
        return [-1] * len(rows), [False] * len(rows)
    bond = bonds.of_link[rows]
    # the -1 at the end answers links without a bond, which have -1
    return np.append(bonds.nic, -1)[bond].tolist(), (np.append(bonds.first, -1)[bond] == rows).tolist()


def find_sharing_tenants(cluster: Cluster, rows: Ints64) -> list[int]:
    """Return the tenant of each link as an index into the tenants of the design; -1 for none.

    All are -1 unless tenants matter: unless a fabric has its VLANs on ports of another, or an exit.
    """
    design = cluster.design
    exits = any(fabric.exits for fabric in design.loaded.blueprint.fabrics.values())
    if not design.tenants or not (exits or any(fabric.shares_ports for fabric in design.fabrics)):
        return [NOBODY] * len(rows)
    tenants: list[int] = find_device_tenants(design, cluster.plan.devices)[cluster.plan.links.a_device[rows]].tolist()
    return tenants


def name_bond_ports(cluster: Cluster, rows: Ints64 | Ints, *, upper: bool = False) -> EncodedColumn:
    """Return the names of the interfaces at the lower (or `upper`) ends of links.

    A port in a bond of a host has the name of the bond, at the host's end, which is the lower one. The peer link of two
    switches has the name of its VLAN at both ends. Any other port has its own name.
    """
    # index 0 (False) is the column of lower ends, 1 (True) that of upper ones
    bonds, ports = cluster.plan.bonds, cluster.port_names.port_columns[upper].take(rows)
    if bonds is None:
        return ports
    links = cluster.plan.links
    fabrics = [links.segments[i].fabric for i in links.segment[bonds.first].tolist()]
    # by bond: the name that replaces that of its ports at this end, "" if they keep theirs
    names = [
        f"Vlan{PAIR_VLAN}" if kind == PEER else "" if upper else name_bond(fabric, nic)
        for fabric, nic, kind in zip(fabrics, bonds.nic.tolist(), bonds.kind.tolist(), strict=True)
    ]
    # codes of bonds follow those of ports
    codes_by_name = {name: code for code, name in enumerate(dict.fromkeys(filter(None, names)), len(ports.vocabulary))}
    # the -1 at the end answers links without a bond, which have -1
    bond_codes = np.array([*(codes_by_name.get(name, -1) for name in names), -1], dtype=np.int32)[bonds.of_link[rows]]
    vocabulary = np.concatenate([ports.vocabulary, np.array(list(codes_by_name), dtype=object)])
    return EncodedColumn(vocabulary, np.where(bond_codes < 0, ports.codes, bond_codes).astype(np.int32))


def split_by_device(device: Ints, max_devices: int) -> Iterator[tuple[int, int]]:
    """Yield the (start, end) of ranges of whole devices in a sorted column of devices.

    A range has at most `max_devices` devices.
    """
    # prepend: a device is never -1, so that the first row begins a range, too
    starts = np.append(np.flatnonzero(np.diff(device, prepend=-1)), len(device))
    return pairwise([*starts[:-1:max_devices].tolist(), len(device)])


def list_shared_texts(cluster: Cluster, addresses: FamilyAddresses, fabric: str, rows: Ints64) -> list[list[str]]:
    """Return columns as `list_family_texts` does, for the VLAN that a fabric has on ports of another fabric.

    `fabric` is the one with the VLAN; `rows` are links of the fabric that carries it. Texts are "" for links without
    the VLAN.
    """
    column, subnets = addresses.shared.get(fabric), addresses.subnets.get(fabric)
    if column is None or subnets is None:
        return [[""] * len(rows) for _ in FIELDS]
    leaf, address = cluster.plan.links.b_device[rows], column[rows]
    length = subnets.subnet_length[leaf]
    return [
        address.prefixes(length),
        address.texts(),
        subnets.gateway[leaf].texts(),
        subnets.base[leaf].prefixes(length),
    ]


def list_family_texts(cluster: Cluster, addresses: FamilyAddresses, rows: Ints64) -> list[list[str]]:
    """Return columns of text for links, in the order of `FIELDS`; "" for a missing value.

    The gateway is the far end of a routed link, or the leaf's address in the subnet of a bridged link.
    """
    links = cluster.plan.links
    gateway, subnet = (no_addresses(addresses.family, len(rows)) for _ in range(2))
    segment = links.segment[rows]
    for i in np.unique(segment).tolist():
        fabric = links.segments[i].fabric
        in_segment = segment == i
        segment_rows, leaf = rows[in_segment], links.b_device[rows[in_segment]]
        subnets, rails = addresses.subnets.get(fabric), cluster.addresses.rails.get(fabric)
        if cluster.design.fabric(fabric).hosts == "routed":
            gateway[in_segment] = addresses.b[segment_rows]
        elif subnets is not None:
            # leaves of one segment have subnets of one length
            subnet_size = 1 << (addresses.family.bits - int(subnets.subnet_length[leaf[0]]))
            rail_subnet = (
                np.maximum(rails.subnet[segment_rows], 0) if rails else np.zeros(len(segment_rows), dtype=np.int64)
            )
            gateway[in_segment] = subnets.gateway[leaf].plus(rail_subnet, subnet_size)
            subnet[in_segment] = subnets.base[leaf].plus(rail_subnet, subnet_size)
    length, address = addresses.length[rows], addresses.a[rows]
    return [address.prefixes(length), address.texts(), gateway.texts(), subnet.prefixes(length)]
