"""Racks that feed what stands in them from a busbar, with DC: they have power shelves, and no outlets for cords."""

from __future__ import annotations

import numpy as np

from fabricgen.catalog.models import RackProfile
from fabricgen.cluster import Cluster
from fabricgen.wiring.tables import Flags

SHELF = "power-shelf"
"""The fixture of a rack profile with a busbar."""


def has_busbar(kind: RackProfile) -> bool:
    """Whether racks of a type have a busbar."""
    return SHELF in kind.fixed


def busbar_racks(cluster: Cluster) -> Flags:
    """Whether each rack has a busbar."""
    racks = cluster.plan.racks
    found: Flags = np.array([has_busbar(kind) for kind in racks.kinds], dtype=bool)[racks.kind]
    return found
