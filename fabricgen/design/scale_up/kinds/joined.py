"""A tier above domains that have switches: it joins their switches, plane by plane or all with all.

The i-th switch of every domain below is linked to the same switches here, as NVLink switches join the four of a DGX
H100, or the 112 of a CloudMatrix 384 the seven of each node. `meets` says how many switches of this tier each of them
is linked to; without `meets` it is linked to all. Reads joins, switches, meets, links_per_switch (one number, for every
two that are linked), and switch_ports or switch_lanes with lanes. The `accelerators` of other kinds are here the
switches of the domains below.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from fabricgen.catalog.scale_up_models import ScaleUpDomainProfile
from fabricgen.design.scale_up.model import DomainSize, LocalLink, MisfitError


def size(domain: ScaleUpDomainProfile, accelerators: int, ports: int) -> DomainSize:  # noqa: ARG001 - as other kinds
    """Return the size of a tier above `accelerators` switches of the domains below; raises MisfitError if one of its
    switches has too few lanes for all switches that are linked to it. `ports` is not read.
    """
    links, planes = domain.links_per_switch[0], domain.planes
    switches_per_plane, lanes, capacity = (
        accelerators // len(planes),
        links * domain.lanes,
        domain.ports_of_switch * domain.lanes,
    )
    if switches_per_plane * lanes > capacity:
        raise MisfitError(
            f"{switches_per_plane:,} switches below, with {links} link{'s' * (links > 1)} each to a switch above, need "
            f"{switches_per_plane * lanes:,} of its lanes, it has {capacity:,}",
            f"at most {capacity // lanes:,} fit; or take fewer links to each of more switches",
        )
    return DomainSize(accelerators, domain.switches, switches_per_plane * sum(planes) * links, max(planes) * links)


def links(domain: ScaleUpDomainProfile, accelerators: int) -> Iterator[LocalLink]:
    """Return the links of each switch below to the switches of this tier that it meets, in turn; `accelerators` is how
    many switches are below. A switch below has the same port numbers on each switch that it meets.
    """
    links_per_pair, planes = domain.links_per_switch[0], domain.planes
    # Switches below are dealt over the planes in turn; `planes` has how many switches of this tier each plane has.
    first_of_plane = list(accumulate(planes, initial=0))
    return (
        LocalLink(
            lower_switch,
            upper_switch * links_per_pair + link,
            True,
            first_of_plane[lower_switch % len(planes)] + upper_switch,
            lower_switch // len(planes) * links_per_pair + link,
        )
        for lower_switch in range(accelerators)
        for upper_switch in range(planes[lower_switch % len(planes)])
        for link in range(links_per_pair)
    )
