"""Which aisle the ports of devices face: a cable between ports at both aisles crosses a rack."""

from __future__ import annotations

from fabricgen.catalog.models import NodeProfile, SwitchProfile, Variant
from fabricgen.design.floor.network_runs import find_stand
from fabricgen.design.floor.usual_floor import knows_port_side, orders_switches_by_nodes
from fabricgen.design.model import Design


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

    It is "" with a lock from before cable lengths depended on the side of a profile's ports (`knows_port_side`).
    """
    stated = design.loaded.blueprint.floor.trays.cold_ports
    if stated is not None:
        return "cold" if profile.id in stated else "hot"
    return find_catalogue_aisle(design, tier, nos, profile) if knows_port_side(design.layout.lock, profile.id) else ""


# The variant of a switch model that a tier is ordered in: airflow, and managed or not.


_AMONG_NODES = ("rack-top", "rack-middle", "rack-bottom")


def choose_variant(design: Design, fabric: str, tier: str, nos: str, profile: SwitchProfile) -> Variant:
    """Return the variant of a model that a tier is ordered in: the first in the catalogue with the airflow and
    management that the tier states, and sold for its NOS. Variants with DC supply are left out.

    If a tier in racks of nodes states no airflow, variants whose ports face the aisle of the nodes' ports come first.
    What the tier does not state is as in the first variant that fits.

    If no such variant is sold for the NOS, the returned one has that airflow and management, and no part number.
    """
    fabric_spec = design.loaded.blueprint.fabrics.get(fabric)
    spec = fabric_spec.tiers.get(tier) if fabric_spec else None
    airflow, managed = (spec.airflow, spec.managed) if spec else (None, None)
    without_dc = [v for v in profile.variants if v.supply != "dc"]
    fitting = [v for v in without_dc if airflow in (None, v.airflow) and managed in (None, v.managed)]
    if spec and not airflow and len(fitting) > 1:
        aisle = _find_aisle_of_nodes(design, fabric, tier)
        # False sorts first: variants whose ports face that aisle
        fitting.sort(key=lambda variant: aisle != variant.aisle)
    first_variant = next(iter((*fitting, *without_dc)), Variant())
    wanted = Variant(
        airflow=airflow or first_variant.airflow,
        managed=first_variant.managed if managed is None else managed,
    )
    same_airflow_and_management = (v for v in fitting if (v.airflow, v.managed) == (wanted.airflow, wanted.managed))
    return next((v for v in same_airflow_and_management if not v.nos or nos in v.nos), wanted)


def choose_busbar_variant(profile: SwitchProfile, variant: Variant) -> Variant:
    """Return the DC form of a variant, for racks with a busbar; the variant itself if no DC form is known."""
    dc_variant = next((v for v in profile.variants if v.supply == "dc" and v.airflow in (None, variant.airflow)), None)
    return (
        variant
        if dc_variant is None
        else dc_variant.model_copy(update={"airflow": variant.airflow, "managed": variant.managed})
    )


def _find_aisle_of_nodes(design: Design, fabric: str, tier: str) -> str:
    """Return the aisle that the ports of all nodes face, if the switches of a tier stand in racks of nodes; else "".

    It is "" too if nodes face different aisles, and with a lock from before such switches were ordered by the aisle of
    the nodes' ports (`orders_switches_by_nodes`).
    """
    tiers_among_nodes = (
        t for t in design.fabric(fabric).tiers if t.name == tier and find_stand(design, t) in _AMONG_NODES
    )
    if not orders_switches_by_nodes(design.layout.lock) or next(tiers_among_nodes, None) is None:
        return ""
    faced = {nodes.profile.aisle for kind in design.layout.kinds for nodes in kind.node_sets} - {""}
    return faced.pop() if len(faced) == 1 else ""
