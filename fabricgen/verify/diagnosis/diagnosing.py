"""From what is seen to what has to be done: boxes first, then common plugs, then single plugs, then what is dark."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from fabricgen.verify.actions import Action, CableState, Diagnosis, Kind
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.diagnosis.boxes import BOXES, LEAST_PLUGS, boxes_but, is_known
from fabricgen.verify.diagnosis.chains import Cables, Chain, chains, wrong_cables
from fabricgen.verify.diagnosis.dark import as_found, bring_home, dark_actions, dark_links, states_of, with_both_ends
from fabricgen.verify.diagnosis.exchange_search import Ring, composed, find_exchanges, likely, take_rings
from fabricgen.verify.diagnosis.exchanges import (
    after_exchanges,
    box_action,
    joined,
    mended,
    plug_actions,
    with_boxes_instead,
    with_doubted,
)
from fabricgen.verify.diagnosis.explaining import Explainer
from fabricgen.verify.diagnosis.grouping import group_chains, merge_groups
from fabricgen.verify.diagnosis.plugs import Plugs, common_plugs
from fabricgen.verify.diagnosis.shifts import PairedCages, paired_cages
from fabricgen.verify.diagnosis.topology import Topology
from fabricgen.verify.diagnosis.trunks import exchangeable_trunks, trunk_action, trunk_ends
from fabricgen.verify.diagnosis.unexplained import (
    conflict_actions,
    half_known_actions,
    hopeless,
    left_over,
    stranger_actions,
    unclear_actions,
)
from fabricgen.verify.sightings import Seen, is_outside, place_of
from fabricgen.wiring.arrays import Ints, Ints64

HOPELESS = 5000
"""More cables elsewhere than this, and more than half of those that are seen, are one action instead of as many."""

MOST_TRIALS = 24
"""So many explanations are priced."""


@dataclass(frozen=True)
class _Explained:
    """What to do about boxes, trunks and plugs, and what is left to be told.

    `exchanges` are those of boxes; `boxed` has boxes in their places, `after` plugs and trunks too; `missing` are ends
    whose cable is missing, and `doubtful` ends of cables that do not go to the plugs that are planned where they were
    seen, link by link.
    """

    exchanges: list[Ring]
    actions: list[Action]
    notes: list[str]
    boxed: Topology
    after: Topology
    missing: list[int]
    doubtful: list[int]

    @property
    def price(self) -> int:
        """What is to be done, in plugs: what is left in doubt costs as much as an exchange of two boxes."""
        looks = sum(action.kind is Kind.PORT for action in self.actions) + len(self.missing) + len(self.doubtful)
        boxes = sum(map(len, self.exchanges))
        return sum(action.moves for action in self.actions) + LEAST_PLUGS * looks + LEAST_PLUGS * boxes // 2


def diagnose(cabling: PlannedCabling, seen: Seen) -> Diagnosis:
    """The state of every cable, and the fewest actions that explain what is not as planned."""
    as_seen = Topology(cabling, seen)
    homeward = bring_home(as_seen)
    states = states_of(as_seen, dark_links(as_seen))
    exchanges, topology, shifted = _exchanged_boxes(as_seen, seen, states)
    if _is_hopeless(topology, states):
        found = _hopeless(as_seen, topology, states, exchanges)
    else:
        found = _choose_cheapest(as_seen, seen, states, exchanges, {device for ring in shifted for device in ring})
    # of shifts into free cages an exchange would explain a part
    instead = [ring for ring in shifted if BOXES.is_worth(as_seen, ring, BOXES.gain(as_seen, ring))]
    explained = with_both_ends(found.actions, homeward)
    actions = [*with_boxes_instead(as_seen, explained, instead), *dark_actions(found.after, found.missing)]
    states = states_of(as_seen, dark_links(found.after))
    lost = cabling.cable[np.array(found.missing, dtype=np.int64) >> 1]
    # a cable at which something worse is known keeps that
    states[lost] = np.maximum(states[lost], CableState.DARK)
    actions += _left_over(topology, states, actions)
    order = list(Kind)
    actions.sort(key=lambda action: order.index(action.kind))
    notes, harmless = list(found.notes), _harmless(as_seen)
    if harmless:
        notes.append(
            f"{len(harmless)} links are swapped with others between the same two devices, whose ports are configured "
            "alike: that is harmless."
        )
    extra, outside = _extra(cabling, seen, as_seen)
    notes += outside
    return Diagnosis(states, tuple(actions), tuple(extra), tuple(harmless), tuple(notes), as_found(found.boxed))


def _exchanged_boxes(as_seen: Topology, seen: Seen, states: Ints) -> tuple[list[Ring], Topology, list[Ring]]:
    """(Exchanges of boxes, the topology with all boxes in their places, exchanges that shifts explain as well.)

    Where every pair of devices has the links that it should have, and all plugs of each device towards such boxes are
    off by as much, these were plugged so.
    """
    exchanges, topology = find_exchanges(as_seen, BOXES, as_seen)
    likely_rings = [ring for ring, _ in likely(as_seen, BOXES) if ring not in exchanges]
    doubted = [ring for ring in exchanges + likely_rings if as_seen.keeps_pairs(ring)]
    if not doubted or _is_hopeless(topology, states):
        return exchanges, topology, []
    plain = _explained(as_seen, seen, states, [])
    shifts = {cable for action in plain.actions if action.kind is Kind.SHIFT for cable in action.cables}
    shifted = [ring for ring in doubted if shifts.issuperset(_cables_towards(as_seen, states, ring))]
    if not shifted:
        return exchanges, topology, []
    right = {device for ring in shifted for device in ring}
    return *find_exchanges(as_seen, boxes_but(right), as_seen), shifted


def _choose_cheapest(as_seen: Topology, seen: Seen, states: Ints, exchanges: list[Ring], right: set[int]) -> _Explained:
    """The explanation of least price, from that with some exchanges of boxes on; boxes that stand `right` stay."""
    kind = boxes_but(right)
    others = [[ring] for ring, gain in likely(as_seen, kind) if is_known(gain) and ring not in exchanges]
    best, tried = _explained(as_seen, seen, states, exchanges), [exchanges]
    untried = _other_exchanges(as_seen, best, right, others)
    # each step goes on from the best so far, whose neighbours are tried anew; no explanation is priced twice
    while len(tried) < MOST_TRIALS:
        rings = next((rings for rings in untried if rings not in tried), None)
        if rings is None:
            break
        tried.append(rings)
        explained = _explained(as_seen, seen, states, rings)
        if explained.price < best.price:
            best, untried = explained, _other_exchanges(as_seen, explained, right, others)
    return best


def _other_exchanges(
    as_seen: Topology, explained: _Explained, right: set[int], others: list[list[Ring]]
) -> Iterator[list[Ring]]:
    """What boxes may be exchanged instead: fewer ones, one more, or some `others`; with what is to be seen then."""
    rings = explained.exchanges
    for doubted in [*_sharing_cages(as_seen, rings), *([ring] for ring in rings if BOXES.gain(as_seen, ring).broken)]:
        yield [ring for ring in rings if ring not in doubted]
    near = _devices_at(explained.after, explained.doubtful)
    more = [
        composed(explained.exchanges, [ring])
        for ring, gain in likely(explained.boxed, boxes_but(right, near))
        # where plugs explain little, few links have to be seen
        if is_known(gain) or (gain.broken == 0 and not near.isdisjoint(ring))
    ]
    for rings in more + others:
        beside, _ = find_exchanges(take_rings(as_seen, BOXES, rings), boxes_but(right), as_seen)
        yield composed(rings, beside)


def _sharing_cages(topology: Topology, rings: list[Ring]) -> Iterator[list[Ring]]:
    """Exchanges that have far ends in one cage with others: one plug, or one pull, may be what moves both.

    Two nodes at each of two breakouts seem to be exchanged where it is the breakouts.
    """
    cabling = topology.cabling
    at_cage: dict[tuple[int, str], list[int]] = defaultdict(list)
    for nth, ring in enumerate(rings):
        for port in {port ^ 1 for device in ring for port in cabling.ports_of_device(device).tolist()}:
            at_cage[int(cabling.device[port]), cabling.cage(port)].append(nth)
    for members in merge_groups(len(rings), at_cage.values()):
        if len(members) > 1:
            yield [rings[nth] for nth in members]


def _cables_towards(topology: Topology, states: Ints, boxes: Iterable[int]) -> set[str]:
    """The cables of devices beside some boxes that go to boxes like these, of the same tier; none of a device of which
    all are as planned (as of a switch for management).
    """
    cabling = topology.cabling
    # one number for each pair of tier and fabric
    tier = cabling.devices["tier"].codes.astype(np.int64) << 32 | cabling.devices["fabric"].codes
    own = np.concatenate([cabling.ports_of_device(box) for box in boxes])
    found = set[str]()
    for device in np.unique(cabling.device[own ^ 1]).tolist():
        ports = cabling.ports_of_device(device)
        cables = cabling.cable[ports[np.isin(tier[cabling.device[ports ^ 1]], tier[cabling.device[own]])] >> 1]
        if (states[cables] == CableState.ELSEWHERE).any():
            found.update(_ids(cabling, np.unique(cables)))
    return found


def _hopeless(as_seen: Topology, topology: Topology, states: Ints, exchanges: list[Ring]) -> _Explained:
    actions = [box_action(as_seen, topology, states, ring) for ring in exchanges]
    told_already = {cable for action in actions for cable in action.cables}
    cables = _ids(topology.cabling, np.flatnonzero(states == CableState.ELSEWHERE))
    actions.append(hopeless([cable for cable in cables if cable not in told_already]))
    note = "More than half of all cables that are seen are elsewhere: is this the plan of this hall?"
    return _Explained(exchanges, actions, [note], topology, topology, [], [])


def _explained(as_seen: Topology, seen: Seen, states: Ints, exchanges: list[Ring]) -> _Explained:
    """What to do where boxes are exchanged so."""
    boxed = take_rings(as_seen, BOXES, exchanges)
    boxes = [box_action(as_seen, boxed, states, ring) for ring in exchanges]
    trunks, topology = _trunks(as_seen, boxed, states)
    exchanged = {device for ring in exchanges for device in ring}
    mended_plugs = _plugs(as_seen, seen, topology, states, exchanged)
    plugs, notes = with_doubted(topology, mended_plugs.actions)
    actions = [*boxes, *trunks, *after_exchanges(topology.cabling, exchanges, plugs)]
    return _Explained(exchanges, actions, notes, boxed, mended_plugs.after, mended_plugs.missing, mended_plugs.doubtful)


def _devices_at(topology: Topology, ends: list[int]) -> set[int]:
    """The devices at the links of some plugs: those that are planned at either end, and those that are seen."""
    cabling = topology.cabling
    ports = [port for end in ends for port in cabling.ports_of_plug(int(cabling.plug[end]))]
    mates = [mate for port in ports if (mate := int(topology.mate[port])) >= 0]
    return {int(topology.device[port]) for port in [*ports, *(port ^ 1 for port in ports), *mates]}


def _trunks(as_seen: Topology, topology: Topology, states: Ints) -> tuple[list[Action], Topology]:
    """(Actions for trunks, the topology with their ends taken for what they stand in for)."""
    ends = trunk_ends(topology.cabling) if len(topology.wrong()) else None
    if ends is None:
        return [], topology
    rings, after = find_exchanges(topology, exchangeable_trunks(ends), as_seen)
    actions = []
    for ring in rings:
        ports = [port for end in ring for port in ends.ports[end].values()]
        actions.append(trunk_action(ends, ring, mended(topology, after, states, ports)))
    return actions, after


class _Mended(NamedTuple):
    """Actions for plugs; the topology with exchanged plugs taken for what they stand in for; ends of missing cables;
    doubtful ends; moves of single plugs, as of rings, that those of whole cages have moved already.
    """

    actions: list[Action]
    after: Topology
    missing: list[int]
    doubtful: list[int]
    twice: list[Ring]

    @property
    def moves(self) -> int:
        """How many pulls it takes."""
        return sum(action.moves for action in self.actions)


def _plugs(as_seen: Topology, seen: Seen, topology: Topology, states: Ints, exchanged: set[int]) -> _Mended:
    """What to do about plugs: whole cages of several plugs are exchanged where that takes fewer pulls."""
    plugs = Plugs(topology.cabling)
    plugs.find_spare_cages(topology)
    common = common_plugs(plugs, exchanged)
    rings, after = find_exchanges(topology, common, as_seen)
    single = _singly(Explainer(topology, after, plugs), seen, states, rings, [])
    cages = PairedCages(plugs)
    pairs, paired = find_exchanges(after, paired_cages(cages, exchanged), as_seen) if single.moves else ([], after)
    whole = [ring for pair in pairs for ring in cages.rings_of_plugs(pair)]
    if not whole or _overlap(whole, rings):
        return single
    by_cages = _singly(Explainer(topology, paired, plugs), seen, states, rings, whole)
    # a single plug that is moved again after its cage was: both moves are one, straight to where it belongs
    if by_cages.twice and all(_is_of_one_width(plugs, ring) for ring in by_cages.twice):
        whole = composed(whole, by_cages.twice)
        if _overlap(whole, rings):
            return single
        explainer = Explainer(topology, take_rings(after, common, whole), plugs)
        by_cages = _singly(explainer, seen, states, rings, whole)
    # of as many pulls, those in more parts that can be mended each alone
    effort = by_cages.moves - single.moves, len(single.actions) - len(by_cages.actions)
    return by_cages if effort < (0, 0) and not by_cages.twice else single


def _is_of_one_width(plugs: Plugs, ring: Ring) -> bool:
    """Whether moves are closed, among planned plugs of as many ports each."""
    return ring.keys() == set(ring.values()) and min(ring) >= 0 and len({len(plugs.ports(each)) for each in ring}) == 1


def _overlap(rings: Iterable[Ring], others: Iterable[Ring]) -> bool:
    """Whether some rings move a plug that others move."""
    return not {plug for ring in rings for plug in ring}.isdisjoint(plug for ring in others for plug in ring)


def _singly(explainer: Explainer, seen: Seen, states: Ints, common: list[Ring], whole: list[Ring]) -> _Mended:
    """What to do about plugs of which those of some rings are exchanged, `common` plugs and `whole` cages, and single
    ones are moved then.
    """
    rings, moved = [*common, *whole], {plug for ring in whole for plug in ring}
    topology, after, plugs = explainer.before, explainer.topology, explainer.plugs
    cabling = topology.cabling
    of_rings = plug_actions(explainer, topology, states, rings)
    actions = [each.action for each in of_rings]
    cables = wrong_cables(after, plugs)
    missing, twice = _missing(cables), list[Ring]()
    for group in group_chains(explainer, chains(cables)):
        action, repair = explainer.action(group)
        way = {_plug_at(topology, source): _plug_at(topology, target) for source, target in repair.places}
        if not moved.isdisjoint([*way, *way.values()]):
            twice.append(way)
        lost = [end for end, place in repair.left_out if place < 0 or after.empty[place]]
        missing += lost
        action = _without(action, [str(cabling.cable_ids[cabling.cable[end >> 1]]) for end in lost])
        needed = {_needed(topology, each.chain, rings) for each in group.chains}
        first = next((at for at, each in enumerate(of_rings) if not needed.isdisjoint(each.rings)), None)
        if first is None:
            actions.append(action)
        else:
            actions[first] = joined(actions[first], action)
    actions += stranger_actions(after, seen)
    actions += conflict_actions(after, seen)
    actions += half_known_actions(after)
    actions += unclear_actions(after, cables.unclear)
    return _Mended(actions, after, missing, cables.unclear + cables.misfit, twice)


def _plug_at(topology: Topology, port: int) -> int:
    """The plug that is planned at a port; -1 at a spare one."""
    return int(topology.cabling.plug[port]) if port < topology.planned else -1


def _missing(cables: Cables) -> list[int]:
    """Ends whose cable is missing although its other end sees somebody: a cable swapped with it took its place."""
    topology = cables.topology
    planned = topology.planned
    mate = topology.mate[:planned]
    port = np.arange(planned)
    found = []
    for end in np.flatnonzero((mate < 0) & (mate[port ^ 1] >= 0)).tolist():
        first = cables.end(end)
        beyond = cables.partner(first)
        if beyond in (first, first ^ 1) or beyond in cables.mate or topology.mate[beyond] >= 0 or first > beyond:
            continue
        if topology.empty[first] or topology.empty[beyond]:
            found.append(beyond if topology.empty[beyond] else first)
    return sorted(set(found))


def _needed(topology: Topology, chain: Chain, rings: list[Ring]) -> int:
    """Which exchange of common plugs a chain comes of: one that breaks a link of it that is right now (-1: none)."""
    plug = topology.cabling.plug
    for one, other in chain.joined:
        for end in (one, other):
            if (
                end < topology.planned
                and topology.mate[end] >= 0
                and topology.joins_right(end, int(topology.mate[end]))
            ):
                plugs = {int(plug[end]), int(plug[end ^ 1]), int(plug[one]) if one < topology.planned else -1}
                for at, ring in enumerate(rings):
                    if plugs & ring.keys():
                        return at
    return -1


def _without(action: Action, cables: list[str]) -> Action:
    """An action less the cables that are reported as dark, unless that is all it is about."""
    rest = tuple(each for each in action.cables if each not in cables)
    return replace(action, cables=rest) if rest else action


def _is_hopeless(topology: Topology, states: Ints) -> bool:
    wrong = len(topology.wrong())
    seen = int((topology.mate >= 0).sum())
    return wrong > 2 * HOPELESS and 2 * wrong > seen and int((states == CableState.ELSEWHERE).sum()) > HOPELESS


def _left_over(topology: Topology, states: Ints, actions: list[Action]) -> list[Action]:
    explained = {cable for action in actions for cable in action.cables}
    faulty = np.flatnonzero(states >= CableState.DARK)
    ids = _ids(topology.cabling, faulty)
    return left_over(topology, [at for at, cable in zip(faulty.tolist(), ids, strict=True) if cable not in explained])


def _ids(cabling: PlannedCabling, cables: Ints64) -> list[str]:
    return [str(cable) for cable in cabling.cable_ids[cables].tolist()]


def _harmless(topology: Topology) -> list[str]:
    """The links that are harmless, as `A:p - B:q`."""
    planned = topology.planned
    mate = topology.mate[:planned]
    port = np.flatnonzero((mate >= 0) & (mate < planned))
    port = port[(mate[port] != port ^ 1) & (port < mate[port])]
    place = topology.cabling.place
    return [
        f"{place(each)} - {place(int(mate[each]))}"
        for each in port.tolist()
        if topology.joins_right(each, int(mate[each]))
    ]


def _extra(cabling: PlannedCabling, seen: Seen, as_seen: Topology) -> tuple[list[str], list[str]]:
    """(Links between ports of which none is planned, and strangers at such ports, as `A:p - B:q`; a note on those at
    ports for management that no plan has.)
    """
    planned = cabling.ports
    joined = [
        (port, int(sees), place_of(cabling, seen, int(sees)))
        for port, sees in enumerate(seen.mate[planned:].tolist(), planned)
        # not so of a cable that was brought home
        if sees > port and as_seen.mate[port] == sees
    ]
    joined += [(stranger.port, -1, stranger.text) for stranger in seen.strangers if stranger.port >= planned]
    outside = [pair for pair in joined if any(port >= 0 and is_outside(cabling, seen, port) for port in pair[:2])]
    found = [
        f"{place_of(cabling, seen, port)} - {told}" for port, sees, told in joined if (port, sees, told) not in outside
    ]
    first = f"{place_of(cabling, seen, outside[0][0])} sees {outside[0][2]}" if outside else ""
    note = f"{len(outside):,} neighbours at ports for management are left out, of which the plan has none: {first}"
    return found, [note] if outside else []
