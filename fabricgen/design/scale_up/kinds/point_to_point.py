"""Accelerators whose ports serve both networks: a mesh takes part of them, the rest go to the scale-out network.

Gaudi 3 has 24 ports of 200G: 21 in a mesh of eight (three to each other), three to scale-out. Reads ports,
scale_out_ports and links_per_pair.
"""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.catalog.scale_up_models import ScaleUpDomainProfile
from fabricgen.design.scale_up.kinds import mesh
from fabricgen.design.scale_up.model import DomainSize, LocalLink, MisfitError


def size(domain: ScaleUpDomainProfile, accelerators: int, ports: int) -> DomainSize:
    """A mesh over the ports that stay; raises MisfitError when the profile says too little or they are too few."""
    if not 0 < domain.scale_out_ports < domain.ports:
        raise MisfitError("point_to_point needs `ports`, and `scale_out_ports` below that")
    return mesh.size(domain, accelerators, ports or domain.ports - domain.scale_out_ports)


def links(domain: ScaleUpDomainProfile, accelerators: int) -> Iterator[LocalLink]:
    """Link every pair over the first ports; the last `scale_out_ports` are left to the scale-out network."""
    return mesh.links(domain, accelerators)
