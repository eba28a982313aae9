"""Racks by type: those that hold any device to buy, or patch panels."""

from __future__ import annotations

from collections.abc import Set

import numpy as np

from fabricgen.bom.cables import CableParts
from fabricgen.bom.need import Needs, OrderedPart, make_needs
from fabricgen.bom.sources.devices import find_bought_devices, name_rack_place
from fabricgen.catalog.models import RackProfile
from fabricgen.catalog.rack_models import TRAY_PLACES
from fabricgen.cluster import Cluster
from fabricgen.wiring.arrays import Flags, Ints


def needs(cluster: Cluster, cables: CableParts) -> Needs:  # noqa: ARG001 - one signature for all sources
    """Return one piece for each rack that holds a device to buy or a patch panel."""
    racks, rows = cluster.plan.racks, find_held_racks(cluster)
    listed = {name_rack_place(cluster, cls) for cls in cluster.plan.devices.classes}
    return make_needs([_make_part(kind, listed) for kind in racks.kinds], racks.kind[rows], rack=rows)


def find_held_racks(cluster: Cluster) -> Ints:
    """Return the rows of the racks that hold a device to buy or a patch panel; int32, ascending."""
    return np.flatnonzero(_flag_device_racks(cluster) | _flag_panel_racks(cluster)).astype(np.int32)


def find_device_racks(cluster: Cluster) -> Ints:
    """Return the rows of the racks that hold a device to buy; int32, ascending."""
    return np.flatnonzero(_flag_device_racks(cluster)).astype(np.int32)


def find_patch_racks(cluster: Cluster) -> Ints:
    """Return the rows of the racks that hold patch panels and no device to buy; int32, ascending."""
    return np.flatnonzero(_flag_panel_racks(cluster) & ~_flag_device_racks(cluster)).astype(np.int32)


def _flag_panel_racks(cluster: Cluster) -> Flags:
    held = np.zeros(len(cluster.plan.racks), dtype=bool)
    if cluster.plan.patching:
        held[cluster.plan.patching.panels.rack] = True
    return held


def _flag_device_racks(cluster: Cluster) -> Flags:
    racks, devices = cluster.plan.racks, cluster.plan.devices
    held = np.zeros(len(racks), dtype=bool)
    held[devices.rack[find_bought_devices(cluster.plan)]] = True
    return held


def _make_part(kind: RackProfile, listed: Set[str]) -> OrderedPart:
    """Return the part of a kind of rack, with the devices that are sold with it.

    Devices whose names are in `listed` have lines of their own and are left out. The description of a rack without a
    vendor states its width and depth.
    """
    size = f", {1000 * kind.width_m:.0f} x {1000 * kind.depth_m:.0f} mm"
    text = f"{kind.vendor} {kind.name}".strip() + ("" if kind.vendor or kind.name.endswith(size) else size)
    included = [
        f"{len(kind.fixed[name])} x {'switch tray' if name == TRAY_PLACES else name}"
        for name in kind.includes
        if name not in listed
    ]
    if included:
        text += f" with {', '.join(included)}"
    return OrderedPart(kind.part_number or kind.id, text, "rack", 0)
