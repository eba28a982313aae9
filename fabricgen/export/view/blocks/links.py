"""Links by the rows of the devices at their ends, and their row among the cables."""

from __future__ import annotations

from typing import Any

from fabricgen.export.table import encode_positive
from fabricgen.export.view.source import Packed, PageSource, pack_table


def block(source: PageSource) -> Packed:
    """Links by the rows of the devices at their ends, and their row among the cables."""
    links = source.cluster.plan.links
    (a_port, b_port), (a_cage, b_cage) = (
        source.cluster.port_names.port_columns,
        source.cluster.port_names.cage_columns,
    )
    columns: dict[str, Any] = {
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
    return pack_table(columns)
