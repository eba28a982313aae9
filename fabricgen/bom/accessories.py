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


def specifications(cluster: Cluster) -> set[str]:
    """The specifications of all accessories that the bill lists, whatever products stand for them."""
    from fabricgen.bom.cables import CableParts
    from fabricgen.bom.sources import console_servers, power_cords, rack_fittings, rack_pdus

    cables = CableParts(cluster)
    found = [source.needs(cluster, cables) for source in (console_servers, power_cords, rack_fittings, rack_pdus)]
    listed = {part.part for needs in found for part in needs.parts}
    stated = cluster.design.loaded.blueprint.accessories.parts
    return listed | {spec for spec, product in stated.items() if product in listed}
