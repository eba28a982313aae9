"""Spares: how many of each part the blueprint's policy asks for, and at which site."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import NamedTuple

import numpy as np

from fabricgen.blueprint.sections.spares import Spare, Spares
from fabricgen.bom.cables import LEASED
from fabricgen.bom.need import Part, pieces
from fabricgen.bom.owners import Owners
from fabricgen.bom.sets import pieces_of
from fabricgen.cluster import Cluster

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


def spare_counts(
    cluster: Cluster, installed: Mapping[Part, int], owners: Callable[[], Owners]
) -> tuple[SpareCount, ...]:
    """All spares for what is installed, by part and site; with a single site, all are kept there.

    `owners` is called only where needs must be split by site.
    """
    spares = cluster.design.loaded.blueprint.spares
    policies = [policy_of(spares, part) for part in installed]
    one_site = len(cluster.design.layout.sites) == 1
    counted: list[SpareCount] = []
    by_site = _by_site(owners()) if any(p and p.per == "site" for p in policies) and not one_site else {}
    for i, (policy, count) in enumerate(zip(policies, installed.values(), strict=True)):
        if policy is None:
            continue
        at = by_site.get(i, []) if by_site and policy.per == "site" else [(0 if one_site else -1, count)]
        counted += [SpareCount(i, site, spares_for(policy, there)) for site, there in at]
    return tuple(spare for spare in counted if spare.pieces)


def policy_of(spares: Spares, part: Part) -> Spare | None:
    """The policy for a part: of the longest pattern that matches its number, else of its kind; None where there is
    none.
    """
    names = (part.part, pieces_of(part.part)[1])
    fits = [pattern for pattern in spares.parts if any(fnmatchcase(name, pattern) for name in names)]
    if fits:
        return spares.parts[max(fits, key=lambda pattern: (len(pattern), pattern))]
    field = None if names[1].startswith(LEASED) else POLICY_OF_KIND.get(part.kind)
    policy: Spare | None = getattr(spares, field) if field else None
    return policy


def spares_for(policy: Spare, installed: int) -> int:
    """Spares for so many installed pieces: the percentage rounded up, but at least the minimum; 0 where none is
    installed.
    """
    share = math.ceil(round(installed * policy.percent, 9))
    return max(share, policy.minimum) if installed else 0


def _by_site(owners: Owners) -> dict[int, list[tuple[int, int]]]:
    """(site, pieces) of each part, by its index."""
    sites, needs = owners.sites(), owners.needs
    groups = len(sites.names)
    code = needs.part.astype(np.int64) * groups + sites.code
    found: dict[int, list[tuple[int, int]]] = {}
    for place, count in _there(pieces(code, needs.quantity, groups * len(needs.parts))):
        part, site = divmod(place, groups)
        found.setdefault(part, []).append((site - 1, count))
    return found


def _there(counts: list[int]) -> Iterator[tuple[int, int]]:
    return ((i, count) for i, count in enumerate(counts) if count)
