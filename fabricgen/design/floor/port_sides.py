"""Which aisle the ports of devices face: a cable between ports at both aisles crosses a rack."""

from __future__ import annotations

from fabricgen.catalog.models import NodeProfile, SwitchProfile
from fabricgen.design.floor.usual_floor import knows_port_side
from fabricgen.design.model import Design
from fabricgen.design.variants import choose_variant


def find_catalogue_aisle(design: Design, tier: tuple[str, str], nos: str, profile: NodeProfile | SwitchProfile) -> str:
    """Return the aisle that a device's ports face by the catalogue: "hot", "cold", or "" if it is not known. `tier` is
    (fabric, tier).

    For a switch it follows from the airflow of the variant that is ordered, for a node from the side of its panel:
    fronts face the cold aisle.
    """
    if isinstance(profile, NodeProfile):
        return profile.aisle
    return choose_variant(design, *tier, nos, profile).aisle


def find_port_aisle(design: Design, tier: tuple[str, str], nos: str, profile: NodeProfile | SwitchProfile) -> str:
    """Return the aisle that a device's ports face when cable lengths are computed: as `cold_ports` states, else as
    `find_catalogue_aisle` does.

    With a lock from before lengths followed the profile's port side it is "".
    """
    stated = design.loaded.blueprint.floor.trays.cold_ports
    if stated is not None:
        return "cold" if profile.id in stated else "hot"
    return find_catalogue_aisle(design, tier, nos, profile) if knows_port_side(design.layout.lock, profile.id) else ""
