"""Racks by type: those that hold any device to buy, or patch panels."""

from __future__ import annotations

from collections.abc import Set

import numpy as np

from fabricgen.bom.cables import CableParts
from fabricgen.bom.need import Needs, Part, needs_of
from fabricgen.bom.sources.devices import bought_devices, place_in_rack
from fabricgen.catalog.models import RackProfile
from fabricgen.catalog.rack_models import TRAY_PLACES
from fabricgen.cluster import Cluster
from fabricgen.wiring.arrays import Ints


def needs(cluster: Cluster, cables: CableParts) -> Needs:  # noqa: ARG001 - one signature for all sources
    """One piece for each rack."""
    racks, rows = cluster.plan.racks, held_racks(cluster)
    listed = {place_in_rack(cluster, cls) for cls in cluster.plan.devices.classes}
    return needs_of([_part(kind, listed) for kind in racks.kinds], racks.kind[rows], rack=rows)


def held_racks(cluster: Cluster) -> Ints:
    """Rows of the racks that hold any device to buy, or patch panels; int32, ascending."""
    racks, devices = cluster.plan.racks, cluster.plan.devices
    held = np.zeros(len(racks), dtype=bool)
    held[devices.rack[bought_devices(cluster.plan)]] = True
    if cluster.plan.patching:
        held[cluster.plan.patching.panels.rack] = True
    return np.flatnonzero(held).astype(np.int32)


def _part(kind: RackProfile, listed: Set[str]) -> Part:
    """A rack with what it is sold with, but for what has lines of its own; one of any maker has its size."""
    size = "" if kind.vendor else f", {1000 * kind.width_m:.0f} x {1000 * kind.depth_m:.0f} mm"
    text = f"{kind.vendor} {kind.name}".strip() + size
    included = [
        f"{len(kind.fixed[name])} x {'switch tray' if name == TRAY_PLACES else name}"
        for name in kind.includes
        if name not in listed
    ]
    if included:
        text += f" with {', '.join(included)}"
    return Part(kind.part_number or kind.id, text, "rack", 0)
