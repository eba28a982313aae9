"""Plugs of several links, the common ends of breakouts, that sit in another cage than planned."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from fabricgen.blueprint.models import make_natural_key
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.diagnosis.exchange_search import Exchangeable, Ring, Vote
from fabricgen.verify.diagnosis.topology import NOWHERE, Gain, SeenTopology


@dataclass
class PlugIndex:
    """The plugs of a plan, and the spare cages in which common plugs were found.

    A spare cage is known by the breakout whose ends are seen at ports of one device that the plan does not use; it has
    a negative number.
    """

    cabling: PlannedCabling
    spare_cages: list[list[int]] = field(default_factory=list)
    cage_of_spare: dict[int, int] = field(default_factory=dict)
    _ports: dict[int, list[int]] = field(default_factory=dict)

    def list_ports(self, plug: int) -> list[int]:
        """The ports of a plug or spare cage, in their order; NOWHERE for those of a spare cage that are not known."""
        if plug < 0:
            return self.spare_cages[-plug - 1]
        if plug not in self._ports:
            self._ports[plug] = self.cabling.list_plug_ports(plug)
        return self._ports[plug]

    def find_first_port(self, port: int, first_spare: int) -> int:
        """The first port of the plug or spare cage that a port is of; `first_spare` is the lowest spare one."""
        if port < first_spare:
            return self.list_ports(int(self.cabling.plug[port]))[0]
        if port not in self.cage_of_spare:
            return port
        return next(cage_port for cage_port in self.list_ports(self.cage_of_spare[port]) if cage_port != NOWHERE)

    def is_common(self, plug: int) -> bool:
        """Whether the far ends of a plug are several plugs."""
        ports = self.list_ports(plug)
        far = self.cabling.plug
        return any(far[port ^ 1] != far[ports[0] ^ 1] for port in ports[1:])

    def list_lanes(self, port: int) -> list[int]:
        """The ports whose links run beside that of a planned port: in the same plug at both ends."""
        far = self.cabling.plug
        return [lane for lane in self.list_ports(int(far[port])) if far[lane ^ 1] == far[port ^ 1]]

    def find_spare_cages(self, topology: SeenTopology) -> None:
        """Group the spare ports of a topology by the breakout whose ends they see."""
        seen_lanes: dict[tuple[int, int], dict[int, int]] = defaultdict(dict)
        by_key: dict[tuple[int, object], int] = {}
        for port in range(topology.first_spare, topology.size):
            device, text = topology.locate_port(port)
            # without its last item, the name itself: `by_key` is asked for names that are made up of neighbouring
            # numbers
            by_key[device, make_natural_key(text)[0]] = port
            # the port that the plan joins to the one that is seen: where this plug belongs. (`-1 ^ 1` is -2, and never
            # planned.)
            target = int(topology.mate[port]) ^ 1
            if topology.mate[port] >= 0 and target < topology.first_spare:
                plug = int(self.cabling.plug[target])
                if self.is_common(plug):
                    seen_lanes[device, plug][port] = self.list_ports(plug).index(target)
        # the breakout of which most lanes are seen comes first: its cage may take in ports beside these that another
        # one sees
        for (device, plug), lanes in sorted(seen_lanes.items(), key=lambda breakout: (-len(breakout[1]), breakout[0])):
            ports = [port for port in lanes if port not in self.cage_of_spare]
            ports.sort(key=lambda port: make_natural_key(topology.locate_port(port)[1]))
            cage = [NOWHERE] * len(self.list_ports(plug))
            # lanes follow the order of names, whatever tails are crossed at the far end
            for port, lane in zip(ports, sorted(lanes[port] for port in ports), strict=True):
                cage[lane] = port
            if ports:
                self._complete_cage(topology, by_key, device, cage)
                self.spare_cages.append(cage)
                self.cage_of_spare |= {port: -len(self.spare_cages) for port in cage if port != NOWHERE}

    def _complete_cage(
        self, topology: SeenTopology, by_key: dict[tuple[int, object], int], device: int, cage: list[int]
    ) -> None:
        """Add the ports of a spare cage that carry on the numbers of those that are known to be of it."""
        numbered_lanes = [
            (lane, make_natural_key(topology.locate_port(port)[1])[0])
            for lane, port in enumerate(cage)
            if port != NOWHERE
        ]
        (lane, key), (other_lane, other_key) = numbered_lanes[0], numbered_lanes[-1]
        # by how much the number grows from lane to lane: 1 in `swp33s0`, 2 where SONiC counts lanes and each port has
        # two
        step = (other_key[-1][0] - key[-1][0]) // (other_lane - lane) if len(numbered_lanes) > 1 else 1

        def find_beside(distance: int) -> int:
            wanted_key = (*key[:-1], (key[-1][0] + step * distance, key[-1][1]))
            port = by_key.get((device, wanted_key), NOWHERE)
            return NOWHERE if port in self.cage_of_spare else port

        if len(numbered_lanes) == 1:
            ahead = next(distance for distance in range(len(cage) + 1) if find_beside(-distance - 1) == NOWHERE)
            behind = next(distance for distance in range(len(cage) + 1) if find_beside(distance + 1) == NOWHERE)
            # one port of a run of just as many neighbours as the cage has lanes: the run is the cage
            if ahead + behind + 1 == len(cage):
                lane = ahead
                cage[:] = [find_beside(at - lane) for at in range(len(cage))]
        for at in range(len(cage)):
            if cage[at] == NOWHERE and find_beside(at - lane) not in cage:
                cage[at] = find_beside(at - lane)


def make_plug_exchangeable(plugs: PlugIndex, exchanged: Collection[int]) -> Exchangeable:
    """Common plugs of breakouts as things that can stand in for each other; some devices are exchanged as boxes."""

    def count_votes(topology: SeenTopology) -> list[Vote]:
        # votes of wrong links for plugs that are in each other's cage; those for most links first
        counts = Counter(
            filter(None, (_read_vote(plugs, topology, port) for port in topology.find_wrong_ports().tolist()))
        )
        at_home = {plug: _count_links_at_home(plugs, topology, plug) for pair in counts for plug in pair}
        # links that are right at either of two plugs deny their exchange
        weights = {pair: links - at_home[pair[0]] - at_home[pair[1]] for pair, links in counts.items()}
        votes = [Vote(links, *pair) for pair, links in weights.items() if links > 0]
        beside = _find_plugs_near_common(plugs, votes)

        def rank_vote(vote: Vote) -> tuple[int, bool, int, int]:
            # of what as many links say: a plug stays on its device more often than it goes to another
            ports = (next(p for p in plugs.list_ports(plug) if p != NOWHERE) for plug in vote[1:])
            return -vote.links, len({int(topology.device[port]) for port in ports}) > 1, vote.actual, vote.planned

        return sorted((v for v in votes if v.actual in beside), key=rank_vote)

    def renumber_ring(topology: SeenTopology, ring: Ring) -> tuple[dict[int, int], list[int]]:
        # (port -> the port it is taken for once a ring of plugs is put right, all ports touched)
        taken_for, touched = {}, []
        for actual, planned in ring.items():
            for port, now in zip(plugs.list_ports(actual), plugs.list_ports(planned), strict=True):
                if port != NOWHERE:
                    touched.append(port)
                    if topology.has_state(port, now):
                        taken_for[port] = now
        return taken_for, touched

    def is_worth(topology: SeenTopology, ring: Ring, gain: Gain) -> bool:
        # whether a ring is a better explanation than its links one by one
        if NOWHERE in renumber_ring(topology, ring)[0].values():
            return False
        moved = len(order_moved_plugs(plugs, topology, ring))
        straight = any(plug >= 0 and not plugs.is_common(plug) for plug in ring)  # whose links stay together
        saves = gain.rows > moved or (gain.rows == moved and (straight or (min(ring) < 0 and moved == 1)))
        return saves and gain.links > gain.unseen

    def needs_boxes(ring: Ring) -> bool:
        # whether a plug of a ring is on a device whose box is exchanged
        return any(
            int(plugs.cabling.device[port]) in exchanged
            for plug in ring
            if plug >= 0
            for port in plugs.list_ports(plug)[:1]
        )

    return Exchangeable(count_votes, renumber_ring, is_worth, needs_boxes=needs_boxes)


def _read_vote(plugs: PlugIndex, topology: SeenTopology, port: int) -> tuple[int, int] | None:
    """What the link at a port says: (the plug or spare cage of the port, the plug that seems to be in it)."""
    cabling = plugs.cabling
    target = int(topology.mate[port]) ^ 1
    if target >= topology.first_spare:
        return None
    planned = int(cabling.plug[target])
    planned_ports = plugs.list_ports(planned)
    # a plug of one link is told by chains, which can be mended at either end
    if len(planned_ports) < 2:
        return None
    actual = int(cabling.plug[port]) if port < topology.first_spare else plugs.cage_of_spare.get(port, planned)
    if actual == planned:
        return None
    actual_ports = plugs.list_ports(actual)
    # a plug that was moved as a whole has each link on the same lane of another plug of as many
    if len(actual_ports) != len(planned_ports) or actual_ports.index(port) != planned_ports.index(target):
        return None
    return actual, planned


def _count_links_at_home(plugs: PlugIndex, topology: SeenTopology, plug: int) -> int:
    """How many links of a plug are right where it is planned: they say that it is there, and nothing in its place."""
    ports = [port for port in plugs.list_ports(plug) if port != NOWHERE and topology.mate[port] >= 0]
    return sum(topology.joins_right(port, int(topology.mate[port])) for port in ports)


def _find_plugs_near_common(plugs: PlugIndex, votes: Sequence[Vote]) -> set[int]:
    """Plugs and spare cages of which votes lead to a common plug: a straight one in the cage of such a one is of these.

    Those of straight plugs alone are told by chains, which find out at which of their ends they were moved.
    """
    # spare cages have numbers below 0
    near = {plug for vote in votes for plug in vote[1:] if plug < 0 or plugs.is_common(plug)}
    # and what votes join with these, until nothing is added
    while more := {plug for vote in votes if not near.isdisjoint(vote[1:]) for plug in vote[1:]} - near:
        near |= more
    return near


def order_moved_plugs(plugs: PlugIndex, topology: SeenTopology, ring: Ring) -> list[int]:
    """The plugs of a ring that are there to be moved, those that see somebody: into a free cage first."""
    present = {
        plug
        for plug in ring
        if any(
            port != NOWHERE and (topology.mate[port] >= 0 or topology.towards[port] >= 0)
            for port in plugs.list_ports(plug)
        )
    }
    came_from = {planned: actual for actual, planned in ring.items()}
    free = sorted(planned for actual, planned in ring.items() if actual in present and planned not in present)
    order: list[int] = []
    # where no place is free any plug may be the first, but a planned one rather than a spare cage, which is negative
    for start in free or [max(present, default=0)]:
        at = came_from.get(start, start)
        while at in present and at not in order:
            order.append(at)
            at = came_from[at]
    return order
