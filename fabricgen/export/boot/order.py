"""In which order switches can boot: each asks over the switch that its management port is plugged into."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.export.boot.server import BootServer
from fabricgen.wiring.tables import SWITCH, ManagementPort

BY_HAND_NO_PORT = "by hand: it carries the management network and has no port on it"
BY_HAND_NO_WAY = "by hand: no way of its NOS to boot over the network is known here"
BY_ZTP = "ztp"


class BootStep(NamedTuple):
    """When one switch boots: steps count from 1, and those of a step boot side by side.

    `how` is `ztp`, or why somebody loads the configuration by hand. `after` are the names of the switches that its
    request crosses first, or of those above it in the management network; they boot in earlier steps.
    """

    step: int
    device: str
    fabric: str
    tier: str
    how: str
    after: tuple[str, ...]


def list_boot_steps(cluster: Cluster) -> list[BootStep]:
    """Every switch of a cluster with the step in which it boots, by step and then as in devices.csv.

    A relay answers only when its switch runs, and passes requests on upwards: so the management network comes first,
    from above, and what hangs on it after it.
    """
    devices, names, server = cluster.plan.devices, cluster.names, BootServer(cluster)
    waits_for = _find_switches_before(cluster)
    steps: dict[int, int] = {}

    def count_steps(row: int) -> int:
        if row not in steps:
            steps[row] = 1 + max((count_steps(before) for before in waits_for[row]), default=0)
        return steps[row]

    order = []
    managing = {fabric.name for fabric in cluster.design.fabrics if fabric.manages}
    for cls in devices.classes:
        if cls.kind != SWITCH:
            continue
        boots = server.find_class_boot(cls) is not None
        how = BY_HAND_NO_PORT if cls.fabric in managing else BY_ZTP if boots else BY_HAND_NO_WAY
        for row in range(cls.first, cls.first + cls.count):
            after = tuple(names[before] for before in sorted(waits_for[row]))
            order.append(BootStep(count_steps(row), names[row], cls.fabric, cls.tier, how, after))
    return sorted(order, key=lambda boot: boot.step)


def _find_switches_before(cluster: Cluster) -> defaultdict[int, set[int]]:
    """By row of a switch, the rows of those that its request crosses next, or that lie above it where it manages."""
    links, devices = cluster.plan.links, cluster.plan.devices
    managing = {fabric.name for fabric in cluster.design.fabrics if fabric.manages}
    waits_for: defaultdict[int, set[int]] = defaultdict(set)
    for number, segment in enumerate(links.segments):
        is_management = isinstance(segment.a, ManagementPort)
        if not is_management and segment.fabric not in managing:
            continue
        rows = np.flatnonzero(links.segment == number)
        for lower, upper in zip(links.a_device[rows].tolist(), links.b_device[rows].tolist(), strict=True):
            classes = [devices.classes[int(devices.device_class[row])] for row in (lower, upper)]
            # peers of one tier do not wait for each other, nor do leaves for the way out over switches that they manage
            upwards = classes[0].key != classes[1].key and classes[1].fabric in managing
            if all(cls.kind == SWITCH for cls in classes) and (is_management or upwards):
                waits_for[lower].add(upper)
    return waits_for
