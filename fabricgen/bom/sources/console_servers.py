"""Console servers: as many at each site as its switches need, if the blueprint says how many ports one has."""

from __future__ import annotations

import numpy as np

from fabricgen.bom.accessories import make_accessory
from fabricgen.bom.cables import CableParts
from fabricgen.bom.need import Needs, join_needs, make_part_needs
from fabricgen.catalog.models import SwitchProfile
from fabricgen.cluster import Cluster


def needs(cluster: Cluster, cables: CableParts) -> Needs:  # noqa: ARG001 - one signature for all sources
    """Return the console servers of each site, counted for the rack of its first switch, as the plan places none."""
    accessories = cluster.design.loaded.blueprint.accessories
    ports = accessories.console_ports
    if not accessories.order or ports is None:
        return join_needs([])
    devices, racks = cluster.plan.devices, cluster.plan.racks
    switches = np.array([isinstance(cls.profile, SwitchProfile) for cls in devices.classes], dtype=bool)
    rack = devices.rack[switches[devices.device_class]]
    _, first_rows, count = np.unique(racks.site[rack], return_index=True, return_counts=True)
    part = make_accessory(cluster, f"console-server-{ports}", f"Console server, {ports} serial ports", "console-server")
    return make_part_needs(part, -(-count // ports), rack=rack[first_rows])
