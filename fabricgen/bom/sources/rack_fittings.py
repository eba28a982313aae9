"""Blanking panels for free rack units, cable managers beside switches and patch panels or between them, and rails.

Rails that are known to come in the box of a device (`rails: included` of its profile) are not listed. Racks with power
shelves come fitted out by their integrator.
"""

from __future__ import annotations

import numpy as np

from fabricgen.bom.accessories import flag_busbar_racks, has_busbar, make_accessory
from fabricgen.bom.cables import CableParts
from fabricgen.bom.need import Needs, join_needs, make_needs
from fabricgen.bom.sources.devices import name_model
from fabricgen.bom.sources.power_cords import list_corded
from fabricgen.bom.sources.racks import find_held_racks, find_patch_racks
from fabricgen.catalog.models import SwitchProfile
from fabricgen.cluster import Cluster
from fabricgen.wiring.racks.loads import compute_rack_loads


def needs(cluster: Cluster, cables: CableParts) -> Needs:  # noqa: ARG001 - one signature for all sources
    """A panel for each free rack unit, managers for each rack with switches or panels alone, rails for each device."""
    if not cluster.design.loaded.blueprint.accessories.order:
        return join_needs([])
    return join_needs([_need_blanks(cluster), *_need_managers(cluster), *_need_rails(cluster)])


def _need_blanks(cluster: Cluster) -> Needs:
    """A panel for each rack unit that neither holds a device nor is reserved; none beside busbars."""
    racks, rows = cluster.plan.racks, find_held_racks(cluster)
    has_busbar = flag_busbar_racks(cluster)
    reserved_units = np.array([len(kind.reserved_units - set(kind.reserved.get("blank", ()))) for kind in racks.kinds])
    # `kind` indexes what holds for a kind of rack, `rows` are the racks that stand in the plan
    free = (racks.units - compute_rack_loads(cluster.plan).units - reserved_units[racks.kind])[rows]
    has_free = (free > 0) & ~has_busbar[rows]
    part = make_accessory(cluster, "blanking-panel-1u", "Blanking panel, 1 U, without tools", "blanking-panel")
    none = np.zeros(int(has_free.sum()), dtype=np.int32)
    return make_needs([part], none, quantity=free[has_free], rack=rows[has_free])


def _need_managers(cluster: Cluster) -> list[Needs]:
    """For each rack with switches, and of patch panels alone, two of its height, one at either side, or those that its
    rack units are kept for.
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
            between = len(profile.reserved.get("cable-manager", ()))
            spec, text = f"cable-manager-{profile.units}u", f"Vertical cable manager, zero U, rack of {profile.units} U"
            if between:
                spec, text = "cable-manager-1u", "Horizontal cable manager, 1 U"
            part = make_accessory(cluster, spec, text, "cable-manager")
            per_rack = np.full(len(rows), between or 2, dtype=np.int32)
            manager_needs.append(make_needs([part], np.zeros(len(rows), dtype=np.int32), quantity=per_rack, rack=rows))
    return manager_needs


def _need_rails(cluster: Cluster) -> list[Needs]:
    """Rails for each device whose profile does not say that they come in its box."""
    rail_needs = []
    for cls, rows in list_corded(cluster):
        if cls.profile.rails == "ordered":
            spec, text = f"rails-{cls.profile.id}", f"Rails for {name_model(cls.profile)}, unless they come in its box"
            part = make_accessory(cluster, spec, text, "rails")
            rail_needs.append(make_needs([part], np.zeros(len(rows), dtype=np.int32), device=rows))
    return rail_needs
