"""What racks are fitted out with: listed by specification, or as the product that the blueprint names for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.bom.need import Part

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster


def accessory(cluster: Cluster, spec: str, text: str, kind: str) -> Part:
    """The part for a specification, such as `blanking-panel-1u`; no number is made up."""
    stated = cluster.design.loaded.blueprint.accessories.parts
    return Part(stated.get(spec, spec), text, kind, 0)
