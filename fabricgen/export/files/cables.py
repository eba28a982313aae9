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
    """Return the work of writing cables.csv, counted in rows of links.csv: two for each cable end, as its rows are the
    widest.
    """
    return 2 * len(cluster.plan.cables.end_link)


def make_table(cluster: Cluster) -> Table:
    """Return cables.csv, a row for each cable end row of the plan: cable, fabric, part, medium and length in m, then
    device, cage, transceiver, rack and rack unit of the a end and of the b end, and both labels.

    A breakout has a row for each far end; all rows of a cable have the same part and length.
    """
    cables, links, devices = cluster.plan.cables, cluster.plan.links, cluster.plan.devices
    parts, cable, link = CableParts(cluster), cables.end_cable, cables.end_link
    racks = make_object_array(cluster.plan.racks.names)[devices.rack]
    units = make_object_array(devices.u.tolist())
    a_device, b_device = links.a_device[link], links.b_device[link]
    end_columns: dict[str, LazyColumn] = {}
    for letter, device, cages, transceivers in zip(
        "ab", (a_device, b_device), cluster.port_names.cage_columns, parts.list_transceivers(), strict=True
    ):
        end_columns |= {
            f"{letter}_device": EncodedColumn(cluster.name_column, device),
            f"{letter}_cage": cages.take(link),
            f"{letter}_transceiver": transceivers,
            f"{letter}_rack": EncodedColumn(racks, device),
            f"{letter}_u": EncodedColumn(units, device),
        }
    positions = locate_devices(cluster)
    a_label, b_label = (
        (EncodedColumn(positions, device), ":", port)
        for device, port in zip((a_device, b_device), make_label_texts(cluster), strict=True)
    )
    return Table(
        "cables",
        {
            "cable": cluster.cable_id_columns.make_id_column(cable),
            "fabric": encode_column([s.fabric for s in links.segments], links.segment[link]),
            "part": parts.parts[0].take(cable),
            "medium": encode_column([m.medium for m in cables.media], cables.medium[cable]),
            "length_m": parts.lengths.take(cable),
            **end_columns,
            "label_a": ConcatenatedColumn((*a_label, " > ", *b_label)),
            "label_b": ConcatenatedColumn((*b_label, " > ", *a_label)),
        },
    )


files = yield_table(make_table)
