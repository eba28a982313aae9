"""The state of every cable, which cables are dark, and which links are not where they are planned."""

from __future__ import annotations

import numpy as np

from fabricgen.verify.actions import AsFound, CableState
from fabricgen.verify.diagnosis.topology import SeenTopology
from fabricgen.wiring.arrays import Flags, Ints


def judge_cables(topology: SeenTopology, dark: Flags) -> Ints:
    """The state of each cable as seen, of CableState; int32, by cable of PlannedCabling. `dark`: links that are."""
    cabling, first_spare = topology.cabling, topology.first_spare
    mate, towards = topology.mate[:first_spare], topology.towards[:first_spare]
    port = np.arange(first_spare)
    state = np.full(first_spare // 2, CableState.UNSEEN, dtype=np.int32)
    state[dark] = CableState.DARK
    # later lines overwrite earlier ones: a link of which one end is as planned is not dark, and one bad end makes it
    # bad
    as_planned = (mate == port ^ 1) | ((mate < 0) & (towards >= 0) & (towards == cabling.device[port ^ 1]))
    state[as_planned[0::2] | as_planned[1::2]] = CableState.AS_PLANNED
    joined = (mate >= 0) & (mate != port ^ 1)
    state[joined[0::2] | joined[1::2]] = CableState.HARMLESS
    wrong = topology.odd[:first_spare] | ((mate < 0) & (towards >= 0) & (towards != cabling.device[port ^ 1]))
    seen_wrong = topology.find_wrong_ports()
    wrong[seen_wrong[seen_wrong < first_spare]] = True
    state[wrong[0::2] | wrong[1::2]] = CableState.ELSEWHERE
    cable_states = np.zeros(len(cabling.cable_ids), dtype=np.int32)
    # CableState ascends from best to worst, and a cable has the worst state of its links
    np.maximum.at(cable_states, cabling.cable, state)
    # one that is as planned has to be seen whole
    partly = cabling.cable[state == CableState.UNSEEN]
    cable_states[partly[cable_states[partly] < CableState.DARK]] = CableState.UNSEEN
    return cable_states


def find_dark_links(topology: SeenTopology) -> Flags:
    """Links of which no end sees anything and at least one says so for certain; bool, one entry a link."""
    first_spare = topology.first_spare
    blind = (topology.mate[:first_spare] < 0) & (topology.towards[:first_spare] < 0) & ~topology.odd[:first_spare]
    empty = topology.empty[:first_spare]
    dark: Flags = blind[0::2] & blind[1::2] & (empty[0::2] | empty[1::2])
    return dark


def describe_hall(topology: SeenTopology) -> AsFound:
    """What is joined to what in a topology that has boxes in their places."""
    first_spare, names = topology.first_spare, topology.cabling.device_names
    mate, port = topology.mate[: topology.size].copy(), np.arange(first_spare)
    astray = (mate[:first_spare] >= 0) & (mate[:first_spare] != port ^ 1) | (mate[:first_spare] < 0) & topology.odd[
        :first_spare
    ]
    gone: Flags = find_dark_links(topology) | astray[0::2] | astray[1::2]
    return AsFound(mate, gone, tuple(names[device] for device in topology.device[first_spare : topology.size].tolist()))
