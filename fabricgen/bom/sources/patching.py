"""Trunks, and the patch panels at their ends."""

from __future__ import annotations

import numpy as np

from fabricgen.bom.cables import CableParts
from fabricgen.bom.need import Needs, join_needs, make_needs
from fabricgen.bom.trunks import PatchParts
from fabricgen.cluster import Cluster


def needs(cluster: Cluster, cables: CableParts) -> Needs:  # noqa: ARG001 - one signature for all sources
    """Return one piece for each trunk and panel. A trunk counts for the rack of its first end, a panel for its rack."""
    patching = cluster.plan.patching
    if patching is None:
        return join_needs([])
    parts = PatchParts(cluster, patching)
    panels = patching.panels
    trunks, of_trunk = parts.trunk_parts
    kinds, of_panel = parts.panel_parts
    return join_needs(
        [
            make_needs(trunks, of_trunk.astype(np.int32), rack=panels.rack[patching.trunks.a_panel]),
            make_needs(kinds, of_panel, rack=panels.rack),
        ]
    )
