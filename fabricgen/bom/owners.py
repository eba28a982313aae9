"""Whom a piece is counted for: its fabric, tier, scalable unit, pod, rack and site, in columns.

Every piece is counted once. It stands where its device stands, a cable where the lower end of its first row does, so
that the cables of a leaf's uplinks are of that leaf's unit. Its fabric is that of the cable it is or serves, else the
one that owns its device; nodes, racks and what comes with them are of no fabric.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fabricgen.bom.need import KINDS, Needs
from fabricgen.cluster import Cluster
from fabricgen.wiring.tables import Ints, Ints64

NONE = "(none)"
"""What stands for the fabric, tier, unit or pod of pieces that are of none; no name has brackets."""


@dataclass(frozen=True, slots=True)
class Key:
    """One thing to add up by: names in the order to list them, and which of them each need is of; int32."""

    names: tuple[str, ...]
    code: Ints


@dataclass(frozen=True)
class Owners:
    """Keys of the needs of a cluster."""

    cluster: Cluster
    needs: Needs

    @cached_property
    def _cable_device(self) -> Ints:
        """The device at the lower end of the first row of each cable; int32."""
        return self.cluster.plan.links.a_device[self._cable_link]

    @cached_property
    def _cable_link(self) -> Ints:
        """A link of each cable: that of its first row."""
        cables = self.cluster.plan.cables
        return cables.end_link[cables.first_rows()]

    @cached_property
    def device(self) -> Ints:
        """The device that each need stands with; -1 for a rack and what is of racks."""
        found = self.needs.device.copy()
        rows = np.flatnonzero((found < 0) & (self.needs.cable >= 0))
        found[rows] = self._cable_device[self.needs.cable[rows]]
        return found

    @cached_property
    def rack(self) -> Ints:
        """The rack that each need stands in; -1 where a source names nothing that stands anywhere."""
        found = self.needs.rack.copy()
        rows = np.flatnonzero((found < 0) & (self.device >= 0))
        found[rows] = self.cluster.plan.devices.rack[self.device[rows]]
        return found

    def _segment(self, rows: Ints | Ints64) -> Ints:
        return self.cluster.plan.links.segment[self._cable_link[self.needs.cable[rows]]]

    def kinds(self) -> Key:
        """By kind of part."""
        of_part = np.array([KINDS.index(part.kind) for part in self.needs.parts], dtype=np.int32)
        return Key(KINDS, of_part[self.needs.part])

    def fabrics(self) -> Key:
        """By fabric or scale-up domain; the cable's goes before the device's."""
        plan, devices = self.cluster.plan, self.cluster.plan.devices
        of_class, of_segment = ([x.fabric for x in group] for group in (devices.classes, plan.links.segments))
        order = [fabric.name for fabric in self.cluster.design.fabrics]
        names = [NONE, *dict.fromkeys((*order, *filter(None, (*of_class, *of_segment))))]
        return self._coded(names, [name or NONE for name in of_class], of_segment, prefer_cable=True)

    def tiers(self) -> Key:
        """By the tier of the device, or by the pair of tiers that a cable joins (`node-leaf`)."""
        plan, devices = self.cluster.plan, self.cluster.plan.devices
        of_class, of_segment = [cls.tier for cls in devices.classes], [s.key for s in plan.links.segments]
        names = [NONE, *sorted(set(of_class)), *sorted(set(of_segment) - set(of_class))]
        return self._coded(names, of_class, of_segment, prefer_cable=False)

    def _coded(
        self, names: Sequence[str], of_class: Sequence[str], of_segment: Sequence[str], *, prefer_cable: bool
    ) -> Key:
        """By what classes of devices and segments of links are called, one of them before the other."""
        needs, devices = self.needs, self.cluster.plan.devices
        number = {name: i for i, name in enumerate(names)}
        code = np.zeros(len(needs), dtype=np.int32)
        with_device, with_cable = np.flatnonzero(needs.device >= 0), np.flatnonzero(needs.cable >= 0)
        by_class, by_segment = (
            np.array([number[name] for name in group], dtype=np.int32) for group in (of_class, of_segment)
        )
        for cable in (False, True) if prefer_cable else (True, False):
            if cable:
                code[with_cable] = by_segment[self._segment(with_cable)]
            else:
                code[with_device] = by_class[devices.device_class[needs.device[with_device]]]
        return Key(tuple(names), code)

    def units(self) -> Key:
        """By scalable unit, `p1/su1`; a rack is of the unit of the devices in it."""
        layout, devices = self.cluster.design.layout, self.cluster.plan.devices
        names = (NONE, *(f"{pod.name}/su{i + 1}" for pod in layout.pods for i in range(pod.su)))
        return Key(names, self._coordinate(devices.unit) + 1)

    def pods(self) -> Key:
        """By pod."""
        names = (NONE, *(pod.name for pod in self.cluster.design.layout.pods))
        return Key(names, self._coordinate(self.cluster.plan.devices.pod) + 1)

    def _coordinate(self, column: Ints) -> Ints:
        """A coordinate of the device that each need stands with, or of those in its rack; -1 for none."""
        of_rack = np.full(len(self.cluster.plan.racks), -1, dtype=np.int32)
        np.maximum.at(of_rack, self.cluster.plan.devices.rack, column)
        found = np.full(len(self.needs), -1, dtype=np.int32)
        at_device = self.device >= 0
        found[at_device] = column[self.device[at_device]]
        in_rack = ~at_device & (self.rack >= 0)
        found[in_rack] = of_rack[self.rack[in_rack]]
        return found

    def racks(self) -> Key:
        """By rack."""
        return Key((NONE, *self.cluster.plan.racks.names), self.rack + 1)

    def sites(self) -> Key:
        """By site: that of the rack."""
        code = np.zeros(len(self.needs), dtype=np.int32)
        there = np.flatnonzero(self.rack >= 0)
        code[there] = self.cluster.plan.racks.site[self.rack[there]] + 1
        return Key((NONE, *self.cluster.design.layout.sites), code)


KEYS: dict[str, Callable[[Owners], Key]] = {
    "site": Owners.sites,
    "pod": Owners.pods,
    "su": Owners.units,
    "rack": Owners.racks,
    "fabric": Owners.fabrics,
    "tier": Owners.tiers,
    "kind": Owners.kinds,
}
"""What bills are added up by."""
