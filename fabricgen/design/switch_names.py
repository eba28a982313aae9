"""Names of switches from their coordinates: a name never depends on what else is in the cluster."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from fabricgen.design.layout import Layout
from fabricgen.design.shape import inner, scope_of

_SHORT = {"rail": "r", "rail-group": "rg", "plane": "pl", "port": "pt"}


def place_names(layout: Layout, scope: str) -> list[str]:
    """What names carry of every place of a scope, in order; sites are left out where there is one."""
    sites = {pod.site for pod in layout.pods}
    if scope == "all":
        return [""]
    if scope == "site":
        return [f"-{site}" if len(sites) > 1 else "" for site in layout.sites]
    if scope == "pod":
        return [f"-{pod.name}" for pod in layout.pods]
    units = [f"-{pod.name}-su{su + 1:02d}" for pod in layout.pods for su in range(pod.su)]
    if scope == "su":
        return units
    return [f"{unit}-rk{rack + 1:02d}" for unit in units for rack in range(layout.racks_per_su)]


def switch_names(
    layout: Layout, fabric: str, tier: str, per: tuple[str, ...], sizes: Mapping[str, int], count: int
) -> list[str]:
    """Name every switch of a tier, group by group: `fabric-tier-place-...-01`.

    `sizes` are those of the tier's fabric, `count` its switches in a group. Numbers grow wider, never narrower, so
    growth renames nothing.
    """
    dimensions = inner(per)
    labels = [
        "".join(f"-{_SHORT.get(d, d)}{value + 1}" for d, value in zip(dimensions, values, strict=True))
        for values in product(*(range(sizes[d]) for d in dimensions))
    ]
    tails = [f"{label}-{index + 1:02d}" for label in labels for index in range(count)]
    return [f"{fabric}-{tier}{place}{tail}" for place in place_names(layout, scope_of(per)) for tail in tails]
