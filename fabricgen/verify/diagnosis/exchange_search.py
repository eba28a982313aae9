"""Which boxes, and which plugs of several links, stand in for which: what the majority of their links says.

A link that was seen says, if one of its ends is where it should be, what the other one should be: a *vote* that the
device (or plug) there stands in for another. The votes that agree best are closed to rings, and a ring is believed when
the links that it makes right outnumber those that it makes wrong, links that nobody saw among these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fabricgen.verify.diagnosis.topology import NOWHERE, Gain, SeenTopology


class Vote(NamedTuple):
    """How many links say that what is found at `actual` is what is planned as `planned`."""

    links: int
    actual: int
    planned: int


Ring = dict[int, int]
"""What was found -> what it stands in for. Closed: the same devices, plugs or cages are keys and values."""

MOST_ROUNDS = 8
"""How often votes are counted anew, while each count brings a ring that is believed."""
MOST_RING_TRIALS = 40
"""How often a ring that is not believed is tried again without its weakest vote.

A bound on time alone: a run of n votes has no more than n tries, and few mistakes join more things than this.
"""


@dataclass(frozen=True, slots=True)
class Exchangeable:
    """A kind of things that can stand in for each other.

    `count_votes` reads them off a topology, best first; `renumber` has the port that each port is taken for in a ring
    (NOWHERE: a place that has no number yet, which `make_room` makes), and all ports that the ring concerns. `is_worth`
    judges a ring by what it gains, `needs_boxes` says whether what it tells makes sense only once boxes are exchanged.
    `are_devices`: they are rows of devices.

    `renumber`, and with it `measure_gain`, may add ports to the topology that it is asked about: those of a box that
    are known to be silent (see boxes). They change no link.
    """

    count_votes: Callable[[SeenTopology], list[Vote]]
    renumber: Callable[[SeenTopology, Ring], tuple[dict[int, int], list[int]]]
    is_worth: Callable[[SeenTopology, Ring, Gain], bool]
    make_room: Callable[[SeenTopology, Ring, int], int] | None = None
    needs_boxes: Callable[[Ring], bool] = lambda _ring: False
    are_devices: bool = False

    def measure_gain(self, topology: SeenTopology, ring: Ring) -> Gain:
        """What it would be worth to believe a ring."""
        return topology.measure_gain(*self.renumber(topology, ring), ring if self.are_devices else {})


def find_exchanges(
    topology: SeenTopology, things: Exchangeable, as_seen: SeenTopology
) -> tuple[list[Ring], SeenTopology]:
    """The rings that are believed, best first, and the topology with them taken for what they should be.

    None of the rings, mended alone, as the hall was seen (`as_seen`), would leave fewer links right than before.
    """
    # rings are taken on a trial first. What several rounds exchanged there is composed, and judged once more as a
    # whole.
    trial, total = topology.copy(), dict[int, int]()
    for _ in range(MOST_ROUNDS):
        # votes are counted anew in each round: once a leaf is in its place, the links of nodes below it can say more
        believed = [
            ring
            for edges in _group_votes(things.count_votes(trial))
            for ring in _find_believed_rings(trial, things, edges)
        ]
        total = _apply_rings(total, believed)
        if not believed:
            break
    judged = []
    for ring in _find_cycles(total):
        gain = things.measure_gain(topology, ring)
        alone_gain = gain if things.needs_boxes(ring) else as_seen.measure_gain(*things.renumber(topology, ring), {})
        # how many links of boxes nobody may have seen is for `is_well_seen` to say, in their `is_worth`
        if things.are_devices or (gain.links >= gain.unseen and alone_gain.links >= alone_gain.unseen):
            # the ring itself is left out of the order below, since dicts do not compare
            judged.append((-gain.links, sorted(ring), ring))
    after, accepted = topology.copy(), []
    for _, _, ring in sorted(judged, key=lambda candidate: candidate[:2]):
        if things.is_worth(after, ring, things.measure_gain(after, ring)):
            _take_ring(after, things, ring)
            accepted.append(ring)
    return accepted, after


def compose_rings(earlier: Iterable[Ring], later: Iterable[Ring]) -> list[Ring]:
    """The rings that do in one what some rings do, and then others in the topology after these."""
    return _find_cycles(_apply_rings(_apply_rings({}, earlier), later))


def take_rings(topology: SeenTopology, things: Exchangeable, rings: Iterable[Ring]) -> SeenTopology:
    """A topology with the things of some rings taken for what they stand in for."""
    after = topology.copy()
    for ring in rings:
        _take_ring(after, things, ring)
    return after


def list_likely_rings(topology: SeenTopology, things: Exchangeable) -> list[tuple[Ring, Gain]]:
    """The rings that the votes speak for, each with what it would gain, whether it is worth it or not."""
    rings = [_close_ring(votes) for votes in _group_votes(things.count_votes(topology))]
    return [(ring, things.measure_gain(topology, ring)) for ring in rings]


def _group_votes(votes: Sequence[Vote]) -> list[list[Vote]]:
    """The best votes in chains and rings, no two of which name the same as found, or the same as what it stands in for.

    Those with the most votes come first: an exchange of two leaves looks like one of many nodes, but not so well.
    """
    by_actual: dict[int, Vote] = {}
    planned_taken: set[int] = set()
    for vote in votes:
        if vote.actual not in by_actual and vote.planned not in planned_taken:
            by_actual[vote.actual] = vote
            planned_taken.add(vote.planned)
    return sorted(_list_vote_runs(by_actual), key=lambda run: -sum(vote.links for vote in run))


def _list_vote_runs(by_actual: Mapping[int, Vote]) -> Iterator[list[Vote]]:
    # votes joined to runs, each box standing in for the next one's; `by_actual` has one vote a box
    done: set[int] = set()
    aimed = {vote.planned for vote in by_actual.values()}
    # runs that begin somewhere come first, from their beginning; what is left of them are closed rings
    for start in sorted(by_actual, key=lambda actual: (actual in aimed, actual)):
        run = []
        actual = start
        while actual in by_actual and actual not in done:
            done.add(actual)
            run.append(by_actual[actual])
            actual = by_actual[actual].planned
        if run:
            yield run


def _close_ring(votes: Sequence[Vote]) -> Ring:
    """A run of votes as a ring: what the last one names stands in for the first that was found."""
    ring = {vote.actual: vote.planned for vote in votes}
    # in a run that is closed already the last place is the first thing, whose own vote wins
    return {votes[-1].planned: votes[0].actual} | ring


def _find_believed_rings(topology: SeenTopology, things: Exchangeable, votes: list[Vote]) -> Iterator[Ring]:
    """The rings among some votes that are worth it; they are taken on the topology."""
    waiting, tried = [votes], list[Ring]()
    while waiting and len(tried) < MOST_RING_TRIALS:
        run = waiting.pop()
        ring = _close_ring(run)
        if ring not in tried:
            tried.append(ring)
            if things.is_worth(topology, ring, things.measure_gain(topology, ring)):
                _take_ring(topology, things, ring)
                yield ring
                continue
        if len(run) > 1:
            weakest = min(range(len(run)), key=lambda index: run[index].links)
            pieces = run[:weakest], run[weakest + 1 :]
            # a closed run without one vote is one open run, which begins behind the gap
            if run[-1].planned == run[0].actual:
                pieces = ([*pieces[1], *pieces[0]], [])
            waiting += [piece for piece in pieces if piece]


def _take_ring(topology: SeenTopology, things: Exchangeable, ring: Ring) -> None:
    """Take the things of a ring for what they stand in for, on the topology itself."""
    taken_for, touched = things.renumber(topology, ring)
    for port, now in taken_for.items():
        if now == NOWHERE and things.make_room:
            taken_for[port] = things.make_room(topology, ring, port)
    topology.renumber_ports(taken_for, touched, ring if things.are_devices else {})


def _apply_rings(total: Ring, rings: Iterable[Ring]) -> Ring:
    """What stands in for what once rings are exchanged one after another, on top of what `total` has exchanged."""
    for ring in rings:
        total = {
            actual: ring.get(total.get(actual, actual), total.get(actual, actual)) for actual in total.keys() | ring
        }
    return total


def _find_cycles(total: Mapping[int, int]) -> list[Ring]:
    """A permutation as its rings, without what stands in for itself."""
    done: set[int] = set()
    rings = []
    for start in sorted(total):
        ring, actual = Ring(), start
        while actual not in done:
            done.add(actual)
            # Python assigns from left to right: the key is the old `actual`
            ring[actual] = actual = total[actual]
        if len(ring) > 1:
            rings.append(ring)
    return rings
