"""Accelerators joined by one tier of switch ASICs: NVLink boards (5,4,4,5 or 9,9), NVL72 racks, UALink and ESUN pods.

Reads switches, links_per_switch, and switch_ports or switch_lanes with lanes.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from fabricgen.catalog.scale_up_models import ScaleUpDomainProfile
from fabricgen.design.scale_up.model import DomainSize, LocalLink, MisfitError


def size(domain: ScaleUpDomainProfile, accelerators: int, ports: int) -> DomainSize:
    """Return the size of a domain in which every accelerator has `links_per_switch` links to every switch ASIC.

    Raises MisfitError if `links_per_switch` does not fit the number of ASICs, if these have too few lanes (for low
    latency, a domain must fit one tier of switches), or if accelerators have too few of their `ports` (0: unknown).
    """
    per_switch = _count_links_per_switch(domain)
    if len(per_switch) != domain.switches or min(per_switch, default=0) < 1:
        raise MisfitError(f"links_per_switch has {len(per_switch)} entries above 0 for {domain.switches} switches")
    lanes = max(per_switch) * domain.lanes
    capacity = domain.ports_of_switch * domain.lanes
    if accelerators * lanes > capacity:
        raise MisfitError(
            f"{accelerators:,} accelerators with {lanes} lane{'s' * (lanes > 1)} each need "
            f"{accelerators * lanes:,} lanes of a switch, it has {capacity:,}: the domain does not fit one switch tier",
            f"at most {capacity // lanes:,} accelerators fit; or take fewer lanes to each of more switches: "
            f"1 lane each fits {capacity:,}; or join such domains by a tier above: `joins`",
        )
    if ports and sum(per_switch) > ports:
        raise MisfitError(f"{sum(per_switch)} links an accelerator, which has ports for {ports}")
    return DomainSize(accelerators, domain.switches, accelerators * sum(per_switch), sum(per_switch))


def links(domain: ScaleUpDomainProfile, accelerators: int) -> Iterator[LocalLink]:
    """Return the links of each accelerator to each ASIC in turn; ports of an ASIC follow the accelerators' numbers."""
    per_switch = _count_links_per_switch(domain)
    first_port = list(accumulate(per_switch, initial=0))
    return (
        LocalLink(accelerator, first_port[switch] + link, True, switch, accelerator * per_switch[switch] + link)
        for accelerator in range(accelerators)
        for switch in range(domain.switches)
        for link in range(per_switch[switch])
    )


def _count_links_per_switch(domain: ScaleUpDomainProfile) -> tuple[int, ...]:
    """Return the links of an accelerator to each ASIC; a single stated number holds for all."""
    stated = domain.links_per_switch
    return stated * domain.switches if len(stated) == 1 else stated
