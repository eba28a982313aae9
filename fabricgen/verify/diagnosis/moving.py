"""Which plugs to move to mend a chain: those at one of its two sides, or where plugs are common, some at each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fabricgen.verify.diagnosis.board import Board
from fabricgen.verify.diagnosis.chains import Chain
from fabricgen.verify.diagnosis.plugs import Plugs


@dataclass(frozen=True, slots=True)
class Move:
    """A plug that is pulled at `source` and put at `target`; the cable is then the one planned at `target`.

    `keeps` is the other end of that cable, which stays (or, of a cable that is moved at both ends, moves too).
    """

    source: int
    target: int
    keeps: int


@dataclass(frozen=True, slots=True)
class Plan:
    """Plugs to be moved, in an order in which it can be done: into a free place first.

    `left_out`: the end of a planned cable that is then still without its cable, and the place at its other end
    (-1: none is left out).
    """

    moves: tuple[Move, ...]
    left_out: int = -1
    opposite: int = -1


def plans(board: Board, plugs: Plugs, chain: Chain) -> list[Plan]:
    """The ways to mend a chain that take the fewest plugs, best first; empty if there is none.

    The best has all plugs on one device, else in one rack, else at the b ends; but a place that is known to be free
    goes before one that nobody saw.
    """
    found = [plan for plan in (_first_ends(chain), _other_ends(chain)) if plan and _can(board, plugs, plan.moves)]
    if not found:
        found = [plan for plan in [_mixed(board, plugs, chain)] if plan.moves]
    return sorted(found, key=lambda plan: _order(board, plan))


def _first_ends(chain: Chain) -> Plan | None:
    """Each first end is put where the next one is."""
    firsts = [first for first, _ in chain.joined]
    if chain.closed:
        targets = [*firsts[1:], firsts[0]]
    elif chain.after >= 0:
        targets = [*firsts[1:], chain.after]
    elif chain.before < 0:
        targets = firsts[1:]
    else:
        return None
    moves = [Move(at, to, other) for (at, other), to in zip(chain.joined, targets, strict=False)]
    if chain.closed or chain.after < 0 or chain.before < 0:
        return Plan(tuple(reversed(moves)))
    return Plan(tuple(reversed(moves)), firsts[0], chain.before)


def _other_ends(chain: Chain) -> Plan | None:
    """The same from the other end of the chain."""
    turned = tuple((other, first) for first, other in reversed(chain.joined))
    return _first_ends(Chain(turned, chain.closed, chain.after, chain.before))


def _can(board: Board, plugs: Plugs, moves: Sequence[Move]) -> bool:
    """Whether each plug can be moved by itself, and put alone where it belongs."""
    return all(_is_single(board, plugs, move.source) and _is_single(board, plugs, move.target) for move in moves)


def _is_single(board: Board, plugs: Plugs, end: int) -> bool:
    return end >= board.planned or not plugs.is_common(int(board.cabling.plug[end]))


def _order(board: Board, plan: Plan) -> tuple[int, ...]:
    places = [place for move in plan.moves for place in (move.source, move.target)]
    devices = {int(board.device[place]) for place in places}
    racks = {board.cabling.of_device("rack", device) for device in devices}
    last = plan.moves[0].target if plan.moves else -1
    taken = plan.left_out >= 0 and not board.empty[last]
    at_a = sum(place < board.planned and not place & 1 for place in places)
    return int(taken), int(len(devices) > 1), int(len(racks) > 1 or "" in racks), at_a, min(places, default=-1)


def _mixed(board: Board, plugs: Plugs, chain: Chain) -> Plan:
    """Plugs at both sides, where each side has a plug that is common to other cables and must stay."""
    firsts, others = [first for first, _ in chain.joined], [other for _, other in chain.joined]
    count = len(firsts)
    wanted = {at: (others[at], firsts[at + 1]) for at in range(count - 1)}
    if chain.closed:
        wanted[count - 1] = (others[-1], firsts[0])
    if chain.after >= 0:
        wanted[count - 1] = (others[-1], chain.after)
    if chain.before >= 0:
        wanted[-1] = (chain.before, firsts[0])
    before_first = count - 1 if chain.closed else -1
    moves, loose = [], []
    for at in range(count):
        fixed_first, fixed_other = (not _is_single(board, plugs, end) for end in chain.joined[at])
        if fixed_first and not fixed_other and (at - 1 if at else before_first) in wanted:
            moves.append(Move(others[at], wanted.pop(at - 1 if at else before_first)[0], firsts[at]))
        elif fixed_other and not fixed_first and at in wanted:
            moves.append(Move(firsts[at], wanted.pop(at)[1], others[at]))
        elif not fixed_first and not fixed_other:
            loose.append(at)
    far = []
    for at in loose:
        first, other = chain.joined[at]
        if at in wanted:
            moves.append(Move(first, wanted.pop(at)[1], other))
        elif (before := at - 1 if at else before_first) in wanted:
            moves.append(Move(other, wanted.pop(before)[0], first))
        else:
            far.append(chain.joined[at])
    for (first, other), at in zip(far, sorted(wanted), strict=False):
        one, two = wanted[at]
        moves += [Move(first, two, one), Move(other, one, two)]
    return Plan(tuple(moves))
