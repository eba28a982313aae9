"""Marks on floor plans: fixtures of the building (doors, columns, cooling, power), and racks by their contents."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from fabricgen.blueprint.sections.floor import Kind
from fabricgen.cluster import Cluster
from fabricgen.design.floor.floor_plan import FloorPlan
from fabricgen.design.floor.halls import Hall, HallFixture
from fabricgen.export.drawings.floor_pages import Frame
from fabricgen.export.drawings.rack_contents import EXTRA_SWATCH, NODE_SWATCH, PANEL_SWATCH, FilledRacks
from fabricgen.export.drawings.svg import draw_label, draw_path, format_number, measure_text, trace_box
from fabricgen.export.locations import locate_halls
from fabricgen.export.palette import LIGHT, Swatch, choose_cluster_swatches
from fabricgen.wiring.tables import EXTRA, NODE

LOOKS: dict[Kind, tuple[str, str]] = {
    "door": ("#FFFFFF", "door"),
    "column": ("#8C8C8C", "column"),
    "cooling": ("#A8E0E6", "cooling"),
    "power": ("#F7D154", "power"),
    "busway": ("", "busway, above"),
}
"""By kind of fixture: its fill, and its word in the key."""

_LARGEST, _SMALLEST = 2.3, 1.77
"""Largest and smallest size of names, mm; the smallest is 5 points."""

_CHARACTER = 1.1
"""The least width of a squeezed character, mm."""


@dataclass(frozen=True)
class FixturePen:
    """Draws the fixtures of a hall within a frame.

    `x` and `y` turn a coordinate of the hall in m into one on paper in mm.
    """

    hall: Hall
    frame: Frame
    x: Callable[[float], float]
    y: Callable[[float], float]

    def list_kinds(self) -> list[Kind]:
        """Return the kinds of fixtures in the hall, in the order of the key."""
        present = {fixture.kind for fixture in self.hall.fixtures}
        return [kind for kind in LOOKS if kind in present]

    def draw_fixtures(self, *, above: bool) -> Iterator[str]:
        """Yield the fixtures with their names: busways, which run above racks, if `above`, and else all others."""
        for fixture in (fixture for fixture in self.hall.fixtures if (fixture.kind == "busway") == above):
            x, y, far_x, far_y = fixture.area
            left, top = self.x(max(x, self.frame.left)), self.y(max(y, self.frame.top))
            width, height = self.x(min(far_x, self.frame.right)) - left, self.y(min(far_y, self.frame.bottom)) - top
            if width > 0 and height > 0:
                yield from draw_fixture(fixture.kind, left, top, width, height)
                yield self._draw_name(fixture, left, top, width, height)

    def _draw_name(self, fixture: HallFixture, left: float, top: float, width: float, height: float) -> str:
        """Return the name and feed of a fixture as a label inside its box; "" if it does not fit.

        A busway along the rows has its label beyond its right end, where it hides no rack, if there is room.
        """
        name = fixture.title + (f" ({fixture.feed})" if fixture.feed else "")
        width_behind = self.x(self.frame.right) - left - width - 1
        if fixture.kind == "busway" and width > height and width_behind >= measure_text(name, _LARGEST):
            return draw_label(left + width + 0.8, top + height / 2, name, _LARGEST)
        return _draw_inside(name, left, top, width, height)


def draw_fixture(kind: Kind, left: float, top: float, width: float, height: float) -> Iterator[str]:
    """Yield a fixture, in a box in mm, without its name; each kind has a sign of its own beside its colour."""
    fill, _ = LOOKS[kind]
    outline = trace_box(left, top, width, height)
    if fill:
        yield draw_path([outline], "f", fill)
    if kind == "column":  # crossed, as on plans of buildings
        outline += f"M{format_number(left)} {format_number(top)}l{format_number(width)} {format_number(height)}"
    if kind in ("column", "door"):
        outline += (
            f"M{format_number(left)} {format_number(top + height)}l{format_number(width)} {format_number(-height)}"
        )
    if kind == "power":
        outline += f"M{format_number(left + width / 2)} {format_number(top)}v{format_number(height)}"
    yield draw_path([outline], "u" if kind == "busway" else "l")


def _draw_inside(text: str, left: float, top: float, width: float, height: float) -> str:
    """Return a name inside its box, along its longer side, on a white ground; "" if it does not fit."""
    max_length, depth = max(width, height) - 0.6, min(width, height)
    size = min(_LARGEST, depth - 0.2)
    if size < _SMALLEST or max_length < len(text) * _CHARACTER:
        return ""
    x, y, length = left + width / 2, top + height / 2, min(max_length, measure_text(text, size)) + 0.6
    is_upright = height > width + 0.1
    ground = (
        trace_box(x - size / 2, y - length / 2, size, length)
        if is_upright
        else trace_box(x - length / 2, y - size / 2, length, size)
    )
    text_element = (
        draw_label(-y, x, text, size, "m", max_length) if is_upright else draw_label(x, y, text, size, "m", max_length)
    )
    return draw_path([ground], "f", "#FFFFFF") + (
        f'<g transform="rotate(-90)">{text_element}</g>' if is_upright else text_element
    )


# How racks are drawn: by their contents, unit by unit.


@dataclass(frozen=True, slots=True)
class RackKind:
    """How a rack looks from above: its fill, whether text on it is white (`is_dark`), and its stripes.

    There is a stripe for each fabric with switches in the rack, as (fill, whether it is at the rear). It is on the side
    of their ports, and at the front if that is not known.
    """

    fill: str
    is_dark: bool
    stripes: tuple[tuple[str, bool], ...]


class RackKinds:
    """The contents of a cluster's racks, and the units that racks belong to."""

    def __init__(self, cluster: Cluster, racks: FilledRacks) -> None:
        self._cluster, self._racks = cluster, racks
        self.table = cluster.plan.racks

    def name_hall(self, hall: int) -> str:
        """Return the name of a hall as on labels, with its storey unless that is the ground floor."""
        hall_spec = self.table.halls[hall]
        storey = f", storey {hall_spec.storey}" if hall_spec.storey else ""
        return f"{locate_halls(self._cluster)[hall]}{storey}"

    def list_colours(self) -> list[tuple[str, str]]:
        """Return (fill, meaning) of the colours that racks of this cluster have."""
        swatches = choose_cluster_swatches(self._cluster)
        used_fills = {swatch.fill for swatch in self._racks.swatches}
        entries = [(NODE_SWATCH.fill, "nodes")]
        entries += [(swatch.fill, fabric) for fabric, swatch in swatches.items() if swatch.fill in used_fills]
        entries += [(EXTRA_SWATCH.fill, "other devices")] if EXTRA_SWATCH.fill in used_fills else []
        return [*entries, *([(PANEL_SWATCH.fill, "patch panels")] if self._cluster.plan.patching else [])]

    def find_kind(self, rack: int) -> RackKind:
        """Return the fill and stripes of a rack. A rack with nodes is pale, with a stripe for each fabric with switches
        in it. A rack of switches has the colour of the fabric with most of them, and stripes for its other fabrics.
        Other racks have the colour of panels, or of extra devices.
        """
        devices = self._cluster.plan.devices
        class_numbers = [int(devices.device_class[row]) for row in self._racks.list_devices(rack)]
        device_kinds = [devices.classes[number].kind for number in class_numbers]
        swatches = [self._racks.swatches[number] for number in class_numbers]
        switch_swatches = [
            swatch for swatch, kind in zip(swatches, device_kinds, strict=True) if kind not in (NODE, EXTRA)
        ]
        # the fabric with most switches is the main one; between equals its code decides, so that colours are stable
        fabric_swatches = sorted(set(switch_swatches), key=lambda swatch: (-switch_swatches.count(swatch), swatch.code))
        port_sides = {swatch: self._racks.sides[number] for number, swatch in zip(class_numbers, swatches, strict=True)}
        stripes = [(swatch.fill, port_sides[swatch] == "rear") for swatch in fabric_swatches]
        if NODE in device_kinds:
            return _make_kind(NODE_SWATCH, stripes)
        if fabric_swatches:
            return _make_kind(fabric_swatches[0], stripes[1:])
        return _make_kind(EXTRA_SWATCH if device_kinds or not self._racks.has_panels(rack) else PANEL_SWATCH, [])

    def format_feeds(self, rack: int) -> tuple[tuple[str, ...], ...]:
        """Return the feeds of a rack as groups of words, of which each is a line on the drawing: one group with the one
        word `(A+B)`, or no group without feeds.
        """
        feeds = self._racks.list_feeds(rack)
        return ((f"({'+'.join(feeds)})",),) if feeds else ()

    @cached_property
    def _floor(self) -> FloorPlan:
        return FloorPlan(self._cluster.design)

    @cached_property
    def kept(self) -> Mapping[tuple[int, int, int], str]:
        """(hall, row, column) of places without a rack that are kept for future network racks -> the name of
        the rack.
        """
        racks, areas = self.table, self._floor.areas
        occupied = set(zip(*(column.tolist() for column in (racks.hall, racks.row, racks.column)), strict=True))
        places = {(i, r, c): name for i in range(len(racks.halls)) for name, r, c in areas.list_run_positions(i)}
        return {position: name for position, name in sorted(places.items()) if position not in occupied}

    def _find_unit(self, rack: int) -> int:
        """Return the number, from 1, of the scalable unit that a rack belongs to."""
        # `first_racks` has, by unit, the number of racks in the units before it
        return bisect_right(self._floor.first_racks, rack)

    def split_by_unit(self, racks: Sequence[int]) -> Iterator[tuple[str, list[int]]]:
        """Yield (name of the unit, its racks) for each group of racks of one unit that stand side by side in a row."""
        table = self.table
        # racks of units come first in the table, racks of the whole cluster after them
        unit_racks = [rack for rack in racks if rack < self._floor.first_racks[-1]]
        unit_racks.sort(key=lambda rack: (self._find_unit(rack), int(table.row[rack]), int(table.column[rack])))
        neighbours: list[int] = []
        for rack in unit_racks:
            if neighbours and not (
                self._find_unit(rack) == self._find_unit(neighbours[-1])
                and table.row[rack] == table.row[neighbours[-1]]
                and table.column[rack] == table.column[neighbours[-1]] + 1
            ):
                # the name of a rack is that of its unit followed by `-rk01` or the like
                yield table.names[neighbours[0]].rpartition("-")[0], neighbours
                neighbours = []
            neighbours.append(rack)
        if neighbours:
            yield table.names[neighbours[0]].rpartition("-")[0], neighbours


def _make_kind(swatch: Swatch, stripes: Sequence[tuple[str, bool]]) -> RackKind:
    return RackKind(swatch.fill, swatch.ink == LIGHT, tuple(stripes))
