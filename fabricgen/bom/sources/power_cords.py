"""Power cords: one for each power supply of a device whose inlet the catalogue knows.

Racks with power shelves feed their devices from a busbar, without cords.
"""

from __future__ import annotations

import numpy as np

from fabricgen.bom.cables import CableParts
from fabricgen.bom.need import Needs, Part, joined, needs_of
from fabricgen.bom.sources.devices import is_bought
from fabricgen.cluster import Cluster

_ENDS = {"C14": ("C13", "C14"), "C16": ("C15", "C14"), "C20": ("C19", "C20"), "C22": ("C21", "C20")}
"""Inlet -> its connector and the plug for the outlet of a rack PDU (IEC 60320-1)."""

SHELF = "power-shelf"
"""The fixture of a rack profile with a busbar."""


def needs(cluster: Cluster, cables: CableParts) -> Needs:  # noqa: ARG001 - one signature for all sources
    """Cords of each device; none where they come with the device, its power supplies are unknown, or a
    busbar feeds it.
    """
    devices, racks = cluster.plan.devices, cluster.plan.racks
    busbar = np.array([SHELF in kind.fixed for kind in racks.kinds], dtype=bool)[racks.kind]
    found = []
    for cls in devices.classes:
        psu = cls.profile.psu
        if psu is not None and psu.cords == "ordered" and is_bought(cls):
            connector, plug = _ENDS[psu.inlet]
            text = f"Power cord, {connector} to {plug} plug"
            part = Part(f"cord-{connector}-{plug}".lower(), text, "power-cord", 0)
            rows = cls.first + np.flatnonzero(~busbar[devices.rack[cls.rows]]).astype(np.int32)
            each = np.full(len(rows), psu.count, dtype=np.int32)
            found.append(needs_of([part], np.zeros(len(rows), dtype=np.int32), quantity=each, device=rows))
    return joined(found)
