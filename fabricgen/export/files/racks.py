"""racks.csv: one row for each rack: position, type and contents."""

from __future__ import annotations

import numpy as np

from fabricgen.bom.optics import sum_rack_optics
from fabricgen.cluster import Cluster
from fabricgen.design.floor.floor_plan import FloorPlan, RackPosition
from fabricgen.design.floor.halls import print_row_number
from fabricgen.export.locations import locate_racks
from fabricgen.export.table import pick_names, yield_table
from fabricgen.reports.table import Table
from fabricgen.wiring.arrays import Floats
from fabricgen.wiring.racks.loads import compute_rack_loads, describe_power_bases

ON_REQUEST = False


def rows(cluster: Cluster) -> int:
    """Return the work of writing racks.csv, counted in rows of links.csv: one for each rack."""
    return len(cluster.plan.racks.names)


def make_table(cluster: Cluster) -> Table:
    """Return racks.csv, in the order of the rack table.

    `row` and `column` count from 1 in the hall; those before the first count down from -1 (patch racks). `x_m` and
    `y_m` are the centre in the site's coordinates, m; `faces` is `y+` or `y-`, a notation that no spreadsheet reads as
    a formula. `place` is the position on labels and drawings.

    `units_used` includes patch panels and what a rack is sold with; `devices` counts neither. Other figures are sums of
    published ones. `weight_kg` is without the rack itself, but that of the whole rack if it is sold complete. `power_w`
    is that of the devices. `unweighed` and `unpowered` count devices without a figure. `liquid_w` and `air_w` are the
    heat to coolant and to air; optics heat the air. They are empty if the share of a device is unknown.

    `optics_w` is all optics: transceivers, and the ends that cables have of their own. `drawn_w` is devices and those
    optics that are not in the published maximum of their device; `unpowered_optics` counts those of the latter without
    a figure. `power_basis` says what `power_w` is: `maximum` or `maximum-with-optics` if such a figure is published,
    `estimate` if somebody else gives one, `typical` if there is no other, `unknown`; joined by `+`.
    """
    racks, layout = cluster.plan.racks, cluster.design.layout
    halls = racks.halls
    loads = compute_rack_loads(cluster.plan)
    optics = sum_rack_optics(cluster)
    return Table(
        "racks",
        {
            "rack": list(racks.names),
            "site": pick_names(np.array(layout.sites, dtype=object), racks.site),
            "hall": pick_names(np.array([hall.name for hall in halls], dtype=object), racks.hall),
            "storey": np.array([hall.storey for hall in halls], dtype=np.int32)[racks.hall].tolist(),
            "row": print_row_number(racks.row).tolist(),
            "column": print_row_number(racks.column).tolist(),
            "x_m": _round_metres(racks.x_m),
            "y_m": _round_metres(racks.y_m),
            "faces": [f"y{'+' if face > 0 else '-'}" for face in racks.faces.tolist()],
            "kind": pick_names(np.array([kind.id for kind in racks.kinds], dtype=object), racks.kind),
            "units": racks.units.tolist(),
            "units_used": loads.units.tolist(),
            "devices": loads.devices.tolist(),
            "weight_kg": _format_figures(loads.weight_kg),
            "unweighed": loads.unweighed.tolist(),
            "power_w": _format_figures(loads.power_w),
            "unpowered": loads.unpowered.tolist(),
            "liquid_w": _format_figures(loads.liquid_w),
            "air_w": _format_figures(loads.air_w + optics.added_w),
            "feeds": list_rack_feeds(cluster),
            "place": locate_racks(cluster).tolist(),
            "optics_w": _format_figures(optics.power_w),
            "unpowered_optics": optics.unpowered.tolist(),
            "drawn_w": _format_figures(loads.power_w + optics.added_w),
            "power_basis": describe_power_bases(cluster.plan),
        },
    )


files = yield_table(make_table)


def list_rack_feeds(cluster: Cluster) -> list[str]:
    """Return the power feeds of each rack, `A+B`; "" if none are stated, and for racks without devices (patch panels
    alone).
    """
    racks, floor = cluster.plan.racks, FloorPlan(cluster.design)
    if not cluster.design.loaded.blueprint.floor.feeds:
        return [""] * len(racks)
    positions = zip(*(column.tolist() for column in (racks.site, racks.row, racks.column, racks.hall)), strict=True)
    has_devices = np.isin(np.arange(len(racks)), cluster.plan.devices.rack).tolist()
    return [
        "+".join(floor.feeds_of(RackPosition(*position))) if is_fed else ""
        for position, is_fed in zip(positions, has_devices, strict=True)
    ]


def _round_metres(values: Floats) -> list[float]:
    """Return metres to the millimetre."""
    return np.round(values, 3).tolist()  # type: ignore[no-any-return]


def _format_figures(values: Floats) -> list[str]:
    """Return figures to a tenth, without a decimal point if whole; "" if unknown (NaN)."""
    return ["" if value != value else f"{value:.1f}".removesuffix(".0") for value in values.tolist()]
