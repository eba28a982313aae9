"""How many plugs of cables each rack takes."""

from __future__ import annotations

import numpy as np

from fabricgen.bom.cables import CableParts
from fabricgen.cluster import Cluster
from fabricgen.wiring.arrays import Ints64
from fabricgen.wiring.cabling.far_ends import are_common_ends_lower


def count_rack_plugs(cluster: Cluster) -> Ints64:
    """Return the number of plugs in each rack, int64, of all cables; a patched cable counts as a direct one.

    A cable is made of pieces (assemblies, or fibres side by side), each with one plug at the common end. Two straight
    fibres have two plugs at the one far end, and a splitter 1:2 has one plug at each of two far ends.
    """
    cables, links, rack = cluster.plan.cables, cluster.plan.links, cluster.plan.devices.rack
    parts = CableParts(cluster)
    distinct, code = parts.made
    far_ends = parts.widths[0]
    # `wanted.pieces` is (pieces, far ends of each); None for what no whole number of pieces makes: it counts as one
    pieces = np.array([(part.wanted.pieces or (1, 1))[0] for part in distinct], dtype=np.int64)[code]
    cable, row = cables.end_cable, cables.end_link
    at_a = are_common_ends_lower(links, cables)[cable]
    common = np.where(at_a, links.a_device[row], links.b_device[row])
    far = np.where(at_a, links.b_device[row], links.a_device[row])
    # ends of one cable are adjacent: the common end is counted at the first of them only
    is_first = np.r_[True, cable[1:] != cable[:-1]][: len(cable)]
    # at a far end a splitter has one plug, and equal fibres that run side by side have one each
    per_end, rack_count = np.maximum(pieces // far_ends, 1)[cable], len(cluster.plan.racks)
    far_plugs = np.bincount(rack[far], weights=per_end, minlength=rack_count)
    common_plugs = np.bincount(rack[common[is_first]], weights=pieces[cable[is_first]], minlength=rack_count)
    return (far_plugs + common_plugs).astype(np.int64)
