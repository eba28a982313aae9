"""The form in which the switches of a tier are ordered: airflow, and managed or not."""

from __future__ import annotations

from fabricgen.catalog.models import SwitchProfile, Variant
from fabricgen.design.floor.network_runs import find_stand
from fabricgen.design.floor.usual_floor import orders_switches_by_nodes
from fabricgen.design.model import Design

_AMONG_NODES = ("rack-top", "rack-middle", "rack-bottom")


def choose_variant(design: Design, fabric: str, tier: str, nos: str, profile: SwitchProfile) -> Variant:
    """The variant of a model that is as its tier says, else as the catalogue lists first, and is sold for its NOS.

    Where a tier in racks of nodes says no airflow, the first whose ports face the aisle of the ports of these comes
    before others. Where none is sold for the NOS, that airflow and management without a part number.
    """
    fabric_spec = design.loaded.blueprint.fabrics.get(fabric)
    spec = fabric_spec.tiers.get(tier) if fabric_spec else None
    airflow, managed = (spec.airflow, spec.managed) if spec else (None, None)
    sold = [v for v in profile.variants if v.supply != "dc"]
    fits = [v for v in sold if airflow in (None, v.airflow) and managed in (None, v.managed)]
    if spec and not airflow and len(fits) > 1:
        aisle = _find_aisle_beside(design, fabric, tier)
        fits.sort(key=lambda variant: aisle != variant.aisle)
    nearest = next(iter((*fits, *sold)), Variant())
    usual = Variant(
        airflow=airflow or nearest.airflow,
        managed=nearest.managed if managed is None else managed,
    )
    same_form = (v for v in fits if (v.airflow, v.managed) == (usual.airflow, usual.managed))
    return next((v for v in same_form if not v.nos or nos in v.nos), usual)


def choose_busbar_variant(profile: SwitchProfile, variant: Variant) -> Variant:
    """The DC form of a variant, for racks with a busbar; the variant itself where none is known."""
    dc = next((v for v in profile.variants if v.supply == "dc" and v.airflow in (None, variant.airflow)), None)
    return variant if dc is None else dc.model_copy(update={"airflow": variant.airflow, "managed": variant.managed})


def _find_aisle_beside(design: Design, fabric: str, tier: str) -> str:
    """The aisle that the ports of all nodes face, where the switches of a tier stand in their racks; "" elsewhere.

    As far as sides are known: "" where they differ, and with a lock from before switches were ordered by it.
    """
    tiers_among_nodes = (
        t for t in design.fabric(fabric).tiers if t.name == tier and find_stand(design, t) in _AMONG_NODES
    )
    if not orders_switches_by_nodes(design.layout.lock) or next(tiers_among_nodes, None) is None:
        return ""
    faced = {nodes.profile.aisle for kind in design.layout.kinds for nodes in kind.node_sets} - {""}
    return faced.pop() if len(faced) == 1 else ""
