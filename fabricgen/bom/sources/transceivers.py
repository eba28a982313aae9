"""Transceivers: one for each cage that a fibre plugs into; the cables in a twin-port cage share one."""

from __future__ import annotations

import numpy as np

from fabricgen.bom.cables import CableParts
from fabricgen.bom.need import Needs, Part, needs_of
from fabricgen.catalog.models import CableProfile
from fabricgen.cluster import Cluster
from fabricgen.wiring.arrays import Flags, Ints, Ints64
from fabricgen.wiring.cabling.cables import number_cages
from fabricgen.wiring.cabling.end_kinds import EndKind


def needs(cluster: Cluster, cables: CableParts) -> Needs:
    """One piece for each cage, with its device and a cable in it.

    Of several cables it is the first of the fabric that owns the device, else the first: a transceiver for two fabrics
    is counted under that one.
    """
    table, links, (kinds, a_kind, b_kind) = cluster.plan.cables, cluster.plan.links, cables.kinds
    made = [_part(kind, medium) if kind.transceiver(medium) else None for kind in kinds for medium in table.media]
    plugs = np.array([part is not None for part in made], dtype=bool)
    upper, row = _first_of_each_cage(cluster, (a_kind, b_kind), plugs)
    cable, link = table.end_cable[row], table.end_link[row]
    what = np.where(upper, b_kind[row], a_kind[row]) * len(table.media) + table.medium[cable]
    used = np.bincount(what, minlength=len(made)) > 0
    place, parts = _numbered([part if there else None for part, there in zip(made, used.tolist(), strict=True)])
    device = np.where(upper, links.b_device[link], links.a_device[link])
    return needs_of(parts, place[what], cable=cable, device=device, end=row + upper * len(table.end_cable))


def _part(kind: EndKind, medium: CableProfile) -> Part:
    return Part(kind.transceiver(medium), kind.transceiver_text(medium), "transceiver", kind.transceiver_w(medium))


def _first_of_each_cage(cluster: Cluster, kinds: tuple[Ints, Ints], plugs: Flags) -> tuple[Flags, Ints64]:
    """(whether it is a b end, its row) of the first end in each cage; ascending by cage.

    `kinds` are those of a and b ends; `plugs` says which (kind, medium) need a transceiver. a ends come before b ends,
    but ends of the fabric that owns the device before all others.
    """
    table, links, cages = cluster.plan.cables, cluster.plan.links, number_cages(cluster.plan)
    count, medium = len(table.end_cable), table.medium[table.end_cable]
    best = np.full(cages.count, 4 * count, dtype=np.int64)
    ends = zip(kinds, (cages.a, cages.b), (links.a_device, links.b_device), strict=True)
    for upper, (kind, cage, device) in enumerate(ends):
        rows = np.flatnonzero(plugs[kind * len(table.media) + medium])
        link = table.end_link[rows]
        own = _of_owner(cluster, links.segment[link], device[link])
        np.minimum.at(best, cage[rows], rows + upper * count + np.where(own, 0, 2 * count))
    found = best[best < 4 * count] % max(1, 2 * count)
    return found >= count, found % max(1, count)


def _of_owner(cluster: Cluster, segment: Ints, device: Ints) -> Flags:
    """Whether the cable at each end belongs to the fabric that owns the device there."""
    classes, segments = cluster.plan.devices.classes, cluster.plan.links.segments
    same = np.array([cls.fabric == s.fabric for s in segments for cls in classes], dtype=bool)
    own: Flags = same[segment * len(classes) + cluster.plan.devices.device_class[device]]
    return own


def _numbered(made: list[Part | None]) -> tuple[Ints, list[Part]]:
    """(index of the part for each combination, distinct parts); parts of one name are merged, with the
    highest power.
    """
    parts: dict[str, Part] = {}
    for part in made:
        if part is not None:
            known = parts.setdefault(part.part, part)
            parts[part.part] = max(known, part, key=lambda p: p.power_w or 0)
    number = {name: i for i, name in enumerate(parts)}
    place = np.array([-1 if part is None else number[part.part] for part in made], dtype=np.int32)
    return place, list(parts.values())
