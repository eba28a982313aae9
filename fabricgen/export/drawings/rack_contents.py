"""What stands in each rack, and what it weighs and draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fabricgen.catalog.models import NodeProfile, SwitchProfile
from fabricgen.cluster import Cluster
from fabricgen.design.floor import FloorPlan, Spot
from fabricgen.export.palette import Swatch, cluster_swatches
from fabricgen.plan.tables import EXTRA, NODE, DeviceClass, Flags, Floats, Wide

NODE_SWATCH = Swatch("#E8ECF1", "#000000", "pale", "")
"""Nodes, which belong to several fabrics."""

EXTRA_SWATCH = Swatch("#FFFFFF", "#000000", "white", "")
"""Other devices."""

Figure = Callable[[NodeProfile | SwitchProfile], float | None]


@dataclass(frozen=True, slots=True)
class Item:
    """A device in a rack: its lowest rack unit and height, name, model, and the colour of its kind."""

    u: int
    height: int
    name: str
    model: str
    swatch: Swatch


@dataclass(frozen=True, slots=True)
class Total:
    """A sum over a rack, its budget (None: not stated), and whether some device has no figure."""

    value: float
    budget: float | None
    unknown: bool = False


@dataclass(frozen=True, slots=True)
class Rack:
    """A rack and what stands in it, from the bottom; `place` says in words where it is, `feeds` what it hangs on."""

    name: str
    place: str
    units: int
    items: tuple[Item, ...]
    used_u: Total
    weight_kg: Total
    power_kw: Total
    feeds: tuple[str, ...]


class Racks:
    """The racks of a cluster, made one at a time."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._devices, self._table = cluster.plan.devices, cluster.plan.racks
        self._floor_plan = FloorPlan(cluster.design)

    def rack(self, number: int) -> Rack:
        """One rack, by its row in the table of racks."""
        kind = self._table.kinds[int(self._table.kind[number])]
        return Rack(
            name=self._table.names[number],
            place=self.place(number),
            units=kind.units,
            items=tuple(self._item(row) for row in self.devices_of(number)),
            used_u=Total(float(self._used_u[0][number]), kind.units),
            weight_kg=Total(float(self._weight_kg[0][number]), kind.load_kg, bool(self._weight_kg[1][number])),
            power_kw=Total(float(self._power_kw[0][number]), kind.power_kw, bool(self._power_kw[1][number])),
            feeds=self.feeds(number),
        )

    def devices_of(self, rack: int) -> list[int]:
        """Rows of the devices of a rack, from the bottom."""
        order, start = self._by_rack
        found: list[int] = order[start[rack] : start[rack + 1]].tolist()
        return found

    def place(self, number: int) -> str:
        """Where a rack stands, in words, with its site and hall where there are several."""
        table, sites = self._table, self._cluster.design.layout.sites
        hall = table.halls[int(table.hall[number])]
        words = [sites[hall.site]] if len(sites) > 1 else []
        words += [hall.name] if len(table.halls) > len(sites) else []
        return " ".join([*words, f"row {row_number(int(table.row[number]))} place {int(table.column[number]) + 1}"])

    def feeds(self, number: int) -> tuple[str, ...]:
        """The power feeds that a rack hangs on."""
        table = self._table
        return self._floor_plan.feeds_of(
            Spot(*(int(column[number]) for column in (table.site, table.row, table.column, table.hall)))
        )

    def has_nodes(self, number: int) -> bool:
        """Whether it is a rack of nodes, and not of a network."""
        return bool(self._node_racks[number])

    @cached_property
    def swatches(self) -> tuple[Swatch, ...]:
        """The colour of each class of device."""
        of_fabric = cluster_swatches(self._cluster)
        return tuple(_swatch(cls, of_fabric) for cls in self._devices.classes)

    @cached_property
    def _by_rack(self) -> tuple[Wide, Wide]:
        """(devices by rack and from the bottom, where each rack begins among them)."""
        order = np.lexsort((self._devices.u, self._devices.rack))
        return order, np.searchsorted(self._devices.rack[order], np.arange(len(self._table) + 1))

    @cached_property
    def _node_racks(self) -> Flags:
        is_node = np.array([cls.kind == NODE for cls in self._devices.classes])[self._devices.device_class]
        return np.bincount(self._devices.rack, weights=is_node, minlength=len(self._table)) > 0

    @cached_property
    def _used_u(self) -> tuple[Floats, Flags]:
        return self._sums(lambda profile: profile.rack_units)

    @cached_property
    def _weight_kg(self) -> tuple[Floats, Flags]:
        return self._sums(lambda profile: profile.weight_kg)

    @cached_property
    def _power_kw(self) -> tuple[Floats, Flags]:
        return self._sums(_power_kw)

    def _sums(self, figure: Figure) -> tuple[Floats, Flags]:
        """(sum over each rack, whether a device there has no figure)."""
        of_class = [figure(cls.profile) for cls in self._devices.classes]
        known = np.array([value or 0.0 for value in of_class])[self._devices.device_class]
        lacks = np.array([value is None for value in of_class], dtype=np.float64)[self._devices.device_class]
        rack, count = self._devices.rack, len(self._table)
        sums: Floats = np.bincount(rack, weights=known, minlength=count).astype(np.float64)
        return sums, np.bincount(rack, weights=lacks, minlength=count) > 0

    def _item(self, row: int) -> Item:
        number = int(self._devices.device_class[row])
        profile = self._devices.classes[number].profile
        name = self._cluster.names[row]
        return Item(int(self._devices.u[row]), profile.rack_units, name, profile.id, self.swatches[number])


def row_number(row: int) -> int:
    """What a row is called: from 1, and down from -1 before the first."""
    return row + 1 if row >= 0 else row


def _swatch(cls: DeviceClass, of_fabric: Mapping[str, Swatch]) -> Swatch:
    if cls.kind == NODE:
        return NODE_SWATCH
    if cls.kind == EXTRA:
        return EXTRA_SWATCH
    return of_fabric[cls.fabric]


def _power_kw(profile: NodeProfile | SwitchProfile) -> float | None:
    """What a device is planned to draw, kW, without optics; 0 for one that is somebody else's."""
    if isinstance(profile, NodeProfile) and profile.external:
        return 0.0
    watts = profile.power_w.planning_w
    return None if watts is None else watts / 1000
