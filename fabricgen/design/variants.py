"""The form in which the switches of a tier are ordered: airflow, and managed or not."""

from __future__ import annotations

from fabricgen.blueprint.models import Blueprint
from fabricgen.catalog.models import SwitchProfile, Variant


def variant_of(blueprint: Blueprint, fabric: str, tier: str, nos: str, profile: SwitchProfile) -> Variant:
    """The variant of a model that is as its tier says, else as the catalogue lists first, and is sold for its NOS.

    Where none is sold for it, that airflow and management without a part number.
    """
    known = blueprint.fabrics.get(fabric)
    spec = known.tiers.get(tier) if known else None
    airflow, managed = (spec.airflow, spec.managed) if spec else (None, None)
    sold = [v for v in profile.variants if v.supply != "dc"]
    fits = [v for v in sold if airflow in (None, v.airflow) and managed in (None, v.managed)]
    like = next(iter((*fits, *sold)), Variant())
    usual = Variant(
        airflow=airflow or like.airflow,
        managed=like.managed if managed is None else managed,
    )
    alike = (v for v in fits if (v.airflow, v.managed) == (usual.airflow, usual.managed))
    return next((v for v in alike if not v.nos or nos in v.nos), usual)


def fed_by_busbar(profile: SwitchProfile, variant: Variant) -> Variant:
    """The DC form of a variant, for racks with a busbar; the variant itself where none is known."""
    dc = next((v for v in profile.variants if v.supply == "dc" and v.airflow in (None, variant.airflow)), None)
    return variant if dc is None else dc.model_copy(update={"airflow": variant.airflow, "managed": variant.managed})
