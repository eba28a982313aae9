"""What each piece of the bill is counted under: fabric, tier, scalable unit, pod, rack and site, as columns.

Every piece is counted once. A piece stands where its device stands, and a cable where the lower end of its first row
is, so the cables of a leaf's uplinks are in that leaf's unit. The fabric of a piece is the fabric of its cable, else
the fabric that owns its device; nodes, racks and their accessories have no fabric.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fabricgen.bom.need import KINDS, Needs
from fabricgen.cluster import Cluster
from fabricgen.wiring.arrays import Ints, Ints64

NONE = "(none)"
"""The name for pieces without a fabric, tier, unit or pod; real names contain no brackets."""


@dataclass(frozen=True, slots=True)
class Grouping:
    """A column to group needs by: the names of the groups in order, and for each need the index of its name, int32."""

    names: tuple[str, ...]
    code: Ints


@dataclass(frozen=True)
class Owners:
    """The groupings of the needs of a cluster, one method for each, with an entry for each row of `needs`.

    Groups are named as users call them: `compute`, `node-leaf`, `p1/su1`; `NONE` for pieces without one.
    """

    cluster: Cluster
    needs: Needs

    @cached_property
    def _cable_device(self) -> Ints:
        """The device at the lower end of the first row of each cable; int32."""
        return self.cluster.plan.links.a_device[self._cable_link]

    @cached_property
    def _cable_link(self) -> Ints:
        """The link of each cable's first row; int32."""
        cables = self.cluster.plan.cables
        return cables.end_link[cables.find_first_rows()]

    @cached_property
    def device(self) -> Ints:
        """The device that each need belongs to, int32; -1 for racks and their accessories."""
        device_rows = self.needs.device.copy()
        rows = np.flatnonzero((device_rows < 0) & (self.needs.cable >= 0))
        device_rows[rows] = self._cable_device[self.needs.cable[rows]]
        return device_rows

    @cached_property
    def rack(self) -> Ints:
        """The rack of each need: its own, else the rack of its device; int32, -1 if it has neither."""
        rack_rows = self.needs.rack.copy()
        rows = np.flatnonzero((rack_rows < 0) & (self.device >= 0))
        rack_rows[rows] = self.cluster.plan.devices.rack[self.device[rows]]
        return rack_rows

    def _find_segments(self, rows: Ints | Ints64) -> Ints:
        return self.cluster.plan.links.segment[self._cable_link[self.needs.cable[rows]]]

    def kinds(self) -> Grouping:
        """Group by kind of part."""
        of_part = np.array([KINDS.index(part.kind) for part in self.needs.parts], dtype=np.int32)
        return Grouping(KINDS, of_part[self.needs.part])

    def fabrics(self) -> Grouping:
        """Group by fabric or scale-up domain: that of the cable, else that of the device."""
        plan, devices = self.cluster.plan, self.cluster.plan.devices
        of_class, of_segment = ([owner.fabric for owner in group] for group in (devices.classes, plan.links.segments))
        order = [fabric.name for fabric in self.cluster.design.fabrics]
        names = [NONE, *dict.fromkeys((*order, *filter(None, (*of_class, *of_segment))))]
        return self._group_by_name(names, [name or NONE for name in of_class], of_segment, prefer_cable=True)

    def tiers(self) -> Grouping:
        """Group by the tier of the device, else by the pair of tiers that the cable joins (`node-leaf`)."""
        plan, devices = self.cluster.plan, self.cluster.plan.devices
        of_class, of_segment = [cls.tier for cls in devices.classes], [s.key for s in plan.links.segments]
        names = [NONE, *sorted(set(of_class)), *sorted(set(of_segment) - set(of_class))]
        return self._group_by_name(names, of_class, of_segment, prefer_cable=False)

    def _group_by_name(
        self, names: Sequence[str], of_class: Sequence[str], of_segment: Sequence[str], *, prefer_cable: bool
    ) -> Grouping:
        """Group by the names of device classes and of link segments.

        `of_class` has the name of each device class, `of_segment` that of each link segment; all are in `names`, whose
        first entry is for needs with neither. If a need has a device and a cable, it is grouped by its segment with
        `prefer_cable`, otherwise by its device class.
        """
        needs, devices = self.needs, self.cluster.plan.devices
        indexes = {name: i for i, name in enumerate(names)}
        code = np.zeros(len(needs), dtype=np.int32)
        with_device, with_cable = np.flatnonzero(needs.device >= 0), np.flatnonzero(needs.cable >= 0)
        by_class, by_segment = (
            np.array([indexes[name] for name in group], dtype=np.int32) for group in (of_class, of_segment)
        )
        # the second of the two overwrites the first
        for cable in (False, True) if prefer_cable else (True, False):
            if cable:
                code[with_cable] = by_segment[self._find_segments(with_cable)]
            else:
                code[with_device] = by_class[devices.device_class[needs.device[with_device]]]
        return Grouping(tuple(names), code)

    def units(self) -> Grouping:
        """Group by scalable unit, `p1/su1`; a rack belongs to the unit of the devices in it."""
        layout, devices = self.cluster.design.layout, self.cluster.plan.devices
        names = (NONE, *(f"{pod.name}/su{i + 1}" for pod in layout.pods for i in range(pod.su)))
        return Grouping(names, self._find_coordinates(devices.unit) + 1)

    def pods(self) -> Grouping:
        """Group by pod; a rack belongs to the pod of the devices in it."""
        names = (NONE, *(pod.name for pod in self.cluster.design.layout.pods))
        return Grouping(names, self._find_coordinates(self.cluster.plan.devices.pod) + 1)

    def _find_coordinates(self, column: Ints) -> Ints:
        """Return a coordinate of the device of each need, else of the devices in its rack; int32, -1 for none.

        `column` has the coordinate of each device: its unit or its pod. Of several in a rack the highest is taken.
        """
        of_rack = np.full(len(self.cluster.plan.racks), -1, dtype=np.int32)
        np.maximum.at(of_rack, self.cluster.plan.devices.rack, column)
        coordinates = np.full(len(self.needs), -1, dtype=np.int32)
        at_device = self.device >= 0
        coordinates[at_device] = column[self.device[at_device]]
        in_rack = ~at_device & (self.rack >= 0)
        coordinates[in_rack] = of_rack[self.rack[in_rack]]
        return coordinates

    def racks(self) -> Grouping:
        """Group by rack."""
        return Grouping((NONE, *self.cluster.plan.racks.names), self.rack + 1)

    def sites(self) -> Grouping:
        """Group by the site of the rack."""
        code = np.zeros(len(self.needs), dtype=np.int32)
        in_rack = np.flatnonzero(self.rack >= 0)
        code[in_rack] = self.cluster.plan.racks.site[self.rack[in_rack]] + 1
        return Grouping((NONE, *self.cluster.design.layout.sites), code)


GROUPINGS: dict[str, Callable[[Owners], Grouping]] = {
    "site": Owners.sites,
    "pod": Owners.pods,
    "su": Owners.units,
    "rack": Owners.racks,
    "fabric": Owners.fabrics,
    "tier": Owners.tiers,
    "kind": Owners.kinds,
}
"""The groupings that users can ask for, by name."""
