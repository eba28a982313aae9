"""The two rack types of a cluster, for nodes and for networks: from the catalogue, with what the blueprint states."""

from __future__ import annotations

from typing import Any

from fabricgen.blueprint.models import Blueprint, Racks
from fabricgen.blueprint.sections.floor import Floor
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import RackProfile
from fabricgen.kernel.diagnostics import Path


def node_rack(racks: Racks, path: Path, floor: Floor, catalog: Catalog) -> RackProfile:
    """The type of the node racks of a kind of unit, stated at `path`; raises InputError for one that the catalogue
    lacks.
    """
    found = catalog.rack(racks.type, (*path, "type")) if racks.type else plain_rack(racks.units, floor)
    return _with(
        found, power_kw=racks.power_kw, load_kg=racks.weight_kg, air_kw=racks.air_kw, liquid_kw=racks.liquid_kw
    )


def network_rack(blueprint: Blueprint, catalog: Catalog, units: int) -> RackProfile:
    """The type of racks for switches and extra devices only, `units` high unless stated; raises InputError as above."""
    floor = blueprint.floor
    found = (
        catalog.rack(floor.network_rack, ("floor", "network_rack")) if floor.network_rack else plain_rack(units, floor)
    )
    return _with(found, power_kw=floor.network_rack_kw, load_kg=floor.network_rack_kg)


def plain_rack(units: int, floor: Floor) -> RackProfile:
    """A rack type known only by its height in rack units and the space that the floor gives it."""
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
