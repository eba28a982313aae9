"""Nodes, extra devices, switches and scale-up trays; devices that belong to others are not bought."""

from __future__ import annotations

import numpy as np

from fabricgen.bom.cables import CableParts
from fabricgen.bom.need import Needs, Part, needs_of
from fabricgen.cluster import Cluster
from fabricgen.wiring.tables import EXTRA, NODE, DeviceClass, DeviceTable, Ints


def needs(cluster: Cluster, cables: CableParts) -> Needs:  # noqa: ARG001 - one signature for all sources
    """One piece for each device."""
    devices = cluster.plan.devices
    parts = [_part(cls) for cls in devices.classes]
    rows = bought_devices(devices)
    return needs_of(parts, devices.device_class[rows], device=rows)


def bought_devices(devices: DeviceTable) -> Ints:
    """Rows of the devices to buy; int32, ascending."""
    bought = np.array([is_bought(cls) for cls in devices.classes], dtype=bool)
    return np.flatnonzero(bought[devices.device_class]).astype(np.int32)


def is_bought(cls: DeviceClass) -> bool:
    """Whether devices of a class are to be bought."""
    return not getattr(cls.profile, "external", False)


def _part(cls: DeviceClass) -> Part:
    model = getattr(cls.profile, "model", "") or getattr(cls.profile, "name", "")
    kind = "node" if cls.kind in (NODE, EXTRA) else "switch"
    return Part(cls.profile.id, f"{cls.profile.vendor} {model}".strip(), kind, cls.profile.power_w.planning_w)
