"""What each piece of the bill is counted under: fabric, tier, scalable unit, pod, rack and site, as columns.

Every piece is counted once. It is where its device is; a cable is where the lower end of its first row is, so the
cables of a leaf's uplinks are in that leaf's unit. Its fabric is that of the cable that it is or serves, else the one
that owns its device; nodes, racks and their accessories have no fabric.
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
    """One column to group needs by: names in the order they are listed, and for each need the index of
    its name; int32.
    """

    names: tuple[str, ...]
    code: Ints


@dataclass(frozen=True)
class Owners:
    """The groupings of the needs of a cluster."""

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
        """The rack of each need, int32; -1 where it has none."""
        rack_rows = self.needs.rack.copy()
        rows = np.flatnonzero((rack_rows < 0) & (self.device >= 0))
        rack_rows[rows] = self.cluster.plan.devices.rack[self.device[rows]]
        return rack_rows

    def _find_segments(self, rows: Ints | Ints64) -> Ints:
        return self.cluster.plan.links.segment[self._cable_link[self.needs.cable[rows]]]

    def kinds(self) -> Grouping:
        """By kind of part."""
        of_part = np.array([KINDS.index(part.kind) for part in self.needs.parts], dtype=np.int32)
        return Grouping(KINDS, of_part[self.needs.part])

    def fabrics(self) -> Grouping:
        """By fabric or scale-up domain: the cable's, else the device's."""
        plan, devices = self.cluster.plan, self.cluster.plan.devices
        of_class, of_segment = ([owner.fabric for owner in group] for group in (devices.classes, plan.links.segments))
        order = [fabric.name for fabric in self.cluster.design.fabrics]
        names = [NONE, *dict.fromkeys((*order, *filter(None, (*of_class, *of_segment))))]
        return self._group_by_name(names, [name or NONE for name in of_class], of_segment, prefer_cable=True)

    def tiers(self) -> Grouping:
        """By the tier of the device, or by the pair of tiers that a cable joins (`node-leaf`)."""
        plan, devices = self.cluster.plan, self.cluster.plan.devices
        of_class, of_segment = [cls.tier for cls in devices.classes], [s.key for s in plan.links.segments]
        names = [NONE, *sorted(set(of_class)), *sorted(set(of_segment) - set(of_class))]
        return self._group_by_name(names, of_class, of_segment, prefer_cable=False)

    def _group_by_name(
        self, names: Sequence[str], of_class: Sequence[str], of_segment: Sequence[str], *, prefer_cable: bool
    ) -> Grouping:
        """By names of device classes and link segments; `prefer_cable`: the segment's name wins where a
        need has both.
        """
        needs, devices = self.needs, self.cluster.plan.devices
        number = {name: i for i, name in enumerate(names)}
        code = np.zeros(len(needs), dtype=np.int32)
        with_device, with_cable = np.flatnonzero(needs.device >= 0), np.flatnonzero(needs.cable >= 0)
        by_class, by_segment = (
            np.array([number[name] for name in group], dtype=np.int32) for group in (of_class, of_segment)
        )
        # what is written last wins
        for cable in (False, True) if prefer_cable else (True, False):
            if cable:
                code[with_cable] = by_segment[self._find_segments(with_cable)]
            else:
                code[with_device] = by_class[devices.device_class[needs.device[with_device]]]
        return Grouping(tuple(names), code)

    def units(self) -> Grouping:
        """By scalable unit, `p1/su1`; a rack is of the unit of the devices in it."""
        layout, devices = self.cluster.design.layout, self.cluster.plan.devices
        names = (NONE, *(f"{pod.name}/su{i + 1}" for pod in layout.pods for i in range(pod.su)))
        return Grouping(names, self._find_coordinates(devices.unit) + 1)

    def pods(self) -> Grouping:
        """By pod."""
        names = (NONE, *(pod.name for pod in self.cluster.design.layout.pods))
        return Grouping(names, self._find_coordinates(self.cluster.plan.devices.pod) + 1)

    def _find_coordinates(self, column: Ints) -> Ints:
        """A coordinate of the device of each need, or of the devices in its rack; int32, -1 for none."""
        of_rack = np.full(len(self.cluster.plan.racks), -1, dtype=np.int32)
        np.maximum.at(of_rack, self.cluster.plan.devices.rack, column)
        coordinates = np.full(len(self.needs), -1, dtype=np.int32)
        at_device = self.device >= 0
        coordinates[at_device] = column[self.device[at_device]]
        in_rack = ~at_device & (self.rack >= 0)
        coordinates[in_rack] = of_rack[self.rack[in_rack]]
        return coordinates

    def racks(self) -> Grouping:
        """By rack."""
        return Grouping((NONE, *self.cluster.plan.racks.names), self.rack + 1)

    def sites(self) -> Grouping:
        """By the site of the rack."""
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
