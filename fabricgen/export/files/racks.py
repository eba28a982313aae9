"""racks.csv: one row for each rack: position, type and contents."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fabricgen.bom.optics import optics_of_racks
from fabricgen.cluster import Cluster
from fabricgen.design.floor.floor_plan import FloorPlan, RackPosition
from fabricgen.design.floor.halls import row_number
from fabricgen.export.locations import rack_places
from fabricgen.export.table import ExportContext, File, Table, csv_file, picked
from fabricgen.wiring.arrays import Floats
from fabricgen.wiring.racks.loads import compute_rack_loads, describe_power_bases

ON_REQUEST = False


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield racks.csv."""
    yield csv_file(table(cluster))


def rows(cluster: Cluster) -> int:
    """Number of racks."""
    return len(cluster.plan.racks.names)


def table(cluster: Cluster) -> Table:
    """Racks in the order of the rack table.

    Rows and places count from 1 in the hall; those before the first count down from -1 (patch racks). x_m and y_m are
    the centre in the site's coordinates, m; the front faces `y+` or `y-`, a notation that no spreadsheet reads as a
    formula. `units_used` includes patch panels and what a rack is sold with, which are not `devices`. Sums are of
    published figures: weight without the rack itself (that of the whole rack where it is sold complete), power of
    devices; `unweighed` and `unpowered` count devices without a figure. Heat to coolant and air is that of devices and
    optics, which heat air, and empty where a device's share is unknown. `place` is what labels and drawings call it.

    `optics_w` is all optics: transceivers, and the ends that cables have of their own. `drawn_w` is devices and those
    optics that are not in the published maximum of their device; `unpowered_optics` counts those of these without a
    figure. `power_basis` says what the power of devices is: `maximum` or `maximum-with-optics` where such a figure is
    published, `estimate` where somebody else gives one, `typical` where there is no other, `unknown`; joined by `+`.
    """
    racks, layout = cluster.plan.racks, cluster.design.layout
    halls = racks.halls
    loads = compute_rack_loads(cluster.plan)
    optics = optics_of_racks(cluster)
    columns = {
        "rack": list(racks.names),
        "site": picked(np.array(layout.sites, dtype=object), racks.site),
        "hall": picked(np.array([hall.name for hall in halls], dtype=object), racks.hall),
        "storey": np.array([hall.storey for hall in halls], dtype=np.int32)[racks.hall].tolist(),
        "row": row_number(racks.row).tolist(),
        "column": row_number(racks.column).tolist(),
        "x_m": _rounded(racks.x_m),
        "y_m": _rounded(racks.y_m),
        "faces": [f"y{'+' if face > 0 else '-'}" for face in racks.faces.tolist()],
        "kind": picked(np.array([kind.id for kind in racks.kinds], dtype=object), racks.kind),
        "units": racks.units.tolist(),
        "units_used": loads.units.tolist(),
        "devices": loads.devices.tolist(),
        "weight_kg": _known(loads.weight_kg),
        "unweighed": loads.unweighed.tolist(),
        "power_w": _known(loads.power_w),
        "unpowered": loads.unpowered.tolist(),
        "liquid_w": _known(loads.liquid_w),
        "air_w": _known(loads.air_w + optics.added_w),
        "feeds": feeds_of_racks(cluster),
        "place": rack_places(cluster).tolist(),
        "optics_w": _known(optics.power_w),
        "unpowered_optics": optics.unpowered.tolist(),
        "drawn_w": _known(loads.power_w + optics.added_w),
        "power_basis": describe_power_bases(cluster.plan),
    }
    return Table("racks", columns)


def feeds_of_racks(cluster: Cluster) -> list[str]:
    """Power feeds of each rack, `A+B`; "" where none are stated."""
    racks, floor = cluster.plan.racks, FloorPlan(cluster.design)
    if not cluster.design.loaded.blueprint.floor.feeds:
        return [""] * len(racks)
    columns = (racks.site, racks.row, racks.column, racks.hall)
    spots = zip(*(column.tolist() for column in columns), strict=True)
    return ["+".join(floor.feeds_of(RackPosition(*spot))) for spot in spots]


def _rounded(values: Floats) -> list[float]:
    """Metres to the millimetre."""
    return np.round(values, 3).tolist()  # type: ignore[no-any-return]


def _known(values: Floats) -> list[str]:
    """Figures to a tenth, without a decimal point where whole; "" where unknown."""
    return ["" if value != value else f"{value:.1f}".removesuffix(".0") for value in values.tolist()]
