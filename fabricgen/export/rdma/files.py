"""The RDMA files of nodes, piece by piece, so that a cluster of any size takes the memory of some nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.export.columns import picked
from fabricgen.export.host_links import bond_columns, by_device, host_links, sharing_tenants
from fabricgen.export.rdma.shapes import FIELDS, NicKey, RdmaShape
from fabricgen.export.table import File
from fabricgen.wiring.tables import Ints64

AT_ONCE = 1024
"""Nodes whose values are computed together."""

Keys = tuple[NicKey, ...]


def rdma_files(cluster: Cluster) -> Iterator[File]:
    """Yield the files below hosts/NODE/ that set up RDMA, node by node."""
    rows = host_links(cluster, infiniband=True)
    shapes: dict[Keys, RdmaShape] = {}

    def shape_of(wired: Keys) -> RdmaShape:
        if wired not in shapes:
            shapes[wired] = RdmaShape(cluster, wired)
        return shapes[wired]

    for first, end in by_device(cluster.plan.links.a_device[rows], AT_ONCE):
        yield from _piece(cluster, rows[first:end], shape_of)


def _piece(cluster: Cluster, rows: Ints64, shape_of: Callable[[Keys], RdmaShape]) -> Iterator[File]:
    """The files of some nodes, from the rows of all their links."""
    links = cluster.plan.links
    fields = [*_hardware(cluster, rows), _cable_lengths(cluster, rows)]
    values = list(zip(*fields, strict=True))
    flags = np.sum([np.array(c, dtype=object).astype(bool).astype(int) << b for b, c in enumerate(fields)], axis=0)
    wired = (links.segment[rows].tolist(), links.a_port[rows].tolist(), flags.tolist())
    keys = [
        NicKey(*key) for key in zip(*wired, *bond_columns(cluster, rows), sharing_tenants(cluster, rows), strict=True)
    ]
    for first, end in by_device(links.a_device[rows], 1):
        name = cluster.names[links.a_device[rows[first]]]
        own = [text for port in values[first:end] for text in port]
        own.append(name)
        for file, text in shape_of(tuple(keys[first:end])).texts:
            yield f"hosts/{name}/{file}", text.filled(own)


def _hardware(cluster: Cluster, rows: Ints64) -> Sequence[list[str]]:
    """What the inventory has of the lower end of some links: MACs, PCI addresses and GUIDs, "" where it has none."""
    known = {(row.device, row.port): row for row in cluster.design.loaded.inventory if row.port}
    if not known:
        return [[""] * len(rows) for _ in FIELDS[:-1]]
    names = picked(cluster.name_column, cluster.plan.links.a_device[rows])
    found = [known.get(place) for place in zip(names, cluster.a_port[rows].tolist(), strict=True)]
    return [
        [row.mac if row else "" for row in found],
        [row.pci if row else "" for row in found],
        [guid_text(row.guid) if row and row.guid else "" for row in found],
    ]


def guid_text(guid: int) -> str:
    """A GUID as sysfs has it: b83f:d203:00c0:0100."""
    digits = f"{guid:016x}"
    return ":".join(digits[i : i + 4] for i in range(0, 16, 4))


def _cable_lengths(cluster: Cluster, rows: Ints64) -> list[str]:
    """The length of the cable of some links in whole metres, upwards; "" for a backplane link."""
    cable = cluster.plan.links.cable[rows]
    length = np.append(np.ceil(cluster.plan.cables.length_m), 0).astype(np.int64)[cable]
    return [str(metres) if metres else "" for metres in length.tolist()]
