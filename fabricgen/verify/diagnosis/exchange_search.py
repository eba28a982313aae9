"""Which boxes, and which plugs of several links, stand in for which others: what the majority of their links says.

If one end of a seen link is where it should be, the link is a *vote* that the device (or plug) at its other end stands
in for the one that is planned there. Votes that agree are closed to rings. A ring is believed if it is worth its work
(`is_worth` of each kind of thing) and enough of it is seen: of plugs, cages and ends of trunks, the links that it makes
right must outnumber those that it makes wrong and the unseen ones together; boxes are judged by `is_well_seen`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fabricgen.verify.diagnosis.topology import NOWHERE, Gain, SeenTopology


class Vote(NamedTuple):
    """The number of links that say that the thing `actual` stands in for the thing `planned`.

    `actual` is the thing whose ports see it, `planned` the one that should see it. Of boxes, these are the device whose
    name the box tells and the device in whose place it stands; of plugs, the cage where the plug sits and the one where
    it belongs.
    """

    links: int
    actual: int
    planned: int


Ring = dict[int, int]
"""Maps each thing that was found to the one it stands in for; devices, plugs or cages that are keys are values, too."""

MOST_ROUNDS = 8
"""The most rounds of counting votes, each of which must bring a ring that is believed."""
MOST_RING_TRIALS = 40
"""The most rings that are tried by leaving out the weakest vote again and again, to bound time.

A chain of n votes has at most n tries, and few mistakes join more things than this.
"""


@dataclass(frozen=True, slots=True)
class Exchangeable:
    """A kind of thing that can stand in for others of its kind: boxes, plugs, cages or ends of trunks.

    `count_votes` returns the votes in a topology, best first. `map_ports` returns the port that each port is taken for
    if a ring is believed (NOWHERE: a port without a number yet, which `make_room` adds and returns), and all ports that
    the ring concerns. `is_worth` judges a ring by its gain. `needs_boxes` says whether a ring makes sense only after
    boxes are exchanged. `are_devices`: whether the things are rows of devices.

    `map_ports`, and so `measure_gain`, may add ports to the topology: ports of a box that are known to be silent (see
    `boxes`). These change no link.
    """

    count_votes: Callable[[SeenTopology], list[Vote]]
    map_ports: Callable[[SeenTopology, Ring], tuple[dict[int, int], list[int]]]
    is_worth: Callable[[SeenTopology, Ring, Gain], bool]
    make_room: Callable[[SeenTopology, Ring, int], int] | None = None
    needs_boxes: Callable[[Ring], bool] = lambda _ring: False
    are_devices: bool = False

    def measure_gain(self, topology: SeenTopology, ring: Ring) -> Gain:
        """Measure what it would gain to believe a ring."""
        return topology.measure_gain(*self.map_ports(topology, ring), ring if self.are_devices else {})


def find_exchanges(
    topology: SeenTopology, things: Exchangeable, as_seen: SeenTopology
) -> tuple[list[Ring], SeenTopology]:
    """Find the rings that are believed, best first; return them, and the topology with all of them taken.

    A ring of plugs, cages or trunk ends must put right at least as many links as it has unseen ones. This must hold in
    `topology` before other rings are taken, and also in the hall as it was seen (`as_seen`), unless the ring makes
    sense only after an exchange of boxes.
    """
    # rings are first tried on a copy. What the rounds exchange there is composed and judged once more as a whole.
    trial, permutation = topology.copy(), Ring()
    for _ in range(MOST_ROUNDS):
        # votes are counted anew in each round: once a leaf is in its place, the links of nodes below it can say more
        believed = [
            ring
            for votes in _group_votes(things.count_votes(trial))
            for ring in _find_believed_rings(trial, things, votes)
        ]
        permutation = _apply_rings(permutation, believed)
        if not believed:
            break
    judged = []
    for ring in _find_cycles(permutation):
        gain = things.measure_gain(topology, ring)
        alone_gain = (
            gain
            if things.are_devices or things.needs_boxes(ring)
            else as_seen.measure_gain(*things.map_ports(topology, ring), {})
        )
        # for boxes, `is_well_seen` (in their `is_worth`) judges how many links may be unseen
        if things.are_devices or (gain.links >= gain.unseen and alone_gain.links >= alone_gain.unseen):
            # the ring itself is not part of the sort key below, since dicts do not compare
            judged.append((-gain.links, sorted(ring), ring))
    after, accepted = topology.copy(), []
    for _, _, ring in sorted(judged, key=lambda candidate: candidate[:2]):
        if things.is_worth(after, ring, things.measure_gain(after, ring)):
            _take_ring(after, things, ring)
            accepted.append(ring)
    return accepted, after


def compose_rings(earlier: Iterable[Ring], later: Iterable[Ring]) -> list[Ring]:
    """Return rings that have the effect of some rings and of later ones that are done after them."""
    return _find_cycles(_apply_rings(_apply_rings({}, earlier), later))


def pair_exchanged(rings: Iterable[Ring]) -> frozenset[tuple[int, int]]:
    """Return (thing found, thing that it stands in for) of all rings; equal for the same rings in any order."""
    return frozenset(pair for ring in rings for pair in ring.items())


def take_rings(topology: SeenTopology, things: Exchangeable, rings: Iterable[Ring]) -> SeenTopology:
    """Return a topology with the things of some rings taken for what they stand in for."""
    after = topology.copy()
    for ring in rings:
        _take_ring(after, things, ring)
    return after


def list_likely_rings(topology: SeenTopology, things: Exchangeable) -> list[tuple[Ring, Gain]]:
    """Return the rings that votes suggest, each with its gain, whether it is worth it or not."""
    rings = [_close_ring(votes) for votes in _group_votes(things.count_votes(topology))]
    return [(ring, things.measure_gain(topology, ring)) for ring in rings]


def _group_votes(votes: Sequence[Vote]) -> list[list[Vote]]:
    """Group the best votes into chains and rings; no thing is `actual` in two of the votes, or `planned` in two.

    Groups with the most links come first: an exchange of two leaves also looks like one of many nodes, but with fewer
    links for each.
    """
    by_actual: dict[int, Vote] = {}
    planned_taken: set[int] = set()
    for vote in votes:
        if vote.actual not in by_actual and vote.planned not in planned_taken:
            by_actual[vote.actual] = vote
            planned_taken.add(vote.planned)
    return sorted(_chain_votes(by_actual), key=lambda chain: -sum(vote.links for vote in chain))


def _chain_votes(by_actual: Mapping[int, Vote]) -> Iterator[list[Vote]]:
    """Yield votes in chains, open chains first: what one vote names as planned is the actual thing of the next.

    `by_actual` has one vote for each actual thing.
    """
    done_things: set[int] = set()
    named_as_planned = {vote.planned for vote in by_actual.values()}
    # open chains come first, from their beginning; what is then left are closed rings
    for start in sorted(by_actual, key=lambda actual: (actual in named_as_planned, actual)):
        chain = []
        actual = start
        while actual in by_actual and actual not in done_things:
            done_things.add(actual)
            chain.append(by_actual[actual])
            actual = by_actual[actual].planned
        if chain:
            yield chain


def _close_ring(votes: Sequence[Vote]) -> Ring:
    """Close a chain of votes to a ring: the thing planned in the last vote stands in for the first thing found."""
    # in a chain that is closed already, the last planned thing is the first actual one, and its own vote wins
    return {votes[-1].planned: votes[0].actual} | {vote.actual: vote.planned for vote in votes}


def _find_believed_rings(topology: SeenTopology, things: Exchangeable, vote_chain: list[Vote]) -> Iterator[Ring]:
    """Yield the rings in a chain of votes that are worth it, and take each on the topology itself.

    If a ring is not worth it, its weakest vote is left out and what remains is tried.
    """
    waiting_chains, tried_rings = [vote_chain], list[Ring]()
    while waiting_chains and len(tried_rings) < MOST_RING_TRIALS:
        chain = waiting_chains.pop()
        ring = _close_ring(chain)
        if ring not in tried_rings:
            tried_rings.append(ring)
            if things.is_worth(topology, ring, things.measure_gain(topology, ring)):
                _take_ring(topology, things, ring)
                yield ring
                continue
        # a closed chain less one vote closes to the same ring, so that two votes have to go before another one is tried
        if len(chain) > 1:
            weakest = min(range(len(chain)), key=lambda index: chain[index].links)
            votes_before, votes_behind = chain[:weakest], chain[weakest + 1 :]
            # a closed chain without one vote is one open chain, which begins behind the gap
            open_chains = (
                [[*votes_behind, *votes_before]]
                if chain[-1].planned == chain[0].actual
                else [votes_before, votes_behind]
            )
            waiting_chains += [open_chain for open_chain in open_chains if open_chain]


def _take_ring(topology: SeenTopology, things: Exchangeable, ring: Ring) -> None:
    """Take the things of a ring for what they stand in for, on the topology itself."""
    taken_for, touched = things.map_ports(topology, ring)
    for port, now in taken_for.items():
        if now == NOWHERE and things.make_room:
            taken_for[port] = things.make_room(topology, ring, port)
    topology.apply_mapping(taken_for, touched, ring if things.are_devices else {})


def _apply_rings(permutation: Ring, rings: Iterable[Ring]) -> Ring:
    """Return what stands in for what once rings are exchanged one after another, after what `permutation` exchanged."""
    for ring in rings:
        # (thing, what it stands in for so far) of all things in either
        permutation = {
            actual: ring.get(planned, planned)
            for actual, planned in [(thing, permutation.get(thing, thing)) for thing in permutation.keys() | ring]
        }
    return permutation


def _find_cycles(permutation: Mapping[int, int]) -> list[Ring]:
    """Return the rings of a permutation, without things that stand in for themselves."""
    done: set[int] = set()
    rings = []
    for start in sorted(permutation):
        ring, actual = Ring(), start
        while actual not in done:
            done.add(actual)
            # Python assigns from left to right: the key is the old `actual`
            ring[actual] = actual = permutation[actual]
        if len(ring) > 1:
            rings.append(ring)
    return rings
