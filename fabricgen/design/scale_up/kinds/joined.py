"""A tier above domains that have switches: it joins these, plane by plane or all with all.

The i-th switch of every domain below meets the same switches here (`meets`: so many, each its own), as NVLink
switches join the four of a DGX H100, or the 112 of a CloudMatrix 384 the seven of each node; without `meets` it meets
all. Reads joins, switches, meets, links_per_switch (one number: of two that meet), and switch_ports or switch_lanes
with lanes. What other kinds call accelerators are here the switches below.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from fabricgen.catalog.scale_up_models import ScaleUpDomainProfile
from fabricgen.design.scale_up.model import DomainSize, LocalLink, MisfitError


def size(domain: ScaleUpDomainProfile, accelerators: int, ports: int) -> DomainSize:  # noqa: ARG001 - as other kinds
    """Size a tier above so many switches; raises MisfitError where one of its own has too few lanes for all that meet
    it.
    """
    each, planes = domain.links_per_switch[0], domain.planes
    meeting, lanes, capacity = accelerators // len(planes), each * domain.lanes, domain.ports_of_switch * domain.lanes
    if meeting * lanes > capacity:
        raise MisfitError(
            f"{meeting:,} switches below, with {each} link{'s' * (each > 1)} each to a switch above, need "
            f"{meeting * lanes:,} of its lanes, it has {capacity:,}",
            f"at most {capacity // lanes:,} fit; or take fewer links to each of more switches",
        )
    return DomainSize(accelerators, domain.switches, meeting * sum(planes) * each, max(planes) * each)


def links(domain: ScaleUpDomainProfile, accelerators: int) -> Iterator[LocalLink]:
    """Link each switch below to those above that it meets, in turn; it has the same ports on each of these."""
    each, planes = domain.links_per_switch[0], domain.planes
    firsts = list(accumulate(planes, initial=0))
    return (
        LocalLink(below, met * each + i, True, firsts[below % len(planes)] + met, below // len(planes) * each + i)
        for below in range(accelerators)
        for met in range(planes[below % len(planes)])
        for i in range(each)
    )
