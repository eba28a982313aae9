"""Transceivers: one for each cage that a fibre plugs into; cables in one twin-port cage share it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fabricgen.catalog.models import CableProfile
from fabricgen.cluster import Cluster
from fabricgen.parts.cables import CableParts
from fabricgen.parts.need import Needs, Part, needs_of
from fabricgen.plan.cabling import cages_of_ends
from fabricgen.plan.end_kinds import EndKind
from fabricgen.plan.end_numbers import EndNumbers
from fabricgen.plan.tables import Flags, Ints, Wide


def needs(cluster: Cluster, cables: CableParts) -> Needs:
    """One piece a cage, with the device that it is in and a cable that plugs into it.

    Of several cables the first is named, of the fabric that owns the device where there is such: it tells which
    fabric a transceiver that serves two is counted for.
    """
    links, table, kinds = cluster.plan.links, cluster.plan.cables, cables.kinds
    made = [_part(kind, medium) if kind.transceiver(medium) else None for kind in kinds[0] for medium in table.media]
    plugs = np.array([part is not None for part in made], dtype=bool)
    medium, segment = table.medium[table.end_cable], links.segment[table.end_link]
    what = [kind * len(table.media) + medium for kind in kinds[1:]]
    device = [column[table.end_link] for column in (links.a_device, links.b_device)]
    rows = [np.flatnonzero(plugs[each]) for each in what]
    own = [_of_owner(cluster, segment[here], column[here]) for here, column in zip(rows, device, strict=True)]
    upper, row = _first_of_each(cages_of_ends(cluster.plan), rows, own)
    chosen = np.where(upper, what[1][row], what[0][row])
    used = np.bincount(chosen, minlength=len(made)) > 0
    place, parts = _numbered([part if there else None for part, there in zip(made, used.tolist(), strict=True)])
    return needs_of(
        parts,
        place[chosen],
        cable=table.end_cable[row],
        device=np.where(upper, device[1][row], device[0][row]),
        end=(row + upper * len(medium)).astype(np.int32),
    )


def _part(kind: EndKind, medium: CableProfile) -> Part:
    return Part(kind.transceiver(medium), kind.transceiver_text(medium), "transceiver", kind.transceiver_w(medium))


def _of_owner(cluster: Cluster, segment: Ints, device: Ints) -> Flags:
    """Whether the cable at each end is of the fabric that owns the device there."""
    classes, segments = cluster.plan.devices.classes, cluster.plan.links.segments
    same = np.array([[cls.fabric == s.fabric for cls in classes] for s in segments], dtype=bool)
    own: Flags = same.reshape(len(segments), len(classes))[segment, cluster.plan.devices.device_class[device]]
    return own


def _first_of_each(cages: EndNumbers, rows: Sequence[Wide], preferred: Sequence[Flags]) -> tuple[Flags, Wide]:
    """(whether it is of the upper ends, its row) of the first end in each cage, ascending by cage.

    Of some `rows` of lower and of upper ends, lower ones first; of those preferred where there are any.
    """
    count = len(cages.a)
    best = np.full(cages.count, 4 * count, dtype=np.int64)
    for upper, (cage, here, better) in enumerate(zip((cages.a, cages.b), rows, preferred, strict=True)):
        np.minimum.at(best, cage[here], here + upper * count + np.where(better, 0, 2 * count))
    found = best[best < 4 * count] % max(1, 2 * count)
    return found >= count, found % max(1, count)


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
