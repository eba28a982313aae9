"""Which plugs to move to mend a chain: those at one of its two sides, or where plugs are common, some at each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fabricgen.verify.diagnosis.chains import Chain
from fabricgen.verify.diagnosis.plugs import PlugIndex
from fabricgen.verify.diagnosis.topology import SeenTopology


@dataclass(frozen=True, slots=True)
class PlugMove:
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

    plug_moves: tuple[PlugMove, ...]
    left_out: tuple[tuple[int, int], ...] = ()
    surplus: tuple[tuple[int, int], ...] = ()

    @property
    def places(self) -> list[tuple[int, int]]:
        """Where each plug is, and where it belongs."""
        return [(move.source, move.target) for move in self.plug_moves]


@dataclass(frozen=True)
class MendableChain:
    """A chain with the ways to mend it, the one that is told first; none: too little was seen."""

    chain: Chain
    repairs: tuple[Repair, ...]


@dataclass(frozen=True)
class ChainGroup:
    """Chains that are mended together."""

    chains: tuple[MendableChain, ...]

    @property
    def closed(self) -> bool:
        """Whether each plug is where another one of the group belongs."""
        return all(mendable.chain.closed for mendable in self.chains)

    def join_repairs(self, side: int) -> Repair | None:
        """The repair of all chains at the side that is told first (0) or at the other; None where one has no other."""
        if any(len(mendable.repairs) <= side for mendable in self.chains):
            return None
        repairs = [mendable.repairs[side] for mendable in self.chains]
        return Repair(
            tuple(move for repair in repairs for move in repair.plug_moves),
            tuple(end_pair for repair in repairs for end_pair in repair.left_out),
            tuple(pair for repair in repairs for pair in repair.surplus),
        )


def list_repairs(topology: SeenTopology, plugs: PlugIndex, chain: Chain) -> list[Repair]:
    """The ways to mend a chain at one side or the other; at both where neither side can be mended alone.

    Which is best is for `grouping` to say, that knows all chains. A common plug is not moved for one of its cables.
    """
    candidates = [
        repair
        for repair in (_move_first_ends(topology, plugs, chain), _move_other_ends(topology, plugs, chain))
        if repair
    ]
    return candidates or [_move_at_both_sides(topology, plugs, chain)]


def _is_single(topology: SeenTopology, plugs: PlugIndex, end: int) -> bool:
    return end >= topology.first_spare or not plugs.is_common(int(topology.cabling.plug[end]))


def _move_first_ends(topology: SeenTopology, plugs: PlugIndex, chain: Chain) -> Repair | None:
    """Each first end is put where the next one is; None if that is not how it can be mended."""
    firsts = [first for first, _ in chain.joined]
    if not all(_is_single(topology, plugs, first) for first in firsts):
        return None
    last = chain.joined[-1]
    left_out_ends = [(firsts[0], chain.before)] if chain.before >= 0 else []
    if chain.closed:
        return Repair(_make_moves(chain, [*firsts[1:], firsts[0]]))
    if chain.after >= 0 and _is_single(topology, plugs, chain.after):
        return Repair(_make_moves(chain, [*firsts[1:], chain.after]), tuple(left_out_ends))
    # the other ends can be moved towards the free place there, which leaves no cable over: `_move_other_ends` does that
    if chain.before >= 0 and _is_single(topology, plugs, chain.before):
        return None
    if chain.after >= 0:
        left_out_ends.append((last[1], chain.after))
    return Repair(_make_moves(chain, firsts[1:]), tuple(left_out_ends), (last,))


def _make_moves(chain: Chain, targets: Sequence[int]) -> tuple[PlugMove, ...]:
    # targets are one fewer than cables where the last one has no place and is surplus
    moves = [PlugMove(first, target, second) for (first, second), target in zip(chain.joined, targets, strict=False)]
    # the last one goes into the free place, which frees the place of the one before it
    return tuple(reversed(moves))


def _move_other_ends(topology: SeenTopology, plugs: PlugIndex, chain: Chain) -> Repair | None:
    """The same from the other end of the chain."""
    turned = tuple((second, first) for first, second in reversed(chain.joined))
    return _move_first_ends(topology, plugs, Chain(turned, chain.closed, chain.after, chain.before))


class RepairRating(NamedTuple):
    """What makes a way to mend a chain better than another: lower ones first, in the order of `grouping`."""

    plugs: int
    takes_place: bool
    """Whether a plug goes where one may be that is left out."""
    several_devices: bool
    several_racks: bool
    plugs_at_a: int
    lowest_port: int


def rate_repair(topology: SeenTopology, repair: Repair) -> RepairRating:
    """What a way to mend a chain is sorted by among the others."""
    places = [port for move in repair.plug_moves for port in (move.source, move.target)]
    devices = {int(topology.device[port]) for port in places}
    racks = {topology.cabling.read_device("rack", device) for device in devices}
    return RepairRating(
        plugs=len(repair.plug_moves),
        takes_place=bool(repair.plug_moves and repair.left_out and not topology.empty[repair.plug_moves[0].target]),
        several_devices=len(devices) > 1,
        several_racks=len(racks) > 1,
        plugs_at_a=sum(port < topology.first_spare and not port & 1 for port in places),  # end a of a link is even
        lowest_port=min(places, default=-1),
    )


def _move_at_both_sides(topology: SeenTopology, plugs: PlugIndex, chain: Chain) -> Repair:
    """Plugs at both sides, where each side has a plug that is common to other cables and must stay."""
    firsts, seconds = [first for first, _ in chain.joined], [second for _, second in chain.joined]
    count = len(firsts)
    # planned cables lie between neighbours of the chain: number `at` joins the other end of cable `at` and the first
    # end of the next one; -1 is the one before the first cable
    ahead = [*firsts[1:], firsts[0] if chain.closed else chain.after]
    needed = {at: (seconds[at], ahead[at]) for at in range(count) if ahead[at] >= 0}
    before_first = count - 1 if chain.closed else -1
    if chain.before >= 0:
        needed[-1] = (chain.before, firsts[0])
    moves, unmoved = [], []
    for at, (first, second) in enumerate(chain.joined):
        # where one end is common, the cable becomes the planned one at that end, and its other plug is moved
        fixed_first, fixed_other = not _is_single(topology, plugs, first), not _is_single(topology, plugs, second)
        before = at - 1 if at else before_first
        if fixed_first and not fixed_other and before in needed:
            moves.append(PlugMove(second, needed.pop(before)[0], first))
        elif fixed_other and not fixed_first and at in needed:
            moves.append(PlugMove(first, needed.pop(at)[1], second))
        else:
            unmoved.append(at)
    # what is left: cables of which both plugs may be moved, and planned ones that both plugs of another may become
    free = {key: ends for key, ends in needed.items() if all(_is_single(topology, plugs, end) for end in ends)}
    loose = [at for at in unmoved if all(_is_single(topology, plugs, end) for end in chain.joined[at])]
    beside = {at: [at, at - 1 if at else before_first] for at in loose}
    while near := {at: free_keys for at in loose if (free_keys := [key for key in beside[at] if key in free])}:
        # the cable with the fewest choices first, or another one takes its only place
        at = min(near, key=lambda index: (len(near[index]), index))
        key = near[at][0]
        first, second = chain.joined[at]
        loose.remove(at)
        unmoved.remove(at)
        first_end, second_end = free.pop(key)
        del needed[key]
        moves.append(PlugMove(first, second_end, second) if key == at else PlugMove(second, first_end, first))
    # cables with no place beside them: moved at both ends, as many as there are places
    for at, key in zip(list(loose), sorted(free), strict=False):
        first, second = chain.joined[at]
        first_end, second_end = needed.pop(key)
        moves += [PlugMove(first, second_end, first_end), PlugMove(second, first_end, second_end)]
        unmoved.remove(at)
    surplus = [chain.joined[at] for at in unmoved]
    places = [port for port in (chain.before, chain.after) if port >= 0]
    place_to_check = next((port for port in places if not topology.empty[port]), places[0] if places else -1)
    return Repair(tuple(moves), tuple((end, place_to_check) for end, _ in needed.values()), tuple(surplus))
