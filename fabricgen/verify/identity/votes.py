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
from fabricgen.verify.identity.names import How, Identities, SightedEnds, is_default, list_end_texts, number_ends
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


def infer_devices(
    cabling: PlannedCabling, sightings: Sightings, identities: Identities
) -> tuple[Identities, list[Inferred]]:
    """Identities with the boxes that told nothing matched by their cables; what was inferred, in order."""
    groups = _group_by_chassis(sightings)
    identities = _apply_proven(identities, groups)
    inferred: list[Inferred] = []
    for _ in range(ROUNDS):
        if (identities.device >= 0).all():
            break
        choices = _list_choices(cabling, sightings, identities, groups)
        # Less than most of several ports is taken only where nothing better will come.
        more = _take_most_voted(choices) or _take_even(choices, identities) or _take_single(choices)
        if not more:
            break
        inferred += more
        device, how = identities.device.copy(), identities.how.copy()
        for match in more:
            boxes = list(match.boxes)
            device[boxes], how[boxes] = match.device, match.how
        identities = replace(identities, device=device, how=how)
    return identities, inferred


def _group_by_chassis(sightings: Sightings) -> Ints64:
    """Boxes that prove to be one, as they have the same chassis; int64, a number by box."""
    first_boxes: dict[str, int] = {}
    return np.array(
        [
            first_boxes.setdefault(box.chassis, number) if box.chassis else number
            for number, box in enumerate(sightings.boxes)
        ],
        dtype=np.int64,
    )


def _apply_proven(identities: Identities, groups: Ints64) -> Identities:
    """A box is the device that another one with the same chassis says to be, if all those say the same."""
    unknown = np.flatnonzero(identities.device < 0)
    if not len(unknown):
        return identities
    count = len(groups)
    # least and greatest device of each group: equal where all agree, and 2**31 - 1 above -1 where nobody says any
    low, high = np.full(count, 2**31 - 1, dtype=np.int32), np.full(count, -1, dtype=np.int32)
    identified = np.flatnonzero(identities.device >= 0)
    np.minimum.at(low, groups[identified], identities.device[identified])
    np.maximum.at(high, groups[identified], identities.device[identified])
    own_groups = groups[unknown]
    proven = unknown[(high[own_groups] >= 0) & (low[own_groups] == high[own_groups])]
    device, how = identities.device.copy(), identities.how.copy()
    device[proven], how[proven] = high[groups[proven]], How.CHASSIS
    return replace(identities, device=device, how=how)


class _Candidate(NamedTuple):
    """A device that a group of boxes may be. Those with the most votes that agree sort first."""

    lightness: float
    group: int
    inferred: Inferred
    has_chassis: bool
    has_name: bool


def _list_choices(
    cabling: PlannedCabling, sightings: Sightings, identities: Identities, groups: Ints64
) -> list[_Candidate]:
    """Devices for which half of the votes of a group are, or more."""
    ends = number_ends(sightings, identities)
    votes = _collect_votes(cabling, sightings, identities, groups, ends)
    total = np.bincount(votes.group, minlength=len(groups))
    cast = votes.target >= 0
    # (group, device) as one number
    pairs, index, count = np.unique(
        votes.group[cast] * len(cabling.device_names) + votes.target[cast], return_inverse=True, return_counts=True
    )
    group, target = np.divmod(pairs, len(cabling.device_names))
    # a vote whose port has the planned name, too, counts twice
    weight = count + np.bincount(index, weights=votes.agrees[cast], minlength=len(pairs))
    chosen = np.flatnonzero((2 * count >= total[group]) & ~_is_elsewhere(cabling, ends)[target])
    members: dict[int, list[int]] = {number: [] for number in group[chosen].tolist()}
    for box in np.flatnonzero(identities.device < 0).tolist():
        if (number := int(groups[box])) in members:
            members[number].append(box)
    choices = []
    for i in chosen.tolist():
        number = int(group[i])
        if boxes := tuple(members[number]):
            has_chassis = any(sightings.boxes[box].chassis for box in boxes)
            has_name = any(not is_default(sightings.boxes[box].name) for box in boxes)
            inferred = Inferred(boxes, int(target[i]), int(count[i]), int(total[number]))
            # below 0, so that the strongest sorts first
            choices.append(_Candidate(-float(weight[i]), number, inferred, has_chassis, has_name))
    return sorted(choices)


def _take_most_voted(choices: list[_Candidate]) -> list[Inferred]:
    """For each device the boxes with the most votes.

    A dump without a chassis and what neighbours see of it are no rivals.
    """
    best: dict[tuple[int, bool], float] = {}
    return [
        choice.inferred
        for choice in choices
        if choice.inferred.how == How.INFERRED
        and best.setdefault((choice.inferred.device, choice.has_chassis), choice.lightness) == choice.lightness
    ]


def _take_even(choices: list[_Candidate], identities: Identities) -> list[Inferred]:
    """Boxes of which two devices are as likely, one by one: whichever is taken, as many plugs have to be moved."""
    taken_devices = set(identities.device.tolist())
    done: set[int] = set()
    inferred = []
    for choice in choices:
        free = choice.inferred.device not in taken_devices and choice.group not in done
        if free and choice.inferred.ports > 1 and not choice.has_name:
            taken_devices.add(choice.inferred.device)
            done.add(choice.group)
            inferred.append(choice.inferred)
    return inferred


def _take_single(choices: list[_Candidate]) -> list[Inferred]:
    """Boxes that are seen once: a host's adapters have chassis of their own. A stranger has a name that no plan has."""
    return [choice.inferred for choice in choices if choice.inferred.ports == 1 and not choice.has_name]


def _collect_votes(
    cabling: PlannedCabling, sightings: Sightings, identities: Identities, groups: Ints64, ends: SightedEnds
) -> _Votes:
    # votes, one a port at which boxes of an unknown device were seen: their group, that port, the device that is
    # planned there (-1 for none), whether they call their port as the plan does
    is_taken = _find_taken_ports(cabling, ends)
    end_texts = list_end_texts(sightings, identities)
    unknown_far = (ends.near != -1) & (sightings.neighbor >= 0) & (ends.far_device < 0)
    unknown_own = (ends.near_device < 0) & (ends.far != -1) & (ends.far_device >= 0)
    parts = []
    for rows, port, box, text in (
        (np.flatnonzero(unknown_far & (ends.near_device >= 0)), ends.near, sightings.neighbor, end_texts.far),
        (np.flatnonzero(unknown_own), ends.far, sightings.owner, end_texts.near),
    ):
        near = ends.near_device if port is ends.near else ends.far_device
        # a number for each spare port, by device, that no planned port has; `port` is below 0 there
        spare = cabling.ports + near[rows].astype(np.int64) * 65536 - port[rows]
        seen_at = np.where(port[rows] >= 0, port[rows], spare)
        # spare ports are below 0, and are left out of `free` below
        planned = np.maximum(port[rows], 0) ^ 1
        # the other port of a planned link is free to be the unknown one's
        free = (port[rows] >= 0) & ~is_taken[planned]
        target = np.where(free, cabling.device[planned], -1)
        called = identities.ports.find_ports(target.astype(np.int32), text[rows], end_texts.texts)
        parts.append((groups[box[rows]], seen_at, target, (called == planned) & (target >= 0)))
    group, port, target, agrees = (np.concatenate(column) for column in zip(*parts, strict=True))
    # one vote for each port at which a group was seen, whoever told of it
    key = group * (int(port.max(initial=0)) + 1) + port
    _, first = np.unique(key, return_index=True)
    return _Votes(group[first], port[first].astype(np.int64), target[first].astype(np.int64), agrees[first])


def _find_taken_ports(cabling: PlannedCabling, ends: SightedEnds) -> Flags:
    """Planned ports that are known to be joined to another port than planned: no unknown box has them."""
    # at least two entries: `planned` above is 1 even where the plan has no links
    is_taken = np.zeros(max(cabling.ports, 2), dtype=bool)
    joined_ends = (ends.near >= 0) & (ends.far >= 0) & (ends.near != ends.far ^ 1)
    is_taken[ends.near[joined_ends]] = is_taken[ends.far[joined_ends]] = True
    return is_taken


def _is_elsewhere(cabling: PlannedCabling, ends: SightedEnds) -> Flags:
    """By device, whether it stands, by what it says itself, mostly where the plan has others: it was exchanged."""
    home, away = (np.zeros(len(cabling.device_names), dtype=np.int64) for _ in range(2))
    for port, device in ((ends.near, ends.far_device), (ends.far, ends.near_device)):
        rows = np.flatnonzero((port >= 0) & (device >= 0))
        # ports are numbered in pairs: `port ^ 1` is the other end of the planned link
        at_home = cabling.device[port[rows] ^ 1] == device[rows]
        home += np.bincount(device[rows[at_home]], minlength=len(home))
        away += np.bincount(device[rows[~at_home]], minlength=len(away))
    # a tie speaks for the plan
    return away > home
