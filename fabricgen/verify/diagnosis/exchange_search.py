"""Which boxes, and which plugs of several links, stand in for which: what the majority of their links says.

A link that was seen says, if one of its ends is where it should be, what the other one should be: a *vote* that the
device (or plug) there stands in for another. The votes that agree best are closed to rings, and a ring is believed when
the links that it makes right outnumber those that it makes wrong, links that nobody saw among these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fabricgen.verify.diagnosis.topology import NOWHERE, Gain, Topology


class Vote(NamedTuple):
    """How many links say that what is found at `found` is what is planned as `planned`."""

    links: int
    found: int
    planned: int


Ring = dict[int, int]
"""What stands in for what, closed: the same things are keys and values."""

MOST_ROUNDS = 8
MOST_TRIALS = 40
"""How often a ring that is not believed is tried again without its weakest vote."""


@dataclass(frozen=True, slots=True)
class Exchangeable:
    """A kind of things that can stand in for each other.

    `votes` reads them off a topology, best first; `renumbered` has the port that each port is taken for in a ring
    (NOWHERE: a place that has no number yet, which `room` makes), and all ports that the ring concerns. `is_worth`
    judges a ring by what it gains, `depends` says whether what it tells makes sense only once boxes are exchanged.
    `are_devices`: they are rows of devices.
    """

    votes: Callable[[Topology], list[Vote]]
    renumbered: Callable[[Topology, Ring], tuple[dict[int, int], list[int]]]
    is_worth: Callable[[Topology, Ring, Gain], bool]
    room: Callable[[Topology, Ring, int], int] | None = None
    depends: Callable[[Ring], bool] = lambda _ring: False
    are_devices: bool = False

    def gain(self, topology: Topology, ring: Ring) -> Gain:
        """What it would be worth to believe a ring."""
        return topology.gain(*self.renumbered(topology, ring), ring if self.are_devices else {})


def find_exchanges(topology: Topology, kind: Exchangeable, as_seen: Topology) -> tuple[list[Ring], Topology]:
    """The rings that are believed, best first, and the topology with them taken for what they should be.

    None of the rings, mended alone, as the hall was seen (`as_seen`), would leave fewer links right than before.
    """
    trial, total = topology.copy(), dict[int, int]()
    for _ in range(MOST_ROUNDS):
        believed = [ring for edges in _components(kind.votes(trial)) for ring in _believed(trial, kind, edges)]
        total = _after(total, believed)
        if not believed:
            break
    judged = []
    for ring in _cycles(total):
        gain = kind.gain(topology, ring)
        alone = gain if kind.depends(ring) else as_seen.gain(*kind.renumbered(topology, ring), {})
        if kind.are_devices or (gain.links >= gain.unseen and alone.links >= alone.unseen):
            judged.append((-gain.links, sorted(ring), ring))
    after, kept = topology.copy(), []
    for _, _, ring in sorted(judged, key=lambda each: each[:2]):
        if kind.is_worth(after, ring, kind.gain(after, ring)):
            _take(after, kind, ring)
            kept.append(ring)
    return kept, after


def composed(first: Iterable[Ring], then: Iterable[Ring]) -> list[Ring]:
    """The rings that do in one what some rings do, and then others in the topology after these."""
    return _cycles(_after(_after({}, first), then))


def take_rings(topology: Topology, kind: Exchangeable, rings: Iterable[Ring]) -> Topology:
    """A topology with the things of some rings taken for what they stand in for."""
    after = topology.copy()
    for ring in rings:
        _take(after, kind, ring)
    return after


def likely(topology: Topology, kind: Exchangeable) -> list[tuple[Ring, Gain]]:
    """The rings that the votes speak for, each with what it would gain, whether it is worth it or not."""
    rings = [_closed(votes) for votes in _components(kind.votes(topology))]
    return [(ring, kind.gain(topology, ring)) for ring in rings]


def _components(votes: Sequence[Vote]) -> list[list[Vote]]:
    """The best votes of which no two agree on what is found or on what it stands in for, in chains and rings.

    Those with the most votes come first: an exchange of two leaves looks like one of many nodes, but not so well.
    """
    by_found: dict[int, Vote] = {}
    taken: set[int] = set()
    for vote in votes:
        if vote.found not in by_found and vote.planned not in taken:
            by_found[vote.found] = vote
            taken.add(vote.planned)
    return sorted(_runs(by_found), key=lambda run: -sum(vote.links for vote in run))


def _runs(by_found: Mapping[int, Vote]) -> Iterator[list[Vote]]:
    done: set[int] = set()
    aimed = {vote.planned for vote in by_found.values()}
    for start in sorted(by_found, key=lambda each: (each in aimed, each)):
        run = []
        at = start
        while at in by_found and at not in done:
            done.add(at)
            run.append(by_found[at])
            at = by_found[at].planned
        if run:
            yield run


def _closed(votes: Sequence[Vote]) -> Ring:
    ring = {vote.found: vote.planned for vote in votes}
    return {votes[-1].planned: votes[0].found} | ring


def _believed(topology: Topology, kind: Exchangeable, votes: list[Vote]) -> Iterator[Ring]:
    """The rings among some votes that are worth it; they are taken on the topology."""
    waiting, tried = [votes], list[Ring]()
    while waiting and len(tried) < MOST_TRIALS:
        run = waiting.pop()
        ring = _closed(run)
        if ring not in tried:
            tried.append(ring)
            if kind.is_worth(topology, ring, kind.gain(topology, ring)):
                _take(topology, kind, ring)
                yield ring
                continue
        if len(run) > 1:
            weakest = min(range(len(run)), key=lambda at: run[at].links)
            pieces = run[:weakest], run[weakest + 1 :]
            if run[-1].planned == run[0].found:
                pieces = ([*pieces[1], *pieces[0]], [])
            waiting += [piece for piece in pieces if piece]


def _take(topology: Topology, kind: Exchangeable, ring: Ring) -> None:
    taken_for, touched = kind.renumbered(topology, ring)
    for port, now in taken_for.items():
        if now == NOWHERE and kind.room:
            taken_for[port] = kind.room(topology, ring, port)
    topology.take(taken_for, touched, ring if kind.are_devices else {})


def _after(total: Ring, rings: Iterable[Ring]) -> Ring:
    for ring in rings:
        total = {each: ring.get(total.get(each, each), total.get(each, each)) for each in total.keys() | ring}
    return total


def _cycles(total: Mapping[int, int]) -> list[Ring]:
    done: set[int] = set()
    found = []
    for start in sorted(total):
        ring, at = Ring(), start
        while at not in done:
            done.add(at)
            ring[at] = at = total[at]
        if len(ring) > 1:
            found.append(ring)
    return found
