"""The floor: halls, racks, aisles and trays, what stands in racks beside devices, and the trays that cables take."""

from __future__ import annotations

from typing import Any

import numpy as np

from fabricgen.bom.optics import optics_of_racks
from fabricgen.bom.trunks import PatchParts
from fabricgen.design.floor.halls import Area
from fabricgen.export.drawings.floor_fixtures import LOOKS
from fabricgen.export.drawings.rack_contents import EXTRA_SWATCH, NODE_SWATCH, PANEL_SWATCH, Racks
from fabricgen.export.drawings.rack_kinds import RackKinds
from fabricgen.export.view.columns import Packed, packed, packed_table
from fabricgen.export.view.hall import Box, HallDrawing, hall_drawing, ways_between
from fabricgen.export.view.source import PageSource
from fabricgen.export.view.tray_routes import TrayRoutes, tray_routes
from fabricgen.wiring.racks.loads import included, rack_loads


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
    shelves = {f"{name} (with the rack)" for _, _, name in included(source.cluster.plan)}
    return ", ".join([*sorted(shelves), *(["panels"] if source.cluster.plan.patching else [])])


def _racks(source: PageSource, drawn: HallDrawing, kinds: RackKinds, routes: TrayRoutes) -> dict[str, Any]:
    """The racks, each with its middle, and how they look from above."""
    table, loads = source.cluster.plan.racks, rack_loads(source.cluster.plan)
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
    found = [(name, rack, u, 1) for rack, u, name in included(plan)]
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
