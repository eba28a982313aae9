"""shuffles.csv: every fibre pair that passes a fibre shuffle: its two ends, and its ports and pairs in the shuffle."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fabricgen.bom.trunks import PatchParts
from fabricgen.cluster import Cluster
from fabricgen.export.table import ExportContext, File, make_csv_file, pick_names
from fabricgen.reports.table import Table
from fabricgen.wiring.patching.tables import Patching

ON_REQUEST = False


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield shuffles.csv, unless nothing is shuffled."""
    if rows(cluster) and cluster.plan.patching is not None:
        yield make_csv_file(make_table(cluster, cluster.plan.patching))


def rows(cluster: Cluster) -> int:
    """Return the work of writing shuffles.csv, counted in rows of links.csv: one for each shuffled fibre pair."""
    return len(cluster.plan.patching.shuffles) if cluster.plan.patching else 0


def make_table(cluster: Cluster, patching: Patching) -> Table:
    """Return shuffles.csv: a row for each fibre pair of a cable that passes a shuffle, in the order of cables.

    Ports count from 1 over the face of the whole housing: of each shuffle, first its ports in, then its ports out.
    Pairs count from 1 in each port.
    """
    plan, shuffles, panels = cluster.plan, patching.shuffles, patching.panels
    link, cable = plan.cables.end_link[shuffles.row], plan.cables.end_cable[shuffles.row]
    ports_per_side = np.array([p.panel.shuffle for p in patching.policies], dtype=np.int32)[
        panels.policy[shuffles.panel]
    ]
    # each shuffle of a housing has `ports_per_side` ports in, and then as many out
    first_port = shuffles.shuffle * 2 * ports_per_side + 1
    return Table(
        "shuffles",
        {
            "cable": pick_names(np.array(cluster.cable_ids, dtype=object), cable),
            "a_device": pick_names(cluster.name_column, plan.links.a_device[link]),
            "a_port": pick_names(cluster.a_port, link),
            "a_cage": pick_names(cluster.cages[0], link),
            "rack": pick_names(np.array(plan.racks.names, dtype=object), panels.rack[shuffles.panel]),
            "u": panels.u[shuffles.panel].tolist(),
            "panel": pick_names(np.array(PatchParts(cluster, patching).panels, dtype=object), shuffles.panel),
            "in_port": (first_port + shuffles.port_in).tolist(),
            # a shuffle leads pair n of port m to pair m of port n
            "in_pair": (shuffles.port_out + 1).tolist(),
            "out_port": (first_port + ports_per_side + shuffles.port_out).tolist(),
            "out_pair": (shuffles.port_in + 1).tolist(),
            "b_device": pick_names(cluster.name_column, plan.links.b_device[link]),
            "b_port": pick_names(cluster.b_port, link),
            "b_cage": pick_names(cluster.cages[1], link),
        },
    )
