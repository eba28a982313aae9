"""Boxes that do not tell which device they are, identified by their cables, such as on day 0 with default host names.

Each port of a known device that sees such a box votes for the device that the plan has there. A box is taken for a
device if more than half of the ports that see it vote so, and no other box has more votes. This is repeated until
nothing changes: a switch that was inferred identifies the switches behind it.
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
"""The most rounds of voting: there are fewer tiers, and each round identifies at least one tier."""


class Inferred(NamedTuple):
    """Boxes with one chassis (MAC or GUID) that are taken for a device (row).

    Of all ports of known devices that see one of these boxes (`ports`), `votes` vote for the device.
    """

    boxes: tuple[int, ...]
    device: int
    votes: int
    ports: int

    @property
    def how(self) -> How:
        """INFERRED if most of several ports vote for it, else WEAK."""
        return How.INFERRED if self.votes > 1 and 2 * self.votes > self.ports else How.WEAK


@dataclass(frozen=True)
class _Votes:
    """Votes, one for each group of boxes and port of a known device that sees it; int64.

    `group` is a number of `_group_by_chassis`; `port` a planned port, or a higher number for a spare port. `target` is
    the device that the plan joins to the port (-1: none). `agrees` (bool): the box has the planned name for its port.
    """

    group: Ints64
    port: Ints64
    target: Ints64
    agrees: Flags


def infer_devices(
    cabling: PlannedCabling, sightings: Sightings, identities: Identities
) -> tuple[Identities, list[Inferred]]:
    """Identify boxes that do not tell their device by their cables; return the identities, and what was inferred."""
    groups = _group_by_chassis(sightings)
    identities = _apply_proven(identities, groups)
    inferred: list[Inferred] = []
    for _ in range(ROUNDS):
        if (identities.device >= 0).all():
            break
        choices = _list_choices(cabling, sightings, identities, groups)
        # weaker evidence is used only if no box has the votes of most of several ports
        matches = _take_most_voted(choices) or _take_even(choices, identities) or _take_single(choices)
        if not matches:
            break
        inferred += matches
        device, how = identities.device.copy(), identities.how.copy()
        for match in matches:
            boxes = list(match.boxes)
            device[boxes], how[boxes] = match.device, match.how
        identities = replace(identities, device=device, how=how)
    return identities, inferred


def _group_by_chassis(sightings: Sightings) -> Ints64:
    """Group boxes with the same chassis, which are one device; return, by box, the lowest box of its group, int64.

    A box that tells no chassis is a group of its own.
    """
    first_boxes: dict[str, int] = {}
    return np.array(
        [
            first_boxes.setdefault(box.chassis, number) if box.chassis else number
            for number, box in enumerate(sightings.boxes)
        ],
        dtype=np.int64,
    )


def _apply_proven(identities: Identities, groups: Ints64) -> Identities:
    """Identify boxes by other boxes with the same chassis, if all the identified boxes of that chassis are one device.

    `groups` is the number of the chassis of each box, as `_group_by_chassis` returns it. Nothing changes if all boxes
    are identified already.
    """
    unknown_boxes = np.flatnonzero(identities.device < 0)
    if not len(unknown_boxes):
        return identities
    group_count = len(groups)
    # least and greatest device of each group: equal if all agree; 2**31 - 1 and -1 if none is identified
    lowest_device = np.full(group_count, 2**31 - 1, dtype=np.int32)
    highest_device = np.full(group_count, -1, dtype=np.int32)
    identified_boxes = np.flatnonzero(identities.device >= 0)
    np.minimum.at(lowest_device, groups[identified_boxes], identities.device[identified_boxes])
    np.maximum.at(highest_device, groups[identified_boxes], identities.device[identified_boxes])
    unknown_groups = groups[unknown_boxes]
    proven_boxes = unknown_boxes[
        (highest_device[unknown_groups] >= 0) & (lowest_device[unknown_groups] == highest_device[unknown_groups])
    ]
    device, how_known = identities.device.copy(), identities.how.copy()
    device[proven_boxes], how_known[proven_boxes] = highest_device[groups[proven_boxes]], How.CHASSIS
    return replace(identities, device=device, how=how_known)


class _Candidate(NamedTuple):
    """A device that a group of boxes may be. Most weight sorts first: `lightness` is minus the weight.

    `has_chassis`: the boxes tell a MAC or GUID. `has_name`: one of them has a host name that no image comes with.
    """

    lightness: float
    group: int
    inferred: Inferred
    has_chassis: bool
    has_name: bool


def _list_choices(
    cabling: PlannedCabling, sightings: Sightings, identities: Identities, groups: Ints64
) -> list[_Candidate]:
    """Return devices that have at least half of the votes of a group of boxes; candidates with most weight first.

    Devices that are seen elsewhere are left out, and so are groups whose boxes are all identified. A vote weighs twice
    if the box has the planned name for its port.
    """
    sighted_ends = number_ends(sightings, identities)
    votes = _collect_votes(cabling, sightings, identities, groups, sighted_ends)
    ports_of_group = np.bincount(votes.group, minlength=len(groups))
    has_target = votes.target >= 0
    # (group, device) as one number
    pair_keys, pair_of_vote, votes_of_pair = np.unique(
        votes.group[has_target] * len(cabling.device_names) + votes.target[has_target],
        return_inverse=True,
        return_counts=True,
    )
    group_of_pair, device_of_pair = np.divmod(pair_keys, len(cabling.device_names))
    # a vote with the planned name of the port counts twice
    weight_of_pair = votes_of_pair + np.bincount(
        pair_of_vote, weights=votes.agrees[has_target], minlength=len(pair_keys)
    )
    chosen_pairs = np.flatnonzero(
        (2 * votes_of_pair >= ports_of_group[group_of_pair]) & ~_is_elsewhere(cabling, sighted_ends)[device_of_pair]
    )
    boxes_of_group: dict[int, list[int]] = {group_number: [] for group_number in group_of_pair[chosen_pairs].tolist()}
    for box in np.flatnonzero(identities.device < 0).tolist():
        if (group_number := int(groups[box])) in boxes_of_group:
            boxes_of_group[group_number].append(box)
    choices = []
    for pair in chosen_pairs.tolist():
        group_number = int(group_of_pair[pair])
        if boxes := tuple(boxes_of_group[group_number]):
            has_chassis = any(sightings.boxes[box].chassis for box in boxes)
            has_name = any(not is_default(sightings.boxes[box].name) for box in boxes)
            inferred = Inferred(
                boxes, int(device_of_pair[pair]), int(votes_of_pair[pair]), int(ports_of_group[group_number])
            )
            # negative, so that the strongest sorts first
            choices.append(_Candidate(-float(weight_of_pair[pair]), group_number, inferred, has_chassis, has_name))
    return sorted(choices)


def _take_most_voted(choices: list[_Candidate]) -> list[Inferred]:
    """Take, for each device, the boxes with the most votes.

    Boxes with and without a chassis do not compete: a dump without one and what its neighbours see may be one device.
    """
    best: dict[tuple[int, bool], float] = {}
    return [
        choice.inferred
        for choice in choices
        if choice.inferred.how == How.INFERRED
        and best.setdefault((choice.inferred.device, choice.has_chassis), choice.lightness) == choice.lightness
    ]


def _take_even(choices: list[_Candidate], identities: Identities) -> list[Inferred]:
    """Take boxes for which two devices are equally likely, one after another: any choice needs equally many moves."""
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
    """Take boxes that are seen by one port, such as adapters of hosts, which have a chassis each.

    A box with a name that is not in the plan is a stranger, and is not taken.
    """
    return [choice.inferred for choice in choices if choice.inferred.ports == 1 and not choice.has_name]


def _collect_votes(
    cabling: PlannedCabling, sightings: Sightings, identities: Identities, groups: Ints64, ends: SightedEnds
) -> _Votes:
    """Return one vote for each group of boxes and port of a known device that sees a box of the group.

    A dump of either end tells of it: a known device sees a neighbour whose device is unknown, or an unknown box sees a
    port of a known device. A port votes for the device at its planned far end unless another port is joined to that
    end.
    """
    is_taken = _find_taken_ports(cabling, ends)
    end_texts = list_end_texts(sightings, identities)
    unknown_far = (ends.near != -1) & (sightings.neighbor >= 0) & (ends.far_device < 0)
    unknown_own = (ends.near_device < 0) & (ends.far != -1) & (ends.far_device >= 0)
    votes_by_end = []
    for rows, port_of_row, box_of_row, port_text in (
        (np.flatnonzero(unknown_far & (ends.near_device >= 0)), ends.near, sightings.neighbor, end_texts.far),
        (np.flatnonzero(unknown_own), ends.far, sightings.owner, end_texts.near),
    ):
        port_devices = ends.near_device if port_of_row is ends.near else ends.far_device
        # spare ports (below -1) get numbers, by device, that no planned port has
        spare_numbers = cabling.ports + port_devices[rows].astype(np.int64) * 65536 - port_of_row[rows]
        seen_at = np.where(port_of_row[rows] >= 0, port_of_row[rows], spare_numbers)
        # the planned far end; for spare ports (negative) it means nothing, and is not used
        planned_far_port = np.maximum(port_of_row[rows], 0) ^ 1
        # the unknown box may be at the planned far end if no other port is known to be joined to it
        may_be_planned = (port_of_row[rows] >= 0) & ~is_taken[planned_far_port]
        target = np.where(may_be_planned, cabling.device[planned_far_port], -1)
        named_port = identities.ports.find_ports(target.astype(np.int32), port_text[rows], end_texts.texts)
        votes_by_end.append(
            (groups[box_of_row[rows]], seen_at, target, (named_port == planned_far_port) & (target >= 0))
        )
    group, port, target, agrees = (np.concatenate(column) for column in zip(*votes_by_end, strict=True))
    # one vote for each port at which a group was seen, whichever end told about it
    vote_key = group * (int(port.max(initial=0)) + 1) + port
    _, first_rows = np.unique(vote_key, return_index=True)
    return _Votes(
        group[first_rows], port[first_rows].astype(np.int64), target[first_rows].astype(np.int64), agrees[first_rows]
    )


def _find_taken_ports(cabling: PlannedCabling, ends: SightedEnds) -> Flags:
    """Flag planned ports that are known to be joined to another port than planned: no unknown box can be there."""
    # at least two entries: `planned` in `_collect_votes` is 1 even if the plan has no links
    is_taken = np.zeros(max(cabling.ports, 2), dtype=bool)
    joined_ends = (ends.near >= 0) & (ends.far >= 0) & (ends.near != ends.far ^ 1)
    is_taken[ends.near[joined_ends]] = is_taken[ends.far[joined_ends]] = True
    return is_taken


def _is_elsewhere(cabling: PlannedCabling, ends: SightedEnds) -> Flags:
    """Flag devices (by row) that are identified and seen mostly where the plan has others: these were exchanged."""
    home, away = (np.zeros(len(cabling.device_names), dtype=np.int64) for _ in range(2))
    for port, device in ((ends.near, ends.far_device), (ends.far, ends.near_device)):
        rows = np.flatnonzero((port >= 0) & (device >= 0))
        # ports are numbered in pairs: `port ^ 1` is the other end of the planned link
        at_home = cabling.device[port[rows] ^ 1] == device[rows]
        home += np.bincount(device[rows[at_home]], minlength=len(home))
        away += np.bincount(device[rows[~at_home]], minlength=len(away))
    # a tie speaks for the plan
    return away > home
