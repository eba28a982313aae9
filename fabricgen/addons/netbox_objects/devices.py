"""Sites, halls and racks; makers, types of device, roles and platforms; and devices in their racks.

Types have no templates of interfaces: the ports of a switch and their names depend on its NOS and on how its cages are
split, which two switches of one type need not share.
"""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.addons.netbox_objects.kinds import (
    IN_RACK,
    MAKER,
    MANUFACTURER,
    Kind,
    Reference,
    make_slug,
    make_slugs,
)
from fabricgen.api import ClusterView

NODE_COLOR = "9e9e9e"
"""The colour of the roles of devices that are not switches; roles of switches have the colour of their fabric."""


def make_manufacturer_kind(view: ClusterView) -> Iterator[Kind]:
    """Yield the manufacturers of everything that has a type."""
    manufacturers = sorted({MAKER, *view.models.vendor} - {""})
    yield Kind(
        "dcim/manufacturers", "manufacturers", {"name": manufacturers, "slug": make_slugs(manufacturers)}, ("name",)
    )


def name_role(kind: str, fabric: str, tier: str) -> str:
    """Return the role of a device: fabric and tier of a switch (`compute leaf`), else `tier`, the plan's
    word for it.
    """
    return f"{fabric} {tier}" if kind == "switch" else tier


def make_device_kinds(view: ClusterView) -> Iterator[Kind]:
    """Yield types of device, roles, platforms and devices, each as columns of NetBox's fields."""
    devices = view.devices
    models = {model["model"]: model for model in view.models.rows() if model["kind"] in ("node", "switch")}
    used = [models[name] for name in dict.fromkeys(devices.model)]
    yield Kind(
        "dcim/device-types",
        "device-types",
        {
            "manufacturer": [model["vendor"] or MAKER for model in used],
            "model": [model["model"] for model in used],
            "slug": make_slugs(model["model"] for model in used),
            "part_number": [model["part_number"] for model in used],
            "u_height": [model["units"] for model in used],
            "description": [model["description"][:200] for model in used],
        },
        ("manufacturer", "model"),
        MANUFACTURER,
    )
    roles = list(map(name_role, devices.kind, devices.fabric, devices.tier))
    fills = {role: view.colors.get(fabric, "") for role, fabric in zip(roles, devices.fabric, strict=True)}
    yield Kind(
        "dcim/device-roles",
        "device-roles",
        {
            "name": list(fills),
            "slug": make_slugs(fills),
            "color": [fill[1:].lower() or NODE_COLOR for fill in fills.values()],
        },
        ("name",),
    )
    platforms = sorted(set(devices.nos) - {""})
    yield Kind("dcim/platforms", "platforms", {"name": platforms, "slug": make_slugs(platforms)}, ("name",))
    makers = {name: model["vendor"] or MAKER for name, model in models.items()}
    yield _make_device_kind(view, roles, [makers[name] for name in devices.model])


def _make_device_kind(view: ClusterView, roles: list[str], makers: list[str]) -> Kind:
    """Return the devices; `roles` and `makers` are names, one for each device."""
    devices, halls = view.devices, dict(zip(view.racks.name, view.racks.hall, strict=True))
    return Kind(
        "dcim/devices",
        "devices",
        {
            "name": devices.name.tolist(),
            "role": roles,
            "manufacturer": makers,
            "device_type": devices.model.tolist(),
            "platform": devices.nos.tolist(),
            "face": ["rear" if rear else "front" for rear in ((devices.kind == "switch") & (devices.aisle == "hot"))],
            "status": ["planned"] * len(devices),
            "site": devices.site.tolist(),
            "location": [halls[rack] for rack in devices.rack],
            "rack": devices.rack.tolist(),
            "position": devices.u.tolist(),
            "description": list(_describe_places(view)),
        },
        ("name",),
        {
            "role": ("device-roles", ("role",)),
            "device_type": ("device-types", ("manufacturer", "device_type")),
            "platform": ("platforms", ("platform",)),
            **IN_RACK,
        },
        any_case=True,
    )


def _describe_places(view: ClusterView) -> Iterator[str]:
    """Yield the part of the cluster that each device belongs to: `pod p1, unit 2, rail 3`."""
    devices = view.devices
    for pod, *numbers in zip(devices.pod, devices.su, devices.rail, devices.plane, strict=True):
        words = zip(("unit", "rail", "plane"), numbers, strict=True)
        yield (f"pod {pod}" if pod else "") + "".join(f", {word} {number}" for word, number in words if number)


def make_place_kinds(view: ClusterView) -> Iterator[Kind]:
    """Yield sites, halls as locations, types of rack, and racks, the widest first."""
    yield Kind(
        "dcim/sites",
        "sites",
        {"name": view.sites, "slug": make_slugs(view.sites), "status": ["planned"] * len(view.sites)},
        ("name",),
    )
    halls, racks = view.halls, view.racks
    yield Kind(
        "dcim/locations",
        "locations",
        {
            "site": halls.site.tolist(),
            "name": halls.name.tolist(),
            "slug": list(map(make_slug, halls.name)),
            "status": ["planned"] * len(halls),
        },
        ("site", "name"),
        {"site": IN_RACK["site"]},
    )
    kinds = set(racks.kind)
    models = [model for model in view.models.rows() if model["kind"] == "rack" and model["model"] in kinds]
    yield Kind(
        "dcim/rack-types",
        "rack-types",
        {
            "manufacturer": [model["vendor"] or MAKER for model in models],
            "model": [model["model"] for model in models],
            "slug": make_slugs(model["model"] for model in models),
            "form_factor": ["4-post-cabinet"] * len(models),
            "width": [19] * len(models),
            "u_height": [model["units"] for model in models],
            "description": [model["description"][:200] for model in models],
        },
        ("model",),
        MANUFACTURER,
    )
    rack_type: dict[str, Reference] = {"rack_type": ("rack-types", ("rack_type",))}
    yield Kind(
        "dcim/racks",
        "racks",
        {
            "site": racks.site.tolist(),
            "location": racks.hall.tolist(),
            "name": racks.name.tolist(),
            "facility_id": racks.place.tolist(),
            "status": ["planned"] * len(racks),
            "rack_type": racks.kind.tolist(),
        },
        ("site", "location", "name"),
        {field: IN_RACK[field] for field in ("site", "location")} | rack_type,
    )
