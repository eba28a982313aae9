"""Blanking panels for free rack units, cable managers beside switches and patch panels or between them, and rails.

Rails that are known to come in the box of a device (`rails: included` of its profile) are not listed. Racks with power
shelves come fitted out by their integrator.
"""

from __future__ import annotations

import numpy as np

from fabricgen.bom.accessories import flag_busbar_racks, has_busbar, make_accessory
from fabricgen.bom.cables import CableParts
from fabricgen.bom.need import Needs, join_needs, make_part_needs
from fabricgen.bom.sources.devices import name_model
from fabricgen.bom.sources.power_cords import list_corded
from fabricgen.bom.sources.racks import find_held_racks, find_patch_racks
from fabricgen.catalog.models import SwitchProfile
from fabricgen.cluster import Cluster
from fabricgen.wiring.racks.loads import compute_rack_loads


def needs(cluster: Cluster, cables: CableParts) -> Needs:  # noqa: ARG001 - one signature for all sources
    """Return blanking panels for free rack units, managers for racks with switches or patch panels, and rails."""
    if not cluster.design.loaded.blueprint.accessories.order:
        return join_needs([])
    return join_needs([_need_blanks(cluster), *_need_managers(cluster), *_need_rails(cluster)])


def _need_blanks(cluster: Cluster) -> Needs:
    """Return a blanking panel for each rack unit that neither holds a device nor is reserved.

    Racks with a busbar get none.
    """
    racks, rows = cluster.plan.racks, find_held_racks(cluster)
    reserved_units = np.array([len(kind.reserved_units - set(kind.reserved.get("blank", ()))) for kind in racks.kinds])
    # `racks.kind` maps the units reserved in a kind of rack to its racks; `rows` are the racks that hold something
    free = (racks.units - compute_rack_loads(cluster.plan).units - reserved_units[racks.kind])[rows]
    has_free = (free > 0) & ~flag_busbar_racks(cluster)[rows]
    part = make_accessory(cluster, "blanking-panel-1u", "Blanking panel, 1 U, without tools", "blanking-panel")
    return make_part_needs(part, free[has_free], rack=rows[has_free])


def _need_managers(cluster: Cluster) -> list[Needs]:
    """Return the cable managers of each rack that holds switches, or patch panels and no device.

    A rack has two vertical managers of its height, one at either side, or as many horizontal ones as it has rack units
    reserved for managers. Racks with a busbar get none.
    """
    devices, racks = cluster.plan.devices, cluster.plan.racks
    switches = np.array([isinstance(cls.profile, SwitchProfile) for cls in devices.classes], dtype=bool)
    has_managers = np.zeros(len(racks), dtype=bool)
    has_managers[devices.rack[switches[devices.device_class]]] = True
    has_managers[find_patch_racks(cluster)] = True
    manager_needs = []
    for kind, profile in enumerate(racks.kinds):
        rows = np.flatnonzero(has_managers & (racks.kind == kind)).astype(np.int32)
        if len(rows) and not has_busbar(profile):
            horizontal = len(profile.reserved.get("cable-manager", ()))
            spec, text = f"cable-manager-{profile.units}u", f"Vertical cable manager, zero U, rack of {profile.units} U"
            if horizontal:
                spec, text = "cable-manager-1u", "Horizontal cable manager, 1 U"
            part = make_accessory(cluster, spec, text, "cable-manager")
            manager_needs.append(make_part_needs(part, horizontal or 2, rack=rows))
    return manager_needs


def _need_rails(cluster: Cluster) -> list[Needs]:
    """Return rails for each device whose profile does not say that rails come in its box."""
    rail_needs = []
    for cls, rows in list_corded(cluster):
        if cls.profile.rails == "ordered":
            spec, text = f"rails-{cls.profile.id}", f"Rails for {name_model(cls.profile)}, unless they come in its box"
            part = make_accessory(cluster, spec, text, "rails")
            rail_needs.append(make_part_needs(part, 1, device=rows))
    return rail_needs
