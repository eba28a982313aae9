"""Sites, halls as locations, types of rack, and racks."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.addons.netbox_objects.kinds import MAKER, Kind, make_slug, make_slugs
from fabricgen.api import ClusterView


def make_place_kinds(view: ClusterView) -> Iterator[Kind]:
    """Sites, halls as locations, types of rack and racks, the widest first."""
    site_columns = {"name": view.sites, "slug": make_slugs(view.sites), "status": ["planned"] * len(view.sites)}
    yield Kind("dcim/sites", "sites", site_columns, ("name",))
    halls, racks = view.halls, view.racks
    hall_columns = {
        "site": halls.site.tolist(),
        "name": halls.name.tolist(),
        "slug": list(map(make_slug, halls.name)),
        "status": ["planned"] * len(halls),
    }
    site = {"site": ("sites", ("site",))}
    yield Kind("dcim/locations", "locations", hall_columns, ("site", "name"), site)
    kinds = set(racks.kind)
    models = [model for model in view.models.rows() if model["kind"] == "rack" and model["model"] in kinds]
    type_columns = {
        "manufacturer": [model["vendor"] or MAKER for model in models],
        "model": [model["model"] for model in models],
        "slug": make_slugs(model["model"] for model in models),
        "form_factor": ["4-post-cabinet"] * len(models),
        "width": [19] * len(models),
        "u_height": [model["units"] for model in models],
        "description": [model["description"][:200] for model in models],
    }
    maker = {"manufacturer": ("manufacturers", ("manufacturer",))}
    yield Kind("dcim/rack-types", "rack-types", type_columns, ("model",), maker)
    rack_columns = {
        "site": racks.site.tolist(),
        "location": racks.hall.tolist(),
        "name": racks.name.tolist(),
        "facility_id": racks.place.tolist(),
        "status": ["planned"] * len(racks),
        "rack_type": racks.kind.tolist(),
    }
    references = {
        **site,
        "location": ("locations", ("site", "location")),
        "rack_type": ("rack-types", ("rack_type",)),
    }
    yield Kind("dcim/racks", "racks", rack_columns, ("site", "location", "name"), references)
