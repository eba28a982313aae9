"""The contents of each rack, and their weight and power."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from fabricgen.bom.optics import OpticsPower, sum_rack_optics
from fabricgen.bom.trunks import PatchParts
from fabricgen.catalog.loads import HALF_A_WATT, Device, find_power_basis, planned_w
from fabricgen.catalog.models import NodeProfile, SwitchProfile
from fabricgen.cluster import Cluster
from fabricgen.design.floor.floor_plan import FloorPlan, RackPosition
from fabricgen.design.floor.port_sides import find_catalogue_aisle
from fabricgen.export.locations import format_column, locate_racks
from fabricgen.export.palette import Swatch, choose_cluster_swatches
from fabricgen.kernel.diagnostics import Path
from fabricgen.numbering.lazy_columns import Strings
from fabricgen.wiring.arrays import Ints, Ints64
from fabricgen.wiring.patching.tables import Patching
from fabricgen.wiring.racks.loads import RackLoads, compute_rack_loads, describe_power_bases, list_included
from fabricgen.wiring.tables import EXTRA, NODE, TRAY, DeviceClass

NODE_SWATCH = Swatch("#E8ECF1", "#000000", "pale", "")
"""The colour of nodes, which belong to several fabrics."""

EXTRA_SWATCH = Swatch("#FFFFFF", "#000000", "white", "")
"""The colour of other devices."""

PANEL_SWATCH = Swatch("#D5CFC4", "#000000", "sand", "PP")
"""The colour of patch panels, and of racks that hold nothing else."""

RESERVED_SWATCH = Swatch("#F4F4F4", "#000000", "light", "")
"""The colour of rack units that no device takes."""


SOLD = "with the rack"
"""Stands in the place of the model for things that a rack is sold with."""


@dataclass(frozen=True, slots=True)
class Item:
    """A device, a patch panel or a reserved unit of a rack.

    `u` is its lowest rack unit, `height` its rack units, `swatch` the colour of its kind. `side` is the side of its
    ports, front or rear, "" if not known. `profile` is None for what has no ports in drawings.
    """

    u: int
    height: int
    name: str
    model: str
    swatch: Swatch
    side: str = ""
    profile: NodeProfile | SwitchProfile | None = field(default=None, compare=False, repr=False)
    positions: tuple[str, str] = ("", "")
    """For a patch panel, the states of its positions at the side of its front, and behind (`list_panel_faces`)."""

    @property
    def is_device(self) -> bool:
        """Whether it has a name of its own: reserved units, and things sold with the rack, are called by their kind."""
        return self.model not in ("", SOLD)

    def describe_model(self, side: str) -> str:
        """Return its model, and the side of its ports unless that is the side that is seen."""
        return f"{self.model}, ports at the {self.side}" if self.side not in ("", side) else self.model


@dataclass(frozen=True, slots=True)
class RackTotal:
    """A sum over a rack, its budget (None if not stated), and whether some device has no figure.

    `rounding` is by how much rounded figures may make the sum too large.
    """

    value: float
    budget: float | None
    unknown: bool = False
    rounding: float = 1e-9


@dataclass(frozen=True, slots=True)
class FilledRack:
    """A rack and its items, from the bottom; `place` is its position as on labels."""

    name: str
    place: str
    units: int
    items: tuple[Item, ...]
    used_u: RackTotal
    weight_kg: RackTotal
    power_kw: RackTotal
    """Power of devices and optics."""
    optics_kw: float
    basis: str
    """The kind of figure that the power is, and the models whose figure is less than a maximum."""
    missing: str
    """The models without a figure for weight or power; "" if all have one."""
    ports: str
    """The sides of the ports of its devices, with the models: `rear qm9700, sn2201; front dgx-b300; side not known
    7816r4`.
    """
    complete: bool
    """Whether the weight is that of the complete rack, as it is sold."""
    feeds: tuple[str, ...]
    beside: tuple[str, str] = ("", "")
    """The places to its left and right, seen from its front; "" if no rack stands there."""

    @property
    def kind(self) -> FilledRack:
        """This rack with its name, its place, its neighbours and the names of its devices blank.

        Racks for which this is equal differ in nothing else, and share a drawing.
        """
        items = (replace(item, name="") if item.is_device else item for item in self.items)
        return replace(self, name="", place="", beside=("", ""), items=tuple(items))


class FilledRacks:
    """The racks of a cluster, computed one at a time. Racks are known by their row in the rack table."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._devices, self._table = cluster.plan.devices, cluster.plan.racks
        self._floor_plan = FloorPlan(cluster.design)

    def make_rack(self, number: int) -> FilledRack:
        """Return what is drawn of a rack, given by its row in the rack table: its items, totals beside their budgets,
        and texts about figures that are missing.
        """
        kind, loads = self._table.kinds[int(self._table.kind[number])], self._loads
        return FilledRack(
            name=self._table.names[number],
            place=self.locate_rack(number),
            units=kind.units,
            items=self._list_items(number),
            used_u=RackTotal(float(loads.units[number]), kind.units),
            weight_kg=RackTotal(float(loads.weight_kg[number]), kind.load_kg, bool(loads.unweighed[number])),
            power_kw=RackTotal(
                float(loads.power_w[number] + self._optics.added_w[number]) / 1000,
                kind.power_kw,
                bool(loads.unpowered[number] or self._optics.unpowered[number]),
                rounding=HALF_A_WATT * int(loads.devices[number]) + 1e-6,
            ),
            optics_kw=float(self._optics.power_w[number]) / 1000,
            basis=self._describe_basis(number),
            missing=self._describe_missing(number),
            ports=self._describe_ports(number),
            complete=kind.complete_kg is not None,
            feeds=self.list_feeds(number),
            beside=self._find_beside(number),
        )

    def _find_beside(self, number: int) -> tuple[str, str]:
        """Return the places of the racks next to a rack, to its left and to its right as seen from its front; "" for
        no rack.
        """
        hall, row, column, faces = (int(values[number]) for values in (*self._columns, self._table.faces))
        left, right = (
            format_column(next_column) if (hall, row, next_column) in self._rack_positions else ""
            # `faces` is 1 or -1, by the side of the row that the rack faces
            for next_column in (column - faces, column + faces)
        )
        return left, right

    @property
    def _columns(self) -> tuple[Ints, Ints, Ints]:
        return self._table.hall, self._table.row, self._table.column

    @cached_property
    def _rack_positions(self) -> Set[tuple[int, int, int]]:
        """(hall, row, column) of all racks."""
        return set(zip(*(values.tolist() for values in self._columns), strict=True))

    def _describe_basis(self, number: int) -> str:
        """Return of which kinds the power figures of a rack's devices are, with the models that have typical ones:
        `maximum with optics; typical: sn2201, sn5600`.
        """
        typical = self._name_models(number, lambda p: find_power_basis(p) == "typical")
        kinds = [kind.replace("-", " ") for kind in self._bases[number].split("+") if kind not in ("", "unknown")]
        return "; ".join(f"{kind}: {typical}" if kind == "typical" else kind for kind in kinds)

    def _describe_missing(self, number: int) -> str:
        """Return what has no figure in a rack: `kg: sn4700; kW: sn5640, 4 optics`; "" if nothing."""
        loads, unpowered_optics = self._loads, int(self._optics.unpowered[number])
        weights = self._name_models(number, lambda p: p.weight_kg is None) if loads.unweighed[number] else ""
        powers = self._name_models(number, lambda p: planned_w(p) is None)
        drawn = ", ".join(filter(None, (powers, f"{unpowered_optics} optics" if unpowered_optics else "")))
        return "; ".join(filter(None, (weights and f"kg: {weights}", drawn and f"kW: {drawn}")))

    def _describe_ports(self, number: int) -> str:
        """Return the sides of the ports in a rack, each with its models; "" if the rack has no devices."""
        models_by_side: dict[str, set[str]] = {}
        for cls in self._list_classes(number):
            models_by_side.setdefault(self.sides[cls], set()).add(self._devices.classes[cls].profile.id)
        texts = (
            f"{side or 'side not known'} {', '.join(sorted(models_by_side[side]))}"
            for side in sorted(models_by_side, reverse=True)
        )
        return "; ".join(texts)

    def _name_models(self, number: int, is_wanted: Callable[[Device], bool]) -> str:
        """Return the models in a rack that `is_wanted` picks: all if they are up to three, else two and the number of
        others.
        """
        profiles = (self._devices.classes[cls].profile for cls in self._list_classes(number))
        models = sorted({profile.id for profile in profiles if is_wanted(profile)})
        return ", ".join(models if len(models) < 4 else [*models[:2], f"{len(models) - 2} more"])

    def _list_classes(self, number: int) -> set[int]:
        return {int(self._devices.device_class[row]) for row in self.list_devices(number)}

    def list_devices(self, rack: int) -> list[int]:
        """Return the rows of the devices of a rack, from the bottom."""
        order, start = self._devices_by_rack
        device_rows: list[int] = order[start[rack] : start[rack + 1]].tolist()
        return device_rows

    def locate_rack(self, number: int) -> str:
        """Return the position of a rack as on labels: `h1.R03.07`."""
        return str(self._places[number])

    @cached_property
    def _places(self) -> Strings:
        return locate_racks(self._cluster)

    def list_feeds(self, number: int) -> tuple[str, ...]:
        """Return the names of the power feeds of a rack; none if it has no devices, such as a rack of patch panels."""
        table, starts = self._table, self._devices_by_rack[1]
        if starts[number] == starts[number + 1]:
            return ()
        columns = (table.site, table.row, table.column, table.hall)
        return self._floor_plan.feeds_of(RackPosition(*(int(column[number]) for column in columns)))

    @cached_property
    def swatches(self) -> tuple[Swatch, ...]:
        """The colour of each device class."""
        fabric_swatches = choose_cluster_swatches(self._cluster)
        shelf_paths = {s.path for s in self._cluster.design.layout.node_sets if s.per_rack}
        return tuple(_choose_swatch(cls, fabric_swatches, shelf_paths) for cls in self._devices.classes)

    @cached_property
    def _devices_by_rack(self) -> tuple[Ints64, Ints64]:
        """Device rows sorted by rack, each rack from the bottom, and the start of each rack among them; int64."""
        order = np.lexsort((self._devices.u, self._devices.rack))
        # one more start than racks, so that order[starts[i]:starts[i + 1]] has the devices of the last rack i as well
        return order, np.searchsorted(self._devices.rack[order], np.arange(len(self._table) + 1))

    @cached_property
    def _optics(self) -> OpticsPower:
        return sum_rack_optics(self._cluster)

    @cached_property
    def _bases(self) -> list[str]:
        return describe_power_bases(self._cluster.plan)

    @cached_property
    def _loads(self) -> RackLoads:
        return compute_rack_loads(self._cluster.plan)

    def _list_items(self, rack: int) -> tuple[Item, ...]:
        """Return the items of a rack from the bottom: devices, patch panels, what it is sold with, reserved units."""
        items = [
            Item(u, 1, purpose.replace("-", " "), "", RESERVED_SWATCH)
            for purpose, us in self._table.kinds[int(self._table.kind[rack])].reserved.items()
            for u in us
        ]
        items += [self._make_device_item(row) for row in self.list_devices(rack)]
        items += self._sold_items.get(rack, ())
        return tuple(sorted([*items, *self._panel_items.get(rack, ())], key=lambda item: item.u))

    @cached_property
    def _sold_items(self) -> Mapping[int, Sequence[Item]]:
        """By rack, what a rack that is sold complete has besides its devices."""
        items_by_rack: dict[int, list[Item]] = {}
        for rack, u, name in list_included(self._cluster.plan):
            items_by_rack.setdefault(rack, []).append(Item(u, 1, name, SOLD, EXTRA_SWATCH))
        return items_by_rack

    @cached_property
    def _panel_items(self) -> Mapping[int, Sequence[Item]]:
        """By rack, its patch panels."""
        items_by_rack: dict[int, list[Item]] = {}
        patching = self._cluster.plan.patching
        if patching:
            panels = patching.panels
            names = PatchParts(self._cluster, patching).panels
            columns = panels.rack.tolist(), panels.u.tolist(), panels.policy.tolist(), names, list_panel_faces(patching)
            for rack, u, policy, name, faces in zip(*columns, strict=True):
                panel, side = patching.policies[policy].panel, self._find_port_side(rack)
                item = Item(u, panel.rack_units, name, panel.id, PANEL_SWATCH, side, positions=faces)
                items_by_rack.setdefault(rack, []).append(item)
        return items_by_rack

    def _find_port_side(self, rack: int) -> str:
        """Return the side at which jumpers of a rack end: that on which more of its devices have their ports; front if
        as many have them on either side.
        """
        sides = Counter(self.sides[int(self._devices.device_class[row])] for row in self.list_devices(rack))
        return "rear" if sides["rear"] > sides["front"] else "front"

    def has_panels(self, rack: int) -> bool:
        """Whether a rack has patch panels."""
        return rack in self._panel_items

    def _make_device_item(self, row: int) -> Item:
        """Return a device, by its row in the device table, as it is drawn in its rack."""
        number = int(self._devices.device_class[row])
        profile = self._devices.classes[number].profile
        name = self._cluster.names[row]
        swatch, side = self.swatches[number], self.sides[number]
        with_ports = profile if side and isinstance(profile, NodeProfile | SwitchProfile) else None
        return Item(int(self._devices.u[row]), profile.rack_units, name, profile.id, swatch, side, with_ports)

    @cached_property
    def sides(self) -> tuple[str, ...]:
        """The side of the ports of each device class: as stated, else by the catalogue and the airflow."""
        return tuple(self._find_side(cls) for cls in self._devices.classes)

    def _find_side(self, cls: DeviceClass) -> str:
        """Return the side of the ports of a device class: front, rear, or "" if it is not known.

        It is "" for a tray of switches, whose ports are mostly those of its backplane.
        """
        if cls.kind == TRAY or not isinstance(cls.profile, NodeProfile | SwitchProfile):
            return ""
        design, stated = self._cluster.design, self._cluster.design.loaded.blueprint.floor.trays.cold_ports
        by_catalogue = find_catalogue_aisle(design, (cls.fabric, cls.tier), cls.nos, cls.profile)
        aisle = by_catalogue if stated is None else "cold" if cls.profile.id in stated else "hot"
        # racks face cold aisles
        return {"cold": "front", "hot": "rear"}.get(aisle, "")


def _choose_swatch(cls: DeviceClass, fabric_swatches: Mapping[str, Swatch], shelf_paths: Set[Path]) -> Swatch:
    """Return the colour of a device class.

    `shelf_paths` are the blueprint paths of what stands beside the nodes of a rack, such as power shelves.
    """
    if cls.kind == NODE and cls.path not in shelf_paths:
        return NODE_SWATCH
    if cls.kind in (NODE, EXTRA):
        return EXTRA_SWATCH
    return fabric_swatches[cls.fabric]


def is_unknown(total: RackTotal) -> bool:
    """Whether a sum is made of devices none of which has a figure."""
    return total.unknown and not total.value


def is_over_budget(total: RackTotal) -> bool:
    """Whether a total exceeds its budget by more than rounding explains."""
    return total.budget is not None and total.value > total.budget + total.rounding


def format_total(total: RackTotal) -> str:
    """Return a total as text: `12.3+ of 40 OVER`, or `not stated` if none of its devices has a figure."""
    if is_unknown(total):
        return "not stated" if total.budget is None else f"not stated, limit {total.budget:g}"
    text = f"{total.value:.1f}".removesuffix(".0") + ("+" if total.unknown else "")
    if total.budget is not None:
        text += f" of {total.budget:g}"
    return text + (" OVER" if is_over_budget(total) else "")


# Both faces of patch panels: positions with a jumper, with a trunk behind them, and with neither.

EMPTY, READY, PLUGGED = "012"
"""States of a position: nothing, only a trunk behind it, and a plug in it."""


def list_panel_faces(patching: Patching) -> list[tuple[str, str]]:
    """Return (front, rear) of each panel: a digit for each port at its front, and one for each connector at its rear.

    A digit is a state: EMPTY, READY (a trunk leads there, but no jumper) or PLUGGED. A connector is PLUGGED unless all
    of its ports are EMPTY. The rear of a fibre shuffle is "".
    """
    panels, trunks, patches, shuffles = patching.panels, patching.trunks, patching.patches, patching.shuffles
    profiles = [policy.panel for policy in patching.policies]
    state = np.zeros((len(panels), max(panel.ports for panel in profiles)), dtype=np.int8)
    per_trunk = np.array([policy.ports_per_trunk for policy in patching.policies])[trunks.policy]
    trunk_of_port = np.repeat(np.arange(len(trunks)), per_trunk)
    # the number of each port in its trunk, from 0: its index, less that of the first port of the trunk
    port_in_trunk = np.arange(len(trunk_of_port)) - np.repeat(np.cumsum(per_trunk) - per_trunk, per_trunk)
    for panel, first_port in ((trunks.a_panel, trunks.a_port), (trunks.b_panel, trunks.b_port)):
        state[panel[trunk_of_port], first_port[trunk_of_port] + port_in_trunk] = READY
        state[panel[patches.trunk], first_port[patches.trunk] + patches.port] = PLUGGED
    ports_in = np.array([panel.shuffle for panel in profiles])[panels.policy[shuffles.panel]]
    for offset in (shuffles.port_in, ports_in + shuffles.port_out):  # ports in of a shuffle come before its ports out
        state[shuffles.panel, 2 * ports_in * shuffles.shuffle + offset] = PLUGGED
    faces = []
    for row, policy in zip(state, panels.policy.tolist(), strict=True):
        panel = profiles[policy]
        front, split = "".join(map(str, row[: panel.ports].tolist())), len(panel.positions)
        behind = (front[i : i + split] for i in range(0, panel.ports, split))
        rear = "".join(EMPTY if set(states) == {EMPTY} else PLUGGED for states in behind)
        faces.append((front, "" if panel.shuffle else rear))
    return faces
