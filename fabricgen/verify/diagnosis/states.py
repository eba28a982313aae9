"""The state of every cable, which links are dark, and which links are not where they are planned."""

from __future__ import annotations

import numpy as np

from fabricgen.verify.actions import AsFound, CableState
from fabricgen.verify.diagnosis.topology import SeenTopology
from fabricgen.wiring.arrays import Flags, Ints


def judge_cables(topology: SeenTopology, dark: Flags) -> Ints:
    """Return the state of each cable as seen: int32, a CableState by cable of PlannedCabling.

    `dark` (bool, by link) flags the links that are dark.
    """
    cabling, first_spare = topology.cabling, topology.first_spare
    joined_to, towards = topology.joined_to[:first_spare], topology.towards[:first_spare]
    port = np.arange(first_spare)
    state = np.full(first_spare // 2, CableState.UNSEEN, dtype=np.int32)
    state[dark] = CableState.DARK
    # later assignments overwrite earlier ones: a link with one end as planned is not dark, and one wrong end makes a
    # link wrong
    as_planned = (joined_to == port ^ 1) | ((joined_to < 0) & (towards >= 0) & (towards == cabling.device[port ^ 1]))
    state[as_planned[0::2] | as_planned[1::2]] = CableState.AS_PLANNED
    joined = (joined_to >= 0) & (joined_to != port ^ 1)
    state[joined[0::2] | joined[1::2]] = CableState.HARMLESS
    wrong = topology.odd[:first_spare] | ((joined_to < 0) & (towards >= 0) & (towards != cabling.device[port ^ 1]))
    seen_wrong = topology.find_wrong_ports()
    wrong[seen_wrong[seen_wrong < first_spare]] = True
    state[wrong[0::2] | wrong[1::2]] = CableState.ELSEWHERE
    cable_states = np.zeros(len(cabling.cable_ids), dtype=np.int32)
    # CableState ascends from best to worst, and a cable has the worst state of its links
    np.maximum.at(cable_states, cabling.cable, state)
    # a cable is as planned or harmless only if all its links are seen
    partly_seen = cabling.cable[state == CableState.UNSEEN]
    cable_states[partly_seen[cable_states[partly_seen] < CableState.DARK]] = CableState.UNSEEN
    return cable_states


def find_dark_links(topology: SeenTopology) -> Flags:
    """Flag the links (bool, by link) of which neither end sees anything and at least one end is certainly empty."""
    first_spare = topology.first_spare
    blind = (topology.joined_to[:first_spare] < 0) & (topology.towards[:first_spare] < 0) & ~topology.odd[:first_spare]
    empty = topology.empty[:first_spare]
    dark: Flags = blind[0::2] & blind[1::2] & (empty[0::2] | empty[1::2])
    return dark


def describe_hall(topology: SeenTopology) -> AsFound:
    """Describe what is joined to what, in a topology in which exchanged boxes are taken for what they stand in for."""
    first_spare, names = topology.first_spare, topology.cabling.device_names
    joined_to, port = topology.joined_to[: topology.size].copy(), np.arange(first_spare)
    planned = joined_to[:first_spare]
    astray = (planned >= 0) & (planned != port ^ 1) | (planned < 0) & topology.odd[:first_spare]
    gone: Flags = find_dark_links(topology) | astray[0::2] | astray[1::2]
    return AsFound(
        joined_to, gone, tuple(names[device] for device in topology.device[first_spare : topology.size].tolist())
    )
