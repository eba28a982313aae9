"""Where devices stand: racks by reserved slot, so that growth moves nothing, and rack units inside them.

Node racks of a unit stand side by side with the unit's own network racks behind them; what serves a pod or the
whole cluster stands in network rows, numbered away from the nodes so that either may grow.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fabricgen.design.floor import FloorPlan, NetworkRun, part_of, stack
from fabricgen.design.model import Design
from fabricgen.design.shape import scope_of
from fabricgen.plan.columns import rank_within
from fabricgen.plan.rack_table import rack_table
from fabricgen.plan.tables import EXTRA, NODE, SWITCH, TRAY, DeviceClass, DeviceTable, Ints, RackTable


@dataclass(frozen=True, slots=True)
class _SharedRack:
    """A network rack that serves more than a unit: the how-many-eth of which run."""

    name: str
    run: NetworkRun
    place: int


def place(design: Design, devices: DeviceTable) -> tuple[DeviceTable, RackTable]:
    """Give every device a rack and a rack unit; returns the completed table and the racks.

    Raises InputError when a rack cannot hold what stands in it.
    """
    return _Placement(design, devices).run()


class _Placement:
    def __init__(self, design: Design, devices: DeviceTable) -> None:
        self.layout, self.devices = design.layout, devices
        self.floor = FloorPlan(design)
        self.racks_per_row = design.loaded.blueprint.floor.racks_per_row
        self.scopes = {(t.fabric, t.name): scope_of(t.per) for f in design.fabrics for t in f.tiers}
        self.rack = np.full(len(devices), -1, dtype=np.int32)
        self.u = np.full(len(devices), -1, dtype=np.int32)
        self.unit_stack = self.floor.unit_stack
        self.racks_per_unit = self.floor.racks_per_unit

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
        classes = self.devices.classes
        for run in self.floor.runs:
            rows = self._rows_of(run)
            heights = [classes[c].profile.rack_units for c in self.devices.device_class[rows].tolist()]
            stacked = stack(heights, self.layout.network_rack.units)
            self.rack[rows] = base + len(found) + np.array(stacked.rack, dtype=np.int32)
            self.u[rows] = np.array(stacked.u, dtype=np.int32)
            found += [_SharedRack(f"net-{run.name}-{i + 1:02d}", run, i) for i in range(stacked.racks)]
        return found

    def _rows_of(self, run: NetworkRun) -> Ints:
        """Device rows of a run in the order they are stacked."""
        d = self.devices
        if run.tier is not None:
            mine = [c for c in d.classes if (c.kind, c.fabric, c.label) == (SWITCH, run.owner, run.tier.name)]
        else:
            kind = TRAY if run.owner else EXTRA
            mine = [c for c in d.classes if c.kind == kind and (not run.owner or c.label == run.owner)]
        rows = np.concatenate([np.arange(c.first, c.first + c.count) for c in mine]).astype(np.int32)
        if len(self.layout.sites) > 1:
            rows = rows[np.maximum(d.site[rows], 0) == run.site]
        if run.plane >= 0:
            rows = rows[d.plane[rows] == run.plane]
        ordered: Ints = rows if run.owner == "" else rows[np.lexsort((rows, d.index[rows]))]
        if run.tier is None or run.parts == 1:
            return ordered
        group = d.ordinal[ordered] // run.tier.count
        of_run: Ints = ordered[part_of(run.tier.count, d.index[ordered], group, run.parts) == run.part]
        return of_run

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
        row, column = np.divmod(np.array(slots, dtype=np.int32), self.racks_per_row)
        kinds = np.resize(np.repeat([0, 1], [self.layout.racks_per_su, self.unit_stack.racks]), len(slots))
        spots = np.array([self.floor.shared_spot(r.run, r.place) for r in shared], dtype=np.int32).reshape(-1, 3)
        return rack_table(
            names=(*names, *(r.name for r in shared)),
            halls=self.floor.halls,
            kinds=(self.layout.node_rack, self.layout.network_rack),
            hall=np.concatenate([np.array(sites, dtype=np.int32), spots[:, 0]]),
            row=np.concatenate([row, spots[:, 1]]),
            column=np.concatenate([column, spots[:, 2]]),
            kind=np.concatenate([kinds, np.ones(len(spots))]).astype(np.int32),
        )
