"""The two kinds of rack of a cluster, of nodes and without: of the catalogue, with what a blueprint states."""

from __future__ import annotations

from typing import Any

from fabricgen.blueprint.models import Blueprint
from fabricgen.blueprint.sections.floor import Floor
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import RackProfile


def node_rack(blueprint: Blueprint, catalog: Catalog) -> RackProfile:
    """The rack that nodes stand in; raises InputError for a type that the catalogue has not."""
    racks = blueprint.scalable_unit.racks
    found = (
        catalog.rack(racks.type, ("scalable_unit", "racks", "type"))
        if racks.type
        else plain_rack(racks.units, blueprint.floor)
    )
    return _with(
        found, power_kw=racks.power_kw, load_kg=racks.weight_kg, air_kw=racks.air_kw, liquid_kw=racks.liquid_kw
    )


def network_rack(blueprint: Blueprint, catalog: Catalog, units: int) -> RackProfile:
    """The rack that only switches and extra devices stand in, by default of so many `units`; raises InputError."""
    floor = blueprint.floor
    found = (
        catalog.rack(floor.network_rack, ("floor", "network_rack")) if floor.network_rack else plain_rack(units, floor)
    )
    return _with(found, power_kw=floor.network_rack_kw, load_kg=floor.network_rack_kg)


def plain_rack(units: int, floor: Floor) -> RackProfile:
    """A rack of which nothing is known but its height and the place that the floor has for it."""
    return RackProfile.model_construct(
        id=f"rack-{units}u",
        source="the blueprint",
        tag="D",
        name=f"{units}U rack",
        units=units,
        width_m=floor.rack_pitch_m,
        depth_m=floor.rack_depth_m,
    )


def _with(rack: RackProfile, **stated: Any) -> RackProfile:
    changed = {key: value for key, value in stated.items() if value is not None}
    return rack.model_copy(update=changed) if changed else rack
