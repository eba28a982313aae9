"""Boxes that do not say which device they are, by where their cables go: day 0, with default host names or none.

Each port of a known device that sees such a box votes for the device that the plan has there. A box is that device
when more than half of its ports say so, and no other box has more. That goes on until nothing changes: a switch that
was inferred tells the switches behind it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.ends import Ends, ends_of, texts_of
from fabricgen.verify.identity.identities import How, Identities
from fabricgen.verify.identity.names import is_default
from fabricgen.verify.sightings import Sightings
from fabricgen.wiring.tables import Flags, Ints64

ROUNDS = 12
"""Tiers are fewer; and more rounds than this find nothing."""


class Inferred(NamedTuple):
    """A group of boxes that is taken for a device: by `votes` of the `ports` of known devices that see it."""

    boxes: tuple[int, ...]
    device: int
    votes: int
    ports: int


@dataclass(frozen=True)
class _Votes:
    """Distinct (group, port of a known device that sees it); int64, with the device that the plan has there (-1: none).

    `agrees`: the port of the box is called as the planned one.
    """

    group: Ints64
    port: Ints64
    target: Ints64
    agrees: Flags


def infer(cabling: PlannedCabling, sightings: Sightings, identities: Identities) -> tuple[Identities, list[Inferred]]:
    """Identities with the boxes that told nothing matched by their cables; what was inferred, in order."""
    groups = _groups(sightings)
    identities = _proven(identities, groups)
    found: list[Inferred] = []
    for _ in range(ROUNDS):
        if (identities.device >= 0).all():
            break
        more = _round(cabling, sightings, identities, groups)
        # A single port is taken only where nothing better will come.
        more = [each for each in more if each.votes > 1] or more
        if not more:
            break
        found += more
        device, how = identities.device.copy(), identities.how.copy()
        for each in more:
            boxes = list(each.boxes)
            device[boxes], how[boxes] = each.device, How.INFERRED if each.votes > 1 else How.WEAK
        identities = replace(identities, device=device, how=how)
    return identities, found


def _groups(sightings: Sightings) -> Ints64:
    """Boxes that prove to be one, as they have the same chassis; int64, a number by box."""
    known: dict[str, int] = {}
    return np.array(
        [
            known.setdefault(box.chassis, number) if box.chassis else number
            for number, box in enumerate(sightings.boxes)
        ],
        dtype=np.int64,
    )


def _proven(identities: Identities, groups: Ints64) -> Identities:
    """A box is the device that another one with the same chassis says to be, if all those say the same."""
    unknown = np.flatnonzero(identities.device < 0)
    if not len(unknown):
        return identities
    count = len(groups)
    low, high = np.full(count, 2**31 - 1, dtype=np.int32), np.full(count, -1, dtype=np.int32)
    told = np.flatnonzero(identities.device >= 0)
    np.minimum.at(low, groups[told], identities.device[told])
    np.maximum.at(high, groups[told], identities.device[told])
    mine = groups[unknown]
    proven = unknown[(high[mine] >= 0) & (low[mine] == high[mine])]
    device, how = identities.device.copy(), identities.how.copy()
    device[proven], how[proven] = high[groups[proven]], How.CHASSIS
    return replace(identities, device=device, how=how)


def _round(cabling: PlannedCabling, sightings: Sightings, identities: Identities, groups: Ints64) -> list[Inferred]:
    ends = ends_of(sightings, identities)
    votes = _votes(cabling, sightings, identities, groups, ends)
    total = np.bincount(votes.group, minlength=len(groups))
    cast = votes.target >= 0
    pairs, index, count = np.unique(
        votes.group[cast] * len(cabling.device_names) + votes.target[cast], return_inverse=True, return_counts=True
    )
    group, target = np.divmod(pairs, len(cabling.device_names))
    weight = count + np.bincount(index, weights=votes.agrees[cast], minlength=len(pairs))
    enough = (2 * count > total[group]) & ((count > 1) | (total[group] == 1))
    enough &= ~_is_elsewhere(cabling, ends)[target]
    candidates = [
        (-float(weight[i]), int(group[i]), int(target[i]), int(count[i])) for i in np.flatnonzero(enough).tolist()
    ]
    members: dict[int, list[int]] = {}
    wanted = {group for _, group, _, _ in candidates}
    for box, own in enumerate(groups.tolist()):
        if own in wanted and identities.device[box] < 0:
            members.setdefault(own, []).append(box)
    return list(_accepted(sorted(candidates), members, sightings, total))


def _accepted(
    candidates: list[tuple[float, int, int, int]],
    members: dict[int, list[int]],
    sightings: Sightings,
    total: Ints64,
) -> list[Inferred]:
    """Those that no other box beats. A dump without a chassis and what neighbours see of it are no rivals.

    Single ports are none either: a host's adapters have chassis of their own. They may not have a name that is not in
    the plan, as strangers do.
    """
    best: dict[tuple[int, bool], float] = {}
    found = []
    for weight, group, target, votes in candidates:
        boxes = members.get(group, [])
        named = any(not is_default(sightings.boxes[box].name) for box in boxes)
        has_chassis = any(sightings.boxes[box].chassis for box in boxes)
        if not boxes or (votes == 1 and named):
            continue
        if votes == 1 or best.setdefault((target, has_chassis), weight) == weight:
            found.append(Inferred(tuple(boxes), target, votes, int(total[group])))
    return found


def _votes(cabling: PlannedCabling, sightings: Sightings, identities: Identities, groups: Ints64, ends: Ends) -> _Votes:
    taken = _taken(cabling, ends)
    said = texts_of(sightings, identities)
    unknown_far = (ends.own != -1) & (sightings.neighbor >= 0) & (ends.far_device < 0)
    unknown_own = (ends.own_device < 0) & (ends.far != -1) & (ends.far_device >= 0)
    parts = []
    for rows, port, box, text in (
        (np.flatnonzero(unknown_far & (ends.own_device >= 0)), ends.own, sightings.neighbor, said.told),
        (np.flatnonzero(unknown_own), ends.far, sightings.owner, said.own),
    ):
        near = ends.own_device if port is ends.own else ends.far_device
        spare = cabling.ports + near[rows].astype(np.int64) * 65536 - port[rows]
        at = np.where(port[rows] >= 0, port[rows], spare)
        planned = np.maximum(port[rows], 0) ^ 1
        free = (port[rows] >= 0) & ~taken[planned]
        target = np.where(free, cabling.device[planned], -1)
        called = identities.ports.find(target.astype(np.int32), text[rows], said.texts)
        parts.append((groups[box[rows]], at, target, (called == planned) & (target >= 0)))
    group, port, target, agrees = (np.concatenate(column) for column in zip(*parts, strict=True))
    key = group * (int(port.max(initial=0)) + 1) + port
    _, first = np.unique(key, return_index=True)
    return _Votes(group[first], port[first].astype(np.int64), target[first].astype(np.int64), agrees[first])


def _taken(cabling: PlannedCabling, ends: Ends) -> Flags:
    """Planned ports that are known to be joined to another port than planned: no unknown box has them."""
    taken = np.zeros(max(cabling.ports, 2), dtype=bool)
    both = (ends.own >= 0) & (ends.far >= 0) & (ends.own != ends.far ^ 1)
    taken[ends.own[both]] = taken[ends.far[both]] = True
    return taken


def _is_elsewhere(cabling: PlannedCabling, ends: Ends) -> Flags:
    """Devices that stand, by what they say themselves, mostly where the plan has others: they were exchanged."""
    home, away = (np.zeros(len(cabling.device_names), dtype=np.int64) for _ in range(2))
    for port, device in ((ends.own, ends.far_device), (ends.far, ends.own_device)):
        rows = np.flatnonzero((port >= 0) & (device >= 0))
        there = cabling.device[port[rows] ^ 1] == device[rows]
        home += np.bincount(device[rows[there]], minlength=len(home))
        away += np.bincount(device[rows[~there]], minlength=len(away))
    return away > home
