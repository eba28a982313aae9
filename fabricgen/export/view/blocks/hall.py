"""The floor: halls, racks, aisles and trays, what stands in racks beside devices, and the trays that cables take."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from fabricgen.bom.optics import optics_of_racks
from fabricgen.bom.trunks import PatchParts
from fabricgen.cluster import Cluster
from fabricgen.design.floor.halls import Area, face_of
from fabricgen.export.drawings.floor_pages import whole_hall
from fabricgen.export.drawings.floor_plan import LOOKS
from fabricgen.export.drawings.rack_contents import EXTRA_SWATCH, NODE_SWATCH, PANEL_SWATCH, Racks
from fabricgen.export.drawings.rack_kinds import RackKinds
from fabricgen.export.locations import hall_places, row_label
from fabricgen.export.view.places import TrayRoutes, cross_trays, tray_routes
from fabricgen.export.view.source import Packed, PageSource, packed, packed_table
from fabricgen.wiring.arrays import Ints
from fabricgen.wiring.cabling.routes import choose_riser, find_exit
from fabricgen.wiring.racks.loads import compute_rack_loads, list_included
from fabricgen.wiring.tables import RackTable


def block(source: PageSource) -> dict[str, Any]:
    """The floor; lengths in mm of one drawing, power in W. Trays are known by their row among `trays`."""
    cluster = source.cluster
    racks, floor = cluster.plan.racks, cluster.design.loaded.blueprint.floor
    drawn = hall_drawing(cluster)
    contents, everywhere = Racks(cluster), floor.trays.cross == "everywhere"
    kinds = RackKinds(cluster, contents)
    routes = tray_routes(cluster.plan, floor)
    return {
        "size": drawn.size,
        "everywhere": everywhere,
        "halls": [
            {"name": hall.name, "title": kinds.hall_name(i), "box": _box(drawn, i, drawn.halls[i])}
            | {"exit": drawn.at(i, *drawn.exits[i]), "site": hall.site, "storey": hall.storey}
            for i, hall in enumerate(racks.halls)
        ],
        "aisles": [[*_box(drawn, aisle.hall, aisle.box), int(aisle.cold)] for aisle in drawn.aisles],
        "fixtures": [
            [one.kind, one.title + (f" ({one.feed})" if one.feed else ""), *_box(drawn, i, _sized(one.area))]
            for i, hall in enumerate(racks.halls)
            for one in hall.fixtures
        ],
        "fixture_looks": LOOKS,
        "kept": _kept(source, drawn, kinds),
        "trays": [
            {"name": tray.name, "row": tray.row, "hall": tray.hall}
            | {"ends": [*drawn.at(tray.hall, *tray.ends[:2]), *drawn.at(tray.hall, *tray.ends[2:])]}
            for tray in drawn.trays
        ],
        "ways": [
            [a, b, [[hall, *drawn.at(hall, x, y)] for hall, x, y in places]] for a, b, places in ways_between(cluster)
        ],
        "kinds": [{"name": kind.name, "units": kind.units, "power_kw": kind.power_kw} for kind in racks.kinds],
        **_racks(source, drawn, kinds, routes),
        "panels": _panels(source),
        "panel_fill": PANEL_SWATCH.fill,
        "node_fill": NODE_SWATCH.fill,
        "extra_fill": EXTRA_SWATCH.fill,
        "beside": _beside(source),
        "swatches": [[swatch.fill, swatch.ink] for swatch in contents.swatches],
        "routes": _routes(routes, drawn.first_cross, everywhere),
    }


def _sized(area: Area) -> Box:
    return area[0], area[1], area[2] - area[0], area[3] - area[1]


def _box(drawn: HallDrawing, hall: int, box: Box) -> list[int]:
    x, y, w, h = box
    return [*drawn.at(hall, x, y), round(w * 1000), round(h * 1000)]


def _kept(source: PageSource, drawn: HallDrawing, kinds: RackKinds) -> list[list[Any]]:
    """Places without a rack that are kept for network racks to come: for which, and where, as on floor plans."""
    found: list[list[Any]] = []
    for (number, row, column), name in kinds.kept.items():
        hall = source.cluster.plan.racks.halls[number]
        wide, deep = hall.rack_pitch_m * 0.86, hall.rack_depth_m * 0.94
        x, y = float(hall.x_of(column)) - wide / 2, float(hall.y_of(row)) - deep / 2
        found.append([name, *_box(drawn, number, (x, y, wide, deep))])
    return found


def _beside(source: PageSource) -> str:
    """What racks hold beside devices, for the key: `power shelf (with the rack), panels`; "" for nothing."""
    shelves = {f"{name} (with the rack)" for _, _, name in list_included(source.cluster.plan)}
    return ", ".join([*sorted(shelves), *(["panels"] if source.cluster.plan.patching else [])])


def _racks(source: PageSource, drawn: HallDrawing, kinds: RackKinds, routes: TrayRoutes) -> dict[str, Any]:
    """The racks, each with its middle, and how they look from above."""
    table, loads = source.cluster.plan.racks, compute_rack_loads(source.cluster.plan)
    optics = optics_of_racks(source.cluster)
    known: dict[tuple[str, bool, tuple[str, ...]], int] = {}
    looks = [known.setdefault((k.fill, k.is_dark, k.stripes), len(known)) for k in map(kinds.of, range(len(table)))]
    shift = np.array(drawn.shift)[table.hall]
    pitch, depth = (
        np.array([getattr(hall, name) for hall in table.halls]) for name in ("rack_pitch_m", "rack_depth_m")
    )
    wide, deep = (np.array([getattr(kind, name) for kind in table.kinds]) for name in ("width_m", "depth_m"))
    told_w = loads.unpowered < loads.devices  # where none is, optics alone would pass for the power of a rack
    columns: dict[str, Any] = {
        "name": table.names,
        "x": _mm(table.x_m + shift[:, 0]),
        "y": _mm(table.y_m + shift[:, 1]),
        "w": _mm(np.minimum(wide[table.kind], pitch[table.hall])),
        "d": _mm(np.minimum(deep[table.kind], depth[table.hall])),
        "faces": table.faces,
        "hall": table.hall,
        "kind": table.kind,
        "tray": drawn.tray_of_rack,
        "to_exit": _numbered(routes.to_exit, drawn.first_cross),
        "power_w": np.round(np.where(told_w, loads.power_w + optics.added_w, 0)).astype(np.int64),
        "unpowered": loads.unpowered + optics.unpowered,
        "look": np.array(looks, dtype=np.int64),
    }
    told = [{"fill": fill, "dark": dark, "stripes": stripes} for fill, dark, stripes in known]
    return {"racks": packed_table(columns), "looks": told}


def _panels(source: PageSource) -> Packed:
    """What racks hold beside devices: what they are sold with, patch panels and fibre shuffles."""
    plan = source.cluster.plan
    found = [(name, rack, u, 1) for rack, u, name in list_included(plan)]
    if plan.patching:
        panels, names = plan.patching.panels, PatchParts(source.cluster, plan.patching).panels
        units = [plan.patching.policies[policy].panel.rack_units for policy in panels.policy.tolist()]
        found += zip(names, panels.rack.tolist(), panels.u.tolist(), units, strict=True)
    name, *numbers = zip(*found, strict=True) if found else ((), (), (), ())
    columns: dict[str, Any] = {"name": name} | {
        key: np.array(column, dtype=np.int32) for key, column in zip(("rack", "u", "units"), numbers, strict=True)
    }
    return packed_table(columns)


def _routes(routes: TrayRoutes, first_cross: int, everywhere: bool) -> dict[str, list[Packed]]:
    """By link: racks of panels on its way, and the cross tray of each leg; -1 for none."""
    via: list[Any] = list(routes.via)
    cross: list[Any] = [] if everywhere else [_numbered(cross, first_cross) for cross in routes.cross]
    return {"via": [packed(rack) for rack in via], "cross": [packed(cross) for cross in cross]}


def _numbered(cross: Any, first: int) -> Any:
    """Cross trays by their row among all trays."""
    return np.where(cross >= 0, cross + first, -1)


def _mm(metres: Any) -> Any:
    return np.round(metres * 1000).astype(np.int64)


# The floor from above: where halls, rows, racks and trays are drawn, in millimetres of one drawing.
# Halls of one storey of a site lie as they do in truth; storeys and sites lie beside each other. x runs along rows, y
# across them, as in the frame of a site.

MARGIN_M = 1.4
"""From the outermost racks of a hall to its outline, where names of rows are written."""

APART_M = 5.0
"""Between storeys and sites."""

ASPECT = 1.7
"""Width of the drawing by its height, about."""

Box = tuple[float, float, float, float]
"""x, y, width, height."""


@dataclass(frozen=True, slots=True)
class HallTray:
    """A tray of a hall from one end to the other: along a row, as labels call it, or (None) across the rows."""

    hall: int
    row: str | None
    name: str
    ends: Box
    """x and y of one end, then of the other."""


@dataclass(frozen=True, slots=True)
class Aisle:
    """An aisle between two rows: cold where fronts face each other."""

    hall: int
    box: Box
    cold: bool


@dataclass(frozen=True, slots=True)
class HallDrawing:
    """Where the floor is drawn, mm; `shift` is added to the coordinates of each hall's site (m)."""

    size: tuple[int, int]
    shift: list[tuple[float, float]]
    halls: list[Box]
    aisles: list[Aisle]
    trays: list[HallTray]
    tray_of_rack: Ints
    first_cross: int
    """The index of the first tray across rows; those along rows come before."""
    exits: list[tuple[float, float]]

    def at(self, hall: int, x_m: float, y_m: float) -> tuple[int, int]:
        """A place of a hall in the drawing, mm, from its coordinates in the frame of its site, m."""
        return round((x_m + self.shift[hall][0]) * 1000), round((y_m + self.shift[hall][1]) * 1000)


def hall_drawing(cluster: Cluster) -> HallDrawing:
    """The drawing of the floor of a cluster."""
    racks, floor = cluster.plan.racks, cluster.design.loaded.blueprint.floor
    outlines = [_outline(racks, hall) for hall in range(len(racks.halls))]
    exits = [find_exit(hall, floor.trays) for hall in racks.halls]
    size, shift = _side_by_side(racks, outlines)
    names = hall_places(cluster)
    along, tray_of_rack = _along(racks, names)
    across = _across(racks, cross_trays(racks, floor), names)
    return HallDrawing(
        size=size,
        shift=shift,
        halls=outlines,
        aisles=[aisle for hall in range(len(racks.halls)) for aisle in _aisles(racks, hall)],
        trays=[*along, *across],
        tray_of_rack=tray_of_rack,
        first_cross=len(along),
        exits=exits,
    )


def _outline(racks: RackTable, hall: int) -> Box:
    """The outline of a hall in the frame of its site, m: its walls, else around all its places, or its racks if its
    size is open.
    """
    spec = racks.halls[hall]
    if not spec.rows and not (racks.hall == hall).any():
        return spec.x_m, spec.y_m, 2 * MARGIN_M, 2 * MARGIN_M
    window = whole_hall(racks, hall)
    left, right = _row_ends(racks, hall)
    top, bottom = (float(spec.y_of(window.rows[end])) for end in (0, -1))
    half = spec.rack_depth_m / 2
    if spec.walls:
        x, y, far_x, far_y = spec.walls
        left, top = min(left, x), min(top - half, y)
        return left, top, max(right, far_x) - left, max(bottom + half, far_y) - top
    depth = half + MARGIN_M
    return left - MARGIN_M, top - depth, right - left + 2 * MARGIN_M, bottom - top + 2 * depth


def _row_ends(racks: RackTable, hall: int) -> tuple[float, float]:
    """Where the rows of a hall that has some begin and end, m."""
    spec, here, columns = racks.halls[hall], racks.hall == hall, whole_hall(racks, hall).columns
    left = min([float(spec.x_of(columns.start)), *racks.x_m[here]]) - spec.rack_pitch_m / 2
    right = max([float(spec.x_of(columns.stop - 1)), *racks.x_m[here]]) + spec.rack_pitch_m / 2
    return left, right


def _side_by_side(racks: RackTable, outlines: list[Box]) -> tuple[tuple[int, int], list[tuple[float, float]]]:
    """(size of the drawing, mm; what is added to the coordinates of each hall, m), storeys and sites side by side."""
    floors: dict[tuple[int, int], list[int]] = defaultdict(list)
    for number, spec in enumerate(racks.halls):
        floors[spec.site, spec.storey].append(number)
    bounds = {key: _around([outlines[hall] for hall in floors[key]]) for key in sorted(floors)}
    best = min(range(1, len(bounds) + 1), key=lambda across: abs(np.log(_aspect(list(bounds.values()), across))))
    shift, x, y, width, row_height = [(0.0, 0.0)] * len(racks.halls), 0.0, 0.0, 0.0, 0.0
    for i, (key, (left, top, w, h)) in enumerate(bounds.items()):
        if i and i % best == 0:
            x, y, row_height = 0.0, y + row_height + APART_M, 0.0
        for hall in floors[key]:
            shift[hall] = x - left, y - top
        x, row_height = x + w + APART_M, max(row_height, h)
        width = max(width, x - APART_M)
    return (round(width * 1000), round((y + row_height) * 1000)), shift


def _aspect(boxes: list[Box], across: int) -> float:
    """Width by height of boxes in rows of so many, compared with what is wanted."""
    rows = [boxes[i : i + across] for i in range(0, len(boxes), across)]
    width = max(sum(box[2] + APART_M for box in row) for row in rows)
    height = sum(max(box[3] for box in row) + APART_M for row in rows)
    return width / height / ASPECT


def _around(boxes: list[Box]) -> Box:
    left, top = min(box[0] for box in boxes), min(box[1] for box in boxes)
    return left, top, max(b[0] + b[2] for b in boxes) - left, max(b[1] + b[3] for b in boxes) - top


def _along(racks: RackTable, names: list[str]) -> tuple[list[HallTray], Ints]:
    """(the tray along each row that has racks, the tray of each rack)."""
    found: list[HallTray] = []
    of_rack = np.zeros(len(racks), dtype=np.int32)
    for number in range(len(racks.halls)):
        here = np.flatnonzero(racks.hall == number)
        left, right = _row_ends(racks, number) if len(here) else (0.0, 0.0)
        for row in sorted(set(racks.row[here].tolist())):
            mine = here[racks.row[here] == row]
            of_rack[mine] = len(found)
            y, printed = float(racks.y_m[mine[0]]), row_label(row)
            found.append(HallTray(number, printed, f"{names[number]} {printed}", (left, y, right, y)))
    return found, of_rack


def _across(racks: RackTable, places: list[list[float]], names: list[str]) -> list[HallTray]:
    """The trays across the rows of each hall."""
    found: list[HallTray] = []
    for number, hall in enumerate(racks.halls):
        here = racks.y_m[racks.hall == number]
        top, bottom = float(here.min(initial=np.inf)), float(here.max(initial=-np.inf))
        for i, x in enumerate(places[number]):
            span = (x, top, x, bottom) if len(here) else (x, hall.y_m, x, hall.y_m)
            found.append(HallTray(number, None, f"{names[number]} cross tray {i + 1}", span))
    return found


def _aisles(racks: RackTable, number: int) -> list[Aisle]:
    """The aisles between neighbouring rows of a hall."""
    hall = racks.halls[number]
    if not hall.rows and not (racks.hall == number).any():
        return []
    window, found = whole_hall(racks, number), []
    left = float(hall.x_of(window.columns.start)) - hall.rack_pitch_m / 2
    for one, other in pairwise(window.rows):
        top = float(hall.y_of(one)) + hall.rack_depth_m / 2
        width = float(hall.y_of(other)) - hall.rack_depth_m / 2 - top
        if other - one == 1 and width > 0:
            box = (left, top, len(window.columns) * hall.rack_pitch_m, width)
            found.append(Aisle(number, box, bool(face_of(one) > 0)))
    return found


def ways_between(cluster: Cluster) -> list[tuple[int, int, list[tuple[int, float, float]]]]:
    """(one hall, another of the same site, the places between their exits as (hall, x, y), m) of all pairs of halls."""
    racks, floor = cluster.plan.racks, cluster.design.loaded.blueprint.floor
    found = []
    for i, one in enumerate(racks.halls):
        for j, other in enumerate(racks.halls):
            if i < j and one.site == other.site:
                riser = choose_riser(one, other, floor)
                found.append((i, j, [] if riser is None else [(i, *riser), (j, *riser)]))
    return found
