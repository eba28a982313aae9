"""Places of a cluster as boxes within boxes (cluster, site, pod, unit, rack), and which devices are drawn in which.

A box is there for each place that holds devices of its own or tells others apart: no sites where there is one, no racks
where no switch serves a rack alone. Everything follows from the columns of the device table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.wiring.tables import NODE, DeviceTable, Ints, Ints64

CLUSTER, SITE, POD, UNIT, RACK = LEVELS = tuple(range(5))
"""Levels of boxes, from wide to narrow."""

LEVEL_NAMES = ("cluster", "site", "pod", "su", "rack")


@dataclass(frozen=True)
class Places:
    """Boxes, wide ones first: int32 columns of level and parent (-1 for the cluster), and what each is called.

    `device_box` is the box that each device is drawn in; int32, one a device.
    """

    level: Ints
    parent: Ints
    names: tuple[str, ...]
    device_box: Ints

    def __len__(self) -> int:
        return len(self.level)

    @property
    def ancestors(self) -> Ints:
        """The box of each level that a box is in, or is; int32 of shape (boxes, levels), -1 where there is none."""
        found = np.full((len(self), len(LEVELS)), -1, dtype=np.int32)
        for box in range(len(self)):
            if self.parent[box] >= 0:
                found[box] = found[self.parent[box]]
            found[box, self.level[box]] = box
        return found


def places_of(cluster: Cluster) -> Places:
    """The boxes of a cluster."""
    devices = cluster.plan.devices
    depth = _depths(devices)
    used = _levels_used(cluster, depth)
    keys = _keys(devices)
    levels, parents, names = [np.zeros(1, dtype=np.int32)], [np.full(1, -1, dtype=np.int32)], ["cluster"]
    device_box = np.zeros(len(devices), dtype=np.int32)
    count = 1
    for level in used[1:]:
        inside = np.flatnonzero(depth >= level)
        _, first, number = np.unique(keys[level][inside], return_index=True, return_inverse=True)
        levels.append(np.full(len(first), level, dtype=np.int32))
        parents.append(device_box[inside[first]])
        names += [_name(cluster, level, int(row)) for row in inside[first]]
        device_box[inside] = count + number.astype(np.int32)
        count += len(first)
    return Places(np.concatenate(levels), np.concatenate(parents), tuple(names), device_box)


def _depths(devices: DeviceTable) -> Ints:
    """The narrowest level that each device is of: nodes of a unit, switches of what they serve; int32."""
    found = np.full(len(devices), CLUSTER, dtype=np.int32)
    for level, column in ((SITE, devices.site), (POD, devices.pod), (UNIT, devices.unit), (RACK, devices.rack_in_unit)):
        found[column >= 0] = level
    return found


def _levels_used(cluster: Cluster, depth: Ints) -> Sequence[int]:
    devices, layout = cluster.plan.devices, cluster.design.layout
    by_rack = any(cls.kind != NODE and (depth[cls.rows] == RACK).any() for cls in devices.classes)
    used = [CLUSTER]
    used += [SITE] if len(layout.sites) > 1 else []
    used += [POD] if len(layout.pods) > max(1, len(layout.sites)) or (depth == POD).any() else []
    return [*used, UNIT, *([RACK] if by_rack else [])]


def _keys(devices: DeviceTable) -> dict[int, Ints64]:
    """By level, a number for the place of each device that is in order of the layout; int64."""
    racks = int(devices.rack_in_unit.max(initial=0)) + 1
    return {
        SITE: devices.site.astype(np.int64),
        POD: devices.pod.astype(np.int64),
        UNIT: devices.unit.astype(np.int64),
        RACK: devices.unit.astype(np.int64) * racks + devices.rack_in_unit,
    }


def _name(cluster: Cluster, level: int, row: int) -> str:
    devices, layout = cluster.plan.devices, cluster.design.layout
    if level == SITE:
        return str(layout.sites[devices.site[row]])
    pod = layout.pods[devices.pod[row]].name
    unit = f"{pod} su{devices.su[row] + 1:02}"
    names: dict[int, str] = {POD: pod, UNIT: unit, RACK: f"{unit} rk{devices.rack_in_unit[row] + 1:02}"}
    return names[level]
