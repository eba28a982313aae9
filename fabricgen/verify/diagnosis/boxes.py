"""Boxes that stand in each other's place, or whose names are exchanged."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from fabricgen.verify.diagnosis.exchange_search import Exchangeable, Ring, Vote
from fabricgen.verify.diagnosis.topology import NOWHERE, Gain, Topology

LEAST_VOTES = 2
RIGHT_PER_WRONG = 3
"""An exchange explains the links of its boxes port by port, but for few of which something else is wrong."""
LEAST_PLUGS = 4
"""An exchange of two boxes that saves fewer plugs is told as moves of plugs, where these can be told (`boxes_at`)."""


def _votes(topology: Topology, least: int = LEAST_VOTES) -> list[Vote]:
    """Links that would be as planned if the box at one end were another one of its model; at least so many a pair."""
    cabling = topology.cabling
    port = topology.wrong()
    sees = topology.mate[port]
    known = sees < topology.planned
    port, sees = port[known], sees[known]
    planned = sees ^ 1
    agree = (topology.name[port] == topology.name[planned]) & (topology.device[port] != topology.device[planned])
    found, meant = topology.device[port[agree]], topology.device[planned[agree]]
    lone = np.flatnonzero((topology.towards[: topology.planned] >= 0) & (topology.mate[: topology.planned] < 0))
    lone = lone[topology.towards[lone] != topology.device[lone ^ 1]]
    found, meant = np.r_[found, topology.towards[lone]], np.r_[meant, topology.device[lone ^ 1]]
    model = cabling.devices["model"].codes
    same = model[found] == model[meant]
    pairs, links = np.unique(found[same].astype(np.int64) << 32 | meant[same], return_counts=True)
    many = links >= least
    pairs, links = pairs[many], links[many]
    order = np.lexsort((pairs, -links))
    told = zip(links[order].tolist(), (pairs[order] >> 32).tolist(), (pairs[order] & 0xFFFFFFFF).tolist(), strict=True)
    return [Vote(*each) for each in told]


def _renumbered(topology: Topology, ring: Ring) -> tuple[dict[int, int], list[int]]:
    taken_for, touched = {}, []
    for found, planned in ring.items():
        if topology.is_whole[found]:
            _add_silent(topology, found, planned)
        for port in topology.ports_of(found):
            touched.append(port)
            now = topology.port_at(planned, int(topology.name[port]))
            if topology.tells(port, now):
                taken_for[port] = now
    return taken_for, touched


def _add_silent(topology: Topology, found: int, planned: int) -> None:
    """Add the ports that a box, of which all is known, would have in the role of another: nobody is seen there."""
    for port in topology.cabling.ports_of_device(planned).tolist():
        name = int(topology.name[port])
        if topology.port_at(found, name) == NOWHERE:
            added = topology.add_port(found, name, topology.place(port)[1])
            topology.empty[added] = True


def _room(topology: Topology, ring: Ring, port: int) -> int:
    device, text = topology.place(port)
    return topology.add_port(ring[device], int(topology.name[port]), text)


def _is_worth(topology: Topology, ring: Ring, gain: Gain) -> bool:
    return (
        gain.plugs >= LEAST_PLUGS * len(ring) // 2
        and gain.links > gain.unseen
        and gain.wrong * RIGHT_PER_WRONG <= gain.right
        and own_plugs(topology, ring) >= LEAST_PLUGS
    )


def own_plugs(topology: Topology, ring: Ring) -> int:
    """How many plugs boxes are planned to have, which could be moved in place of these."""
    cabling = topology.cabling
    return len({int(cabling.plug[port]) for device in ring for port in cabling.ports_of_device(device).tolist()})


BOXES = Exchangeable(_votes, _renumbered, _is_worth, _room, are_devices=True)


def boxes_at(devices: Collection[int]) -> Exchangeable:
    """Boxes among which some are of `devices`, at which the links of a plug do not go to one plug, link by link.

    The plugs of two boxes may carry different numbers of links: one of three at the one, one of one link and one of two
    at the other. Once such boxes are exchanged no plug is where another belongs, so that moves of plugs cannot tell it,
    however few plugs the exchange saves and however few links vote for it.
    """

    def votes(topology: Topology) -> list[Vote]:
        found, near = _votes(topology, least=1), set(devices)
        while more := {each for vote in found if not near.isdisjoint(vote[1:]) for each in vote[1:]} - near:
            near |= more
        return [vote for vote in found if vote.found in near]

    def is_worth(_topology: Topology, ring: Ring, gain: Gain) -> bool:
        return not ring.keys().isdisjoint(devices) and gain.plugs > 0 and gain.links > gain.unseen

    return replace(BOXES, votes=votes, is_worth=is_worth)


def boxes_without(devices: Collection[int]) -> Exchangeable:
    """Boxes of which some, `devices`, stand where they should."""

    def votes(topology: Topology) -> list[Vote]:
        return [vote for vote in _votes(topology) if vote.found not in devices and vote.planned not in devices]

    return replace(BOXES, votes=votes)
