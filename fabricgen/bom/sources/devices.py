"""Nodes, extra devices, switches and scale-up trays; devices that belong to others are not bought."""

from __future__ import annotations

from collections.abc import Set

import numpy as np

from fabricgen.bom.cables import CableParts
from fabricgen.bom.need import Needs, OrderedPart, make_needs
from fabricgen.bom.variants import count_variants, describe_variants
from fabricgen.catalog.models import NodeProfile, SwitchProfile
from fabricgen.catalog.rack_models import NODE_PLACES, TRAY_PLACES
from fabricgen.cluster import Cluster
from fabricgen.wiring.arrays import Ints
from fabricgen.wiring.tables import EXTRA, NODE, TRAY, DeviceClass, WiringPlan


def needs(cluster: Cluster, cables: CableParts) -> Needs:  # noqa: ARG001 - one signature for all sources
    """Return one piece for each device to buy."""
    devices, included = cluster.plan.devices, find_included_devices(cluster)
    parts = [_make_part(cluster, cls, included) for cls in devices.classes]
    rows = find_bought_devices(cluster.plan)
    return make_needs(parts, devices.device_class[rows], device=rows)


def find_bought_devices(plan: WiringPlan) -> Ints:
    """Return the rows of the devices to buy, of the device table; int32, ascending."""
    bought = np.array([is_bought(cls) for cls in plan.devices.classes], dtype=bool)
    return np.flatnonzero(bought[plan.devices.device_class]).astype(np.int32)


def is_bought(cls: DeviceClass) -> bool:
    """Whether devices of a class are to be bought: all but those whose profile says that they belong to others."""
    return not getattr(cls.profile, "external", False)


def name_model(profile: NodeProfile | SwitchProfile) -> str:
    """Return what people call a device: vendor and model, or the model alone if it begins with the vendor's name."""
    model = profile.model if isinstance(profile, SwitchProfile) else profile.name
    return model if model.startswith(profile.vendor) else f"{profile.vendor} {model}"


def _make_part(cluster: Cluster, cls: DeviceClass, included: Set[str]) -> OrderedPart:
    """Return the part of a class of devices; its description names the variants, and whether it comes with its rack."""
    text, kind = name_model(cls.profile), "node" if cls.kind in (NODE, EXTRA) else "switch"
    variants = describe_variants(count_variants(cluster, cls.profile.id)) if kind == "switch" else ""
    if variants:
        text = f"{text} ({variants})"
    if cls.profile.id in included:
        text = f"{text}, comes with its rack"
    return OrderedPart(cls.profile.id, text, kind, cls.profile.power_w.planning_w)


def name_rack_place(cluster: Cluster, cls: DeviceClass) -> str:
    """Return the name under which a rack profile has the rack units for devices of a class, in its `fixed`: `node`,
    `tray`, or the id of the device's profile.
    """
    sets_per_rack = {s.path for s in cluster.design.layout.node_sets if s.per_rack}
    if cls.kind == NODE and cls.path not in sets_per_rack:
        return NODE_PLACES
    return TRAY_PLACES if cls.kind == TRAY else cls.profile.id


def find_included_devices(cluster: Cluster) -> set[str]:
    """Return the ids of the device profiles whose devices all come with their racks."""
    classes = [cls for cls in cluster.plan.devices.classes if is_bought(cls)]
    sold_alone = {cls.profile.id for cls in classes if not _comes_with_rack(cluster, cls)}
    return {cls.profile.id for cls in classes} - sold_alone


def _comes_with_rack(cluster: Cluster, cls: DeviceClass) -> bool:
    """Whether all racks in which devices of a class stand are sold with these devices (`includes` of the rack)."""
    racks, place = cluster.plan.racks, name_rack_place(cluster, cls)
    kinds = np.unique(racks.kind[cluster.plan.devices.rack[cls.rows]]).tolist()
    return bool(kinds) and all(place in racks.kinds[kind].includes for kind in kinds)
