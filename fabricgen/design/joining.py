"""What linked fabrics must not ask of each other: nodes where none attach, spans without switches, rails that end."""

from __future__ import annotations

from collections.abc import Mapping

from fabricgen.blueprint.dimensions import is_told, leg_dimensions
from fabricgen.blueprint.sections.fabric import Fabric
from fabricgen.design.fabric_model import TierKey
from fabricgen.design.tiers import FabricContext, TierSpec
from fabricgen.kernel.diagnostics import fault


def check_takes_no_nodes(context: FabricContext, name: str, specs: Mapping[TierKey, TierSpec]) -> None:
    """Raise InputError (FG130) where nodes would attach to a fabric whose lowest tier is above a tier of another.

    Such a tier has down ports for the switches below it and none for nodes. A fabric asks for nodes by `attach`, by
    its name where that is a NIC role of theirs, or by `carried_by`.
    """
    fabrics = context.blueprint.fabrics
    spec, owner = fabrics[name], fabrics[name].carried_by or name
    lowest = next(key for key in specs if key.fabric == owner)
    below = next(key for key, tier in specs.items() if tier.upper == lowest)
    taking = sorted({tier.fabric for tier in specs.values() if tier.takes_nodes}, key=lambda f: f != below.fabric)
    reason = f"{'.'.join(lowest)}, the lowest tier of {owner}, is above {'.'.join(below)} and takes no nodes"
    if spec.carried_by:
        raise fault(
            "FG130",
            f"fabric {name} is carried by {owner}, where its nodes cannot attach: {reason}",
            path=("fabrics", name, "carried_by"),
            hint=f"let it be carried by {taking[0]}, or give it `tiers` of its own",
        )
    role = spec.attach or name
    having = sorted({nodes.profile.id for nodes in context.layout.node_sets if role in nodes.profile.roles})
    if spec.attach or having:
        raise fault(
            "FG130",
            f"fabric {name} attaches the '{role}' ports of {' and '.join(having) or 'nodes'}, which would be left "
            f"without a cable: {reason}",
            path=("fabrics", name, "attach") if spec.attach else (*specs[lowest].path, "above"),
            hint=f"add a tier for them below {lowest.tier}, which is then `above` both; `carried_by: {taking[0]}` in "
            f"place of `tiers`; or {'no `attach`' if not having else 'another name'}, if it only joins switches",
        )


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
