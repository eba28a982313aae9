"""Makers, types of device, roles, platforms, and devices in their racks.

Types have no templates of interfaces: what ports a switch has, and what they are called, is of its NOS and of how its
cages are split, which two switches of one type need not share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from fabricgen.catalog.models import NodeProfile, SwitchProfile
from fabricgen.cluster import Cluster
from fabricgen.export.locations import locate_racks
from fabricgen.export.netbox.kinds import Kind, make_slug, make_slugs
from fabricgen.export.palette import choose_cluster_swatches
from fabricgen.export.table import Cell, Table, encode_from_one, pick_names
from fabricgen.numbering.lazy_columns import (
    ConcatenatedColumn,
    EncodedColumn,
    encode_column,
    object_array,
    repeat_value,
)
from fabricgen.wiring.arrays import unique_values
from fabricgen.wiring.tables import SWITCH, DeviceClass

NODE_COLOR = "9e9e9e"
"""The colour of the roles of what is no switch; those of switches have the colour of their fabric."""


def list_manufacturers(names: list[str]) -> Kind:
    """The manufacturers of all that has a type."""
    manufacturers = sorted(dict.fromkeys(names))
    table = Table("manufacturers", {"name": manufacturers, "slug": make_slugs(manufacturers)})
    return Kind("dcim/manufacturers", table, ("name",))


def find_manufacturer(profile: NodeProfile | SwitchProfile) -> str:
    """The vendor in a device's profile, else MAKER: NetBox wants a manufacturer of every type."""
    return profile.vendor or MAKER


def name_role(cls: DeviceClass) -> str:
    """What a device is for: `compute leaf`, or what the plan calls what is no switch."""
    return f"{cls.fabric} {cls.tier}" if cls.kind == SWITCH else cls.tier


def make_device_kinds(cluster: Cluster) -> Iterator[Kind]:
    """Types of device, roles, platforms and devices."""
    classes = [cls for cls in cluster.plan.devices.classes if cls.count]
    profiles = {cls.profile.id: cls.profile for cls in classes}
    type_columns: dict[str, Sequence[Cell]] = {
        "manufacturer": [find_manufacturer(profile) for profile in profiles.values()],
        "model": list(profiles),
        "slug": make_slugs(profiles),
        "part_number": [
            profile.part_number if isinstance(profile, SwitchProfile) else "" for profile in profiles.values()
        ],
        "u_height": [profile.rack_units for profile in profiles.values()],
        "description": [_describe_profile(profile)[:200] for profile in profiles.values()],
    }
    maker = {"manufacturer": ("manufacturers", ("manufacturer",))}
    yield Kind("dcim/device-types", Table("device-types", type_columns), ("manufacturer", "model"), maker)
    swatches = choose_cluster_swatches(cluster)
    colors = {
        name_role(cls): swatches[cls.fabric].fill[1:].lower() if cls.fabric in swatches else NODE_COLOR
        for cls in classes
    }
    role_columns = {"name": list(colors), "slug": make_slugs(colors), "color": list(colors.values())}
    yield Kind("dcim/device-roles", Table("device-roles", role_columns), ("name",))
    platforms = sorted({cls.nos for cls in classes if cls.nos})
    platform_columns = {"name": platforms, "slug": make_slugs(platforms)}
    yield Kind("dcim/platforms", Table("platforms", platform_columns), ("name",))
    yield _make_device_kind(cluster)


def _describe_profile(profile: NodeProfile | SwitchProfile) -> str:
    return profile.name if isinstance(profile, NodeProfile) else f"{profile.vendor} {profile.model}"


def _make_device_kind(cluster: Cluster) -> Kind:
    table, racks = cluster.plan.devices, cluster.plan.racks
    class_texts = {
        "role": [name_role(cls) for cls in table.classes],
        "manufacturer": [find_manufacturer(cls.profile) for cls in table.classes],
        "device_type": [cls.profile.id for cls in table.classes],
        "platform": [cls.nos for cls in table.classes],
        "face": ["rear" if cls.kind == SWITCH and cls.aisle == "hot" else "front" for cls in table.classes],
    }
    columns = {
        "name": EncodedColumn(cluster.name_column, np.arange(len(table))),
        **{name: encode_column(texts, table.device_class) for name, texts in class_texts.items()},
        "status": repeat_value("planned", len(table)),
        "site": encode_column(cluster.sites, np.arange(len(table))),
        "location": EncodedColumn(object_array([hall.name for hall in racks.halls])[racks.hall], table.rack),
        "rack": encode_column(racks.names, table.rack),
        "position": encode_column(range(int(table.u.max(initial=0)) + 1), table.u),
        "description": _describe_locations(cluster),
    }
    references = {
        "role": ("device-roles", ("role",)),
        "device_type": ("device-types", ("manufacturer", "device_type")),
        "platform": ("platforms", ("platform",)),
        "site": ("sites", ("site",)),
        "location": ("locations", ("site", "location")),
        "rack": ("racks", ("site", "location", "rack")),
    }
    return Kind("dcim/devices", Table("devices", columns), ("name",), references, any_case=True)


def _describe_locations(cluster: Cluster) -> ConcatenatedColumn:
    """Which part of the cluster a device is of: `pod p1, unit 2, rail 3`."""
    table = cluster.plan.devices
    pods = encode_column(["", *(f"pod {pod.name}" for pod in cluster.design.layout.pods)], table.pod + 1)
    numbers = {"unit": table.su, "rail": table.rail, "plane": table.plane}
    number_texts = [
        EncodedColumn(object_array([f", {word} {n}" if n else "" for n in column.vocabulary]), column.codes)
        for word, column in ((word, encode_from_one(indexes)) for word, indexes in numbers.items())
    ]
    return ConcatenatedColumn((pods, *number_texts))


# Sites, halls as locations, types of rack, and racks.

MAKER = "Generic"
"""Who makes what no profile names a maker of: NetBox wants one of every type."""


def make_place_kinds(cluster: Cluster) -> Iterator[Kind]:
    """The places, the widest first."""
    racks, sites = cluster.plan.racks, list(cluster.design.layout.sites)
    yield Kind(
        "dcim/sites",
        Table("sites", {"name": sites, "slug": make_slugs(sites), "status": _repeat_planned(sites)}),
        ("name",),
    )
    halls = [(sites[hall.site], hall.name) for hall in racks.halls]
    hall_columns = {
        "site": [site for site, _ in halls],
        "name": [name for _, name in halls],
        "slug": [make_slug(name) for _, name in halls],
        "status": _repeat_planned(halls),
    }
    site = {"site": ("sites", ("site",))}
    yield Kind("dcim/locations", Table("locations", hall_columns), ("site", "name"), site)
    kinds = list({racks.kinds[kind].id: racks.kinds[kind] for kind in unique_values(racks.kind)}.values())
    rack_type_columns: dict[str, Sequence[Cell]] = {
        "manufacturer": [kind.vendor or MAKER for kind in kinds],
        "model": [kind.id for kind in kinds],
        "slug": make_slugs(kind.id for kind in kinds),
        "form_factor": ["4-post-cabinet"] * len(kinds),
        "width": [19] * len(kinds),
        "u_height": [kind.units for kind in kinds],
        "description": [kind.name[:200] for kind in kinds],
    }
    maker = {"manufacturer": ("manufacturers", ("manufacturer",))}
    yield Kind("dcim/rack-types", Table("rack-types", rack_type_columns), ("model",), maker)
    rack_columns = {
        "site": pick_names(np.array(sites, dtype=object), racks.site),
        "location": pick_names(np.array([name for _, name in halls], dtype=object), racks.hall),
        "name": list(racks.names),
        "facility_id": locate_racks(cluster).tolist(),
        "status": _repeat_planned(racks.names),
        "rack_type": pick_names(np.array([kind.id for kind in racks.kinds], dtype=object), racks.kind),
    }
    references = {
        **site,
        "location": ("locations", ("site", "location")),
        "rack_type": ("rack-types", ("rack_type",)),
    }
    yield Kind("dcim/racks", Table("racks", rack_columns), ("site", "location", "name"), references)


def list_rack_manufacturers(cluster: Cluster) -> list[str]:
    """Who makes the racks."""
    return [kind.vendor or MAKER for kind in cluster.plan.racks.kinds]


def _repeat_planned(rows: object) -> list[str]:
    return ["planned"] * len(rows)  # type: ignore[arg-type]
