"""links.csv: one row for each link, port to port."""

from __future__ import annotations

from fabricgen.cluster import Cluster
from fabricgen.export.table import encode_positive, yield_table
from fabricgen.numbering.lazy_columns import ConcatenatedColumn, EncodedColumn, encode_column
from fabricgen.reports.table import Table

ON_REQUEST = False


def make_table(cluster: Cluster) -> Table:
    """Return the links by fabric, from the nodes up; a backplane link has no cable.

    Addresses are IPv4 if a link has any, else IPv6; addresses.csv has both.
    """
    links, segments = cluster.plan.links, cluster.plan.links.segments
    a_port, b_port = cluster.port_names.port_columns
    a_device, b_device = (EncodedColumn(cluster.name_column, device) for device in (links.a_device, links.b_device))
    a_ip, b_ip = cluster.addresses.list_link_addresses()
    return Table(
        "links",
        {
            "fabric": encode_column([s.fabric for s in segments], links.segment),
            "link": ConcatenatedColumn((a_device, ":", a_port)),
            "cable": cluster.cable_id_columns.make_id_column(links.cable),
            "a_device": a_device,
            "a_port": a_port,
            "a_ip": a_ip,
            "b_device": b_device,
            "b_port": b_port,
            "b_ip": b_ip,
            "speed_gbps": encode_column([float(s.speed_gbps) for s in segments], links.segment),
            "rail": encode_positive(links.rail),
            "plane": encode_positive(links.plane),
        },
    )


files = yield_table(make_table)
