"""Single plugs in the wrong places: chains in which each plug sits where the next one belongs.

Links as planned and links as seen, where these differ, make up closed rings and open chains, by turns one and the
other. A ring of n links that were seen is mended by moving n plugs, at either of its two sides; a chain ends at a spare
port, or at a place where nobody is seen. Links that run side by side in one cable count as one, and are told by the
first of their ports; so do the ports of a spare cage in which such a cable was found.
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

    `joined`: the cables as seen, each as (one end, other end), so that the other end of each belongs to the first end
    of the next. `closed`: the last belongs to the first. `before` and `after`: the places where a chain ends, which
    belong to its first end and to its last (-1: that end is a spare port).
    """

    joined: tuple[tuple[int, int], ...]
    closed: bool
    before: int = -1
    after: int = -1


@dataclass
class WrongCables:
    """Cables that were seen in a wrong place: `mate` joins the first ports of their ends, in both directions.

    `first` has the first port of every end that was met; `unclear` are ports of which the cable's other links tell
    another story, `misfit` ports whose link is another one of the plug that is planned there than of its own plug.
    """

    topology: SeenTopology
    plugs: PlugIndex
    mate: dict[int, int]
    first: dict[int, int]
    unclear: list[int]
    misfit: list[int]
    _spare: dict[tuple[int, int], int] = field(default_factory=dict)

    def find_end(self, port: int) -> int:
        """The first port of the cable end at a planned port; remembered in `first` for all lanes of that end."""
        if port not in self.first:
            for lane in (lanes := self.plugs.list_lanes(port)):
                self.first[lane] = lanes[0]
        return self.first[port]

    def find_partner(self, end: int) -> int:
        """The end that a planned end belongs to.

        Cables swapped between the same two devices may stay: where one of them sits, the free end of the other belongs.
        """
        # the place that the plan joins to this end; a cable that harmlessly sits there leaves the place free that was
        # its own
        at = start = end ^ 1
        met = set[int]()
        while at not in self.mate:
            if at in met:
                return start
            # swapped cables may come round to where they began
            met.add(at)
            mates = [int(self.topology.mate[lane]) for lane in self.plugs.list_lanes(at)]
            beyond = [mate for mate in mates if 0 <= mate < self.topology.first_spare]
            if not beyond or self.topology.mate[beyond[0]] == beyond[0] ^ 1:
                break
            if not self.topology.joins_right(beyond[0], int(self.topology.mate[beyond[0]])):
                break
            at = self.find_end(beyond[0]) ^ 1
        return at


def find_wrong_cables(topology: SeenTopology, plugs: PlugIndex) -> WrongCables:
    """The cables that are not where they should be."""
    cables = WrongCables(topology, plugs, {}, {}, [], [])
    wrong = topology.find_wrong_ports().tolist()
    for port in wrong:
        if port >= topology.first_spare:
            mate = int(topology.mate[port])
            if mate < topology.first_spare:
                # spare ports of one device that see the same planned end are lanes of one cable; the lowest of them
                # stands for it
                cables.first[port] = cables._spare.setdefault((int(topology.device[port]), cables.find_end(mate)), port)
    counts: Counter[tuple[int, int]] = Counter()
    for port in wrong:
        mate = int(topology.mate[port])
        # each link once, from its lower port; links between two spare ports are no cable of the plan
        if port < mate and (port < topology.first_spare or mate < topology.first_spare):
            end_a = cables.find_end(port) if port < topology.first_spare else cables.first[port]
            end_b = cables.find_end(mate) if mate < topology.first_spare else cables.first[mate]
            counts[end_a, end_b] += 1
            are_planned = port < topology.first_spare and mate < topology.first_spare
            # a plug that is moved as a whole keeps the order of its lanes, wherever it sits
            if are_planned and plugs.list_lanes(port).index(port) != plugs.list_lanes(mate).index(mate):
                cables.misfit += [port, mate]
    # most lanes first: what the majority of a cable's lanes says is the cable, and the rest contradicts it
    for (end_a, end_b), _ in sorted(counts.items(), key=lambda pair_count: (-pair_count[1], pair_count[0])):
        if (
            end_a in cables.mate
            or end_b in cables.mate
            or _is_also_right(cables, end_a)
            or _is_also_right(cables, end_b)
        ):
            cables.unclear += [end for end in (end_a, end_b) if end < topology.first_spare]
        else:
            cables.mate[end_a], cables.mate[end_b] = end_b, end_a
    return cables


def _is_also_right(cables: WrongCables, end: int) -> bool:
    # whether some other link of the plug at an end is as planned, so that the plug as a whole is where it belongs
    topology = cables.topology
    if end >= topology.first_spare:
        return False
    return any(
        topology.mate[lane] >= 0 and topology.joins_right(lane, int(topology.mate[lane]))
        for lane in cables.plugs.list_lanes(end)
    )


def find_missing_ends(cables: WrongCables) -> list[int]:
    """Ends whose cable is missing although its other end sees somebody: a cable swapped with it took its place."""
    topology = cables.topology
    first_spare = topology.first_spare
    mate = topology.mate[:first_spare]
    port = np.arange(first_spare)
    missing = []
    for end in np.flatnonzero((mate < 0) & (mate[port ^ 1] >= 0)).tolist():
        first = cables.find_end(end)
        beyond = cables.find_partner(first)
        # nothing was swapped, or the place is taken, or the pair of free ends is told from the lower one
        if beyond in (first, first ^ 1) or beyond in cables.mate or topology.mate[beyond] >= 0 or first > beyond:
            continue
        if topology.empty[first] or topology.empty[beyond]:
            missing.append(beyond if topology.empty[beyond] else first)
    return sorted(set(missing))


def list_chains(cables: WrongCables) -> list[Chain]:
    """All rings and chains, in the order of their lowest ports."""
    first_spare = cables.topology.first_spare
    # open chains are walked first, from an end that nothing leads to; what is then left can only be rings
    ends = [end for end in sorted(cables.mate) if end >= first_spare or cables.find_partner(end) not in cables.mate]
    done: set[int] = set()
    rings_and_chains = []
    for start in [*ends, *sorted(cables.mate)]:
        if start in done:
            continue
        joined, near_end = [], start
        while True:
            far_end = cables.mate[near_end]
            joined.append((near_end, far_end))
            done |= {near_end, far_end}
            after = cables.find_partner(far_end) if far_end < first_spare else -1
            if after not in cables.mate or after in done:
                break
            near_end = after
        closed = after == start
        before = -1 if closed or start >= first_spare else cables.find_partner(start)
        rings_and_chains.append(Chain(tuple(joined), closed, before, -1 if closed else after))
    return rings_and_chains
