"""What linked fabrics must not ask of each other: spans without switches, rails that end."""

from __future__ import annotations

from collections.abc import Mapping

from fabricgen.blueprint.dimensions import is_told, leg_dimensions
from fabricgen.blueprint.sections.fabric import Fabric
from fabricgen.design.fabric_model import TierKey
from fabricgen.design.tiers import TierSpec
from fabricgen.kernel.diagnostics import fault


def check_spans(spec: Fabric, name: str) -> None:
    """Raise InputError (FG131) where a fabric that another carries, and so has no switches, has spans between them."""
    if spec.carried_by and spec.spans:
        raise fault(
            "FG131",
            f"fabric {name} has spans, and no switches that they could join: it is carried by {spec.carried_by}",
            path=("fabrics", name, "spans", next(iter(spec.spans))),
            hint=f"state them on {spec.carried_by}, whose switches carry both",
        )


def check_met_in_full(specs: Mapping[TierKey, TierSpec], sizes: Mapping[str, Mapping[str, int]]) -> None:
    """Raise InputError (FG017) where a tier is grouped by rails or planes of which the tier below has more.

    `sizes` has, by fabric, how many values each inner dimension has. A switch of the third rail has no group to go to
    in a fabric of two.
    """
    for lower in specs.values():
        upper = specs[lower.upper] if lower.upper else None
        if upper is None or upper.fabric == lower.fabric:
            continue
        for dimension in leg_dimensions():
            there, asked = sizes[upper.fabric][dimension], sizes[lower.fabric][dimension]
            if dimension in upper.per and is_told(dimension, lower.per) and asked > there:
                raise fault(
                    "FG017",
                    f"{upper.fabric}.{upper.name} is per {dimension} and has {there} of them, "
                    f"{lower.fabric}.{lower.name} below it has {asked}",
                    path=(*upper.path, "per"),
                    hint=f"take `{dimension}` out of `per` of {upper.name}, or give {lower.fabric} another tier above",
                )
