"""Transceivers: one for each cage that a fibre plugs into; cables in one twin-port cage share it."""

from __future__ import annotations

import numpy as np

from fabricgen.catalog.models import CableProfile
from fabricgen.cluster import Cluster
from fabricgen.parts.cables import CableParts, EndKind
from fabricgen.parts.need import Needs, Part, needs_of
from fabricgen.plan.cabling import cages_of_ends
from fabricgen.plan.tables import Flags, Ints, Wide


def needs(cluster: Cluster, cables: CableParts) -> Needs:
    """One piece a cage, with the device that it is in and a cable that plugs into it.

    Of several cables the first is named, of the fabric that owns the device where there is such: it tells which
    fabric a transceiver that serves two is counted for.
    """
    table, links = cluster.plan.cables, cluster.plan.links
    kinds, *ends = cables.kinds
    width = len(table.media)
    made = [_part(kind, medium) if kind.transceiver(medium) else None for kind in kinds for medium in table.media]
    what = np.concatenate(ends) * width + np.tile(table.medium[table.end_cable], 2)
    rows = np.flatnonzero(np.array([part is not None for part in made], dtype=bool)[what])
    cages = cages_of_ends(cluster.plan)
    device = np.concatenate([links.a_device[table.end_link], links.b_device[table.end_link]])
    cage = np.concatenate([cages.a, cages.b])
    own = _of_owner(cluster, np.tile(links.segment[table.end_link], 2)[rows], device[rows])
    chosen = rows[_first_of_each(cage[rows], own, cages.count)]
    used = np.bincount(what[chosen], minlength=len(made)) > 0
    place, parts = _numbered([part if there else None for part, there in zip(made, used.tolist(), strict=True)])
    of_cable = np.tile(table.end_cable, 2)[chosen]
    return needs_of(parts, place[what[chosen]], cable=of_cable, device=device[chosen], end=chosen.astype(np.int32))


def _part(kind: EndKind, medium: CableProfile) -> Part:
    text = f"{kind.form_factor} {kind.gbps}G transceiver, {medium.name}, {medium.reach_m:g} m"
    return Part(kind.transceiver(medium), text, "transceiver", medium.end_power_w(kind.gbps / kind.lane_gbps))


def _of_owner(cluster: Cluster, segment: Ints, device: Ints) -> Flags:
    """Whether the cable at each end is of the fabric that owns the device there."""
    classes, segments = cluster.plan.devices.classes, cluster.plan.links.segments
    same = np.array([[cls.fabric == s.fabric for cls in classes] for s in segments], dtype=bool)
    own: Flags = same.reshape(len(segments), len(classes))[segment, cluster.plan.devices.device_class[device]]
    return own


def _first_of_each(cage: Ints, preferred: Flags, cages: int) -> Wide:
    """The first row of each cage, of those preferred where there are any; ascending by cage."""
    count = len(cage)
    rank = np.arange(count, dtype=np.int64) + np.where(preferred, 0, count)
    best = np.full(cages, 2 * count, dtype=np.int64)
    np.minimum.at(best, cage, rank)
    found: Wide = best[best < 2 * count] % max(1, count)
    return found


def _numbered(made: list[Part | None]) -> tuple[Ints, list[Part]]:
    """(the number of the part of each combination, the parts); those of one name are one, of the largest draw."""
    parts: dict[str, Part] = {}
    for part in made:
        if part is not None:
            known = parts.setdefault(part.part, part)
            parts[part.part] = max(known, part, key=lambda p: p.power_w or 0)
    number = {name: i for i, name in enumerate(parts)}
    place = np.array([-1 if part is None else number[part.part] for part in made], dtype=np.int32)
    return place, list(parts.values())
