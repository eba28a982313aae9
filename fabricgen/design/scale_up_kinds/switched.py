"""Accelerators joined by one tier of switch ASICs: NVLink boards (5,4,4,5 or 9,9) and NVL72 racks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from fabricgen.catalog.models import ScaleUpDomainProfile
from fabricgen.design.scale_up import LocalLink


def links(domain: ScaleUpDomainProfile) -> Sequence[LocalLink]:
    """Link every accelerator to every ASIC, as often as `links_per_switch` says.

    Raises ValueError when the ASICs have too few ports: a domain must fit one switch tier, for latency's sake.
    """
    per_switch = domain.links_per_switch
    if len(per_switch) == 1:
        per_switch = per_switch * domain.switches
    if len(per_switch) != domain.switches:
        raise ValueError(f"links_per_switch has {len(per_switch)} entries for {domain.switches} switches")
    needed = domain.accelerators * max(per_switch)
    if domain.switch_ports and needed > domain.switch_ports:
        raise ValueError(
            f"{domain.accelerators} accelerators with {max(per_switch)} links each need {needed} ports of a switch, "
            f"it has {domain.switch_ports}: the domain does not fit one switch tier"
        )
    first_port = list(accumulate(per_switch, initial=0))
    return [
        LocalLink(accelerator, first_port[switch] + i, True, switch, accelerator * per_switch[switch] + i)
        for accelerator in range(domain.accelerators)
        for switch in range(domain.switches)
        for i in range(per_switch[switch])
    ]
