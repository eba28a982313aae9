"""Single plugs in the wrong places: chains in which each plug sits where the next one belongs.

Where links as planned and links as seen differ, they alternate in closed rings and open chains. A ring of n seen links
is mended by moving n plugs, at either of its two sides. A chain ends at a spare port, or at a port where nobody is
seen. Links that run side by side in one cable count as one, and are known by the first of their ports; so are the ports
of a spare cage that such a cable was found in.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from fabricgen.verify.diagnosis.plugs import PlugIndex
from fabricgen.verify.diagnosis.topology import SeenTopology


@dataclass(frozen=True)
class Chain:
    """Cables that are mended together.

    `joined` has the cables as seen, each as (first end, second end): the plan joins the second end of each cable to the
    first end of the next. `closed`: the plan joins the last cable to the first one. `port_before` and `port_after` are
    the ports that the plan joins to the first end of an open chain and to its last end (-1: that end is a spare port).
    """

    joined: tuple[tuple[int, int], ...]
    closed: bool
    port_before: int = -1
    port_after: int = -1


@dataclass
class WrongCables:
    """Cables that were seen in a wrong place: `other_end` maps each end to the other, both known by their first ports.

    `first` has the first port of the end that a port belongs to. `unclear` are ports whose link contradicts the other
    links of its cable. `misfit` are ports that are joined to another lane than their own: a plug moved as a whole keeps
    the order of its lanes.
    """

    topology: SeenTopology
    plugs: PlugIndex
    other_end: dict[int, int]
    first: dict[int, int]
    unclear: list[int]
    misfit: list[int]
    _spare: dict[tuple[int, int], int] = field(default_factory=dict)

    def find_end(self, port: int) -> int:
        """Return the first port of the cable end at a planned port; cached in `first` for all lanes of that end."""
        if port not in self.first:
            for lane in (lanes := self.plugs.list_lanes(port)):
                self.first[lane] = lanes[0]
        return self.first[port]

    def find_partner(self, end: int) -> int:
        """Return the end that a planned end should be joined to: the other end of its planned cable A, or another.

        It is another if a parallel cable B sits there harmlessly: B may stay, and A gets the place that B left free. If
        a cable C sits harmlessly in that place, A gets the place that C left free, and so on.
        """
        partner = planned_partner = end ^ 1
        visited = set[int]()
        while partner not in self.other_end:
            # harmless swaps may come round to where they began
            if partner in visited:
                return planned_partner
            visited.add(partner)
            far_lanes = [int(self.topology.joined_to[lane]) for lane in self.plugs.list_lanes(partner)]
            far_lane = next((lane for lane in far_lanes if 0 <= lane < self.topology.first_spare), None)
            if far_lane is None or self.topology.joined_to[far_lane] == far_lane ^ 1:
                break
            if not self.topology.joins_right(far_lane, int(self.topology.joined_to[far_lane])):
                break
            partner = self.find_end(far_lane) ^ 1
        return partner


def find_wrong_cables(topology: SeenTopology, plugs: PlugIndex) -> WrongCables:
    """Find the cables that are not where they should be, by what their wrong ports (`find_wrong_ports`) see.

    First spare ports are gathered into ends of cables. Then links are counted by the two ends that they join, and two
    ends make a cable, those with most links first. Both ends, if planned, get into `unclear` instead if either has
    other links that are right or make another cable, or if lanes are swapped within a cable in its place. Both ports of
    a link that joins lanes of different numbers get into `misfit`.
    """
    cables = WrongCables(topology, plugs, {}, {}, [], [])
    wrong = topology.find_wrong_ports().tolist()
    for port in wrong:
        if port >= topology.first_spare:
            far_port = int(topology.joined_to[port])
            if far_port < topology.first_spare:
                # spare ports of one device that see the same planned end are lanes of one cable; the end is known by
                # the lowest of them
                cables.first[port] = cables._spare.setdefault(
                    (int(topology.device[port]), cables.find_end(far_port)), port
                )
    counts: Counter[tuple[int, int]] = Counter()
    for port in wrong:
        far_port = int(topology.joined_to[port])
        # each link once, from its lower port; links between two spare ports are of no planned cable
        if port < far_port and (port < topology.first_spare or far_port < topology.first_spare):
            end_a = cables.find_end(port) if port < topology.first_spare else cables.first[port]
            end_b = cables.find_end(far_port) if far_port < topology.first_spare else cables.first[far_port]
            # by either end first: which port of a link is the lower one may differ from lane to lane
            counts[min(end_a, end_b), max(end_a, end_b)] += 1
            are_planned = port < topology.first_spare and far_port < topology.first_spare
            # a plug that is moved as a whole keeps the order of its lanes, wherever it sits
            if are_planned and plugs.list_lanes(port).index(port) != plugs.list_lanes(far_port).index(far_port):
                cables.misfit += [port, far_port]
    # most lanes first: the majority of a cable's lanes says where the cable is, and the others contradict it
    for (end_a, end_b), _ in sorted(counts.items(), key=lambda pair_count: (-pair_count[1], pair_count[0])):
        if (
            # the cable is in its place, and lanes are swapped within it: there is nothing to move
            end_b == end_a ^ 1
            or end_a in cables.other_end
            or end_b in cables.other_end
            or _is_also_right(cables, end_a)
            or _is_also_right(cables, end_b)
        ):
            cables.unclear += [end for end in (end_a, end_b) if end < topology.first_spare]
        else:
            cables.other_end[end_a], cables.other_end[end_b] = end_b, end_a
    return cables


def _is_also_right(cables: WrongCables, end: int) -> bool:
    # whether some link of the plug at an end is as planned, so that the plug as a whole is where it belongs
    topology = cables.topology
    if end >= topology.first_spare:
        return False
    return any(
        topology.joined_to[lane] >= 0 and topology.joins_right(lane, int(topology.joined_to[lane]))
        for lane in cables.plugs.list_lanes(end)
    )


def find_ends_without_cable(cables: WrongCables) -> list[int]:
    """Return the ends (ports, sorted) whose cable is missing because a parallel cable sits at its planned other end."""
    topology = cables.topology
    first_spare = topology.first_spare
    joined_to = topology.joined_to[:first_spare]
    port = np.arange(first_spare)
    ends = set[int]()
    # ports that see nobody, though their planned far ports do see somebody
    for lane in np.flatnonzero((joined_to < 0) & (joined_to[port ^ 1] >= 0)).tolist():
        end = cables.find_end(lane)
        partner = cables.find_partner(end)
        # nothing was swapped, or the place is taken, or this pair of free ends is reported from its lower one
        if partner in (end, end ^ 1) or partner in cables.other_end or joined_to[partner] >= 0 or end > partner:
            continue
        if topology.surely_silent[end] or topology.surely_silent[partner]:
            ends.add(partner if topology.surely_silent[partner] else end)
    return sorted(ends)


def list_chains(cables: WrongCables) -> list[Chain]:
    """Return all chains: open ones by their first ends, then closed ones by their lowest ends.

    An open chain has the planned partners of its first and its last end as `port_before` and `port_after`, or -1 at a
    spare port.
    """
    first_spare = cables.topology.first_spare
    # open chains are walked first, from an end that no cable leads to; what is then left are closed rings
    open_starts = [
        end
        for end in sorted(cables.other_end)
        if end >= first_spare or cables.find_partner(end) not in cables.other_end
    ]
    done_ends: set[int] = set()
    rings_and_chains = []
    for start in [*open_starts, *sorted(cables.other_end)]:
        if start in done_ends:
            continue
        joined_ends, near_end = [], start
        while True:
            far_end = cables.other_end[near_end]
            joined_ends.append((near_end, far_end))
            done_ends |= {near_end, far_end}
            next_end = cables.find_partner(far_end) if far_end < first_spare else -1
            if next_end not in cables.other_end or next_end in done_ends:
                break
            near_end = next_end
        is_closed = next_end == start
        end_before = -1 if is_closed or start >= first_spare else cables.find_partner(start)
        rings_and_chains.append(Chain(tuple(joined_ends), is_closed, end_before, -1 if is_closed else next_end))
    return rings_and_chains
