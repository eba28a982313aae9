"""Single plugs in the wrong places: chains in which each plug sits where the next one belongs.

Links as planned and links as seen, where these differ, make up closed rings and open chains, by turns one and the
other. A ring of n links that were seen is mended by moving n plugs, at either of its two sides; a chain ends at a spare
port, or at a place where nobody is seen. Links that run side by side in one cable count as one, and are told by the
first of their ports; so do the ports of a spare cage in which such a cable was found.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from fabricgen.verify.diagnosis.plugs import Plugs
from fabricgen.verify.diagnosis.topology import Topology


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
class Cables:
    """Cables that were seen in a wrong place: `mate` joins the first ports of their ends, in both directions.

    `first` has the first port of every end that was met; `unclear` are ports of which the cable's other links tell
    another story, `misfit` ports whose link is another one of the plug that is planned there than of its own plug.
    """

    topology: Topology
    plugs: Plugs
    mate: dict[int, int]
    first: dict[int, int]
    unclear: list[int]
    misfit: list[int]
    _spare: dict[tuple[int, int], int] = field(default_factory=dict)

    def end(self, port: int) -> int:
        """The first port of the cable end at a planned port."""
        if port not in self.first:
            for lane in (lanes := self.plugs.lanes(port)):
                self.first[lane] = lanes[0]
        return self.first[port]

    def partner(self, end: int) -> int:
        """The end that a planned end belongs to.

        Cables swapped between the same two devices may stay: where one of them sits, the free end of the other belongs.
        """
        at = start = end ^ 1
        met = set[int]()
        while at not in self.mate:
            if at in met:
                return start
            met.add(at)
            mates = [int(self.topology.mate[lane]) for lane in self.plugs.lanes(at)]
            beyond = [mate for mate in mates if 0 <= mate < self.topology.planned]
            if not beyond or self.topology.mate[beyond[0]] == beyond[0] ^ 1:
                break
            if not self.topology.joins_right(beyond[0], int(self.topology.mate[beyond[0]])):
                break
            at = self.end(beyond[0]) ^ 1
        return at


def wrong_cables(topology: Topology, plugs: Plugs) -> Cables:
    """The cables that are not where they should be."""
    found = Cables(topology, plugs, {}, {}, [], [])
    wrong = topology.wrong().tolist()
    for port in wrong:
        if port >= topology.planned:
            mate = int(topology.mate[port])
            if mate < topology.planned:
                found.first[port] = found._spare.setdefault((int(topology.device[port]), found.end(mate)), port)
    counts: Counter[tuple[int, int]] = Counter()
    for port in wrong:
        mate = int(topology.mate[port])
        if port < mate and (port < topology.planned or mate < topology.planned):
            one = found.end(port) if port < topology.planned else found.first[port]
            other = found.end(mate) if mate < topology.planned else found.first[mate]
            counts[one, other] += 1
            both = port < topology.planned and mate < topology.planned
            if both and plugs.lanes(port).index(port) != plugs.lanes(mate).index(mate):
                found.misfit += [port, mate]
    for (one, other), _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        if one in found.mate or other in found.mate or _is_also_right(found, one) or _is_also_right(found, other):
            found.unclear += [end for end in (one, other) if end < topology.planned]
        else:
            found.mate[one], found.mate[other] = other, one
    return found


def _is_also_right(found: Cables, end: int) -> bool:
    topology = found.topology
    if end >= topology.planned:
        return False
    return any(
        topology.mate[lane] >= 0 and topology.joins_right(lane, int(topology.mate[lane]))
        for lane in found.plugs.lanes(end)
    )


def chains(cables: Cables) -> list[Chain]:
    """All rings and chains, in the order of their lowest ports."""
    planned = cables.topology.planned
    ends = [end for end in sorted(cables.mate) if end >= planned or cables.partner(end) not in cables.mate]
    done: set[int] = set()
    found = []
    for start in [*ends, *sorted(cables.mate)]:
        if start in done:
            continue
        joined, at = [], start
        while True:
            other = cables.mate[at]
            joined.append((at, other))
            done |= {at, other}
            after = cables.partner(other) if other < planned else -1
            if after not in cables.mate or after in done:
                break
            at = after
        closed = after == start
        before = -1 if closed or start >= planned else cables.partner(start)
        found.append(Chain(tuple(joined), closed, before, -1 if closed else after))
    return found
