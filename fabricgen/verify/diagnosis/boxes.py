"""Boxes that stand in each other's places, or whose names are exchanged."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from fabricgen.verify.diagnosis.exchange_search import Exchangeable, Ring, Vote
from fabricgen.verify.diagnosis.topology import NOWHERE, Gain, SeenTopology

LEAST_VOTES = 2
"""The least links that must vote for an exchange of boxes: with a single one, a plug was moved."""
RIGHT_PER_WRONG = 3
"""The least links that an exchange must put right for each link that stays wrong.

An exchange explains the links of its boxes port by port, apart from few that have another fault. A quarter of wrong
links allows for a plug or two that were moved as well; this is a choice, not a measurement.
"""
LEAST_WITNESSES = 2
"""The least tiers beyond the boxes that must confirm an exchange if not every link was seen: see `is_well_seen`."""
PRICE_OF_SWAP = 4
"""The price of an exchange of two boxes, in plugs: if it mends fewer, plugs are moved instead."""
LEAST_BOX_PLUGS = 4
"""The least planned plugs of all boxes of a ring: smaller boxes have plugs so few that these are moved instead."""


def _count_votes(topology: SeenTopology) -> list[Vote]:
    """Return votes for boxes that stand in for other devices of their model; those with most links come first.

    A vote counts the links that would be as planned if the box stood in for the device. Links of the box to other tiers
    that are right now are subtracted. Right links within a tier are not, since two boxes that are both exchanged may be
    joined rightly.
    """
    cabling, first_spare = topology.cabling, topology.first_spare
    wrong = port = topology.find_wrong_ports()
    seen_port = topology.joined_to[port]
    is_planned = seen_port < first_spare
    port, seen_port = port[is_planned], seen_port[is_planned]
    home = seen_port ^ 1  # the port that the plan joins to the one that is seen: where this plug belongs
    # a box in another's place was cabled port by port, so that both ports have the same name
    agree = (topology.name[port] == topology.name[home]) & (topology.device[port] != topology.device[home])
    # sightings without a far port still say which device is there
    lone = np.flatnonzero((topology.towards[:first_spare] >= 0) & (topology.joined_to[:first_spare] < 0))
    lone = lone[topology.towards[lone] != topology.device[lone ^ 1]]
    actual = np.r_[topology.device[port[agree]], topology.towards[lone]]
    home = np.r_[topology.device[home[agree]], topology.device[lone ^ 1]]
    model = cabling.devices["model"].codes
    same_model = model[actual] == model[home]
    # a pair of devices as one number: the box that was found in the upper 32 bits, the planned one in the lower
    pairs, links = np.unique(actual[same_model].astype(np.int64) << 32 | home[same_model], return_counts=True)
    actual, home = pairs >> 32, pairs & 0xFFFFFFFF
    is_right = topology.joined_to[: topology.size] >= 0
    is_right[wrong] = False
    joined, tier = np.flatnonzero(is_right), cabling.devices["tier"].codes
    joined = joined[tier[topology.device[joined]] != tier[topology.device[topology.joined_to[joined]]]]
    at_home = np.bincount(topology.device[joined], minlength=len(tier))
    # right links of the device that is planned there do not count against the vote: the gain of the ring has them, as
    # broken
    links = links - at_home[actual]
    # the last key of `lexsort` counts first: most links, then the lowest pair, so that results never differ between
    # runs
    order = np.lexsort((pairs, -links))
    # a box with at least as many right links as links that vote for its exchange casts no vote
    order = order[links[order] > 0]
    return [Vote(*vote) for vote in zip(*(column[order].tolist() for column in (links, actual, home)), strict=True)]


def _map_ports(topology: SeenTopology, ring: Ring) -> tuple[dict[int, int], list[int]]:
    """Return what an exchange of boxes does to their ports: (port -> the port it is taken for, all ports touched).

    A port that sees nothing, and of which nothing is known, is taken for no other port.
    """
    taken_for, touched = {}, []
    for actual, planned in ring.items():
        if topology.is_whole[actual]:
            _add_silent_ports(topology, actual, planned)
        for port in topology.list_ports(actual):
            touched.append(port)
            planned_port = topology.port_at(planned, int(topology.name[port]))
            if topology.has_state(port, planned_port):
                taken_for[port] = planned_port
    return taken_for, touched


def _add_silent_ports(topology: SeenTopology, actual: int, planned: int) -> None:
    """Add the ports of device `planned` that the box `actual` lacks to the box, as silent ports of the same names.

    This is for a box of which all that its ports see is known: a port that was not seen sees nobody.
    """
    for port in topology.cabling.list_device_ports(planned).tolist():
        name = int(topology.name[port])
        if topology.port_at(actual, name) == NOWHERE:
            added = topology.add_port(actual, name, topology.locate_port(port)[1])
            topology.surely_silent[added] = True


def _make_room(topology: SeenTopology, ring: Ring, port: int) -> int:
    """Add a port to the device that the box of `port` stands in for; return its number.

    The device has no port with the name of `port` yet; the new one gets it.
    """
    device, text = topology.locate_port(port)
    return topology.add_port(ring[device], int(topology.name[port]), text)


def _is_worth(topology: SeenTopology, ring: Ring, gain: Gain) -> bool:
    """Whether an exchange of boxes saves plugs, is seen well, and leaves few links wrong; `gain` is that of `ring`."""
    return (
        # a row of cables.csv counts as one plug, since both jumpers of a cage are pulled at once. A ring of more than
        # two boxes has to save as much for each box
        gain.cable_rows >= PRICE_OF_SWAP * len(ring) // 2
        and is_well_seen(gain)
        and gain.wrong * RIGHT_PER_WRONG <= gain.right
        and count_plugs(topology, ring) >= LEAST_BOX_PLUGS
    )


def is_well_seen(gain: Gain) -> bool:
    """Whether enough was seen to believe an exchange: all links, or links to two tiers and few that deny it.

    If only one tier confirms it, plugs may have been moved at that tier instead, such as rails crossed at each node. If
    a box is planned to be joined to one tier only, the gain in links must exceed the unseen ones. If some links deny
    the exchange, unseen links count as denying it too.
    """
    if not gain.unseen:
        return gain.links > 0
    if gain.broken and gain.broken * RIGHT_PER_WRONG + gain.unseen > gain.right:
        return False
    return gain.links > gain.unseen if gain.tiers < LEAST_WITNESSES else gain.witnesses >= LEAST_WITNESSES


def count_plugs(topology: SeenTopology, ring: Ring) -> int:
    """Count the planned plugs of the boxes of a ring, which could be moved instead of the boxes."""
    cabling = topology.cabling
    return len({int(cabling.plug[port]) for device in ring for port in cabling.list_device_ports(device).tolist()})


def make_box_exchangeable(staying: Collection[int], one_vote_enough: Collection[int] = ()) -> Exchangeable:
    """Make boxes exchangeable, except the devices `staying`; a vote counts from `LEAST_VOTES` links on.

    For the devices `one_vote_enough`, and all that votes connect with them, one link will do: they have links that no
    moves of plugs explain. That is so if plugs do not fit each other's places: say one box has a plug with three links,
    where the other has two plugs, with one and two links.
    """

    def count_votes(topology: SeenTopology) -> list[Vote]:
        # votes for boxes that stand in each other's places: all that involve a device of `one_vote_enough`, others only
        # with LEAST_VOTES links or more
        votes = [vote for vote in _count_votes(topology) if not {vote.actual, vote.planned} & set(staying)]
        pairs = [{vote.actual, vote.planned} for vote in votes]
        # boxes that votes join to such a device, over any number of votes, are involved as well
        involved = set(one_vote_enough)
        while added := set().union(*(pair for pair in pairs if not involved.isdisjoint(pair))) - involved:
            involved |= added
        return [vote for vote in votes if vote.actual in involved or vote.links >= LEAST_VOTES]

    return Exchangeable(count_votes, _map_ports, _is_worth, _make_room, are_devices=True)


BOXES = make_box_exchangeable(())
