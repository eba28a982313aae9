"""The contents of each rack, and their weight and power."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fabricgen.bom.optics import RackOptics, optics_of_racks
from fabricgen.bom.trunks import PatchParts
from fabricgen.bom.variants import variant_of_class
from fabricgen.catalog.loads import HALF_A_WATT, Device, basis, planned_w
from fabricgen.cluster import Cluster
from fabricgen.design.floor.floor_plan import FloorPlan, RackPosition
from fabricgen.export.locations import rack_places
from fabricgen.export.palette import Swatch, cluster_swatches
from fabricgen.kernel.diagnostics import Path
from fabricgen.numbering.lazy_columns import Strings
from fabricgen.wiring.racks.loads import RackLoads, included, power_bases, rack_loads
from fabricgen.wiring.tables import EXTRA, NODE, DeviceClass, Ints64

NODE_SWATCH = Swatch("#E8ECF1", "#000000", "pale", "")
"""The colour of nodes, which belong to several fabrics."""

EXTRA_SWATCH = Swatch("#FFFFFF", "#000000", "white", "")
"""The colour of other devices."""

PANEL_SWATCH = Swatch("#D5CFC4", "#000000", "sand", "PP")
"""The colour of patch panels, and of racks that hold nothing else."""


RESERVED_SWATCH = Swatch("#F4F4F4", "#000000", "light", "")
"""The colour of rack units that no device takes."""


@dataclass(frozen=True, slots=True)
class Item:
    """A device, a patch panel or a reserved unit of a rack: lowest rack unit, height, name, model, the colour of its
    kind, and the aisle that the ports of a switch face, hot or cold; "" where it is not known.
    """

    u: int
    height: int
    name: str
    model: str
    swatch: Swatch
    aisle: str = ""

    @property
    def text(self) -> str:
        """Its model, and where its ports are."""
        return f"{self.model}, ports {self.aisle} aisle" if self.aisle else self.model


@dataclass(frozen=True, slots=True)
class Total:
    """A sum over a rack, its budget (None: not stated), and whether a device has no figure.

    `rounding` is what its figures may be too large by.
    """

    value: float
    budget: float | None
    unknown: bool = False
    rounding: float = 1e-9


@dataclass(frozen=True, slots=True)
class Rack:
    """A rack and its devices, from the bottom; `place` is its position as labels have it."""

    name: str
    place: str
    units: int
    items: tuple[Item, ...]
    used_u: Total
    weight_kg: Total
    power_kw: Total
    """With optics."""
    optics_kw: float
    basis: str
    """What the power of devices is, and of which of them it is less than a maximum."""
    missing: str
    """What of its weight and power is not known; "" for nothing."""
    ports: str
    """The aisles that ports of its switches face, with the models: `hot aisle qm9700, sn2201; cold aisle sn5600`."""
    complete: bool
    """Whether the weight is that of the complete rack, as it is sold."""
    feeds: tuple[str, ...]


class Racks:
    """The racks of a cluster, computed one at a time."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._devices, self._table = cluster.plan.devices, cluster.plan.racks
        self._floor_plan = FloorPlan(cluster.design)

    def rack(self, number: int) -> Rack:
        """A rack, by its row in the rack table."""
        kind, loads = self._table.kinds[int(self._table.kind[number])], self._loads
        return Rack(
            name=self._table.names[number],
            place=self.place(number),
            units=kind.units,
            items=self._items(number),
            used_u=Total(float(loads.units[number]), kind.units),
            weight_kg=Total(float(loads.weight_kg[number]), kind.load_kg, bool(loads.unweighed[number])),
            power_kw=Total(
                float(loads.power_w[number] + self._optics.added_w[number]) / 1000,
                kind.power_kw,
                bool(loads.unpowered[number] or self._optics.unpowered[number]),
                rounding=HALF_A_WATT * int(loads.devices[number]) + 1e-6,
            ),
            optics_kw=float(self._optics.power_w[number]) / 1000,
            basis=self._basis(number),
            missing=self._missing(number),
            ports=self._ports(number),
            complete=kind.complete_kg is not None,
            feeds=self.feeds(number),
        )

    def _basis(self, number: int) -> str:
        """What the power of devices is: `maximum with optics; typical: sn2201, sn5600`."""
        typical = self._models(number, lambda p: basis(p) == "typical")
        kinds = [kind.replace("-", " ") for kind in self._bases[number].split("+") if kind not in ("", "unknown")]
        return "; ".join(f"{kind}: {typical}" if kind == "typical" else kind for kind in kinds)

    def _missing(self, number: int) -> str:
        """What has no figure: `kg: sn4700; kW: sn5640, 4 optics`."""
        loads, bare = self._loads, int(self._optics.unpowered[number])
        weights = self._models(number, lambda p: p.weight_kg is None) if loads.unweighed[number] else ""
        powers = self._models(number, lambda p: planned_w(p) is None)
        drawn = ", ".join(filter(None, (powers, f"{bare} optics" if bare else "")))
        return "; ".join(filter(None, (weights and f"kg: {weights}", drawn and f"kW: {drawn}")))

    def _ports(self, number: int) -> str:
        """Which aisle the ports of which switches face."""
        classes = {int(self._devices.device_class[row]) for row in self.devices_of(number)}
        of_aisle: dict[str, set[str]] = {}
        for one in classes:
            if self._aisles[one]:
                of_aisle.setdefault(self._aisles[one], set()).add(self._devices.classes[one].profile.id)
        return "; ".join(f"{aisle} aisle {', '.join(sorted(of_aisle[aisle]))}" for aisle in sorted(of_aisle))

    def _models(self, number: int, wanted: Callable[[Device], bool]) -> str:
        """The models in a rack that are wanted, two by name."""
        classes = {int(self._devices.device_class[row]) for row in self.devices_of(number)}
        found = sorted({p.id for p in (self._devices.classes[one].profile for one in classes) if wanted(p)})
        return ", ".join(found if len(found) < 4 else [*found[:2], f"{len(found) - 2} more"])

    def devices_of(self, rack: int) -> list[int]:
        """Rows of the devices of a rack, from the bottom."""
        order, start = self._by_rack
        found: list[int] = order[start[rack] : start[rack + 1]].tolist()
        return found

    def place(self, number: int) -> str:
        """The position of a rack as labels have it: `h1.R03.07`."""
        return str(self._places[number])

    @cached_property
    def _places(self) -> Strings:
        return rack_places(self._cluster)

    def feeds(self, number: int) -> tuple[str, ...]:
        """The power feeds that a rack hangs on."""
        table = self._table
        columns = (table.site, table.row, table.column, table.hall)
        return self._floor_plan.feeds_of(RackPosition(*(int(column[number]) for column in columns)))

    @cached_property
    def swatches(self) -> tuple[Swatch, ...]:
        """The colour of each class of device."""
        of_fabric = cluster_swatches(self._cluster)
        beside = {s.path for s in self._cluster.design.layout.node_sets if s.per_rack}
        return tuple(_swatch(cls, of_fabric, beside) for cls in self._devices.classes)

    @cached_property
    def _by_rack(self) -> tuple[Ints64, Ints64]:
        """(device rows sorted by rack, from the bottom; where each rack begins among them); int64."""
        order = np.lexsort((self._devices.u, self._devices.rack))
        return order, np.searchsorted(self._devices.rack[order], np.arange(len(self._table) + 1))

    @cached_property
    def _optics(self) -> RackOptics:
        return optics_of_racks(self._cluster)

    @cached_property
    def _bases(self) -> list[str]:
        return power_bases(self._cluster.plan)

    @cached_property
    def _loads(self) -> RackLoads:
        return rack_loads(self._cluster.plan)

    def _items(self, rack: int) -> tuple[Item, ...]:
        """Devices, patch panels, what a rack is sold with, and its reserved units, from the bottom."""
        kept = self._table.kinds[int(self._table.kind[rack])].reserved
        found = [Item(u, 1, what.replace("-", " "), "", RESERVED_SWATCH) for what, us in kept.items() for u in us]
        found += [self._item(row) for row in self.devices_of(rack)]
        found += self._sold.get(rack, ())
        return tuple(sorted([*found, *self._panels.get(rack, ())], key=lambda item: item.u))

    @cached_property
    def _sold(self) -> Mapping[int, Sequence[Item]]:
        """What comes with each rack that is sold complete and is not among the devices."""
        found: dict[int, list[Item]] = {}
        for rack, u, name in included(self._cluster.plan):
            found.setdefault(rack, []).append(Item(u, 1, name, "with the rack", EXTRA_SWATCH))
        return found

    @cached_property
    def _panels(self) -> Mapping[int, Sequence[Item]]:
        """The patch panels of each rack that has any."""
        found: dict[int, list[Item]] = {}
        patching = self._cluster.plan.patching
        if patching:
            panels = patching.panels
            names = PatchParts(self._cluster, patching).panels
            columns = panels.rack.tolist(), panels.u.tolist(), panels.policy.tolist(), names
            for rack, u, policy, name in zip(*columns, strict=True):
                panel = patching.policies[policy].panel
                found.setdefault(rack, []).append(Item(u, panel.rack_units, name, panel.id, PANEL_SWATCH))
        return found

    def has_panels(self, rack: int) -> bool:
        """Whether patch panels stand in a rack."""
        return rack in self._panels

    def _item(self, row: int) -> Item:
        number = int(self._devices.device_class[row])
        profile = self._devices.classes[number].profile
        name = self._cluster.names[row]
        swatch, aisle = self.swatches[number], self._aisles[number]
        return Item(int(self._devices.u[row]), profile.rack_units, name, profile.id, swatch, aisle)

    @cached_property
    def _aisles(self) -> tuple[str, ...]:
        """The aisle that the ports of each class of device face."""
        found = (variant_of_class(self._cluster, cls) for cls in self._devices.classes)
        return tuple(variant.aisle if variant else "" for variant in found)


def _swatch(cls: DeviceClass, of_fabric: Mapping[str, Swatch], beside: Set[Path]) -> Swatch:
    """The colour of a device class; `beside` are the places in the blueprint of what stands beside the nodes of a rack,
    such as power shelves.
    """
    if cls.kind == NODE and cls.path not in beside:
        return NODE_SWATCH
    if cls.kind in (NODE, EXTRA):
        return EXTRA_SWATCH
    return of_fabric[cls.fabric]
