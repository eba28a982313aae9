"""The bill of materials: the needs of all sources, summed, and the spares that the blueprint asks for."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
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
    """A line of the bill: one part, its installed pieces, its spares, and the power of one piece in W (None: unknown).

    `remark` is what a buyer must know of the part; only lines of the order sheet have one.
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
        """The needs of all sources as one, joined when they are first asked for."""
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
        """The power of optics that the published maxima of their devices include, W: the lines count it twice."""
        optics = sum_rack_optics(self.cluster)
        return float((optics.power_w - optics.added_w).sum())

    @cached_property
    def lines(self) -> tuple[BillLine, ...]:
        """A line for each part that is needed, sorted by kind and part number."""
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
    """Return the bill of a cluster, from the needs of every module of `SOURCES`."""
    cables = CableParts(cluster)
    modules = (cast(NeedSource, module) for module in discovery.load_modules(SOURCES))
    return Bill(cluster, tuple(module.needs(cluster, cables) for module in modules))


def split_sets(lines: Sequence[BillLine]) -> tuple[BillLine, ...]:
    """Return lines with sets replaced by their pieces, each part once, sorted by kind and part number."""
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
"""Kind of part -> the blueprint's key for its spares; a part of any other kind has spares by part number only."""


class SpareCount(NamedTuple):
    """Spares of a part, by its index, at a site (an index in the layout's sites; -1: for the whole cluster)."""

    part: int
    site: int
    pieces: int


def list_spare_counts(
    cluster: Cluster, installed: Mapping[OrderedPart, int], owners: Callable[[], Owners]
) -> tuple[SpareCount, ...]:
    """Return the spares of each part at each site, leaving out counts of 0; with a single site all are kept there.

    `installed` has the pieces of each part, in the order of `needs.parts`. `owners` is called only if needs must be
    split by site.
    """
    spares = cluster.design.loaded.blueprint.spares
    included = find_included_devices(cluster)  # a device that comes with its rack is not sold alone
    policies = [find_policy(spares, part, alone=part.part not in included) for part in installed]
    one_site = len(cluster.design.layout.sites) == 1
    counted: list[SpareCount] = []
    by_site = _split_by_site(owners()) if any(p and p.per == "site" for p in policies) and not one_site else {}
    for i, (policy, count) in enumerate(zip(policies, installed.values(), strict=True)):
        if policy is None:
            continue
        # with one site, spares are kept there (0), otherwise for the whole cluster (-1) unless by site
        counts_by_site = by_site.get(i, []) if by_site and policy.per == "site" else [(0 if one_site else -1, count)]
        counted += [
            SpareCount(i, site, count_spares(policy, installed_there)) for site, installed_there in counts_by_site
        ]
    return tuple(spare for spare in counted if spare.pieces)


def find_policy(spares: Spares, part: OrderedPart, *, alone: bool = True) -> Spare | None:
    """Return the policy for the spares of a part; None if there is none.

    It is that of the longest pattern in the blueprint that matches the part number; for a set, also the number of one
    of its pieces. If no pattern matches, it is the policy of the part's kind. A leased fibre, and a part that is not
    sold `alone`, have a policy only by a pattern.
    """
    names = (part.part, split_set(part.part)[1])
    matching = [pattern for pattern in spares.parts if any(fnmatchcase(name, pattern) for name in names)]
    if matching:
        return spares.parts[max(matching, key=lambda pattern: (len(pattern), pattern))]
    key = None if names[1].startswith(LEASED) or not alone else POLICY_OF_KIND.get(part.kind)
    policy: Spare | None = getattr(spares, key) if key else None
    return policy


def count_spares(policy: Spare, installed: int) -> int:
    """Return the spares for `installed` pieces: the percentage, rounded up, and at least the minimum; 0 for 0."""
    return max(math.ceil(round(installed * policy.percent, 9)), policy.minimum) if installed else 0


def _split_by_site(owners: Owners) -> dict[int, list[tuple[int, int]]]:
    """Return, by index of a part, the sites at which it is installed, as a list of (index of the site, pieces); the
    index is -1 for no site.
    """
    sites, needs = owners.sites(), owners.needs
    groups = len(sites.names)
    code = needs.part.astype(np.int64) * groups + sites.code
    counts: dict[int, list[tuple[int, int]]] = {}
    for number, count in enumerate(sum_pieces(code, needs.quantity, groups * len(needs.parts))):
        part, site = divmod(number, groups)
        if count:
            counts.setdefault(part, []).append((site - 1, count))
    return counts
