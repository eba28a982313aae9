"""Trunks, and the patch panels that they end in; a panel belongs to its rack."""

from __future__ import annotations

import numpy as np

from fabricgen.bom.cables import CableParts
from fabricgen.bom.need import Needs, joined, needs_of
from fabricgen.bom.trunks import PatchParts
from fabricgen.cluster import Cluster


def needs(cluster: Cluster, cables: CableParts) -> Needs:  # noqa: ARG001 - one signature for all sources
    """One piece a trunk and a panel; a trunk counts for the rack that its first end is in."""
    patching = cluster.plan.patching
    if patching is None:
        return joined([])
    parts = PatchParts(cluster, patching)
    panels = patching.panels
    trunks, of_trunk = parts.trunk_parts
    kinds, of_panel = parts.panel_parts
    return joined(
        [
            needs_of(trunks, of_trunk.astype(np.int32), rack=panels.rack[patching.trunks.a_panel]),
            needs_of(kinds, of_panel, rack=panels.rack),
        ]
    )
