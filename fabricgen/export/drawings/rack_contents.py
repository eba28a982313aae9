"""The contents of each rack, and their weight and power."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fabricgen.bom.optics import OpticsPower, sum_rack_optics
from fabricgen.bom.trunks import PatchParts
from fabricgen.bom.variants import find_class_variant
from fabricgen.catalog.loads import HALF_A_WATT, Device, find_power_basis, planned_w
from fabricgen.cluster import Cluster
from fabricgen.design.floor.floor_plan import FloorPlan, RackPosition
from fabricgen.export.drawings.svg import (
    GLYPH,
    draw_label,
    draw_path,
    draw_rect,
    find_narrowest_width,
    format_number,
    make_svg,
    measure_text,
    trace_box,
    wrap_words,
)
from fabricgen.export.locations import locate_racks
from fabricgen.export.palette import Swatch, choose_cluster_swatches
from fabricgen.kernel.diagnostics import Path
from fabricgen.numbering.lazy_columns import Strings
from fabricgen.wiring.arrays import Ints64
from fabricgen.wiring.racks.loads import RackLoads, compute_rack_loads, describe_power_bases, list_included
from fabricgen.wiring.tables import EXTRA, NODE, DeviceClass

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

    def make_rack(self, number: int) -> Rack:
        """A rack, by its row in the rack table."""
        kind, loads = self._table.kinds[int(self._table.kind[number])], self._loads
        return Rack(
            name=self._table.names[number],
            place=self.locate_rack(number),
            units=kind.units,
            items=self._list_items(number),
            used_u=Total(float(loads.units[number]), kind.units),
            weight_kg=Total(float(loads.weight_kg[number]), kind.load_kg, bool(loads.unweighed[number])),
            power_kw=Total(
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
        )

    def _describe_basis(self, number: int) -> str:
        """What the power of devices is: `maximum with optics; typical: sn2201, sn5600`."""
        typical = self._name_models(number, lambda p: find_power_basis(p) == "typical")
        kinds = [kind.replace("-", " ") for kind in self._bases[number].split("+") if kind not in ("", "unknown")]
        return "; ".join(f"{kind}: {typical}" if kind == "typical" else kind for kind in kinds)

    def _describe_missing(self, number: int) -> str:
        """What has no figure in a rack (its row in the rack table): `kg: sn4700; kW: sn5640, 4 optics`."""
        loads, unpowered_optics = self._loads, int(self._optics.unpowered[number])
        weights = self._name_models(number, lambda p: p.weight_kg is None) if loads.unweighed[number] else ""
        powers = self._name_models(number, lambda p: planned_w(p) is None)
        drawn = ", ".join(filter(None, (powers, f"{unpowered_optics} optics" if unpowered_optics else "")))
        return "; ".join(filter(None, (weights and f"kg: {weights}", drawn and f"kW: {drawn}")))

    def _describe_ports(self, number: int) -> str:
        """Which aisle the ports of which switches of a rack face; `number` is its row in the rack table."""
        classes = {int(self._devices.device_class[row]) for row in self.list_devices(number)}
        models_by_aisle: dict[str, set[str]] = {}
        for class_number in classes:
            if self._class_aisles[class_number]:
                models_by_aisle.setdefault(self._class_aisles[class_number], set()).add(
                    self._devices.classes[class_number].profile.id
                )
        return "; ".join(
            f"{aisle} aisle {', '.join(sorted(models_by_aisle[aisle]))}" for aisle in sorted(models_by_aisle)
        )

    def _name_models(self, number: int, is_wanted: Callable[[Device], bool]) -> str:
        """The models in a rack that are wanted, two by name."""
        classes = {int(self._devices.device_class[row]) for row in self.list_devices(number)}
        models = sorted(
            {p.id for p in (self._devices.classes[class_number].profile for class_number in classes) if is_wanted(p)}
        )
        return ", ".join(models if len(models) < 4 else [*models[:2], f"{len(models) - 2} more"])

    def list_devices(self, rack: int) -> list[int]:
        """Rows of the devices of a rack, from the bottom."""
        order, start = self._devices_by_rack
        device_rows: list[int] = order[start[rack] : start[rack + 1]].tolist()
        return device_rows

    def locate_rack(self, number: int) -> str:
        """The position of a rack as labels have it: `h1.R03.07`."""
        return str(self._places[number])

    @cached_property
    def _places(self) -> Strings:
        return locate_racks(self._cluster)

    def list_feeds(self, number: int) -> tuple[str, ...]:
        """The power feeds that a rack hangs on."""
        table = self._table
        columns = (table.site, table.row, table.column, table.hall)
        return self._floor_plan.feeds_of(RackPosition(*(int(column[number]) for column in columns)))

    @cached_property
    def swatches(self) -> tuple[Swatch, ...]:
        """The colour of each class of device."""
        fabric_swatches = choose_cluster_swatches(self._cluster)
        shelf_paths = {s.path for s in self._cluster.design.layout.node_sets if s.per_rack}
        return tuple(_choose_swatch(cls, fabric_swatches, shelf_paths) for cls in self._devices.classes)

    @cached_property
    def _devices_by_rack(self) -> tuple[Ints64, Ints64]:
        """(device rows sorted by rack, from the bottom; where each rack begins among them); int64."""
        order = np.lexsort((self._devices.u, self._devices.rack))
        # one more start than racks, so that rack i is order[starts[i]:starts[i + 1]] for the last as well
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
        """Devices, patch panels, what a rack is sold with, and its reserved units, from the bottom."""
        reserved_units = self._table.kinds[int(self._table.kind[rack])].reserved
        items = [
            Item(u, 1, purpose.replace("-", " "), "", RESERVED_SWATCH)
            for purpose, us in reserved_units.items()
            for u in us
        ]
        items += [self._make_device_item(row) for row in self.list_devices(rack)]
        items += self._sold_items.get(rack, ())
        return tuple(sorted([*items, *self._panel_items.get(rack, ())], key=lambda item: item.u))

    @cached_property
    def _sold_items(self) -> Mapping[int, Sequence[Item]]:
        """What comes with each rack that is sold complete and is not among the devices."""
        items_by_rack: dict[int, list[Item]] = {}
        for rack, u, name in list_included(self._cluster.plan):
            items_by_rack.setdefault(rack, []).append(Item(u, 1, name, "with the rack", EXTRA_SWATCH))
        return items_by_rack

    @cached_property
    def _panel_items(self) -> Mapping[int, Sequence[Item]]:
        """The patch panels of each rack that has any."""
        items_by_rack: dict[int, list[Item]] = {}
        patching = self._cluster.plan.patching
        if patching:
            panels = patching.panels
            names = PatchParts(self._cluster, patching).panels
            columns = panels.rack.tolist(), panels.u.tolist(), panels.policy.tolist(), names
            for rack, u, policy, name in zip(*columns, strict=True):
                panel = patching.policies[policy].panel
                items_by_rack.setdefault(rack, []).append(Item(u, panel.rack_units, name, panel.id, PANEL_SWATCH))
        return items_by_rack

    def has_panels(self, rack: int) -> bool:
        """Whether patch panels stand in a rack."""
        return rack in self._panel_items

    def _make_device_item(self, row: int) -> Item:
        # a device as it is drawn in its rack, by its row in the device table
        number = int(self._devices.device_class[row])
        profile = self._devices.classes[number].profile
        name = self._cluster.names[row]
        swatch, aisle = self.swatches[number], self._class_aisles[number]
        return Item(int(self._devices.u[row]), profile.rack_units, name, profile.id, swatch, aisle)

    @cached_property
    def _class_aisles(self) -> tuple[str, ...]:
        """The aisle that the ports of each class of device face."""
        variants = (find_class_variant(self._cluster, cls) for cls in self._devices.classes)
        return tuple(variant.aisle if variant else "" for variant in variants)


def _choose_swatch(cls: DeviceClass, fabric_swatches: Mapping[str, Swatch], shelf_paths: Set[Path]) -> Swatch:
    """The colour of a device class; `shelf_paths` are the places in the blueprint of what stands beside the nodes of a
    rack, such as power shelves.
    """
    if cls.kind == NODE and cls.path not in shelf_paths:
        return NODE_SWATCH
    if cls.kind in (NODE, EXTRA):
        return EXTRA_SWATCH
    return fabric_swatches[cls.fabric]


# Rack elevation: the front of a rack, with rack units on both sides, its devices, and totals below.

WIDTH, HEIGHT = 54.0, 183.0
"""Size of the drawing, mm: five racks side by side on a landscape A4 page."""

_LEFT, _BODY = 5.0, 44.0
_HEAD, _FOOT = 13.0, 22.0
_TALLEST_UNIT = 3.1
"""The largest height of a rack unit, mm, about a fourteenth of its true size."""

_NOTE, _NOTES = 1.9, 4
"""Size of the notes below a rack, mm, and how many lines they take at most."""

_BAR = 11.0
"""Width of the bar of a budget, mm."""

_WARNING = "#D00000"


def draw_elevation(rack: Rack, *, alone: bool = False) -> str:
    """A rack as SVG; `alone` makes it a complete file."""
    unit = min(_TALLEST_UNIT, (HEIGHT - _HEAD - _FOOT) / rack.units)
    body = [*_draw_head(rack), *_draw_frame(rack, unit)]
    for item in rack.items:
        body += _draw_item(item, _find_top(rack, unit, item.u + item.height - 1), unit)
    body += _draw_foot(rack, _HEAD + rack.units * unit + 2)
    return make_svg(WIDTH, HEIGHT, "".join(body), title=f"Rack {rack.name}", alone=alone)


def _find_top(rack: Rack, unit: float, u: int) -> float:
    """The y coordinate of the upper edge of a rack unit, mm."""
    return _HEAD + (rack.units - u) * unit


def _draw_head(rack: Rack) -> list[str]:
    middle = WIDTH / 2
    return [
        draw_label(middle, 3, rack.name, 3.6, "b m", WIDTH - 2),
        draw_label(middle, 7.6, rack.place, 2.4, "m g", WIDTH - 2),
        draw_label(middle, 10.8, "front", 2, "m g"),
    ]


def _draw_frame(rack: Rack, unit: float) -> list[str]:
    lines = [
        f"M{format_number(_LEFT)} {format_number(_find_top(rack, unit, u))}h{format_number(_BODY)}"
        for u in range(1, rack.units)
    ]
    size = min(2.1, unit * 0.72)
    numbers = []
    for u in range(1, rack.units + 1):
        unit_middle = _find_top(rack, unit, u) + unit / 2
        numbers.append(draw_label(_LEFT - 0.8, unit_middle, str(u), size, "e"))
        numbers.append(draw_label(_LEFT + _BODY + 0.8, unit_middle, str(u), size))
    outline = draw_rect(_LEFT, _HEAD, _BODY, rack.units * unit)
    return [draw_path(lines, "h"), *numbers, outline]


def _draw_item(item: Item, top: float, unit: float) -> list[str]:
    """A device: its code in a corner, its name, and its model beside it or, if it is high enough, below."""
    height, ink = item.height * unit, " w" if item.swatch.ink == "#FFFFFF" else ""
    size = min(2.2, unit * 0.74)
    left, right = _LEFT + 1, _LEFT + _BODY - 1
    room = _BODY - 2
    elements = [draw_rect(_LEFT, top, _BODY, height, item.swatch.fill)]
    if item.swatch.code:
        elements.append(draw_label(left, top + unit / 2, item.swatch.code, size, f"b{ink}"))
        left, room = left + 3.4, room - 3.4
    if item.height > 1:
        middle = top + height / 2
        elements.append(draw_label(left, middle - size * 0.65, item.name, size, f"b{ink}", room))
        elements.append(draw_label(left, middle + size * 0.65, item.text, size * 0.9, ink.strip(), room))
        return elements
    model_text = item.text if measure_text(f"{item.name} {item.text}", size) <= room else item.model
    model_width = min(measure_text(model_text, size * 0.85), room * 0.36 if model_text == item.model else room)
    elements.append(draw_label(left, top + unit / 2, item.name, size, f"b{ink}", room - model_width - 0.8))
    elements.append(draw_label(right, top + unit / 2, model_text, size * 0.85, f"e{ink}", model_width))
    return elements


def _draw_foot(rack: Rack, top: float) -> list[str]:
    """The totals, each with its budget and a bar for the share used, and what they are made of."""
    rows = (("U", rack.used_u), ("kg", rack.weight_kg), ("kW", rack.power_kw))
    elements = []
    for i, (unit, total) in enumerate(rows):
        line_y = top + 1.2 + i * 3.2
        with_rack = " with the rack" if unit == "kg" and rack.complete else ""
        of_devices = " of devices" if unit == "kg" and not with_rack else ""
        unlimited = ", no limit stated" if total.budget is None and not with_rack and not is_unknown(total) else ""
        text, bar = f"{unit:2}{of_devices} {format_total(total)}{with_rack}{unlimited}", _draw_bar(total, line_y)
        elements.append(
            draw_label(
                _LEFT, line_y, text, 2.3, "b" if is_over_budget(total) else "", _BODY - _BAR - 1 if bar else _BODY
            )
        )
        elements += bar
    feeds = f"feeds {' + '.join(rack.feeds)}" if rack.feeds else "feeds not stated"
    optics = f"{rack.optics_kw:.1f} kW of it optics; " if round(rack.optics_kw, 1) else ""
    elements.append(draw_label(_LEFT, top + 10.7, optics + feeds, 2.3, "", _BODY))
    notes = (
        rack.ports and f"ports: {rack.ports}",
        rack.basis and f"kW by {rack.basis}",
        rack.missing and f"+ without {rack.missing}",
    )
    for i, line in enumerate(_break_notes([note for note in notes if note])):
        elements.append(draw_label(_LEFT, top + 12.8 + i * 1.9, line, _NOTE, "g", _BODY))
    return elements


def _break_notes(notes: Sequence[str]) -> list[str]:
    """Notes as lines, one each, and the longest ones as more where there is room for these."""
    letters, spare = int(_BODY / GLYPH / _NOTE), _NOTES - len(notes)
    lines = {note: [note] for note in notes}
    for note in sorted(notes, key=len, reverse=True):
        words = (tuple(note.split()),)
        line_count = min(len(wrap_words(words, letters)), 1 + spare)
        lines[note] = wrap_words(words, find_narrowest_width([words], line_count))
        spare -= line_count - 1
    return [line for note_lines in lines.values() for line in note_lines]


def _draw_bar(total: Total, middle: float) -> list[str]:
    """The share of a budget that is used; one that is more, nobody knows by how much, ends in a question mark."""
    if not total.budget or is_unknown(total):
        return []
    left, width = _LEFT + _BODY - _BAR, _BAR
    share = min(1.0, total.value / total.budget)
    colour = _WARNING if is_over_budget(total) else "#777777"
    filled = draw_path([trace_box(left, middle - 1, width * share, 2)], "f", colour)
    # beyond six tenths of the bar the mark would run into its end
    unknown_mark = [draw_label(left + width * share + 0.5, middle, "+ ?", 2)] if total.unknown and share < 0.6 else []
    return [filled, draw_rect(left, middle - 1, width, 2, style="h"), *unknown_mark]


def is_unknown(total: Total) -> bool:
    """Whether there are devices in a sum, and none of them has a figure."""
    return total.unknown and not total.value


def is_over_budget(total: Total) -> bool:
    """Whether a total exceeds its budget."""
    return total.budget is not None and total.value > total.budget + total.rounding


def format_total(total: Total) -> str:
    """A total as text: `12.3+ of 40 OVER`, `not stated` where nothing in it has a figure."""
    if is_unknown(total):
        return "not stated" if total.budget is None else f"not stated, limit {total.budget:g}"
    text = f"{total.value:.1f}".removesuffix(".0") + ("+" if total.unknown else "")
    if total.budget is not None:
        text += f" of {total.budget:g}"
    return text + (" OVER" if is_over_budget(total) else "")
