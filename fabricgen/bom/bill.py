"""The bill of materials: the needs of all sources, summed, and the spares that the blueprint asks for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

from fabricgen.bom.cables import CableParts
from fabricgen.bom.need import KINDS, Needs, Part, Source, installed, joined
from fabricgen.bom.optics import optics_of_racks
from fabricgen.bom.owners import Owners
from fabricgen.bom.sets import pieces_of, text_of_piece
from fabricgen.bom.spare_counts import SpareCount, spare_counts
from fabricgen.cluster import Cluster
from fabricgen.kernel import discovery

SOURCES = "fabricgen.bom.sources"


@dataclass(frozen=True, slots=True)
class Line:
    """One part: pieces installed, spares beside them, and power of one piece, W (None: unknown).

    `remark` is what a buyer must know of it; only the order sheet has any.
    """

    part: str
    description: str
    kind: str
    quantity: int
    spares: int
    power_w: float | None
    remark: str = ""


@dataclass(frozen=True)
class Bill:
    """The needs of a cluster and its spares."""

    cluster: Cluster
    sources: tuple[Needs, ...]

    @cached_property
    def needs(self) -> Needs:
        """The needs of all sources as one; used only by totals and traces."""
        return joined(self.sources)

    @cached_property
    def owners(self) -> Owners:
        """The groupings of the needs."""
        return Owners(self.cluster, self.needs)

    @cached_property
    def installed(self) -> dict[Part, int]:
        """Pieces installed of each part, in the order of `needs.parts`."""
        return installed(self.sources)

    @cached_property
    def spares(self) -> tuple[SpareCount, ...]:
        """Spares by part and site."""
        return spare_counts(self.cluster, self.installed, lambda: self.owners)

    @cached_property
    def in_devices_w(self) -> float:
        """The power of optics that the published maxima of their devices have in them, W: lines name it twice."""
        optics = optics_of_racks(self.cluster)
        return float((optics.power_w - optics.added_w).sum())

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """Every part that is needed, once, by kind and part."""
        spares: Counter[int] = Counter()
        for spare in self.spares:
            spares[spare.part] += spare.pieces
        found = [
            Line(part.part, part.description, part.kind, quantity, spares[i], part.power_w)
            for i, (part, quantity) in enumerate(self.installed.items())
            if quantity
        ]
        return tuple(sorted(found, key=lambda line: (KINDS.index(line.kind), line.part)))


def bill_of(cluster: Cluster) -> Bill:
    """The bill of a cluster."""
    cables = CableParts(cluster)
    modules = (cast(Source, module) for module in discovery.load_all(SOURCES))
    return Bill(cluster, tuple(module.needs(cluster, cables) for module in modules))


def single_pieces(lines: Sequence[Line]) -> tuple[Line, ...]:
    """Lines with sets replaced by their pieces, each part once, by kind and part: the form to order from."""
    found: dict[tuple[str, str], Line] = {}
    for line in lines:
        count, piece = pieces_of(line.part)
        watts = None if line.power_w is None else line.power_w / count
        single = replace(
            line,
            part=piece,
            description=text_of_piece(line.description) if count > 1 else line.description,
            quantity=line.quantity * count,
            spares=line.spares * count,
            power_w=watts,
        )
        there = found.get((line.kind, piece))
        if there is not None:
            single = replace(there, quantity=there.quantity + single.quantity, spares=there.spares + single.spares)
        found[line.kind, piece] = single
    return tuple(sorted(found.values(), key=lambda line: (KINDS.index(line.kind), line.part)))
