"""Accelerators each linked to every other: MI300X and MI355X boards."""

from __future__ import annotations

from collections.abc import Sequence

from fabricgen.catalog.models import ScaleUpDomainProfile
from fabricgen.design.scale_up import LocalLink


def links(domain: ScaleUpDomainProfile) -> Sequence[LocalLink]:
    """Link every pair of accelerators `links_per_pair` times; raises ValueError when that is zero."""
    if not domain.links_per_pair:
        raise ValueError("a mesh needs links_per_pair")
    each = domain.links_per_pair
    return [
        LocalLink(a, (b - 1) * each + i, False, b, a * each + i)
        for a in range(domain.accelerators)
        for b in range(a + 1, domain.accelerators)
        for i in range(each)
    ]
