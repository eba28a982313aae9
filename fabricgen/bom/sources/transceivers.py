"""Transceivers: one for each cage that a fibre plugs into; the cables in a twin-port cage share one."""

from __future__ import annotations

import numpy as np

from fabricgen.bom.cables import CableParts
from fabricgen.bom.need import Needs, OrderedPart, make_needs
from fabricgen.catalog.models import CableProfile
from fabricgen.cluster import Cluster
from fabricgen.wiring.arrays import Flags, Ints, Ints64
from fabricgen.wiring.cabling.end_kinds import EndKind
from fabricgen.wiring.cabling.plugs import number_cages


def needs(cluster: Cluster, cables: CableParts) -> Needs:
    """Return one transceiver for each cage that a fibre plugs into, with its device and a cable in the cage.

    If several cables share the cage, the need has the first one of the fabric that owns the device, else the first:
    a transceiver for two fabrics is counted under the fabric of that cable.
    """
    table, links, (kinds, a_kind, b_kind) = cluster.plan.cables, cluster.plan.links, cables.kinds
    combinations = [(kind, medium) for kind in kinds for medium in table.media]
    plugs = np.array([kind.takes_transceiver(medium) for kind, medium in combinations], dtype=bool)
    upper, row = _find_first_ends(cluster, (a_kind, b_kind), plugs)
    cable, link = table.end_cable[row], table.end_link[row]
    combination = np.where(upper, b_kind[row], a_kind[row]) * len(table.media) + table.medium[cable]
    used = np.bincount(combination, minlength=len(combinations)) > 0
    part_indexes, parts = _number_parts(
        [_make_part(*pair) if is_used else None for pair, is_used in zip(combinations, used.tolist(), strict=True)]
    )
    device = np.where(upper, links.b_device[link], links.a_device[link])
    return make_needs(
        parts, part_indexes[combination], cable=cable, device=device, end=row + upper * len(table.end_cable)
    )


def _make_part(kind: EndKind, medium: CableProfile) -> OrderedPart:
    return OrderedPart(
        kind.find_transceiver_part(medium), kind.transceiver_text(medium), "transceiver", kind.transceiver_w(medium)
    )


def _find_first_ends(cluster: Cluster, kinds: tuple[Ints, Ints], plugs: Flags) -> tuple[Flags, Ints64]:
    """Return (whether it is a b end, its row of cable ends) of the first cable end in each cage, ascending by cage.

    Ends of the fabric that owns the device come first, then a ends before b ends. `kinds` are the kinds of the a ends
    and of the b ends, int32. `plugs` says whether an end needs a transceiver, at the index kind * number of media +
    medium; other ends are left out.
    """
    table, links, cages = cluster.plan.cables, cluster.plan.links, number_cages(cluster.plan)
    count, medium = len(table.end_cable), table.medium[table.end_cable]
    # an end is ranked by its row, plus `count` if it is a b end, plus twice `count` if another fabric owns the device.
    # The lowest rank in a cage is taken; no rank is as high as 4 x `count`
    lowest_rank = np.full(cages.count, 4 * count, dtype=np.int64)
    ends = zip(kinds, (cages.a, cages.b), (links.a_device, links.b_device), strict=True)
    for upper, (kind, cage, device) in enumerate(ends):
        rows = np.flatnonzero(plugs[kind * len(table.media) + medium])
        link = table.end_link[rows]
        is_owner = _flag_owner_ends(cluster, links.segment[link], device[link])
        np.minimum.at(lowest_rank, cage[rows], rows + upper * count + np.where(is_owner, 0, 2 * count))
    first_ends = lowest_rank[lowest_rank < 4 * count] % max(1, 2 * count)
    return first_ends >= count, first_ends % max(1, count)


def _flag_owner_ends(cluster: Cluster, segment: Ints, device: Ints) -> Flags:
    """Return for each end whether the fabric of its link segment owns its device.

    `segment` and `device` have the segment and the device of each end, int32.
    """
    classes, segments = cluster.plan.devices.classes, cluster.plan.links.segments
    is_same = np.array([cls.fabric == s.fabric for s in segments for cls in classes], dtype=bool)
    flags: Flags = is_same[segment * len(classes) + cluster.plan.devices.device_class[device]]
    return flags


def _number_parts(combinations: list[OrderedPart | None]) -> tuple[Ints, list[OrderedPart]]:
    """Return (index of the part of each combination, int32, -1 for None; the distinct parts).

    Parts of one number are merged into the one of the highest power.
    """
    parts: dict[str, OrderedPart] = {}
    for part in combinations:
        if part is not None:
            earlier = parts.setdefault(part.part, part)
            parts[part.part] = max(earlier, part, key=lambda p: p.power_w or 0)
    number = {name: i for i, name in enumerate(parts)}
    indexes = np.array([-1 if part is None else number[part.part] for part in combinations], dtype=np.int32)
    return indexes, list(parts.values())
