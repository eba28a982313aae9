"""The link table of the page."""

from __future__ import annotations

from fabricgen.export.table import encode_positive
from fabricgen.export.view.source import Packed, PageSource, pack_table


def block(source: PageSource) -> Packed:
    """Return the links in the order of the link table: segment, rows of the devices at both ends, ports, cages, rail
    and plane ("" for none), and the row of the cable, -1 for a link of a backplane.
    """
    links = source.cluster.plan.links
    port_names = source.cluster.port_names
    (a_port, b_port), (a_cage, b_cage) = port_names.port_columns, port_names.cage_columns
    return pack_table(
        {
            "segment": links.segment,
            "a": links.a_device,
            "b": links.b_device,
            "a_port": a_port,
            "b_port": b_port,
            "a_cage": a_cage,
            "b_cage": b_cage,
            "rail": encode_positive(links.rail),
            "plane": encode_positive(links.plane),
            "cable": links.cable,
        }
    )
