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
    fits = [v for v in profile.variants if airflow in (None, v.airflow) and managed in (None, v.managed)]
    like = next(iter((*fits, *profile.variants)), Variant())
    usual = Variant(
        airflow=airflow or like.airflow,
        managed=like.managed if managed is None else managed,
    )
    alike = (v for v in fits if (v.airflow, v.managed) == (usual.airflow, usual.managed))
    return next((v for v in alike if not v.nos or nos in v.nos), usual)
