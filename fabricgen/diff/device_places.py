"""The pod, scalable unit and rack under which the rows of a change are listed: those of their device."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fabricgen.blueprint.models import make_natural_key
from fabricgen.diff.delta import Delta
from fabricgen.diff.listing import Column, Lists, Rows


class DevicePlace(NamedTuple):
    """A rack with its pod and scalable unit, which are "" for racks that serve several."""

    pod: str
    su: str
    rack: str


class DevicePlaces:
    """Where the devices of both sides stand, and the order of these places.

    A device of both sides is taken to be where it is on the new one.
    """

    def __init__(self, old: Lists, new: Lists) -> None:
        # places by device, and all places in the order of listing; a device without a place is at ("", "", "")
        by_device: dict[str, DevicePlace] = {}
        for lists in (old, new):
            columns = (lists.devices[name].tolist() for name in ("device", "pod", "su", "rack"))
            by_device.update(
                (device, DevicePlace(pod, su, rack)) for device, pod, su, rack in zip(*columns, strict=True)
            )
        ordered = sorted({*by_device.values(), DevicePlace("", "", "")}, key=_sort_key)
        self.all: tuple[DevicePlace, ...] = tuple(ordered)
        number = {place: i for i, place in enumerate(ordered)}
        self._nowhere = number[DevicePlace("", "", "")]
        self._number = {device: number[place] for device, place in by_device.items()}

    def find_indexes(self, devices: Column) -> Rows:
        """Return the index into `all` of the place of each device; int64."""
        get, nowhere = self._number.get, self._nowhere
        return np.fromiter((get(d, nowhere) for d in devices.tolist()), dtype=np.int64, count=len(devices))

    def find_place(self, device: str) -> DevicePlace:
        """Return where a device is; ("", "", "") for a device that neither side lists."""
        return self.all[self._number.get(device, self._nowhere)]

    def find_indexes_by_state(self, delta: Delta) -> dict[str, Rows]:
        """Return the indexes into `all` of the places of a delta's rows, by state: removed, added and changed.

        Each array (int64) has an entry for each row of that state, in the order of the delta.
        """
        # `at` is the name of the column with the device of a row, `now` the rows of `new` that changed
        old_devices, new_devices = delta.old[delta.at], delta.new[delta.at]
        return {
            "removed": self.find_indexes(old_devices[delta.removed]),
            "added": self.find_indexes(new_devices[delta.added]),
            "changed": self.find_indexes(new_devices[delta.now]),
        }


def _sort_key(rack_place: DevicePlace) -> tuple[bool, object, object, object]:
    """Return the sort key of a place: racks of units in their order, then racks of a pod, then racks of all pods."""
    return (
        # False sorts before True: racks of a unit come first
        not rack_place.su,
        # `~` sorts after the names of pods, so that racks of all pods come last
        (make_natural_key(rack_place.pod) if rack_place.pod else make_natural_key("~")),
        make_natural_key(rack_place.su),
        make_natural_key(rack_place.rack),
    )
