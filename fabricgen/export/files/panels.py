"""panels.csv: every patch panel with its position, part and how full it is; written only if fibre is patched."""

from __future__ import annotations

import numpy as np

from fabricgen.bom.trunks import PatchParts
from fabricgen.cluster import Cluster
from fabricgen.export.table import pick_names, yield_patching_table
from fabricgen.reports.table import Table
from fabricgen.wiring.arrays import Ints64
from fabricgen.wiring.patching.tables import Patching

ON_REQUEST = False


def rows(cluster: Cluster) -> int:
    """Return the work of writing panels.csv, counted in rows of links.csv: one for each panel, 0 without patching."""
    return len(cluster.plan.patching.panels) if cluster.plan.patching else 0


def _count_shuffled_ports(patching: Patching) -> Ints64:
    """Return, for each panel, how many of its ports are ports of a fibre shuffle with a jumper in them; int64."""
    shuffles, port_counts = patching.shuffles, np.zeros(len(patching.panels), dtype=np.int64)
    for ports in (shuffles.port_in, shuffles.port_out):
        panel = np.unique(np.stack([shuffles.panel, shuffles.shuffle, ports]), axis=1)[0]
        port_counts += np.bincount(panel, minlength=len(port_counts))
    return port_counts


def make_table(cluster: Cluster, patching: Patching) -> Table:
    """Return panels.csv, a row for each panel: policy, part, rack, unit and number of front ports; `cabled` counts the
    ports with a trunk behind them, `used` those with a jumper.
    """
    parts, panels, trunks = PatchParts(cluster, patching), patching.panels, patching.trunks
    panel_parts, part_of_panel = parts.panel_parts
    cabled, used = (
        np.bincount(trunks.a_panel, weights=port_count, minlength=len(panels))
        + np.bincount(trunks.b_panel, weights=port_count, minlength=len(panels))
        for port_count in (np.array([p.ports_per_trunk for p in patching.policies])[trunks.policy], trunks.used)
    )
    used = used + _count_shuffled_ports(patching)
    policies = np.array([p.name for p in patching.policies], dtype=object)
    ports = np.array([p.panel.ports for p in patching.policies])[panels.policy]
    return Table(
        "panels",
        {
            "panel": parts.panels,
            "policy": pick_names(policies, panels.policy),
            "part": [panel_parts[i].part for i in part_of_panel.tolist()],
            "rack": pick_names(np.array(cluster.plan.racks.names, dtype=object), panels.rack),
            "u": panels.u.tolist(),
            "ports": ports.tolist(),
            "cabled": cabled.astype(np.int64).tolist(),
            "used": used.astype(np.int64).tolist(),
        },
    )


files = yield_patching_table(make_table)
