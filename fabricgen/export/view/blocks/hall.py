"""The floor: halls, racks, aisles and trays, what stands in racks that is no device, and the trays that cables take."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from fabricgen.bom.optics import sum_rack_optics
from fabricgen.bom.trunks import PatchParts
from fabricgen.cluster import Cluster
from fabricgen.export.drawings.floor_marks import LOOKS, RackKinds
from fabricgen.export.drawings.floor_pages import find_whole_hall, list_aisles
from fabricgen.export.drawings.rack_contents import EXTRA_SWATCH, NODE_SWATCH, PANEL_SWATCH, FilledRacks
from fabricgen.export.locations import format_row, locate_halls
from fabricgen.export.view.boxes import TrayRoutes, find_tray_routes, locate_cross_trays
from fabricgen.export.view.source import Packed, PageSource, pack_column, pack_table
from fabricgen.wiring.arrays import Ints
from fabricgen.wiring.cabling.routes import choose_riser, find_exit
from fabricgen.wiring.racks.loads import compute_rack_loads, list_included
from fabricgen.wiring.tables import RackTable


def block(source: PageSource) -> dict[str, Any]:
    """Return the floor for the page: lengths in mm of one drawing, power in W; a tray is known by its row in
    `trays`.
    """
    cluster = source.cluster
    racks, floor = cluster.plan.racks, cluster.design.loaded.blueprint.floor
    drawing = draw_halls(cluster)
    contents, everywhere = FilledRacks(cluster), floor.trays.cross == "everywhere"
    kinds = RackKinds(cluster, contents)
    routes = find_tray_routes(cluster.plan, floor)
    return {
        "size": drawing.size,
        "everywhere": everywhere,
        "halls": [
            {"name": hall.name, "title": kinds.name_hall(i), "box": _place_box(drawing, i, drawing.halls[i])}
            | {"exit": drawing.place_point(i, *drawing.exits[i]), "site": hall.site, "storey": hall.storey}
            for i, hall in enumerate(racks.halls)
        ],
        "aisles": [[*_place_box(drawing, aisle.hall, aisle.box), int(aisle.cold)] for aisle in drawing.aisles],
        "fixtures": [
            [
                fixture.kind,
                fixture.title + (f" ({fixture.feed})" if fixture.feed else ""),
                *_place_box(drawing, i, (x, y, far_x - x, far_y - y)),
            ]
            for i, hall in enumerate(racks.halls)
            for fixture in hall.fixtures
            for x, y, far_x, far_y in [fixture.area]
        ],
        "fixture_looks": LOOKS,
        "kept": _list_kept_places(source, drawing, kinds),
        "trays": [
            {"name": tray.name, "row": tray.row, "hall": tray.hall}
            | {
                "ends": [
                    *drawing.place_point(tray.hall, *tray.ends[:2]),
                    *drawing.place_point(tray.hall, *tray.ends[2:]),
                ]
            }
            for tray in drawing.trays
        ],
        "ways": [
            [a, b, [[hall, *drawing.place_point(hall, x, y)] for hall, x, y in places]]
            for a, b, places in list_hall_connections(cluster)
        ],
        "kinds": [{"name": kind.name, "units": kind.units, "power_kw": kind.power_kw} for kind in racks.kinds],
        **_pack_racks(source, drawing, kinds, routes),
        "panels": _pack_panels(source),
        "panel_fill": PANEL_SWATCH.fill,
        "node_fill": NODE_SWATCH.fill,
        "extra_fill": EXTRA_SWATCH.fill,
        "beside": _describe_other_contents(source),
        "swatches": [[swatch.fill, swatch.ink] for swatch in contents.swatches],
        "rear": [side == "rear" for side in contents.sides],
        "routes": _pack_routes(routes, drawing.first_cross, everywhere),
    }


def _place_box(drawn: HallDrawing, hall: int, box: Box) -> list[int]:
    """Return a box of a hall, in m in the frame of its site, as x, y, width and height in mm of the drawing."""
    x, y, w, h = box
    return [*drawn.place_point(hall, x, y), round(w * 1000), round(h * 1000)]


def _list_kept_places(source: PageSource, drawn: HallDrawing, kinds: RackKinds) -> list[list[Any]]:
    """Return places without a rack that are kept for future network racks: for which rack, and the box of the place."""
    kept_places: list[list[Any]] = []
    for (number, row, column), name in kinds.kept.items():
        hall = source.cluster.plan.racks.halls[number]
        wide, deep = hall.rack_pitch_m * 0.86, hall.rack_depth_m * 0.94
        x, y = float(hall.find_x(column)) - wide / 2, float(hall.find_y(row)) - deep / 2
        kept_places.append([name, *_place_box(drawn, number, (x, y, wide, deep))])
    return kept_places


def _describe_other_contents(source: PageSource) -> str:
    """Return what racks hold other than devices, for the key: `power shelf (with the rack), panels`; "" for nothing."""
    shelves = {f"{name} (with the rack)" for _, _, name in list_included(source.cluster.plan)}
    return ", ".join([*sorted(shelves), *(["panels"] if source.cluster.plan.patching else [])])


def _pack_racks(source: PageSource, drawn: HallDrawing, kinds: RackKinds, routes: TrayRoutes) -> dict[str, Any]:
    """Return the racks as a table, with the middle of each in mm, and how racks look from above."""
    table, loads = source.cluster.plan.racks, compute_rack_loads(source.cluster.plan)
    optics = sum_rack_optics(source.cluster)
    look_numbers: dict[tuple[str, bool, tuple[tuple[str, bool], ...]], int] = {}
    looks = [
        look_numbers.setdefault((k.fill, k.is_dark, k.stripes), len(look_numbers))
        for k in map(kinds.find_kind, range(len(table)))
    ]
    shift = np.array(drawn.shift)[table.hall]
    pitch, depth = (
        np.array([getattr(hall, name) for hall in table.halls]) for name in ("rack_pitch_m", "rack_depth_m")
    )
    wide, deep = (np.array([getattr(kind, name) for kind in table.kinds]) for name in ("width_m", "depth_m"))
    # a rack has no figure if no device in it has one: its optics alone would pass for the power of the rack
    has_power = loads.unpowered < loads.devices
    look_texts = [{"fill": fill, "dark": dark, "stripes": stripes} for fill, dark, stripes in look_numbers]
    return {
        "racks": pack_table(
            {
                "name": table.names,
                "x": _to_mm(table.x_m + shift[:, 0]),
                "y": _to_mm(table.y_m + shift[:, 1]),
                "w": _to_mm(np.minimum(wide[table.kind], pitch[table.hall])),
                "d": _to_mm(np.minimum(deep[table.kind], depth[table.hall])),
                "faces": table.faces,
                "hall": table.hall,
                "kind": table.kind,
                "tray": drawn.tray_of_rack,
                "to_exit": _offset_crossings(routes.to_exit, drawn.first_cross),
                "power_w": np.round(np.where(has_power, loads.power_w + optics.added_w, 0)).astype(np.int64),
                "unpowered": loads.unpowered + optics.unpowered,
                "look": np.array(looks, dtype=np.int64),
            }
        ),
        "looks": look_texts,
    }


def _pack_panels(source: PageSource) -> Packed:
    """Return what racks hold other than devices, a row each: its name, the rack, its lowest rack unit and its height in
    units.

    It is what racks are sold with, patch panels, and fibre shuffles.
    """
    plan = source.cluster.plan
    rows = [(name, rack, u, 1) for rack, u, name in list_included(plan)]
    if plan.patching:
        panels, names = plan.patching.panels, PatchParts(source.cluster, plan.patching).panels
        units = [plan.patching.policies[policy].panel.rack_units for policy in panels.policy.tolist()]
        rows += zip(names, panels.rack.tolist(), panels.u.tolist(), units, strict=True)
    name, *numbers = zip(*rows, strict=True) if rows else ((), (), (), ())
    return pack_table(
        {"name": name}
        | {key: np.array(column, dtype=np.int32) for key, column in zip(("rack", "u", "units"), numbers, strict=True)}
    )


def _pack_routes(routes: TrayRoutes, first_cross: int, everywhere: bool) -> dict[str, list[Packed]]:
    """Return the way of each link: `via` are the racks of the panels that it passes, `cross` the cross tray of each
    leg.

    Both have -1 for none; `cross` is empty if trays cross `everywhere`. A cross tray is a row of all trays, of which
    the cross trays begin at `first_cross`.
    """
    return {
        "via": [pack_column(racks) for racks in routes.via],  # type: ignore[arg-type]
        "cross": [pack_column(_offset_crossings(trays, first_cross)) for trays in (() if everywhere else routes.cross)],
    }


def _offset_crossings(cross: Any, first_cross: int) -> Any:
    """Return cross trays, counted from 0, as rows among all trays; -1 stays -1."""
    return np.where(cross >= 0, cross + first_cross, -1)


def _to_mm(metres: Any) -> Any:
    return np.round(metres * 1000).astype(np.int64)


# The floor from above: where halls, rows, racks and trays are drawn, in millimetres of one drawing.
# Halls of one storey of a site lie as they are built; storeys and sites are drawn side by side. x runs along rows, y
# across them, as in the frame of a site.

MARGIN_M = 1.4
"""From the outermost racks of a hall to its outline; names of rows are written there."""

APART_M = 5.0
"""Gap between storeys and sites."""

ASPECT = 1.7
"""Width of the drawing divided by its height, about."""

Box = tuple[float, float, float, float]
"""x, y, width, height."""


@dataclass(frozen=True, slots=True)
class HallTray:
    """A tray of a hall from one end to the other.

    `row` is the row it runs along, as labels name it, or None for a cross tray.
    """

    hall: int
    row: str | None
    name: str
    ends: Box
    """x and y of one end, then of the other, in m."""


@dataclass(frozen=True, slots=True)
class HallAisle:
    """An aisle along a row; a cold one is where the fronts of racks are."""

    hall: int
    box: Box
    cold: bool


@dataclass(frozen=True, slots=True)
class HallDrawing:
    """The drawing of the floor. `size` is in mm; halls, aisles, trays and exits are in m, in the frame of their site.

    `shift`, in m, is added to the coordinates of each hall's site. `tray_of_rack` has indexes into `trays`.
    """

    size: tuple[int, int]
    shift: list[tuple[float, float]]
    halls: list[Box]
    aisles: list[HallAisle]
    trays: list[HallTray]
    tray_of_rack: Ints
    first_cross: int
    """The index of the first tray across rows; trays along rows come before it."""
    exits: list[tuple[float, float]]

    def place_point(self, hall: int, x_m: float, y_m: float) -> tuple[int, int]:
        """Return a point of a hall in mm of the drawing, from its coordinates in m in the frame of its site."""
        return round((x_m + self.shift[hall][0]) * 1000), round((y_m + self.shift[hall][1]) * 1000)


def draw_halls(cluster: Cluster) -> HallDrawing:
    """Return the drawing of the floor of a cluster."""
    racks, floor = cluster.plan.racks, cluster.design.loaded.blueprint.floor
    outlines = [_find_outline(racks, hall) for hall in range(len(racks.halls))]
    exits = [find_exit(hall, floor.trays) for hall in racks.halls]
    size, shift = _arrange_floors(racks, outlines)
    names = locate_halls(cluster)
    row_trays, tray_of_rack = _list_row_trays(racks, names)
    return HallDrawing(
        size=size,
        shift=shift,
        halls=outlines,
        aisles=[aisle for hall in range(len(racks.halls)) for aisle in _list_aisles(racks, hall)],
        trays=[*row_trays, *_list_cross_trays(racks, locate_cross_trays(racks, floor), names)],
        tray_of_rack=tray_of_rack,
        first_cross=len(row_trays),
        exits=exits,
    )


def _find_outline(racks: RackTable, hall: int) -> Box:
    """Return the outline of a hall, in m in the frame of its site: its walls, made wider where rows or racks stand
    beyond them; without walls, a margin around all its places or, if its size is open, around its racks.

    A hall with neither places nor racks is a square of two margins.
    """
    spec = racks.halls[hall]
    if not spec.rows and not (racks.hall == hall).any():
        return spec.x_m, spec.y_m, 2 * MARGIN_M, 2 * MARGIN_M
    window, (left, right) = find_whole_hall(racks, hall), _find_row_ends(racks, hall)
    top, bottom = (float(spec.find_y(window.rows[end])) for end in (0, -1))
    half = spec.rack_depth_m / 2
    if spec.walls:
        x, y, far_x, far_y = spec.walls
        left, top = min(left, x), min(top - half, y)
        return left, top, max(right, far_x) - left, max(bottom + half, far_y) - top
    depth = half + MARGIN_M
    return left - MARGIN_M, top - depth, right - left + 2 * MARGIN_M, bottom - top + 2 * depth


def _find_row_ends(racks: RackTable, hall: int) -> tuple[float, float]:
    """Return the x, in m, at which the rows of a hall begin and end; the hall must have rows."""
    spec, in_hall, columns = racks.halls[hall], racks.hall == hall, find_whole_hall(racks, hall).columns
    left = min([float(spec.find_x(columns.start)), *racks.x_m[in_hall]]) - spec.rack_pitch_m / 2
    return left, max([float(spec.find_x(columns.stop - 1)), *racks.x_m[in_hall]]) + spec.rack_pitch_m / 2


def _arrange_floors(racks: RackTable, outlines: list[Box]) -> tuple[tuple[int, int], list[tuple[float, float]]]:
    """Return the (width, height) of the drawing in mm, and the (x, y) in m to add to the coordinates of each hall.

    The halls of a storey of a site are one block. Blocks stand side by side, as many in each row as make the drawing
    nearest to the wanted aspect.
    """
    halls_by_storey: dict[tuple[int, int], list[int]] = defaultdict(list)
    for number, spec in enumerate(racks.halls):
        halls_by_storey[spec.site, spec.storey].append(number)
    blocks = {
        storey: _bound_boxes([outlines[hall] for hall in halls_by_storey[storey]]) for storey in sorted(halls_by_storey)
    }
    blocks_per_row = min(
        range(1, len(blocks) + 1),
        # by the logarithm: twice too wide is as bad as twice too high
        key=lambda row_length: abs(np.log(_compare_aspect(list(blocks.values()), row_length))),
    )
    offsets, x, y, width, row_height = [(0.0, 0.0)] * len(racks.halls), 0.0, 0.0, 0.0, 0.0
    for i, (storey, (left, top, w, h)) in enumerate(blocks.items()):
        if i and i % blocks_per_row == 0:
            x, y, row_height = 0.0, y + row_height + APART_M, 0.0
        for hall in halls_by_storey[storey]:
            # halls of one storey keep their places to each other
            offsets[hall] = x - left, y - top
        x, row_height = x + w + APART_M, max(row_height, h)
        width = max(width, x - APART_M)
    return (round(width * 1000), round((y + row_height) * 1000)), offsets


def _compare_aspect(boxes: list[Box], row_length: int) -> float:
    """Return the aspect of boxes set in rows of `row_length`, as a multiple of the wanted one."""
    rows = [boxes[i : i + row_length] for i in range(0, len(boxes), row_length)]
    width = max(sum(box[2] + APART_M for box in row) for row in rows)
    height = sum(max(box[3] for box in row) + APART_M for row in rows)
    return width / height / ASPECT


def _bound_boxes(boxes: list[Box]) -> Box:
    left, top = min(box[0] for box in boxes), min(box[1] for box in boxes)
    return left, top, max(b[0] + b[2] for b in boxes) - left, max(b[1] + b[3] for b in boxes) - top


def _list_row_trays(racks: RackTable, names: list[str]) -> tuple[list[HallTray], Ints]:
    """Return the tray along each row that has racks, and the index of each rack's tray, int32; `names` are of halls."""
    trays: list[HallTray] = []
    tray_by_rack = np.zeros(len(racks), dtype=np.int32)
    for number in range(len(racks.halls)):
        hall_racks = np.flatnonzero(racks.hall == number)
        left, right = _find_row_ends(racks, number) if len(hall_racks) else (0.0, 0.0)
        for row in sorted(set(racks.row[hall_racks].tolist())):
            row_racks = hall_racks[racks.row[hall_racks] == row]
            tray_by_rack[row_racks] = len(trays)
            y, printed = float(racks.y_m[row_racks[0]]), format_row(row)
            trays.append(HallTray(number, printed, f"{names[number]} {printed}", (left, y, right, y)))
    return trays, tray_by_rack


def _list_cross_trays(racks: RackTable, x_by_hall: list[list[float]], names: list[str]) -> list[HallTray]:
    """Return the trays across the rows of each hall.

    `x_by_hall` has the x of the trays of each hall, `names` the names of the halls.
    """
    trays: list[HallTray] = []
    for number, hall in enumerate(racks.halls):
        hall_y = racks.y_m[racks.hall == number]
        top, bottom = float(hall_y.min(initial=np.inf)), float(hall_y.max(initial=-np.inf))
        for i, x in enumerate(x_by_hall[number]):
            trays.append(
                HallTray(
                    number,
                    None,
                    f"{names[number]} cross tray {i + 1}",
                    (x, top, x, bottom) if len(hall_y) else (x, hall.y_m, x, hall.y_m),
                )
            )
    return trays


def _list_aisles(racks: RackTable, number: int) -> list[HallAisle]:
    """Return the aisles of a hall between neighbouring rows, and between rows and walls if the walls are stated."""
    hall = racks.halls[number]
    if not hall.rows and not (racks.hall == number).any():
        return []
    window = find_whole_hall(racks, number)
    left = float(hall.find_x(window.columns.start)) - hall.rack_pitch_m / 2
    width = len(window.columns) * hall.rack_pitch_m
    return [
        HallAisle(number, (left, aisle.top, width, aisle.bottom - aisle.top), aisle.cold)
        for aisle in list_aisles(racks, window)
        if aisle.is_whole and aisle.bottom > aisle.top
    ]


def list_hall_connections(cluster: Cluster) -> list[tuple[int, int, list[tuple[int, float, float]]]]:
    """Return, for each two halls of one site, their indexes and the points between their exits.

    A point is (hall, x, y) in m; there are two, in the halls' risers, if the halls are on different storeys.
    """
    racks, floor = cluster.plan.racks, cluster.design.loaded.blueprint.floor
    connections = []
    for (i, hall), (j, other_hall) in combinations(enumerate(racks.halls), 2):
        if hall.site == other_hall.site:
            riser = choose_riser(hall, other_hall, floor)
            connections.append((i, j, [] if riser is None else [(i, *riser), (j, *riser)]))
    return connections
