"""Where devices stand: racks by reserved slot, so that growth moves nothing, and rack units inside them.

Node racks of a unit stand side by side with the unit's own network racks behind them; what serves a pod or the
whole cluster stands in network rows, numbered away from the nodes so that either may grow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from fabricgen.design.model import Design
from fabricgen.design.shape import scope_of
from fabricgen.kernel.diagnostics import InputError, fault
from fabricgen.plan.columns import rank_within
from fabricgen.plan.tables import EXTRA, NODE, SWITCH, TRAY, DeviceClass, DeviceTable, Ints, RackTable, distinct

TOP_UNITS_FREE = 2
"""Rack units left free at the top of network racks, for patching and air."""


@dataclass(frozen=True, slots=True)
class _Stack:
    """Devices of network racks in the order they are stacked: rack number and lowest unit of each."""

    rack: list[int]
    u: list[int]

    @property
    def racks(self) -> int:
        """How many racks it takes."""
        return max(self.rack, default=-1) + 1


@dataclass(frozen=True, slots=True)
class _SharedRack:
    """A network rack that serves more than a unit: the how-many-eth of which run of racks of its site."""

    name: str
    site: int
    run: int
    place: int


def stack(heights: Iterable[int], units: int) -> _Stack:
    """Fill racks of `units` from the bottom, one device after the other."""
    racks, bottoms, rack, u = [], [], 0, 1
    for height in heights:
        if u + height - 1 > units - TOP_UNITS_FREE and u > 1:
            rack, u = rack + 1, 1
        racks.append(rack)
        bottoms.append(u)
        u += height
    return _Stack(racks, bottoms)


def place(design: Design, devices: DeviceTable) -> tuple[DeviceTable, RackTable]:
    """Give every device a rack and a rack unit; returns the completed table and the racks.

    Raises InputError when a rack cannot hold what stands in it.
    """
    return _Placement(design, devices).run()


class _Placement:
    def __init__(self, design: Design, devices: DeviceTable) -> None:
        self.layout, self.devices = design.layout, devices
        self.floor = design.loaded.blueprint.floor
        self.scopes = {(t.fabric, t.name): scope_of(t.per) for f in design.fabrics for t in f.tiers}
        self.rack = np.full(len(devices), -1, dtype=np.int32)
        self.u = np.full(len(devices), -1, dtype=np.int32)
        unit_classes = [c for c in devices.classes if self._scope(c) == "su"]
        self.unit_stack = stack(self._heights_in_unit(unit_classes), self.layout.rack_units)
        self.racks_per_unit = self.layout.racks_per_su + self.unit_stack.racks

    def run(self) -> tuple[DeviceTable, RackTable]:
        """Place nodes and what stands in their racks, then unit, pod and shared network racks."""
        self._node_racks()
        self._unit_racks()
        shared = self._shared_racks()
        table = replace(self.devices, rack=self.rack, u=self.u)
        return table, self._rack_table(shared)

    def _scope(self, cls: DeviceClass) -> str:
        if cls.kind == NODE or (cls.kind == TRAY and (self.devices.rack_in_unit[cls.rows] >= 0).all()):
            return "rack"
        if cls.kind == TRAY:
            return "all"
        return "all" if cls.kind == EXTRA else self.scopes[cls.fabric, cls.tier]

    def _node_racks(self) -> None:
        """Nodes from the bottom by slot; what else is in the rack above; its switches from the top down."""
        layout, d = self.layout, self.devices
        beside = {s.name for s in layout.node_sets if s.per_rack}
        tallest = max(s.profile.rack_units for s in layout.node_sets if not s.per_rack)
        top = layout.rack_units
        bottom = tallest * layout.nodes_per_rack
        for cls in d.classes:
            if self._scope(cls) != "rack" or not cls.count:
                continue
            rows, height = cls.rows, cls.profile.rack_units
            self.rack[rows] = d.unit[rows] * self.racks_per_unit + d.rack_in_unit[rows]
            if cls.kind == NODE and cls.label not in beside:
                self.u[rows] = 1 + d.node[rows] % layout.nodes_per_rack * tallest
                continue
            in_rack = d.unit[rows] * layout.racks_per_su + d.rack_in_unit[rows]
            each = int(np.bincount(in_rack).max())
            place = rank_within(in_rack)
            if cls.kind in (NODE, TRAY):
                self.u[rows] = 1 + bottom + place * height
                bottom += each * height
            else:
                self.u[rows] = top - height + 1 - place * height
                top -= each * height
        if bottom > top:
            raise self._overfull(bottom + layout.rack_units - top)

    def _overfull(self, units: int) -> InputError:
        return fault(
            "FG601",
            f"a node rack holds {units} U of nodes, trays and switches, and has {self.layout.rack_units} U",
            path=("scalable_unit", "racks"),
            hint="lower `nodes_per_rack`, raise `units`, or group rack switches per su",
        )

    def _heights_in_unit(self, classes: list[DeviceClass]) -> list[int]:
        return [c.profile.rack_units for c in classes for _ in range(c.count // self.layout.units)]

    def _unit_racks(self) -> None:
        """Switches of a unit: stacked alike in each unit's own network racks."""
        first = 0
        racks, bottoms = (
            np.array(self.unit_stack.rack, dtype=np.int32),
            np.array(self.unit_stack.u, dtype=np.int32),
        )
        for cls in self.devices.classes:
            if self._scope(cls) != "su":
                continue
            each = cls.count // self.layout.units
            place = first + self.devices.ordinal[cls.rows] % each
            unit = self.devices.unit[cls.rows]
            self.rack[cls.rows] = unit * self.racks_per_unit + self.layout.racks_per_su + racks[place]
            self.u[cls.rows] = bottoms[place]
            first += each

    def _shared_racks(self) -> list[_SharedRack]:
        """What serves a pod or everything: a run of racks for each tier and plane, so that each may grow.

        The first switch of every group comes before the second of any: groups that grow move nothing.
        """
        found: list[_SharedRack] = []
        base = self.layout.units * self.racks_per_unit
        runs: Counter[int] = Counter()
        for name, rows in self._shared_runs():
            classes = self.devices.classes
            heights = [classes[c].profile.rack_units for c in self.devices.device_class[rows].tolist()]
            stacked = stack(heights, self.layout.rack_units)
            self.rack[rows] = base + len(found) + np.array(stacked.rack, dtype=np.int32)
            self.u[rows] = np.array(stacked.u, dtype=np.int32)
            site = max(0, int(self.devices.site[rows[0]]))
            found += [_SharedRack(f"net-{name}-{i + 1:02d}", site, runs[site], i) for i in range(stacked.racks)]
            runs[site] += 1
        return found

    def _shared_runs(self) -> list[tuple[str, Ints]]:
        """(name, device rows in the order they are stacked) of every run of shared racks; one site has each."""
        runs: list[tuple[str, Ints]] = []
        d = self.devices
        extras = [np.arange(c.first, c.first + c.count) for c in d.classes if c.kind == EXTRA]
        if extras:
            runs += self._by_site("extra", np.concatenate(extras).astype(np.int32))
        for cls in d.classes:
            if cls.kind not in (SWITCH, TRAY) or self._scope(cls) not in ("all", "site", "pod"):
                continue
            rows = np.arange(cls.first, cls.first + cls.count, dtype=np.int32)
            planes = distinct(d.plane[rows])
            for plane in planes:
                mine = rows[d.plane[rows] == plane]
                mine = mine[np.lexsort((mine, d.index[mine]))]
                suffix = f"-pl{plane + 1}" if len(planes) > 1 else ""
                runs += self._by_site(f"{cls.fabric}-{cls.tier}{suffix}", mine)
        return runs

    def _by_site(self, name: str, rows: Ints) -> list[tuple[str, Ints]]:
        """A run at each site that has some of these devices; several sites are told apart by name."""
        sites = self.layout.sites
        if len(sites) == 1:
            return [(name, rows)]
        at = np.maximum(self.devices.site[rows], 0)
        return [(f"{sites[site]}-{name}", rows[at == site]) for site in distinct(at)]

    def _rack_table(self, shared: list[_SharedRack]) -> RackTable:
        """Name racks and put them on the floor: unit racks by reserved slot, shared racks in negative rows."""
        names: list[str] = []
        slots: list[int] = []
        sites: list[int] = []
        numbers = self.layout.unit_numbers("site", by_slot=True)
        for pod in self.layout.pods:
            site = self.layout.sites.index(pod.site)
            for su in range(pod.su):
                for r in range(self.racks_per_unit):
                    own = r - self.layout.racks_per_su
                    suffix = f"rk{r + 1:02d}" if own < 0 else f"net{own + 1:02d}"
                    names.append(f"{pod.name}-su{su + 1:02d}-{suffix}")
                    slots.append(numbers[pod.first_su + su] * self.racks_per_unit + r)
                    sites.append(site)
        row, column = np.divmod(np.array(slots, dtype=np.int32), self.floor.racks_per_row)
        wrap, shared_column = np.divmod(np.array([r.place for r in shared], dtype=np.int32), self.floor.racks_per_row)
        runs = Counter({site: 1 + max(r.run for r in shared if r.site == site) for site in {r.site for r in shared}})
        step = np.array([runs[r.site] for r in shared], dtype=np.int32)
        shared_row = np.array([r.run for r in shared], dtype=np.int32) + wrap * step
        return RackTable(
            names=(*names, *(r.name for r in shared)),
            site=np.array([*sites, *(r.site for r in shared)], dtype=np.int32),
            row=np.concatenate([row, -1 - shared_row]).astype(np.int32),
            column=np.concatenate([column, shared_column]).astype(np.int32),
            units=self.layout.rack_units,
        )
