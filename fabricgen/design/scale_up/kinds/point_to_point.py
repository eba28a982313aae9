"""Mesh and scale-out on one set of ports: some ports of an accelerator form a mesh, the others go to scale-out.

Gaudi 3 has 24 ports of 200G: 21 in a mesh of eight (three to each other), three to scale-out. Reads ports,
scale_out_ports and links_per_pair.
"""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.catalog.scale_up_models import ScaleUpDomainProfile
from fabricgen.design.scale_up.kinds import mesh
from fabricgen.design.scale_up.model import DomainSize, LocalLink, MisfitError


def size(domain: ScaleUpDomainProfile, accelerators: int, ports: int) -> DomainSize:
    """Return the size of the mesh over the ports that scale-out leaves: `ports`, or those of the profile if it is 0.

    Raises MisfitError if the profile does not state `ports` and fewer `scale_out_ports`, or as `mesh.size` does.
    """
    if not 0 < domain.scale_out_ports < domain.ports:
        raise MisfitError("point_to_point needs `ports`, and `scale_out_ports` below that")
    return mesh.size(domain, accelerators, ports or domain.ports - domain.scale_out_ports)


def links(domain: ScaleUpDomainProfile, accelerators: int) -> Iterator[LocalLink]:
    """Return the links of every pair over the first ports; the last `scale_out_ports` are left to the scale-out
    network.
    """
    return mesh.links(domain, accelerators)
