"""Power cords: one for each power supply of a device whose power supplies the catalogue knows.

Racks with power shelves feed their devices from a busbar, without cords.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fabricgen.bom.accessories import flag_busbar_racks, make_accessory
from fabricgen.bom.cables import CableParts
from fabricgen.bom.need import Needs, OrderedPart, join_needs, make_part_needs
from fabricgen.bom.sources.devices import is_bought, name_model
from fabricgen.cluster import Cluster
from fabricgen.kernel.units import format_number
from fabricgen.wiring.arrays import Ints
from fabricgen.wiring.tables import DeviceClass

ENDS = {"C14": ("C13", "C14"), "C16": ("C15", "C14"), "C20": ("C19", "C20"), "C22": ("C21", "C20")}
"""Inlet of a power supply -> (connector that fits it, plug for the outlet of a rack PDU), of IEC 60320-1."""


def needs(cluster: Cluster, cables: CableParts) -> Needs:  # noqa: ARG001 - one signature for all sources
    """Return the cords of each device.

    A device has no cords in the bill if they come with it, if its power supplies are unknown, or if a busbar feeds it.
    """
    cord_needs = []
    for cls, rows in list_corded(cluster):
        psu = cls.profile.psu
        if psu is not None and psu.cords == "ordered":
            cord_needs.append(make_part_needs(make_cord(cluster, cls), psu.count, device=rows))
    return join_needs(cord_needs)


def list_corded(cluster: Cluster) -> Iterator[tuple[DeviceClass, Ints]]:
    """Yield (class, rows of the device table, int32) for each class with devices to buy that no busbar feeds."""
    devices, busbar = cluster.plan.devices, flag_busbar_racks(cluster)
    for cls in devices.classes:
        rows = cls.first + np.flatnonzero(~busbar[devices.rack[cls.rows]]).astype(np.int32)
        if is_bought(cls) and len(rows):
            yield cls, rows


def make_cord(cluster: Cluster, cls: DeviceClass) -> OrderedPart:
    """Return the cord from the inlet of a device's power supply to an outlet of a rack PDU.

    If the profile does not name the inlet, the cord is specified by the device. Its length is the one that the
    blueprint states; otherwise the description says that it is open.
    """
    inlet, length_m = cls.profile.psu and cls.profile.psu.inlet, cluster.design.loaded.blueprint.accessories.cord_m
    if inlet:
        connector, plug = ENDS[inlet]
        spec, text = f"cord-{connector}-{plug}".lower(), f"Power cord, {connector} to {plug} plug"
    else:
        spec = f"cord-{cls.profile.id}"
        text = f"Power cord for a power supply of {name_model(cls.profile)}, inlet not published"
    suffix, length = (
        (f"-{format_number(length_m)}m", f"{format_number(length_m)} m") if length_m else ("", "length open")
    )
    return make_accessory(cluster, f"{spec}{suffix}", f"{text}, {length}", "power-cord")
