"""Which plugs to move to mend a chain: those at one of its two sides, or where plugs are common, some at each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fabricgen.verify.diagnosis.chains import Chain
from fabricgen.verify.diagnosis.plugs import Plugs
from fabricgen.verify.diagnosis.topology import Topology


@dataclass(frozen=True, slots=True)
class Move:
    """A plug that is pulled at `source` and put at `target`; the cable is then the one planned at `target`.

    `keeps` is the other end of that cable, which stays (or, of a cable that is moved at both ends, moves too).
    """

    source: int
    target: int
    keeps: int


@dataclass(frozen=True, slots=True)
class Repair:
    """Plugs to be moved, in an order in which it can be done: into a free place first.

    `left_out` are planned cables that are then still not there, each as (one end, a place: the cable is not there
    for certain if that one is known to be empty; -1 if it is certain anyway). `surplus` are cables that belong nowhere,
    each as (one end, other end) where they are seen.
    """

    moves: tuple[Move, ...]
    left_out: tuple[tuple[int, int], ...] = ()
    surplus: tuple[tuple[int, int], ...] = ()

    @property
    def places(self) -> list[tuple[int, int]]:
        """Where each plug is, and where it belongs."""
        return [(move.source, move.target) for move in self.moves]


@dataclass(frozen=True)
class Mended:
    """A chain with the ways to mend it, the one that is told first; none: too little was seen."""

    chain: Chain
    ways: tuple[Repair, ...]


@dataclass(frozen=True)
class Group:
    """Chains that are mended together."""

    chains: tuple[Mended, ...]

    @property
    def closed(self) -> bool:
        """Whether each plug is where another one of the group belongs."""
        return all(each.chain.closed for each in self.chains)

    def way(self, nth: int) -> Repair | None:
        """The repair of all chains at the side that is told first (0) or at the other; None where one has no other."""
        if any(len(each.ways) <= nth for each in self.chains):
            return None
        ways = [each.ways[nth] for each in self.chains]
        return Repair(
            tuple(move for way in ways for move in way.moves),
            tuple(left for way in ways for left in way.left_out),
            tuple(pair for way in ways for pair in way.surplus),
        )


def repairs(topology: Topology, plugs: Plugs, chain: Chain) -> list[Repair]:
    """The ways to mend a chain that take the fewest plugs, best first; empty if there is none.

    The best has all plugs on one device, else in one rack, else at the b ends; but a place that is known to be free
    goes before one that nobody saw. A common plug is not moved for one of its cables.
    """
    found = [repair for repair in (_first_ends(topology, plugs, chain), _other_ends(topology, plugs, chain)) if repair]
    return sorted(found or [_mixed(topology, plugs, chain)], key=lambda repair: side_order(topology, repair))


def _is_single(topology: Topology, plugs: Plugs, end: int) -> bool:
    return end >= topology.planned or not plugs.is_common(int(topology.cabling.plug[end]))


def _first_ends(topology: Topology, plugs: Plugs, chain: Chain) -> Repair | None:
    """Each first end is put where the next one is; None if that is not how it can be mended."""
    firsts = [first for first, _ in chain.joined]
    if not all(_is_single(topology, plugs, first) for first in firsts):
        return None
    last = chain.joined[-1]
    left_out = [(firsts[0], chain.before)] if chain.before >= 0 else []
    if chain.closed:
        return Repair(_moves(chain, [*firsts[1:], firsts[0]]))
    if chain.after >= 0 and _is_single(topology, plugs, chain.after):
        return Repair(_moves(chain, [*firsts[1:], chain.after]), tuple(left_out))
    if chain.before >= 0 and _is_single(topology, plugs, chain.before):
        return None
    if chain.after >= 0:
        left_out.append((last[1], chain.after))
    return Repair(_moves(chain, firsts[1:]), tuple(left_out), (last,))


def _moves(chain: Chain, targets: Sequence[int]) -> tuple[Move, ...]:
    moves = [Move(first, to, other) for (first, other), to in zip(chain.joined, targets, strict=False)]
    return tuple(reversed(moves))


def _other_ends(topology: Topology, plugs: Plugs, chain: Chain) -> Repair | None:
    """The same from the other end of the chain."""
    turned = tuple((other, first) for first, other in reversed(chain.joined))
    return _first_ends(topology, plugs, Chain(turned, chain.closed, chain.after, chain.before))


class SideOrder(NamedTuple):
    """What makes a way to mend a chain better than another: lower ones first."""

    plugs: int
    takes_place: bool
    """Whether a plug goes where one may be that is left out."""
    several_devices: bool
    several_racks: bool
    plugs_at_a: int
    lowest_port: int


def side_order(topology: Topology, repair: Repair) -> SideOrder:
    """What a way to mend a chain is sorted by among the others."""
    places = [place for move in repair.moves for place in (move.source, move.target)]
    devices = {int(topology.device[place]) for place in places}
    racks = {topology.cabling.of_device("rack", device) for device in devices}
    return SideOrder(
        plugs=len(repair.moves),
        takes_place=bool(repair.moves and repair.left_out and not topology.empty[repair.moves[0].target]),
        several_devices=len(devices) > 1,
        several_racks=len(racks) > 1,
        plugs_at_a=sum(place < topology.planned and not place & 1 for place in places),  # end a of a link is even
        lowest_port=min(places, default=-1),
    )


def _mixed(topology: Topology, plugs: Plugs, chain: Chain) -> Repair:
    """Plugs at both sides, where each side has a plug that is common to other cables and must stay."""
    firsts, others = [first for first, _ in chain.joined], [other for _, other in chain.joined]
    count = len(firsts)
    ahead = [*firsts[1:], firsts[0] if chain.closed else chain.after]
    wanted = {at: (others[at], ahead[at]) for at in range(count) if ahead[at] >= 0}
    before_first = count - 1 if chain.closed else -1
    if chain.before >= 0:
        wanted[-1] = (chain.before, firsts[0])
    moves, left = [], []
    for at, (first, other) in enumerate(chain.joined):
        fixed_first, fixed_other = not _is_single(topology, plugs, first), not _is_single(topology, plugs, other)
        before = at - 1 if at else before_first
        if fixed_first and not fixed_other and before in wanted:
            moves.append(Move(other, wanted.pop(before)[0], first))
        elif fixed_other and not fixed_first and at in wanted:
            moves.append(Move(first, wanted.pop(at)[1], other))
        else:
            left.append(at)
    free = {key: ends for key, ends in wanted.items() if all(_is_single(topology, plugs, end) for end in ends)}
    loose = [at for at in left if all(_is_single(topology, plugs, end) for end in chain.joined[at])]
    beside = {at: [at, at - 1 if at else before_first] for at in loose}
    while near := {at: found for at in loose if (found := [key for key in beside[at] if key in free])}:
        at = min(near, key=lambda each: (len(near[each]), each))
        key = near[at][0]
        first, other = chain.joined[at]
        loose.remove(at)
        left.remove(at)
        one, two = free.pop(key)
        del wanted[key]
        moves.append(Move(first, two, other) if key == at else Move(other, one, first))
    for at, key in zip(list(loose), sorted(free), strict=False):
        first, other = chain.joined[at]
        one, two = wanted.pop(key)
        moves += [Move(first, two, one), Move(other, one, two)]
        left.remove(at)
    surplus = [chain.joined[at] for at in left]
    places = [place for place in (chain.before, chain.after) if place >= 0]
    doubtful = next((place for place in places if not topology.empty[place]), places[0] if places else -1)
    return Repair(tuple(moves), tuple((end, doubtful) for end, _ in wanted.values()), tuple(surplus))
