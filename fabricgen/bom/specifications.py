"""The accessories that the bill of a cluster has, by specification."""

from __future__ import annotations

from fabricgen.bom.cables import CableParts
from fabricgen.bom.sources import console_servers, power_cords, rack_fittings, rack_pdus
from fabricgen.cluster import Cluster


def list_specifications(cluster: Cluster) -> set[str]:
    """Return the specifications of all accessories that the bill of a cluster lists.

    The set has the numbers of the products that the blueprint names for specifications as well.
    """
    cables = CableParts(cluster)
    needs_by_source = [
        source.needs(cluster, cables) for source in (console_servers, power_cords, rack_fittings, rack_pdus)
    ]
    listed = {part.part for needs in needs_by_source for part in needs.parts}
    products = cluster.design.loaded.blueprint.accessories.parts
    return listed | {spec for spec, product in products.items() if product in listed}
