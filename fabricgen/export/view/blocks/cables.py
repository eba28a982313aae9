"""Cables with their ends: what cables.csv says of them, without what the page knows from its table of links."""

from __future__ import annotations

from typing import Any

from fabricgen.bom.cables import CableParts
from fabricgen.cluster import Cluster
from fabricgen.export.plugs import make_label_texts
from fabricgen.export.technician.pulled_rows import locate_panel_ports
from fabricgen.export.view.source import Packed, PageSource, pack_column, pack_reference, pack_table
from fabricgen.numbering.lazy_columns import encode_column


def block(source: PageSource) -> Packed:
    """Return a row a cable: id, part, medium, length in m.

    `ends` has a row for each pair of connectors: the cable, one of its links, both transceivers, the text of both
    labels after the device names, and the panel ports of the jumpers if fibre is patched.
    """
    cluster, cables = source.cluster, source.cluster.plan.cables
    parts = CableParts(cluster)
    a, b = parts.list_transceivers()
    label_a, label_b = make_label_texts(cluster)
    ends: dict[str, Any] = {
        "cable": cables.end_cable,
        "link": cables.end_link,
        "a_transceiver": a,
        "b_transceiver": b,
        "a_label": label_a,
        "b_label": label_b,
    }
    if panels := locate_panel_ports(cluster, whole=True):
        ends["a_panel"], ends["b_panel"] = panels
    return {
        **pack_table(
            {
                "cable": _pack_ids(cluster),
                "part": parts.parts[0],
                "medium": encode_column([medium.medium for medium in cables.media], cables.medium),
                "length_m": parts.lengths,
            },
            len(cables),
        ),
        "ends": pack_table(ends),
    }


def _pack_ids(cluster: Cluster) -> Packed:
    """Return the ids of cables as two joined columns: names of devices, and connectors.

    The names are rows of the page's device table if ids use the same names, else texts.
    """
    ids = cluster.cable_id_columns
    by_row = ids.device.vocabulary is cluster.name_column
    hub = pack_reference("devices", "name", ids.device.codes) if by_row else pack_column(ids.device)
    return {"join": [hub, pack_column(ids.connector)]}
