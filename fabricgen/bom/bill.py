"""The bill of materials: the needs of all sources, summed, and the spares that the blueprint asks for."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from typing import NamedTuple, cast

import numpy as np

from fabricgen.blueprint.sections.spares import Spare, Spares
from fabricgen.bom.cables import LEASED, CableParts
from fabricgen.bom.need import KINDS, Needs, NeedSource, OrderedPart, count_installed, join_needs, sum_pieces
from fabricgen.bom.optics import sum_rack_optics
from fabricgen.bom.owners import Owners
from fabricgen.bom.sets import split_set, strip_set_text
from fabricgen.bom.sources.devices import find_included_devices
from fabricgen.cluster import Cluster
from fabricgen.kernel import discovery

SOURCES = "fabricgen.bom.sources"


@dataclass(frozen=True, slots=True)
class BillLine:
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
        return join_needs(self.sources)

    @cached_property
    def owners(self) -> Owners:
        """The groupings of the needs."""
        return Owners(self.cluster, self.needs)

    @cached_property
    def installed(self) -> dict[OrderedPart, int]:
        """Pieces installed of each part, in the order of `needs.parts`."""
        return count_installed(self.sources)

    @cached_property
    def spares(self) -> tuple[SpareCount, ...]:
        """Spares by part and site."""
        return list_spare_counts(self.cluster, self.installed, lambda: self.owners)

    @cached_property
    def in_devices_w(self) -> float:
        """The power of optics that the published maxima of their devices have in them, W: lines name it twice."""
        optics = sum_rack_optics(self.cluster)
        return float((optics.power_w - optics.added_w).sum())

    @cached_property
    def lines(self) -> tuple[BillLine, ...]:
        """Every part that is needed, once, by kind and part."""
        spares: Counter[int] = Counter()
        for spare in self.spares:
            spares[spare.part] += spare.pieces
        lines = [
            BillLine(part.part, part.description, part.kind, quantity, spares[i], part.power_w)
            for i, (part, quantity) in enumerate(self.installed.items())
            if quantity
        ]
        return tuple(sorted(lines, key=lambda line: (KINDS.index(line.kind), line.part)))


def make_bill(cluster: Cluster) -> Bill:
    """The bill of a cluster."""
    cables = CableParts(cluster)
    modules = (cast(NeedSource, module) for module in discovery.load_modules(SOURCES))
    return Bill(cluster, tuple(module.needs(cluster, cables) for module in modules))


def split_sets(lines: Sequence[BillLine]) -> tuple[BillLine, ...]:
    """Lines with sets replaced by their pieces, each part once, by kind and part: the form to order from."""
    pieces_by_part: dict[tuple[str, str], BillLine] = {}
    for line in lines:
        count, piece = split_set(line.part)
        watts = None if line.power_w is None else line.power_w / count
        single = replace(
            line,
            part=piece,
            description=strip_set_text(line.description) if count > 1 else line.description,
            quantity=line.quantity * count,
            spares=line.spares * count,
            power_w=watts,
        )
        earlier = pieces_by_part.get((line.kind, piece))
        if earlier is not None:
            single = replace(
                earlier, quantity=earlier.quantity + single.quantity, spares=earlier.spares + single.spares
            )
        pieces_by_part[line.kind, piece] = single
    return tuple(sorted(pieces_by_part.values(), key=lambda line: (KINDS.index(line.kind), line.part)))


# Spares: how many of each part the blueprint's policy asks for, and at which site.

POLICY_OF_KIND = {
    "node": "nodes",
    "switch": "switches",
    "line-card": "switches",
    "laser-module": "laser_modules",
    "transceiver": "transceivers",
    "cable": "cables",
    "trunk": "cables",
    "power-cord": "power_cords",
}
"""Kind of part -> key of its policy; other kinds have spares by part number only."""


class SpareCount(NamedTuple):
    """Spares of a part, by its index, at a site (an index in the layout's sites; -1: for the whole cluster)."""

    part: int
    site: int
    pieces: int


def list_spare_counts(
    cluster: Cluster, installed: Mapping[OrderedPart, int], owners: Callable[[], Owners]
) -> tuple[SpareCount, ...]:
    """All spares for what is installed, by part and site; with a single site, all are kept there.

    `owners` is called only where needs must be split by site.
    """
    spares = cluster.design.loaded.blueprint.spares
    included = find_included_devices(cluster)  # what comes with a rack is no article of its own
    policies = [find_policy(spares, part, alone=part.part not in included) for part in installed]
    one_site = len(cluster.design.layout.sites) == 1
    counted: list[SpareCount] = []
    by_site = _split_by_site(owners()) if any(p and p.per == "site" for p in policies) and not one_site else {}
    for i, (policy, count) in enumerate(zip(policies, installed.values(), strict=True)):
        if policy is None:
            continue
        counts_by_site = by_site.get(i, []) if by_site and policy.per == "site" else [(0 if one_site else -1, count)]
        counted += [
            SpareCount(i, site, count_spares(policy, installed_there)) for site, installed_there in counts_by_site
        ]
    return tuple(spare for spare in counted if spare.pieces)


def find_policy(spares: Spares, part: OrderedPart, *, alone: bool = True) -> Spare | None:
    """The policy for a part: of the longest pattern that matches its number, else of its kind; None where there is
    none, or where a part that is not sold `alone` is named by no pattern.
    """
    names = (part.part, split_set(part.part)[1])
    fits = [pattern for pattern in spares.parts if any(fnmatchcase(name, pattern) for name in names)]
    if fits:
        return spares.parts[max(fits, key=lambda pattern: (len(pattern), pattern))]
    field = None if names[1].startswith(LEASED) or not alone else POLICY_OF_KIND.get(part.kind)
    policy: Spare | None = getattr(spares, field) if field else None
    return policy


def count_spares(policy: Spare, installed: int) -> int:
    """Spares for so many installed pieces: the percentage rounded up, but at least the minimum; 0 where none is
    installed.
    """
    share = math.ceil(round(installed * policy.percent, 9))
    return max(share, policy.minimum) if installed else 0


def _split_by_site(owners: Owners) -> dict[int, list[tuple[int, int]]]:
    """(site, pieces) of each part, by its index."""
    sites, needs = owners.sites(), owners.needs
    groups = len(sites.names)
    code = needs.part.astype(np.int64) * groups + sites.code
    counts: dict[int, list[tuple[int, int]]] = {}
    for number, count in _list_nonzero(sum_pieces(code, needs.quantity, groups * len(needs.parts))):
        part, site = divmod(number, groups)
        counts.setdefault(part, []).append((site - 1, count))
    return counts


def _list_nonzero(counts: list[int]) -> Iterator[tuple[int, int]]:
    return ((i, count) for i, count in enumerate(counts) if count)
