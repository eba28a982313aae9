"""Plugs of several links, such as the common ends of breakouts, that sit in another cage than planned."""

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

    A spare cage is a group of spare ports of one device that see the far ends of one breakout. It is used like the
    number of a plug: spare cage n of `spare_cages` (the port of each lane, or NOWHERE) has the number -n - 1.
    `cage_of_spare` has this number for each port in such a cage.
    """

    cabling: PlannedCabling
    spare_cages: list[list[int]] = field(default_factory=list)
    cage_of_spare: dict[int, int] = field(default_factory=dict)
    _ports: dict[int, list[int]] = field(default_factory=dict)

    def list_ports(self, plug: int) -> list[int]:
        """Return the ports of a plug or spare cage, in order; NOWHERE stands for unknown ports of a spare cage."""
        if plug < 0:
            return self.spare_cages[-plug - 1]
        if plug not in self._ports:
            self._ports[plug] = self.cabling.list_plug_ports(plug)
        return self._ports[plug]

    def find_first_port(self, port: int, first_spare: int) -> int:
        """Return the first port of the plug or spare cage of a port; `first_spare` is the lowest spare port."""
        if port < first_spare:
            return self.list_ports(int(self.cabling.plug[port]))[0]
        if port not in self.cage_of_spare:
            return port
        return next(cage_port for cage_port in self.list_ports(self.cage_of_spare[port]) if cage_port != NOWHERE)

    def is_common(self, plug: int) -> bool:
        """Whether the links of a planned plug go to several plugs at their far ends.

        Unlike `PlannedCabling.split`, which says what is called a splitter in the plan, it is read off the far plugs.
        """
        ports = self.list_ports(plug)
        plug_of = self.cabling.plug
        return any(plug_of[port ^ 1] != plug_of[ports[0] ^ 1] for port in ports[1:])

    def list_lanes(self, port: int) -> list[int]:
        """Return the ports that share their plugs at both ends with a planned port, itself included."""
        plug_of = self.cabling.plug
        return [lane for lane in self.list_ports(int(plug_of[port])) if plug_of[lane ^ 1] == plug_of[port ^ 1]]

    def find_spare_cages(self, topology: SeenTopology) -> None:
        """Find the spare cages of a topology, and add them to `spare_cages` and `cage_of_spare`.

        Spare ports of one device that see the far ends of one breakout make a cage. Breakouts with most lanes seen come
        first; `_complete_cage` adds ports whose far ends are not seen.
        """
        seen_lanes: dict[tuple[int, int], dict[int, int]] = defaultdict(dict)
        spare_by_key: dict[tuple[int, object], int] = {}
        for port in range(topology.first_spare, topology.size):
            device, text = topology.locate_port(port)
            # the sort key without its last item, the name itself: `_complete_cage` makes such keys up of
            # neighbouring numbers, and looks for their ports
            spare_by_key[device, make_natural_key(text)[0]] = port
            # the port that the plan joins to the one that is seen: where this plug belongs (`-1 ^ 1` is -2, no port)
            target = int(topology.joined_to[port]) ^ 1
            if topology.joined_to[port] >= 0 and target < topology.first_spare:
                plug = int(self.cabling.plug[target])
                if self.is_common(plug):
                    seen_lanes[device, plug][port] = self.list_ports(plug).index(target)
        # the breakout with most lanes seen comes first, since its cage may be completed with ports that another one
        # sees
        for (device, plug), lanes in sorted(seen_lanes.items(), key=lambda breakout: (-len(breakout[1]), breakout[0])):
            ports = [port for port in lanes if port not in self.cage_of_spare]
            ports.sort(key=lambda port: make_natural_key(topology.locate_port(port)[1]))
            cage_ports = [NOWHERE] * len(self.list_ports(plug))
            # lanes are in the order of the ports' names, even if tails are crossed at the far end
            for port, lane in zip(ports, sorted(lanes[port] for port in ports), strict=True):
                cage_ports[lane] = port
            if ports:
                self._complete_cage(topology, spare_by_key, device, cage_ports)
                self.spare_cages.append(cage_ports)
                self.cage_of_spare |= {port: -len(self.spare_cages) for port in cage_ports if port != NOWHERE}

    def _complete_cage(
        self, topology: SeenTopology, spare_by_key: dict[tuple[int, object], int], device: int, cage_ports: list[int]
    ) -> None:
        """Complete a spare cage, in place, with spare ports of its device that continue the numbers of its known ports.

        `cage_ports` has the port of each lane, or NOWHERE; at least one port is known. `spare_by_key` has all spare
        ports by (device, first part of `make_natural_key` of the port's name). Ports of other spare cages are not
        taken.
        """
        numbered_lanes = [
            (lane, make_natural_key(topology.locate_port(port)[1])[0])
            for lane, port in enumerate(cage_ports)
            if port != NOWHERE
        ]
        (first_lane, first_key), (last_lane, last_key) = numbered_lanes[0], numbered_lanes[-1]
        # a natural key ends with (number, ""), or with (-1, text) if the name does not end with a number
        *number_prefix, (first_number, last_text) = first_key
        # by how much the number grows from lane to lane: 1 in `swp33s0`, 2 if SONiC counts lanes and each port has two
        number_step = (last_key[-1][0] - first_number) // (last_lane - first_lane) if len(numbered_lanes) > 1 else 1

        def find_neighbor(distance: int) -> int:
            # the free spare port that is `distance` lanes after the first known one; NOWHERE if there is none
            port = spare_by_key.get(
                (device, (*number_prefix, (first_number + number_step * distance, last_text))), NOWHERE
            )
            return NOWHERE if port in self.cage_of_spare else port

        if len(numbered_lanes) == 1:
            # how many spare ports follow each other below and above; more than the cage has lanes are not counted
            free_below, free_above = (
                next((n for n, _ in enumerate(cage_ports) if find_neighbor(way * (n + 1)) == NOWHERE), len(cage_ports))
                for way in (-1, 1)
            )
            # if the port is in a row of exactly as many spare ports as the cage has lanes, the row is the cage
            if free_below + free_above + 1 == len(cage_ports):
                first_lane = free_below
                cage_ports[:] = [find_neighbor(lane - first_lane) for lane in range(len(cage_ports))]
        for lane in range(len(cage_ports)):
            # a lane without a neighbour stays NOWHERE; no port is put at two lanes
            if cage_ports[lane] == NOWHERE and find_neighbor(lane - first_lane) not in cage_ports:
                cage_ports[lane] = find_neighbor(lane - first_lane)


def make_plug_exchangeable(plugs: PlugIndex, exchanged: Collection[int]) -> Exchangeable:
    """Make common plugs of breakouts exchangeable; `exchanged` are the devices that are exchanged as boxes."""

    def count_votes(topology: SeenTopology) -> list[Vote]:
        # votes of wrong links for plugs in each other's cages, those of most links first
        counts = Counter(
            filter(None, (_read_vote(plugs, topology, port) for port in topology.find_wrong_ports().tolist()))
        )
        at_home = {plug: _count_links_at_home(plugs, topology, plug) for pair in counts for plug in pair}
        # links that are right at either of two plugs count against their exchange: such a plug is in its place, and
        # what else is seen there is left to `chains`
        weights = {pair: links - at_home[pair[0]] - at_home[pair[1]] for pair, links in counts.items()}
        votes = [Vote(links, *pair) for pair, links in weights.items() if links > 0]
        involved = _find_plugs_linked_to_common(plugs, votes)

        def rank_vote(vote: Vote) -> tuple[int, bool, int, int]:
            # of votes with equally many links: a plug stays on its device more often than it goes to another
            ports = (next(p for p in plugs.list_ports(plug) if p != NOWHERE) for plug in (vote.actual, vote.planned))
            return -vote.links, len({int(topology.device[port]) for port in ports}) > 1, vote.actual, vote.planned

        return sorted((vote for vote in votes if vote.actual in involved), key=rank_vote)

    def map_ports(topology: SeenTopology, ring: Ring) -> tuple[dict[int, int], list[int]]:
        # (port -> the port it is taken for if a ring of plugs is believed, all ports touched)
        taken_for, touched = {}, []
        for actual, planned in ring.items():
            for port, now in zip(plugs.list_ports(actual), plugs.list_ports(planned), strict=True):
                if port != NOWHERE:
                    touched.append(port)
                    if topology.has_state(port, now):
                        taken_for[port] = now
        return taken_for, touched

    def is_worth(topology: SeenTopology, ring: Ring, gain: Gain) -> bool:
        # whether a ring explains more than moves of single plugs: it must put more rows right than it moves plugs. As
        # many suffice if a straight plug of several links is in it, or for one plug into a spare cage.
        if NOWHERE in map_ports(topology, ring)[0].values():
            return False
        moved = len(order_moved_plugs(plugs, topology, ring))
        has_straight = any(plug >= 0 and not plugs.is_common(plug) for plug in ring)
        saves = gain.cable_rows > moved or (
            gain.cable_rows == moved and (has_straight or (min(ring) < 0 and moved == 1))
        )
        return saves and gain.links > gain.unseen

    def needs_boxes(ring: Ring) -> bool:
        # whether a plug of a ring is on a device whose box is exchanged
        return any(
            int(plugs.cabling.device[port]) in exchanged
            for plug in ring
            if plug >= 0
            for port in plugs.list_ports(plug)[:1]
        )

    return Exchangeable(count_votes, map_ports, is_worth, needs_boxes=needs_boxes)


def _read_vote(plugs: PlugIndex, topology: SeenTopology, port: int) -> tuple[int, int] | None:
    """Return what the wrong link at a port votes for: (plug or spare cage of the port, plug that seems to be in it).

    That plug is the one at the near end of the link that is planned for the port seen at the far end; the port has to
    have a link (`joined_to` is not -1). None if it votes for nothing: if its far end is a spare port, if that plug has
    one link (left to
    `chains`) or is where it belongs, or if the link is on another lane, as a plug moved whole keeps its lanes.
    """
    cabling = plugs.cabling
    # the two ends of a planned link have numbers that differ in the lowest bit
    target = int(topology.joined_to[port]) ^ 1
    if target >= topology.first_spare:
        return None
    planned = int(cabling.plug[target])
    planned_ports = plugs.list_ports(planned)
    # a plug of one link is left to `chains`, which can be mended at either end
    if len(planned_ports) < 2:
        return None
    # a spare port in no cage votes for nothing, as if the plug were where it belongs
    actual = int(cabling.plug[port]) if port < topology.first_spare else plugs.cage_of_spare.get(port, planned)
    if actual == planned:
        return None
    actual_ports = plugs.list_ports(actual)
    # a plug that was moved as a whole has each link on the same lane of a plug with equally many ports
    if len(actual_ports) != len(planned_ports) or actual_ports.index(port) != planned_ports.index(target):
        return None
    return actual, planned


def _count_links_at_home(plugs: PlugIndex, topology: SeenTopology, plug: int) -> int:
    """Count the right links of a plug where it is planned: each says that the plug is in its place."""
    ports = [port for port in plugs.list_ports(plug) if port != NOWHERE and topology.joined_to[port] >= 0]
    return sum(topology.joins_right(port, int(topology.joined_to[port])) for port in ports)


def _find_plugs_linked_to_common(plugs: PlugIndex, votes: Sequence[Vote]) -> set[int]:
    """Return the plugs and spare cages that votes connect, directly or not, with a common plug or a spare cage.

    A straight plug in the cage of a common plug is one of these. Straight plugs among themselves are left to `chains`,
    which decides at which end they are moved.
    """
    pairs = [(vote.actual, vote.planned) for vote in votes]
    # spare cages have numbers below 0
    linked = {plug for pair in pairs for plug in pair if plug < 0 or plugs.is_common(plug)}
    while added := {plug for pair in pairs if not linked.isdisjoint(pair) for plug in pair} - linked:
        linked |= added
    return linked


def order_moved_plugs(plugs: PlugIndex, topology: SeenTopology, ring: Ring) -> list[int]:
    """Return the plugs of a ring that see something, in an order in which they can be moved: to a free cage first.

    `ring` maps each plug or spare cage to the one where it belongs. Plugs that see nothing are left out.
    """
    present = {
        plug
        for plug in ring
        if any(
            port != NOWHERE and (topology.joined_to[port] >= 0 or topology.towards[port] >= 0)
            for port in plugs.list_ports(plug)
        )
    }
    came_from = {planned: actual for actual, planned in ring.items()}
    free_cages = sorted(planned for actual, planned in ring.items() if actual in present and planned not in present)
    order: list[int] = []
    # if no cage is free, any may be filled first: that of the highest number, a planned one (spare cages are negative)
    for start in free_cages or sorted(present)[-1:]:
        plug_to_move = came_from.get(start, start)
        while plug_to_move in present and plug_to_move not in order:
            order.append(plug_to_move)
            plug_to_move = came_from[plug_to_move]
    return order
