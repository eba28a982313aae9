"""How many plugs each rack takes: those of jumpers, and of splitters at their common end and at each tail."""

from __future__ import annotations

import numpy as np

from fabricgen.bom.cables import CableParts
from fabricgen.cluster import Cluster
from fabricgen.wiring.arrays import Ints64
from fabricgen.wiring.cabling.end_kinds import are_common_ends_lower


def count_rack_plugs(cluster: Cluster) -> Ints64:
    """The number of plugs in each rack, of all cables; patched ones count as if they were direct."""
    cables, links, rack = cluster.plan.cables, cluster.plan.links, cluster.plan.devices.rack
    parts = CableParts(cluster)
    distinct, code = parts.made
    far_ends = parts.widths[0]
    pieces = np.array([(part.wanted.pieces or (1, 1))[0] for part in distinct], dtype=np.int64)[code]
    cable, row = cables.end_cable, cables.end_link
    at_a = are_common_ends_lower(links, cables)[cable]
    common = np.where(at_a, links.a_device[row], links.b_device[row])
    far = np.where(at_a, links.b_device[row], links.a_device[row])
    # ends of one cable are adjacent: the common end is counted at the first of them only
    first = np.r_[True, cable[1:] != cable[:-1]][: len(cable)]
    # at a far end a splitter has one plug, jumpers that run side by side have one each
    per_end, count = np.maximum(pieces // far_ends, 1)[cable], len(cluster.plan.racks)
    far_plugs = np.bincount(rack[far], weights=per_end, minlength=count)
    return (far_plugs + np.bincount(rack[common[first]], weights=pieces[cable[first]], minlength=count)).astype(
        np.int64
    )
