"""The state of every cable, which links are dark, harmless or not in the plan, and what is joined to what."""

from __future__ import annotations

import numpy as np

from fabricgen.verify.actions import AsFound, CableState
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.diagnosis.topology import SeenTopology
from fabricgen.verify.sightings import SeenPorts, is_outside, name_port
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
    # by link: even entries of a column by port are the a ends of links, odd ones the b ends
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
    """Flag the links (bool, by link) at which neither end sees anything and at least one end is certainly silent."""
    first_spare = topology.first_spare
    blind = (topology.joined_to[:first_spare] < 0) & (topology.towards[:first_spare] < 0) & ~topology.odd[:first_spare]
    silent = topology.surely_silent[:first_spare]
    # even entries of a column by port are the a ends of links, odd ones the b ends
    dark: Flags = blind[0::2] & blind[1::2] & (silent[0::2] | silent[1::2])
    return dark


def describe_hall(topology: SeenTopology) -> AsFound:
    """Return what is joined to what, in a topology in which exchanged boxes are taken for what they stand in for.

    That is the port that each port sees (int32), the links that are not there (bool, by link: dark, or an end of them
    is in use elsewhere), and the device name of each spare port.
    """
    first_spare, names = topology.first_spare, topology.cabling.device_names
    joined_to, port = topology.joined_to[: topology.size].copy(), np.arange(first_spare)
    joined_to_planned = joined_to[:first_spare]
    # planned ports that see another port than planned, or something that is no port of the plan
    sees_another = (joined_to_planned >= 0) & (joined_to_planned != port ^ 1)
    astray = sees_another | ((joined_to_planned < 0) & topology.odd[:first_spare])
    # even entries of a column by port are the a ends of links, odd ones the b ends
    gone: Flags = find_dark_links(topology) | astray[0::2] | astray[1::2]
    return AsFound(
        joined_to, gone, tuple(names[device] for device in topology.device[first_spare : topology.size].tolist())
    )


def list_harmless_links(topology: SeenTopology) -> list[str]:
    """Return the links that are swapped with parallel ones without harm, as `A:p - B:q`."""
    first_spare = topology.first_spare
    joined_to = topology.joined_to[:first_spare]
    ports = np.flatnonzero((joined_to >= 0) & (joined_to < first_spare))
    # each link once, from its lower port
    ports = ports[(joined_to[ports] != ports ^ 1) & (ports < joined_to[ports])]
    return [
        f"{topology.cabling.name_port(port)} - {topology.cabling.name_port(int(joined_to[port]))}"
        for port in ports.tolist()
        if topology.joins_right(port, int(joined_to[port]))
    ]


def list_extra_links(
    cabling: PlannedCabling, seen_ports: SeenPorts, as_seen: SeenTopology
) -> tuple[list[str], list[str]]:
    """Return links between spare ports, and strangers at spare ports, as `A:p - B:q`; and notes.

    Neighbours at management ports are left out if the plan has no management ports; a note (at most one) counts them.
    """
    planned = cabling.ports
    joined = [
        (port, seen_port, name_port(cabling, seen_ports, seen_port))
        for port, seen_port in enumerate(seen_ports.joined_to[planned:].tolist(), planned)
        # a cable that was taken for a planned one is no extra link
        if seen_port > port and as_seen.joined_to[port] == seen_port
    ]
    joined += [(stranger.port, -1, stranger.text) for stranger in seen_ports.strangers if stranger.port >= planned]
    outside = [pair for pair in joined if any(port >= 0 and is_outside(cabling, seen_ports, port) for port in pair[:2])]
    extra = [
        f"{name_port(cabling, seen_ports, port)} - {far_text}"
        for port, seen_port, far_text in joined
        if (port, seen_port, far_text) not in outside
    ]
    if not outside:
        return extra, []
    port, _, far_text = outside[0]
    note = f"{len(outside):,} neighbours at ports for management are left out, of which the plan has none: "
    return extra, [f"{note}{name_port(cabling, seen_ports, port)} sees {far_text}"]
