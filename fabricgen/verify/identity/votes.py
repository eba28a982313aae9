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
from fabricgen.verify.identity.names import Ends, How, Identities, ends_of, is_default, texts_of
from fabricgen.verify.sightings import Sightings
from fabricgen.wiring.arrays import Flags, Ints64

ROUNDS = 12
"""Tiers are fewer; and more rounds than this find nothing."""


class Inferred(NamedTuple):
    """A group of boxes that is taken for a device: by `votes` of the `ports` of known devices that see it."""

    boxes: tuple[int, ...]
    device: int
    votes: int
    ports: int

    @property
    def how(self) -> How:
        """Inferred by most of several ports, or weakly."""
        return How.INFERRED if self.votes > 1 and 2 * self.votes > self.ports else How.WEAK


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
        choices = _choices(cabling, sightings, identities, groups)
        # Less than most of several ports is taken only where nothing better will come.
        more = _by_most(choices) or _by_half(choices, identities) or _by_one(choices)
        if not more:
            break
        found += more
        device, how = identities.device.copy(), identities.how.copy()
        for each in more:
            boxes = list(each.boxes)
            device[boxes], how[boxes] = each.device, each.how
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


class _Choice(NamedTuple):
    """A device that a group of boxes may be. Those with the most votes that agree sort first."""

    lightness: float
    group: int
    found: Inferred
    has_chassis: bool
    has_name: bool


def _choices(cabling: PlannedCabling, sightings: Sightings, identities: Identities, groups: Ints64) -> list[_Choice]:
    """Devices for which half of the votes of a group are, or more."""
    ends = ends_of(sightings, identities)
    votes = _votes(cabling, sightings, identities, groups, ends)
    total = np.bincount(votes.group, minlength=len(groups))
    cast = votes.target >= 0
    pairs, index, count = np.unique(
        votes.group[cast] * len(cabling.device_names) + votes.target[cast], return_inverse=True, return_counts=True
    )
    group, target = np.divmod(pairs, len(cabling.device_names))
    weight = count + np.bincount(index, weights=votes.agrees[cast], minlength=len(pairs))
    chosen = np.flatnonzero((2 * count >= total[group]) & ~_is_elsewhere(cabling, ends)[target])
    members: dict[int, list[int]] = {own: [] for own in group[chosen].tolist()}
    for box in np.flatnonzero(identities.device < 0).tolist():
        if (own := int(groups[box])) in members:
            members[own].append(box)
    found = []
    for i in chosen.tolist():
        own = int(group[i])
        if boxes := tuple(members[own]):
            has_chassis = any(sightings.boxes[box].chassis for box in boxes)
            has_name = any(not is_default(sightings.boxes[box].name) for box in boxes)
            inferred = Inferred(boxes, int(target[i]), int(count[i]), int(total[own]))
            found.append(_Choice(-float(weight[i]), own, inferred, has_chassis, has_name))
    return sorted(found)


def _by_most(choices: list[_Choice]) -> list[Inferred]:
    """Those that no other box beats. A dump without a chassis and what neighbours see of it are no rivals."""
    best: dict[tuple[int, bool], float] = {}
    return [
        each.found
        for each in choices
        if each.found.how == How.INFERRED
        and best.setdefault((each.found.device, each.has_chassis), each.lightness) == each.lightness
    ]


def _by_half(choices: list[_Choice], identities: Identities) -> list[Inferred]:
    """Boxes of which two devices are as likely, one by one: whichever is taken, as many plugs have to be moved."""
    taken = set(identities.device.tolist())
    done: set[int] = set()
    found = []
    for each in choices:
        free = each.found.device not in taken and each.group not in done
        if free and each.found.ports > 1 and not each.has_name:
            taken.add(each.found.device)
            done.add(each.group)
            found.append(each.found)
    return found


def _by_one(choices: list[_Choice]) -> list[Inferred]:
    """Boxes that are seen once: a host's adapters have chassis of their own. A stranger has a name that no plan has."""
    return [each.found for each in choices if each.found.ports == 1 and not each.has_name]


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
