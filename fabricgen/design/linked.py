"""Which fabrics belong together: they share tiers, or tiers of one are linked up to those of another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fabricgen.blueprint.fabric import Fabric
from fabricgen.kernel.diagnostics import fault


def linked_fabrics(blueprint_fabrics: Mapping[str, Fabric]) -> list[list[str]]:
    """Fabrics that share tiers or are linked with each other, together; in the order of their first."""
    owner = {name: name for name in blueprint_fabrics}

    def find(name: str) -> str:
        while owner[name] != name:
            name = owner[name]
        return name

    for name, fabric in blueprint_fabrics.items():
        others = [fabric.carried_by] if fabric.carried_by else []
        for tier in fabric.tiers.values():
            others += [text.split(".")[0] for text in (*tier.above, *filter(None, [tier.below])) if "." in text]
        for other in others:
            if other in owner:
                owner[find(other)] = find(name)
    found: dict[str, list[str]] = {}
    for name in blueprint_fabrics:
        found.setdefault(find(name), []).append(name)
    return list(found.values())


def check_apart(names: Sequence[str], managing: str, fabrics: Mapping[str, Fabric]) -> None:
    """Raises InputError where the management fabric is linked with fabrics whose switches it manages."""
    others = [n for n in names if n != managing and fabrics[n].tiers]
    if others:
        raise fault(
            "FG019",
            f"{managing} takes the management ports of {others[0]}, and is linked with it",
            path=("fabrics", managing, "also"),
            hint="keep the management fabric apart, or let other fabrics be `carried_by` it",
        )
