"""Makers, types of device, roles, platforms, and devices in their racks.

Types have no templates of interfaces: what ports a switch has, and what they are called, is of its NOS and of how its
cages are split, which two switches of one type need not share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fabricgen.addons.netbox_objects.kinds import MAKER, Cell, Kind, make_slugs
from fabricgen.api import ClusterView

NODE_COLOR = "9e9e9e"
"""The colour of the roles of what is no switch; those of switches have the colour of their fabric."""


def make_manufacturer_kind(view: ClusterView) -> Iterator[Kind]:
    """The manufacturers of all that has a type."""
    manufacturers = sorted({MAKER, *view.models.vendor} - {""})
    columns = {"name": manufacturers, "slug": make_slugs(manufacturers)}
    yield Kind("dcim/manufacturers", "manufacturers", columns, ("name",))


def name_role(kind: str, fabric: str, tier: str) -> str:
    """What a device is for: `compute leaf`, or what the plan calls what is no switch."""
    return f"{fabric} {tier}" if kind == "switch" else tier


def make_device_kinds(view: ClusterView) -> Iterator[Kind]:
    """Types of device, roles, platforms and devices, each as columns of NetBox's fields."""
    devices = view.devices
    models = {model["model"]: model for model in view.models.rows() if model["kind"] in ("node", "switch")}
    used = [models[name] for name in dict.fromkeys(devices.model)]
    type_columns: dict[str, Sequence[Cell]] = {
        "manufacturer": [model["vendor"] or MAKER for model in used],
        "model": [model["model"] for model in used],
        "slug": make_slugs(model["model"] for model in used),
        "part_number": [model["part_number"] for model in used],
        "u_height": [model["units"] for model in used],
        "description": [model["description"][:200] for model in used],
    }
    maker = {"manufacturer": ("manufacturers", ("manufacturer",))}
    yield Kind("dcim/device-types", "device-types", type_columns, ("manufacturer", "model"), maker)
    roles = list(map(name_role, devices.kind, devices.fabric, devices.tier))
    fills = {role: view.colors.get(fabric, "") for role, fabric in zip(roles, devices.fabric, strict=True)}
    colors = [fill[1:].lower() or NODE_COLOR for fill in fills.values()]
    role_columns = {"name": list(fills), "slug": make_slugs(fills), "color": colors}
    yield Kind("dcim/device-roles", "device-roles", role_columns, ("name",))
    platforms = sorted(set(devices.nos) - {""})
    platform_columns = {"name": platforms, "slug": make_slugs(platforms)}
    yield Kind("dcim/platforms", "platforms", platform_columns, ("name",))
    makers = {name: model["vendor"] or MAKER for name, model in models.items()}
    yield _make_device_kind(view, roles, [makers[name] for name in devices.model])


def _make_device_kind(view: ClusterView, roles: list[str], makers: list[str]) -> Kind:
    # the devices; `roles` and `makers` are names, one a device
    devices, halls = view.devices, dict(zip(view.racks.name, view.racks.hall, strict=True))
    is_rear = (devices.kind == "switch") & (devices.aisle == "hot")
    columns = {
        "name": devices.name.tolist(),
        "role": roles,
        "manufacturer": makers,
        "device_type": devices.model.tolist(),
        "platform": devices.nos.tolist(),
        "face": ["rear" if rear else "front" for rear in is_rear],
        "status": ["planned"] * len(devices),
        "site": devices.site.tolist(),
        "location": [halls[rack] for rack in devices.rack],
        "rack": devices.rack.tolist(),
        "position": devices.u.tolist(),
        "description": list(_describe_places(view)),
    }
    references = {
        "role": ("device-roles", ("role",)),
        "device_type": ("device-types", ("manufacturer", "device_type")),
        "platform": ("platforms", ("platform",)),
        "site": ("sites", ("site",)),
        "location": ("locations", ("site", "location")),
        "rack": ("racks", ("site", "location", "rack")),
    }
    return Kind("dcim/devices", "devices", columns, ("name",), references, any_case=True)


def _describe_places(view: ClusterView) -> Iterator[str]:
    """Which part of the cluster a device is of: `pod p1, unit 2, rail 3`."""
    devices = view.devices
    for pod, *numbers in zip(devices.pod, devices.su, devices.rail, devices.plane, strict=True):
        words = zip(("unit", "rail", "plane"), numbers, strict=True)
        yield (f"pod {pod}" if pod else "") + "".join(f", {word} {number}" for word, number in words if number)
