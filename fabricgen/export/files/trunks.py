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
    """Return the work of writing trunks.csv, counted in rows of links.csv: one for each trunk."""
    return len(cluster.plan.patching.trunks) if cluster.plan.patching else 0


def make_table(cluster: Cluster, patching: Patching) -> Table:
    """Return trunks.csv, a row for each trunk in the order of their policies and places: part, fibres, ports (how many,
    and how many are used), length in m, then rack, unit, panel and panel front ports (from 1) of both ends.
    """
    part_names, trunks = PatchParts(cluster, patching), patching.trunks
    trunk_parts, part_of_trunk = part_names.trunk_parts
    fibres = np.array([p.spec.trunk_fibres for p in patching.policies])
    port_count = np.array([p.ports_per_trunk for p in patching.policies])[trunks.policy]
    columns = {
        "trunk": part_names.trunks,
        "part": [trunk_parts[i].part for i in part_of_trunk.tolist()],
        "fibres": fibres[trunks.policy].tolist(),
        "ports": port_count.tolist(),
        "used": trunks.used.tolist(),
        "length_m": trunks.length_m.tolist(),
    }
    for letter, panel, first_port in (("a", trunks.a_panel, trunks.a_port), ("b", trunks.b_panel, trunks.b_port)):
        columns |= {
            f"{letter}_rack": pick_names(np.array(cluster.plan.racks.names, dtype=object), patching.panels.rack[panel]),
            f"{letter}_u": patching.panels.u[panel].tolist(),
            f"{letter}_panel": pick_names(np.array(part_names.panels, dtype=object), panel),
            f"{letter}_ports": [
                f"{first + 1}-{first + count}"
                for first, count in zip(first_port.tolist(), port_count.tolist(), strict=True)
            ],
        }
    return Table("trunks", columns)


files = yield_patching_table(make_table)
