"""The state of every cable, which cables are dark, and which links are not where they are planned."""

from __future__ import annotations

import numpy as np

from fabricgen.verify.actions import AsFound, CableState
from fabricgen.verify.diagnosis.topology import Topology
from fabricgen.wiring.tables import Flags, Ints


def states_of(topology: Topology, dark: Flags) -> Ints:
    """The state of each cable as seen, of CableState; int32, by cable of PlannedCabling. `dark`: links that are."""
    cabling, planned = topology.cabling, topology.planned
    mate, towards = topology.mate[:planned], topology.towards[:planned]
    port = np.arange(planned)
    state = np.full(planned // 2, CableState.UNSEEN, dtype=np.int32)
    state[dark] = CableState.DARK
    right = (mate == port ^ 1) | ((mate < 0) & (towards >= 0) & (towards == cabling.device[port ^ 1]))
    state[right[0::2] | right[1::2]] = CableState.AS_PLANNED
    joined = (mate >= 0) & (mate != port ^ 1)
    state[joined[0::2] | joined[1::2]] = CableState.HARMLESS
    wrong = topology.odd[:planned] | ((mate < 0) & (towards >= 0) & (towards != cabling.device[port ^ 1]))
    seen_wrong = topology.wrong()
    wrong[seen_wrong[seen_wrong < planned]] = True
    state[wrong[0::2] | wrong[1::2]] = CableState.ELSEWHERE
    found = np.zeros(len(cabling.cable_ids), dtype=np.int32)
    np.maximum.at(found, cabling.cable, state)
    return found


def dark_links(topology: Topology) -> Flags:
    """Links of which no end sees anything and at least one says so for certain; bool, one entry a link."""
    planned = topology.planned
    blind = (topology.mate[:planned] < 0) & (topology.towards[:planned] < 0) & ~topology.odd[:planned]
    empty = topology.empty[:planned]
    dark: Flags = blind[0::2] & blind[1::2] & (empty[0::2] | empty[1::2])
    return dark


def as_found(topology: Topology) -> AsFound:
    """What is joined to what in a topology that has boxes in their places."""
    planned, names = topology.planned, topology.cabling.device_names
    mate, port = topology.mate[: topology.size].copy(), np.arange(planned)
    astray = (mate[:planned] >= 0) & (mate[:planned] != port ^ 1) | (mate[:planned] < 0) & topology.odd[:planned]
    gone: Flags = dark_links(topology) | astray[0::2] | astray[1::2]
    return AsFound(mate, gone, tuple(names[device] for device in topology.device[planned : topology.size].tolist()))
