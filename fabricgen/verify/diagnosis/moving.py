"""Which plugs to move to mend a chain: those at one end of its cables, or, with common plugs, some at each end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fabricgen.verify.diagnosis.chains import Chain
from fabricgen.verify.diagnosis.plugs import PlugIndex
from fabricgen.verify.diagnosis.topology import SeenTopology


@dataclass(frozen=True, slots=True)
class PlugMove:
    """A plug that is pulled at `source` and put in at `target` (first ports).

    Once it is moved, its cable serves as the cable that is planned at `target`. `other_end` is the first port where the
    other end of the cable stays, or, if that is moved as well, the one where it then is.
    """

    source: int
    target: int
    other_end: int


@dataclass(frozen=True, slots=True)
class Repair:
    """Plugs to be moved, in an order in which it can be done: into a free place first.

    `plug_moves` counts plugs; `Action.moves` counts pulls, which may move several plugs of a cage at once. `left_out`
    are planned cables that are still missing afterwards, each as (one of its ends, a port to check): the cable is
    certainly missing if that port is known to be silent, or if it is -1. `surplus` are cables that belong nowhere, as
    (end, other end) where they are seen.
    """

    plug_moves: tuple[PlugMove, ...]
    left_out: tuple[tuple[int, int], ...] = ()
    surplus: tuple[tuple[int, int], ...] = ()

    @property
    def source_targets(self) -> list[tuple[int, int]]:
        """(first port where a plug is, first port where it belongs) of each move."""
        return [(move.source, move.target) for move in self.plug_moves]


@dataclass(frozen=True)
class MendableChain:
    """A chain with the ways to mend it, the preferred one first; without any, too little was seen."""

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

    def join_repairs(self, rank: int) -> Repair | None:
        """Join the preferred (0) or the second (1) repairs of all chains to one; None if a chain has no such repair."""
        if any(len(mendable.repairs) <= rank for mendable in self.chains):
            return None
        repairs = [mendable.repairs[rank] for mendable in self.chains]
        return Repair(
            tuple(move for repair in repairs for move in repair.plug_moves),
            tuple(end_pair for repair in repairs for end_pair in repair.left_out),
            tuple(pair for repair in repairs for pair in repair.surplus),
        )


def list_repairs(topology: SeenTopology, plugs: PlugIndex, chain: Chain) -> list[Repair]:
    """List the repairs of a chain: at the first ends of its cables, at the other ends, or (if need be) at both.

    `grouping`, which knows all chains, decides which is best. A common plug is never moved for the sake of one cable.
    """
    candidates = [
        repair
        for repair in (_move_first_ends(topology, plugs, chain), _move_other_ends(topology, plugs, chain))
        if repair
    ]
    return candidates or [_move_at_both_ends(topology, plugs, chain)]


def _is_single(topology: SeenTopology, plugs: PlugIndex, end: int) -> bool:
    return end >= topology.first_spare or not plugs.is_common(int(topology.cabling.plug[end]))


def _move_first_ends(topology: SeenTopology, plugs: PlugIndex, chain: Chain) -> Repair | None:
    """Mend a chain by putting each first end where the next one is; None if a common plug is in the way.

    Also None if the other ends can be moved instead with no cable left over.
    """
    first_ends = [first for first, _ in chain.joined]
    if not all(_is_single(topology, plugs, first) for first in first_ends):
        return None
    last_cable = chain.joined[-1]
    left_out_ends = [(first_ends[0], chain.port_before)] if chain.port_before >= 0 else []
    if chain.closed:
        return Repair(_make_moves(chain, [*first_ends[1:], first_ends[0]]))
    if chain.port_after >= 0 and _is_single(topology, plugs, chain.port_after):
        return Repair(_make_moves(chain, [*first_ends[1:], chain.port_after]), tuple(left_out_ends))
    # `_move_other_ends` moves the other ends towards the free place before the chain, which leaves no cable over
    if chain.port_before >= 0 and _is_single(topology, plugs, chain.port_before):
        return None
    if chain.port_after >= 0:
        left_out_ends.append((last_cable[1], chain.port_after))
    return Repair(_make_moves(chain, first_ends[1:]), tuple(left_out_ends), (last_cable,))


def _make_moves(chain: Chain, targets: Sequence[int]) -> tuple[PlugMove, ...]:
    # there is one target fewer than cables if the last cable has no place and is surplus
    moves = [PlugMove(first, target, second) for (first, second), target in zip(chain.joined, targets, strict=False)]
    # the last plug goes into the free place, which frees the place for the plug before it
    return tuple(reversed(moves))


def _move_other_ends(topology: SeenTopology, plugs: PlugIndex, chain: Chain) -> Repair | None:
    """Mend a chain by moving the other ends of its cables: as `_move_first_ends`, on the reversed chain."""
    turned = tuple((second, first) for first, second in reversed(chain.joined))
    return _move_first_ends(topology, plugs, Chain(turned, chain.closed, chain.port_after, chain.port_before))


class RepairRating(NamedTuple):
    """Properties by which `grouping` compares repairs of a chain, in this order; lower values are better.

    `grouping` puts pulls behind `plugs`, and shifts between `several_racks` and `several_devices`: both depend on other
    chains as well.
    """

    plugs: int
    takes_place: bool
    """Whether the first plug goes into a port that is not known to be silent, while a planned cable is missing."""
    several_racks: bool
    several_devices: bool
    plugs_at_a: int
    lowest_port: int


def rate_repair(topology: SeenTopology, repair: Repair) -> RepairRating:
    """Return the properties by which a repair is compared with others of its chain."""
    ports = [port for move in repair.plug_moves for port in (move.source, move.target)]
    devices = {int(topology.device[port]) for port in ports}
    racks = {topology.cabling.read_device("rack", device) for device in devices}
    return RepairRating(
        plugs=len(repair.plug_moves),
        takes_place=bool(
            repair.plug_moves and repair.left_out and not topology.surely_silent[repair.plug_moves[0].target]
        ),
        several_racks=len(racks) > 1,
        several_devices=len(devices) > 1,
        plugs_at_a=sum(port < topology.first_spare and not port & 1 for port in ports),  # a ends have even numbers
        lowest_port=min(ports, default=-1),
    )


def _move_at_both_ends(topology: SeenTopology, plugs: PlugIndex, chain: Chain) -> Repair:
    """Mend a chain by moving some plugs at each end, since at both ends common plugs must stay.

    Each seen cable becomes a planned cable beside it in the chain, or else any planned cable that is still free.
    Planned cables that remain are `left_out` of the repair, and seen cables that remain are its `surplus`.
    """
    first_ends, second_ends = [first for first, _ in chain.joined], [second for _, second in chain.joined]
    # planned cables lie between neighbours of the chain: planned cable n joins the second end of seen cable n to
    # the first end of the next one; planned cable -1 lies before the first seen cable
    next_first_ends = [*first_ends[1:], first_ends[0] if chain.closed else chain.port_after]
    end_pairs = enumerate(zip(second_ends, next_first_ends, strict=True))
    needed = {planned: end_pair for planned, end_pair in end_pairs if end_pair[1] >= 0}
    before_first_cable = len(first_ends) - 1 if chain.closed else -1
    if chain.port_before >= 0:
        needed[-1] = (chain.port_before, first_ends[0])
    moves, unmoved = [], []
    for cable, (first, second) in enumerate(chain.joined):
        # if one end is a common plug, the cable becomes the planned one at that end, and its other plug is moved
        first_stays, second_stays = not _is_single(topology, plugs, first), not _is_single(topology, plugs, second)
        previous = cable - 1 if cable else before_first_cable
        if first_stays and not second_stays and previous in needed:
            moves.append(PlugMove(second, needed.pop(previous)[0], first))
        elif second_stays and not first_stays and cable in needed:
            moves.append(PlugMove(first, needed.pop(cable)[1], second))
        else:
            unmoved.append(cable)
    # planned cables without a common plug, and seen cables of which both plugs may be moved
    free = {
        planned: end_pair
        for planned, end_pair in needed.items()
        if all(_is_single(topology, plugs, end) for end in end_pair)
    }
    movable = [cable for cable in unmoved if all(_is_single(topology, plugs, end) for end in chain.joined[cable])]
    neighbors = {cable: [cable, cable - 1 if cable else before_first_cable] for cable in movable}
    while choices := {
        cable: free_keys
        for cable in movable
        if (free_keys := [planned for planned in neighbors[cable] if planned in free])
    }:
        # the cable with the fewest choices first, so that no other cable takes its only place
        cable = min(choices, key=lambda index: (len(choices[index]), index))
        planned = choices[cable][0]
        first, second = chain.joined[cable]
        movable.remove(cable)
        unmoved.remove(cable)
        planned_second, planned_first = free.pop(planned)
        del needed[planned]
        move_first = PlugMove(first, planned_first, second)
        moves.append(move_first if planned == cable else PlugMove(second, planned_second, first))
    # cables whose neighbouring places are taken are moved at both ends, as many as there are places
    for cable, planned in zip(list(movable), sorted(free), strict=False):
        first, second = chain.joined[cable]
        planned_second, planned_first = needed.pop(planned)
        moves += [PlugMove(first, planned_first, planned_second), PlugMove(second, planned_second, planned_first)]
        unmoved.remove(cable)
    surplus = [chain.joined[cable] for cable in unmoved]
    ports = [port for port in (chain.port_before, chain.port_after) if port >= 0]
    # if one of the two may hold a cable that is not seen, no cable is missing for certain
    port_to_check = next((port for port in ports if not topology.surely_silent[port]), ports[0] if ports else -1)
    return Repair(tuple(moves), tuple((end, port_to_check) for end, _ in needed.values()), tuple(surplus))
