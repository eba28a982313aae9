"""Boxes that stand in each other's place, or whose names are exchanged."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from fabricgen.verify.diagnosis.exchange_search import Exchangeable, Ring, Vote
from fabricgen.verify.diagnosis.topology import NOWHERE, Gain, SeenTopology

LEAST_VOTES = 2
"""A single link of a box in the place of another is a plug that was moved."""
RIGHT_PER_WRONG = 3
"""An exchange explains the links of its boxes port by port, but for few of which something else is wrong.

A quarter that is wrong leaves room for a plug or two that were moved beside; it is a choice, not a measurement.
"""
LEAST_WITNESSES = 2
"""So many tiers beyond the boxes have to say the same where not every link was seen: see `is_well_seen`."""
LEAST_PLUGS = 4
"""What an exchange of two boxes is worth: of fewer plugs, these are moved."""


def _count_votes(topology: SeenTopology) -> list[Vote]:
    """Links that would be as planned if the box at one end were another one of its model.

    Its links to other tiers that are right count against that: those within a tier may be right between exchanged ones.
    """
    cabling, first_spare = topology.cabling, topology.first_spare
    wrong = port = topology.find_wrong_ports()
    sees = topology.mate[port]
    is_planned = sees < first_spare
    port, sees = port[is_planned], sees[is_planned]
    home = sees ^ 1  # the port that the plan joins to the one that is seen: where this plug belongs
    # a box that took another's place was cabled port by port, so that both names are the same
    agree = (topology.name[port] == topology.name[home]) & (topology.device[port] != topology.device[home])
    # sightings without a port still say which device is there
    lone = np.flatnonzero((topology.towards[:first_spare] >= 0) & (topology.mate[:first_spare] < 0))
    lone = lone[topology.towards[lone] != topology.device[lone ^ 1]]
    actual = np.r_[topology.device[port[agree]], topology.towards[lone]]
    home = np.r_[topology.device[home[agree]], topology.device[lone ^ 1]]
    model = cabling.devices["model"].codes
    same_model = model[actual] == model[home]
    # a pair of devices is one number: what was found in the upper 32 bits, whose place it takes in the lower
    pairs, links = np.unique(actual[same_model].astype(np.int64) << 32 | home[same_model], return_counts=True)
    actual, home = pairs >> 32, pairs & 0xFFFFFFFF
    is_right = topology.mate[: topology.size] >= 0
    is_right[wrong] = False
    joined, tier = np.flatnonzero(is_right), cabling.devices["tier"].codes
    joined = joined[tier[topology.device[joined]] != tier[topology.device[topology.mate[joined]]]]
    at_home = np.bincount(topology.device[joined], minlength=len(tier))
    links = links - at_home[actual]
    # the last key of `lexsort` is the first that counts: most links, then the lowest pair, so that two runs tell the
    # same
    order = np.lexsort((pairs, -links))
    # as many links at home as abroad say nothing
    order = order[links[order] > 0]
    return [Vote(*vote) for vote in zip(*(column[order].tolist() for column in (links, actual, home)), strict=True)]


def _renumber_ports(topology: SeenTopology, ring: Ring) -> tuple[dict[int, int], list[int]]:
    # what the exchange of some boxes does to their ports: (new number of each that sees something, all ports touched)
    taken_for, touched = {}, []
    for actual, planned in ring.items():
        if topology.is_whole[actual]:
            _add_silent_ports(topology, actual, planned)
        for port in topology.list_ports(actual):
            touched.append(port)
            now = topology.port_at(planned, int(topology.name[port]))
            if topology.has_state(port, now):
                taken_for[port] = now
    return taken_for, touched


def _add_silent_ports(topology: SeenTopology, actual: int, planned: int) -> None:
    """Add the ports that a box (`actual`), of which all is known, would have in the role of device `planned`: nobody is
    seen there.
    """
    for port in topology.cabling.list_device_ports(planned).tolist():
        name = int(topology.name[port])
        if topology.port_at(actual, name) == NOWHERE:
            added = topology.add_port(actual, name, topology.locate_port(port)[1])
            topology.empty[added] = True


def _make_room(topology: SeenTopology, ring: Ring, port: int) -> int:
    """Add a port to the box that stands in for the one of `port`, which has none of this name."""
    device, text = topology.locate_port(port)
    return topology.add_port(ring[device], int(topology.name[port]), text)


def _is_worth(topology: SeenTopology, ring: Ring, gain: Gain) -> bool:
    """Whether exchanging boxes saves plugs, is seen well, and leaves few links wrong; `gain` is that of `ring`."""
    return (
        # a row of cables.csv stands for a plug: both jumpers of a cage are pulled at once. `LEAST_PLUGS` is meant for
        # two boxes; a ring of more has to save as much for each
        gain.rows >= LEAST_PLUGS * len(ring) // 2
        and is_well_seen(gain)
        and gain.wrong * RIGHT_PER_WRONG <= gain.right
        and count_plugs(topology, ring) >= LEAST_PLUGS
    )


def is_well_seen(gain: Gain) -> bool:
    """Whether enough is seen to believe an exchange: every link, or some towards two tiers and little that denies it.

    What one tier says alone may also be plugs that were moved there, as rails that are crossed at each node; of a box
    that is joined to one tier alone most links have to be seen. Where some links deny it, those that nobody saw may.
    """
    if not gain.unseen:
        return gain.links > 0
    if gain.broken and gain.broken * RIGHT_PER_WRONG + gain.unseen > gain.right:
        return False
    return gain.links > gain.unseen if gain.tiers < LEAST_WITNESSES else gain.witnesses >= LEAST_WITNESSES


def count_plugs(topology: SeenTopology, ring: Ring) -> int:
    """How many plugs boxes are planned to have, which could be moved in place of these."""
    cabling = topology.cabling
    return len({int(cabling.plug[port]) for device in ring for port in cabling.list_device_ports(device).tolist()})


def make_box_exchangeable(staying: Collection[int], one_vote_enough: Collection[int] = ()) -> Exchangeable:
    """Boxes for which several links vote, but for those that stand `staying`; at `one_vote_enough` one link will do.

    At these the links of a plug do not go to one plug. The plugs of two boxes may carry different numbers of links: one
    of three at the one, one of one link and one of two at the other. Once such boxes are exchanged no plug is where
    another belongs, so that moves of plugs cannot tell it, however few links vote for it.
    """

    def count_votes(topology: SeenTopology) -> list[Vote]:
        # votes of links for boxes that stand in each other's place: all where a box of `one_vote_enough` is involved,
        # else from
        # LEAST_VOTES on
        votes = [vote for vote in _count_votes(topology) if not {vote.actual, vote.planned} & set(staying)]
        # all boxes that votes join to such a one, over any number of votes, are one question
        involved = set(one_vote_enough)
        while more := {device for vote in votes if not involved.isdisjoint(vote[1:]) for device in vote[1:]} - involved:
            involved |= more
        return [vote for vote in votes if vote.actual in involved or vote.links >= LEAST_VOTES]

    return Exchangeable(count_votes, _renumber_ports, _is_worth, _make_room, are_devices=True)


BOXES = make_box_exchangeable(())
