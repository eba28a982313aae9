"""Sites, halls as locations, types of rack, and racks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.export.columns import picked
from fabricgen.export.locations import rack_places
from fabricgen.export.netbox.kinds import Kind, slug, slugs
from fabricgen.export.table import Cell, Table
from fabricgen.wiring.tables import unique_values

MAKER = "Generic"
"""Who makes what no profile names a maker of: NetBox wants one of every type."""


def places(cluster: Cluster) -> Iterator[Kind]:
    """The places, the widest first."""
    racks, sites = cluster.plan.racks, list(cluster.design.layout.sites)
    yield Kind(
        "dcim/sites",
        Table("sites", {"name": sites, "slug": slugs(sites), "status": _planned(sites)}),
        ("name",),
    )
    halls = [(sites[hall.site], hall.name) for hall in racks.halls]
    of_halls = {
        "site": [site for site, _ in halls],
        "name": [name for _, name in halls],
        "slug": [slug(name) for _, name in halls],
        "status": _planned(halls),
    }
    site = {"site": ("sites", ("site",))}
    yield Kind("dcim/locations", Table("locations", of_halls), ("site", "name"), site)
    kinds = list({racks.kinds[kind].id: racks.kinds[kind] for kind in unique_values(racks.kind)}.values())
    of_kinds: dict[str, Sequence[Cell]] = {
        "manufacturer": [kind.vendor or MAKER for kind in kinds],
        "model": [kind.id for kind in kinds],
        "slug": slugs(kind.id for kind in kinds),
        "form_factor": ["4-post-cabinet"] * len(kinds),
        "width": [19] * len(kinds),
        "u_height": [kind.units for kind in kinds],
        "description": [kind.name[:200] for kind in kinds],
    }
    maker = {"manufacturer": ("manufacturers", ("manufacturer",))}
    yield Kind("dcim/rack-types", Table("rack-types", of_kinds), ("model",), maker)
    of_racks = {
        "site": picked(np.array(sites, dtype=object), racks.site),
        "location": picked(np.array([name for _, name in halls], dtype=object), racks.hall),
        "name": list(racks.names),
        "facility_id": rack_places(cluster).tolist(),
        "status": _planned(racks.names),
        "rack_type": picked(np.array([kind.id for kind in racks.kinds], dtype=object), racks.kind),
    }
    references = {
        **site,
        "location": ("locations", ("site", "location")),
        "rack_type": ("rack-types", ("rack_type",)),
    }
    yield Kind("dcim/racks", Table("racks", of_racks), ("site", "location", "name"), references)


def rack_makers(cluster: Cluster) -> list[str]:
    """Who makes the racks."""
    return [kind.vendor or MAKER for kind in cluster.plan.racks.kinds]


def _planned(rows: object) -> list[str]:
    return ["planned"] * len(rows)  # type: ignore[arg-type]
