"""Plugs of several links, the common ends of breakouts, that sit in another cage than planned."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from fabricgen.blueprint.models import natural
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.diagnosis.exchange_search import Exchangeable, Ring, Vote
from fabricgen.verify.diagnosis.topology import NOWHERE, Gain, Topology


@dataclass
class Plugs:
    """The plugs of a plan, and the spare cages in which common plugs were found.

    A spare cage is known by the breakout whose ends are seen at ports of one device that the plan does not use; it has
    a negative number.
    """

    cabling: PlannedCabling
    spare_cages: list[list[int]] = field(default_factory=list)
    cage_of_spare: dict[int, int] = field(default_factory=dict)
    _ports: dict[int, list[int]] = field(default_factory=dict)

    def ports(self, plug: int) -> list[int]:
        """The ports of a plug or spare cage, in their order; NOWHERE for those of a spare cage that are not known."""
        if plug < 0:
            return self.spare_cages[-plug - 1]
        if plug not in self._ports:
            self._ports[plug] = self.cabling.ports_of_plug(plug)
        return self._ports[plug]

    def first(self, port: int, planned: int) -> int:
        """The first port of the plug or spare cage that a port is of; `planned` is the number of planned ports."""
        if port < planned:
            return self.ports(int(self.cabling.plug[port]))[0]
        if port not in self.cage_of_spare:
            return port
        return next(each for each in self.ports(self.cage_of_spare[port]) if each != NOWHERE)

    def is_common(self, plug: int) -> bool:
        """Whether the far ends of a plug are several plugs."""
        ports = self.ports(plug)
        far = self.cabling.plug
        return any(far[port ^ 1] != far[ports[0] ^ 1] for port in ports[1:])

    def lanes(self, port: int) -> list[int]:
        """The ports whose links run beside that of a planned port: in the same plug at both ends."""
        far = self.cabling.plug
        return [each for each in self.ports(int(far[port])) if far[each ^ 1] == far[port ^ 1]]

    def find_spare_cages(self, topology: Topology) -> None:
        """Group the spare ports of a topology by the breakout whose ends they see."""
        met: dict[tuple[int, int], dict[int, int]] = defaultdict(dict)
        by_key: dict[tuple[int, object], int] = {}
        for port in range(topology.planned, topology.size):
            device, text = topology.place(port)
            by_key[device, natural(text)[0]] = port
            target = int(topology.mate[port]) ^ 1
            if topology.mate[port] >= 0 and target < topology.planned:
                plug = int(self.cabling.plug[target])
                if self.is_common(plug):
                    met[device, plug][port] = self.ports(plug).index(target)
        for (device, plug), lanes in sorted(met.items(), key=lambda each: (-len(each[1]), each[0])):
            ports = [port for port in lanes if port not in self.cage_of_spare]
            ports.sort(key=lambda port: natural(topology.place(port)[1]))
            cage = [NOWHERE] * len(self.ports(plug))
            for port, lane in zip(ports, sorted(lanes[port] for port in ports), strict=True):
                cage[lane] = port
            if ports:
                self._complete(topology, by_key, device, cage)
                self.spare_cages.append(cage)
                self.cage_of_spare |= {port: -len(self.spare_cages) for port in cage if port != NOWHERE}

    def _complete(
        self, topology: Topology, by_key: dict[tuple[int, object], int], device: int, cage: list[int]
    ) -> None:
        """Add the ports of a spare cage that carry on the numbers of those that are known to be of it."""
        known = [(lane, natural(topology.place(port)[1])[0]) for lane, port in enumerate(cage) if port != NOWHERE]
        (lane, key), (other_lane, other) = known[0], known[-1]
        step = (other[-1][0] - key[-1][0]) // (other_lane - lane) if len(known) > 1 else 1

        def beside(distance: int) -> int:
            wanted = (*key[:-1], (key[-1][0] + step * distance, key[-1][1]))
            port = by_key.get((device, wanted), NOWHERE)
            return NOWHERE if port in self.cage_of_spare else port

        if len(known) == 1:
            ahead = next(distance for distance in range(len(cage) + 1) if beside(-distance - 1) == NOWHERE)
            behind = next(distance for distance in range(len(cage) + 1) if beside(distance + 1) == NOWHERE)
            if ahead + behind + 1 == len(cage):
                lane = ahead
                cage[:] = [beside(at - lane) for at in range(len(cage))]
        for at in range(len(cage)):
            if cage[at] == NOWHERE and beside(at - lane) not in cage:
                cage[at] = beside(at - lane)


def common_plugs(plugs: Plugs, exchanged: Collection[int]) -> Exchangeable:
    """Common plugs of breakouts as things that can stand in for each other; some devices are exchanged as boxes."""

    def votes(topology: Topology) -> list[Vote]:
        counts = Counter(filter(None, (_vote(plugs, topology, port) for port in topology.wrong().tolist())))
        there = {each: _at_home(plugs, topology, each) for pair in counts for each in pair}
        weights = {pair: links - there[pair[0]] - there[pair[1]] for pair, links in counts.items()}
        found = [Vote(links, *pair) for pair, links in weights.items() if links > 0]
        beside = _beside_common(plugs, found)
        return sorted((v for v in found if v.found in beside), key=lambda vote: (-vote.links, vote.found, vote.planned))

    def renumbered(topology: Topology, ring: Ring) -> tuple[dict[int, int], list[int]]:
        taken_for, touched = {}, []
        for found, planned in ring.items():
            for port, now in zip(plugs.ports(found), plugs.ports(planned), strict=True):
                if port != NOWHERE:
                    touched.append(port)
                    if topology.tells(port, now):
                        taken_for[port] = now
        return taken_for, touched

    def is_worth(topology: Topology, ring: Ring, gain: Gain) -> bool:
        if NOWHERE in renumbered(topology, ring)[0].values():
            return False
        moved = len(moved_plugs(plugs, topology, ring))
        straight = any(each >= 0 and not plugs.is_common(each) for each in ring)  # whose links stay together
        saves = gain.plugs > moved or (gain.plugs == moved and (straight or (min(ring) < 0 and moved == 1)))
        return saves and gain.links > gain.unseen

    def depends(ring: Ring) -> bool:
        return any(
            int(plugs.cabling.device[port]) in exchanged for each in ring if each >= 0 for port in plugs.ports(each)[:1]
        )

    return Exchangeable(votes, renumbered, is_worth, depends=depends)


def _vote(plugs: Plugs, topology: Topology, port: int) -> tuple[int, int] | None:
    """What the link at a port says: (the plug or spare cage of the port, the plug that seems to be in it)."""
    cabling = plugs.cabling
    target = int(topology.mate[port]) ^ 1
    if target >= topology.planned:
        return None
    planned = int(cabling.plug[target])
    theirs = plugs.ports(planned)
    if len(theirs) < 2:
        return None
    found = int(cabling.plug[port]) if port < topology.planned else plugs.cage_of_spare.get(port, planned)
    if found == planned:
        return None
    ours = plugs.ports(found)
    if len(ours) != len(theirs) or ours.index(port) != theirs.index(target):
        return None
    return found, planned


def _at_home(plugs: Plugs, topology: Topology, plug: int) -> int:
    """How many links of a plug are right where it is planned: they say that it is there, and nothing in its place."""
    ports = [port for port in plugs.ports(plug) if port != NOWHERE and topology.mate[port] >= 0]
    return sum(topology.joins_right(port, int(topology.mate[port])) for port in ports)


def _beside_common(plugs: Plugs, votes: Sequence[Vote]) -> set[int]:
    """Plugs and spare cages of which votes lead to a common plug: a straight one in the cage of such a one is of these.

    Those of straight plugs alone are told by chains, which find out at which of their ends they were moved.
    """
    near = {each for vote in votes for each in vote[1:] if each < 0 or plugs.is_common(each)}
    while more := {each for vote in votes if not near.isdisjoint(vote[1:]) for each in vote[1:]} - near:
        near |= more
    return near


def moved_plugs(plugs: Plugs, topology: Topology, ring: Ring) -> list[int]:
    """The plugs of a ring that are there to be moved, those that see somebody: into a free cage first."""
    there = {
        each
        for each in ring
        if any(
            port != NOWHERE and (topology.mate[port] >= 0 or topology.towards[port] >= 0) for port in plugs.ports(each)
        )
    }
    came_from = {planned: found for found, planned in ring.items()}
    free = sorted(planned for found, planned in ring.items() if found in there and planned not in there)
    order: list[int] = []
    for start in free or [max(there, default=0)]:
        at = came_from.get(start, start)
        while at in there and at not in order:
            order.append(at)
            at = came_from[at]
    return order
