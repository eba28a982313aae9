"""Full mesh: every accelerator is linked to every other, as on MI300X and MI355X boards.

Reads links_per_pair and ports.
"""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.catalog.scale_up_models import ScaleUpDomainProfile
from fabricgen.design.scale_up.model import DomainSize, LocalLink, MisfitError

MAX_PORTS = 72
"""How many scale-up ports an accelerator is assumed to have if its profile states none; no accelerator has more."""


def size(domain: ScaleUpDomainProfile, accelerators: int, ports: int) -> DomainSize:
    """Return the size of a mesh of accelerators with `ports` ports each (0: unknown).

    Raises MisfitError if the domain states no `links_per_pair`, or if accelerators have too few ports.
    """
    links_per_pair = domain.links_per_pair
    if not links_per_pair:
        raise MisfitError("links_per_pair is not stated")
    available = ports or MAX_PORTS
    needed = (accelerators - 1) * links_per_pair
    cables = accelerators * needed // 2
    if needed > available:
        raise MisfitError(
            f"a full mesh of {accelerators:,} accelerators takes {cables:,} cables and {needed:,} ports of each "
            f"accelerator, which has {'' if ports else 'at most '}{available}",
            f"at most {available // links_per_pair + 1} can be meshed; beyond that join them by switches, in a torus, "
            "or over the scale-out network",
        )
    return DomainSize(accelerators, 0, cables, needed)


def links(domain: ScaleUpDomainProfile, accelerators: int) -> Iterator[LocalLink]:
    """Return the links of every pair of accelerators; the ports of each follow the number of the far accelerator."""
    links_per_pair = domain.links_per_pair
    return (
        # an accelerator has no port to itself: ports to accelerators with higher numbers move down by one
        LocalLink(lower, (higher - 1) * links_per_pair + link, False, higher, lower * links_per_pair + link)
        for lower in range(accelerators)
        for higher in range(lower + 1, accelerators)
        for link in range(links_per_pair)
    )
