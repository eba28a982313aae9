"""cables.csv: one row for each far end of a cable: its route, its part, and both labels with the ports."""

from __future__ import annotations

from fabricgen.bom.cables import CableParts
from fabricgen.cluster import Cluster
from fabricgen.export.locations import locate_devices
from fabricgen.export.plugs import make_label_texts
from fabricgen.export.table import yield_table
from fabricgen.numbering.lazy_columns import (
    ConcatenatedColumn,
    EncodedColumn,
    LazyColumn,
    encode_column,
    make_object_array,
)
from fabricgen.reports.table import Table

ON_REQUEST = False


def rows(cluster: Cluster) -> int:
    """Return the work in rows of links.csv: twice the number of cable ends, because these rows are the widest."""
    return 2 * len(cluster.plan.cables.end_link)


def make_table(cluster: Cluster) -> Table:
    """Return the cable ends by cable.

    A breakout has several rows of one cable, and all rows of a cable share part and length.
    """
    cables, links, devices = cluster.plan.cables, cluster.plan.links, cluster.plan.devices
    parts, row, link = CableParts(cluster), cables.end_cable, cables.end_link
    racks = make_object_array(cluster.plan.racks.names)[devices.rack]
    units = make_object_array(devices.u.tolist())
    a, b = links.a_device[link], links.b_device[link]
    ends: dict[str, LazyColumn] = {}
    for side, device, cages, optics in zip(
        "ab", (a, b), cluster.port_names.cage_columns, parts.list_transceivers(), strict=True
    ):
        ends |= {
            f"{side}_device": EncodedColumn(cluster.name_column, device),
            f"{side}_cage": cages.take(link),
            f"{side}_transceiver": optics,
            f"{side}_rack": EncodedColumn(racks, device),
            f"{side}_u": EncodedColumn(units, device),
        }
    places = locate_devices(cluster)
    near, far = (
        (EncodedColumn(places, device), ":", port)
        for device, port in zip((a, b), make_label_texts(cluster), strict=True)
    )
    return Table(
        "cables",
        {
            "cable": cluster.cable_id_columns.make_id_column(row),
            "fabric": encode_column([s.fabric for s in links.segments], links.segment[link]),
            "part": parts.parts[0].take(row),
            "medium": encode_column([m.medium for m in cables.media], cables.medium[row]),
            "length_m": parts.lengths.take(row),
            **ends,
            "label_a": ConcatenatedColumn((*near, " > ", *far)),
            "label_b": ConcatenatedColumn((*far, " > ", *near)),
        },
    )


files = yield_table(make_table)
