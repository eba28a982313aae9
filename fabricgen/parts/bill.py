"""The bill of materials: what all sources need, added up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from fabricgen.cluster import Cluster
from fabricgen.kernel import discovery
from fabricgen.parts.cables import CableParts
from fabricgen.parts.need import KINDS, Needs, Source, joined

SOURCES = "fabricgen.parts.sources"


@dataclass(frozen=True, slots=True)
class Line:
    """One part: how many are installed, how many spares there are beside, and the power of one, W (None: unknown)."""

    part: str
    description: str
    kind: str
    quantity: int
    power_w: float | None


def all_needs(cluster: Cluster) -> Needs:
    """What every source needs, those of the source that comes first by name first."""
    cables = CableParts(cluster)
    modules = (cast(Source, module) for module in discovery.load_all(SOURCES))
    return joined([module.needs(cluster, cables) for module in modules])


def lines(needs: Needs) -> list[Line]:
    """Every part that something needs once, by kind and part."""
    found = [
        Line(part.part, part.description, part.kind, quantity, part.power_w)
        for part, quantity in zip(needs.parts, needs.quantities, strict=True)
        if quantity
    ]
    return sorted(found, key=lambda line: (KINDS.index(line.kind), line.part))
