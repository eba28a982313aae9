"""trunks.csv: every trunk, its part and the panels that it joins; written only if the blueprint has patching."""

from __future__ import annotations

import numpy as np

from fabricgen.bom.trunks import PatchParts
from fabricgen.cluster import Cluster
from fabricgen.export.table import pick_names, yield_patching_table
from fabricgen.reports.table import Table
from fabricgen.wiring.patching.tables import Patching

ON_REQUEST = False


def rows(cluster: Cluster) -> int:
    """Return the number of trunks."""
    return len(cluster.plan.patching.trunks) if cluster.plan.patching else 0


def make_table(cluster: Cluster, patching: Patching) -> Table:
    """Return the trunks in the order of their policies and places; ports are panel front ports, from 1."""
    parts, trunks = PatchParts(cluster, patching), patching.trunks
    kinds, code = parts.trunk_parts
    fibres = np.array([p.spec.trunk_fibres for p in patching.policies])
    ports = np.array([p.ports_per_trunk for p in patching.policies])[trunks.policy]
    columns = {
        "trunk": parts.trunks,
        "part": [kinds[i].part for i in code.tolist()],
        "fibres": fibres[trunks.policy].tolist(),
        "ports": ports.tolist(),
        "used": trunks.used.tolist(),
        "length_m": trunks.length_m.tolist(),
    }
    for side, panel, port in (("a", trunks.a_panel, trunks.a_port), ("b", trunks.b_panel, trunks.b_port)):
        columns |= {
            f"{side}_rack": pick_names(np.array(cluster.plan.racks.names, dtype=object), patching.panels.rack[panel]),
            f"{side}_u": patching.panels.u[panel].tolist(),
            f"{side}_panel": pick_names(np.array(parts.panels, dtype=object), panel),
            f"{side}_ports": [f"{a + 1}-{a + n}" for a, n in zip(port.tolist(), ports.tolist(), strict=True)],
        }
    return Table("trunks", columns)


files = yield_patching_table(make_table)
