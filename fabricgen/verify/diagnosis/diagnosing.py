"""From what is seen to what has to be done: boxes first, then trunks, plugs and, last, dark cables.

The hall is explained by a sequence of topologies. Each takes things for others, and the next search works on what the
one before left unexplained; the plan never changes:

- `as_seen`: what was seen, with cables between free ports taken for planned ones (`spare_cables`);
- `boxed`: with the boxes that are exchanged taken for what they stand in for;
- `before`: with the ends of trunks as well;
- `after`: with common plugs as well, and then with whole cages, if that is less work.

What is wrong in the last one is explained by moves of single plugs, and what then sees nobody is dark.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from fabricgen.verify.actions import Action, CableState, Diagnosis, Kind
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.diagnosis.boxes import BOXES, PRICE_OF_SWAP, is_well_seen, make_box_exchangeable
from fabricgen.verify.diagnosis.chain_actions import Explainer
from fabricgen.verify.diagnosis.chains import Chain, find_ends_without_cable, find_wrong_cables, list_chains
from fabricgen.verify.diagnosis.dark import list_dark_actions
from fabricgen.verify.diagnosis.exchange_actions import (
    add_box_exchanges,
    add_unproven_exchanges,
    join_actions,
    list_mended_cables,
    make_box_action,
    make_plug_actions,
    name_exchanges_first,
)
from fabricgen.verify.diagnosis.exchange_search import (
    Ring,
    compose_rings,
    find_exchanges,
    list_likely_rings,
    pair_exchanged,
    take_rings,
)
from fabricgen.verify.diagnosis.grouping import group_chains, merge_groups
from fabricgen.verify.diagnosis.plugs import PlugIndex, make_plug_exchangeable
from fabricgen.verify.diagnosis.shifts import PairedCages, make_cage_exchangeable
from fabricgen.verify.diagnosis.spare_cables import add_steps_home, pretend_at_planned_ports
from fabricgen.verify.diagnosis.states import (
    describe_hall,
    find_dark_links,
    judge_cables,
    list_extra_links,
    list_harmless_links,
)
from fabricgen.verify.diagnosis.topology import SeenTopology
from fabricgen.verify.diagnosis.trunks import list_trunk_ends, make_trunk_action, make_trunk_exchangeable
from fabricgen.verify.diagnosis.unexplained import (
    list_conflict_actions,
    list_half_known_actions,
    list_left_over_actions,
    list_stranger_actions,
    list_unclear_actions,
    make_hopeless_action,
)
from fabricgen.verify.sightings import SeenPorts
from fabricgen.wiring.arrays import Ints, Ints64

HOPELESS = 5000
"""If more cables than this are elsewhere, and more than half of those seen, one action is made for all of them.

Nobody works through so many actions, and each takes time to explain. It is a round number, far above the mistakes in a
hall that was built from its plan.
"""

MOST_EXPLANATIONS = 24
"""The most explanations that are priced, to bound time: each of them explains the whole hall anew.

The search usually ends before, when no other exchange is left to be tried.
"""

PRICE_OF_LOOK = 4
"""The price of a look at a port, in plugs: as much as an exchange of two boxes."""


@dataclass(frozen=True)
class _Explanation:
    """One way to explain a hall: actions for boxes, trunks and plugs, and what they leave unexplained.

    `exchanges` are the exchanges of boxes; `boxed` and `after` are the topologies that the module says.
    `ends_without_cable` are planned ends (ports) whose cable is missing. `doubtful_ends` are ports: the ends of cables
    whose links contradict each other, and both ports of each link that joins lanes of different numbers, which no moved
    plug does. A cable with several such links has an entry for each of their ports.
    """

    exchanges: list[Ring]
    actions: list[Action]
    notes: list[str]
    boxed: SeenTopology
    after: SeenTopology
    ends_without_cable: list[int]
    doubtful_ends: list[int]

    @property
    def price(self) -> int:
        """The work of `actions`, in plugs, with looks at ports and moves of boxes at their prices.

        Looks are actions that ask for one, missing cables, and doubtful ends. An unclear end has an action and is
        doubtful: it counts twice, so that any explanation of it is cheaper. Boxes that are not there count as well.
        Dark cables and the steps of `add_steps_home` are told later, and cost nothing here.

        The price decides between explanations of the whole hall. Within one, `is_worth` decides whether an exchange is
        less work than moves of single plugs, `rank_repair` (`grouping`) at which ends a chain is mended, and `effort`
        (`_explain_plugs`) whether whole cages are exchanged, by pulls and actions alone.
        """
        looks = (
            sum(action.kind is Kind.PORT for action in self.actions)
            + len(self.ends_without_cable)
            + len(self.doubtful_ends)
        )
        # a ring of n boxes is n moves, and PRICE_OF_SWAP is the price of an exchange of two
        boxes = sum(map(len, self.exchanges))
        return sum(action.moves for action in self.actions) + PRICE_OF_LOOK * looks + PRICE_OF_SWAP * boxes // 2


def diagnose(cabling: PlannedCabling, seen_ports: SeenPorts) -> Diagnosis:
    """Find the state of every cable, and the actions that explain with the least work what is not as planned.

    Work is counted in plugs that are pulled: see `_Explanation.price`.
    """
    as_seen = SeenTopology(cabling, seen_ports)
    # this changes `as_seen`: from here on cables between spare ports are taken for planned ones
    steps_home = pretend_at_planned_ports(as_seen)
    # these states say what has to be explained; they are judged again below, once it is known which boxes are exchanged
    states = judge_cables(as_seen, find_dark_links(as_seen))
    exchanges, boxed, rings_told_as_shifts = _find_exchanged_boxes(as_seen, seen_ports, states)
    if _is_hopeless(boxed, states):
        explanation = _explain_hopeless_hall(as_seen, boxed, states, exchanges)
    else:
        explanation = _choose_cheapest(
            as_seen, seen_ports, states, exchanges, {device for ring in rings_told_as_shifts for device in ring}
        )
    # where shifts are reported, an exchange of boxes that would explain part of them is mentioned
    exchange_alternatives = [
        ring for ring in rings_told_as_shifts if BOXES.is_worth(as_seen, ring, BOXES.measure_gain(as_seen, ring))
    ]
    moved = add_steps_home(explanation.actions, steps_home)
    actions = [
        *add_box_exchanges(as_seen, moved, exchange_alternatives),
        *list_dark_actions(explanation.after, explanation.ends_without_cable),
    ]
    states = judge_cables(as_seen, find_dark_links(explanation.after))
    # an end is a port, and `port >> 1` its link
    missing_cables = cabling.cable[np.array(explanation.ends_without_cable, dtype=np.int64) >> 1]
    # a cable that is in a worse state stays so
    states[missing_cables] = np.maximum(states[missing_cables], CableState.DARK)
    actions += _list_left_over(explanation.after, states, actions)
    # in the order in which Kind declares them; a report puts the costliest first
    actions.sort(key=lambda action: list(Kind).index(action.kind))
    notes, harmless = list(explanation.notes), list_harmless_links(as_seen)
    if harmless:
        notes.append(
            f"{len(harmless)} links are swapped with others between the same two devices, whose ports are configured "
            "alike: that is harmless."
        )
    extra, outside = list_extra_links(cabling, seen_ports, as_seen)
    notes += outside
    return Diagnosis(
        states, tuple(actions), tuple(extra), tuple(harmless), tuple(notes), describe_hall(explanation.boxed)
    )


def _find_exchanged_boxes(
    as_seen: SeenTopology, seen_ports: SeenPorts, states: Ints
) -> tuple[list[Ring], SeenTopology, list[Ring]]:
    """Return exchanges of boxes, the topology with these done, and exchanges that are reported as shifts instead.

    Spines seem to be exchanged if the uplinks of their leaves are plugged a few places off. An exchange is taken for
    such a shift if no box has more links to any device than planned, and if all cables that `_list_cables_towards`
    lists for its boxes are in actions for shifts of plugs.
    """
    exchanges, topology = find_exchanges(as_seen, BOXES, as_seen)
    likely_rings = [ring for ring, _ in list_likely_rings(as_seen, BOXES) if ring not in exchanges]
    # an exchange that changes which devices are joined cannot be explained by shifted plugs
    maybe_shifts = [ring for ring in exchanges + likely_rings if as_seen.has_no_excess_links(ring)]
    if not maybe_shifts or _is_hopeless(topology, states):
        return exchanges, topology, []
    by_plugs = _explain_hall(as_seen, seen_ports, states, [])
    shifts = {cable for action in by_plugs.actions if action.kind is Kind.SHIFT for cable in action.cables}
    told_as_shifts = [ring for ring in maybe_shifts if shifts.issuperset(_list_cables_towards(as_seen, states, ring))]
    if not told_as_shifts:
        return exchanges, topology, []
    staying = {device for ring in told_as_shifts for device in ring}
    return *find_exchanges(as_seen, make_box_exchangeable(staying), as_seen), told_as_shifts


def _choose_cheapest(
    as_seen: SeenTopology, seen_ports: SeenPorts, states: Ints, exchanges: list[Ring], staying: set[int]
) -> _Explanation:
    """Search for the explanation with the lowest price, starting from some exchanges of boxes.

    The devices `staying` are not taken for exchanged.
    """
    likely_rings = [
        ring
        for ring, gain in list_likely_rings(as_seen, make_box_exchangeable(staying))
        if is_well_seen(gain) and ring not in exchanges
    ]
    best, tried = _explain_hall(as_seen, seen_ports, states, exchanges), {pair_exchanged(exchanges)}
    # this is lazy: exchanges are computed only when all before them were priced and none was cheaper
    untried = _list_other_exchanges(as_seen, best, staying, likely_rings)
    # each step goes on from the best so far, and tries its variations; no explanation is priced twice
    while len(tried) < MOST_EXPLANATIONS:
        rings = next((rings for rings in untried if pair_exchanged(rings) not in tried), None)
        if rings is None:
            break
        tried.add(pair_exchanged(rings))
        explained = _explain_hall(as_seen, seen_ports, states, rings)
        if explained.price < best.price:
            best, untried = explained, _list_other_exchanges(as_seen, explained, staying, likely_rings)
    return best


def _list_other_exchanges(
    as_seen: SeenTopology, explained: _Explanation, staying: set[int], likely_rings: list[Ring]
) -> Iterator[list[Ring]]:
    """Yield other lists of exchanges of boxes to try.

    First those of `explained` without some of them; then those with one more that votes suggest, and each of
    `likely_rings` alone, both completed with the exchanges that are believed once these are done. The devices
    `staying` are not taken for exchanged.
    """
    rings = explained.exchanges
    for to_drop in [
        *_group_rings_by_cage(as_seen, rings),
        # an exchange that breaks right links may be none: plugs may have been moved between the boxes
        *([ring] for ring in rings if BOXES.measure_gain(as_seen, ring).broken),
    ]:
        yield [ring for ring in rings if ring not in to_drop]
    unexplained = _list_devices_at(explained.after, explained.doubtful_ends)
    with_one_more = [
        compose_rings(rings, [ring])
        for ring, gain in list_likely_rings(explained.boxed, make_box_exchangeable(staying, unexplained))
        # boxes with links that moves of plugs do not explain may be exchanged even if few links were seen
        if is_well_seen(gain) or (gain.broken == 0 and not unexplained.isdisjoint(ring))
    ]
    for to_complete in [*with_one_more, *([ring] for ring in likely_rings)]:
        further, _ = find_exchanges(take_rings(as_seen, BOXES, to_complete), make_box_exchangeable(staying), as_seen)
        yield compose_rings(to_complete, further)


def _group_rings_by_cage(topology: SeenTopology, rings: list[Ring]) -> Iterator[list[Ring]]:
    """Yield groups of exchanges whose links have far ends in one cage: one moved plug there may explain all of them.

    If the common plugs of two breakouts are swapped, their nodes seem to be exchanged pair by pair.
    """
    cabling = topology.cabling
    at_cage: dict[tuple[int, str], list[int]] = defaultdict(list)
    for nth, ring in enumerate(rings):
        # the far ends of all links of the exchanged boxes
        for port in {port ^ 1 for device in ring for port in cabling.list_device_ports(device).tolist()}:
            at_cage[int(cabling.device[port]), cabling.find_cage(port)].append(nth)
    for members in merge_groups(len(rings), at_cage.values()):
        if len(members) > 1:
            yield [rings[nth] for nth in members]


def _list_cables_towards(topology: SeenTopology, states: Ints, devices: Iterable[int]) -> set[str]:
    """Return the ids of all cables between neighbours of some devices and all devices of the same tiers as these.

    A neighbour is a device that the plan joins to one of them. It counts only if at least one of its cables to these
    tiers is elsewhere, by `states` (CableState by cable): a management switch, for example, is left out. If
    `compute-spine-01` and `compute-spine-02` are exchanged, these are all cables from their leaves to compute spines.
    """
    cabling = topology.cabling
    # one number for each pair of tier and fabric
    tier_code = cabling.devices["tier"].codes.astype(np.int64) << 32 | cabling.devices["fabric"].codes
    # `port ^ 1` is the planned far end of a port, `port >> 1` its link
    ports = np.concatenate([cabling.list_device_ports(device) for device in devices])
    cable_ids = set[str]()
    for neighbor in np.unique(cabling.device[ports ^ 1]).tolist():
        neighbor_ports = cabling.list_device_ports(neighbor)
        leads_to_tiers = np.isin(tier_code[cabling.device[neighbor_ports ^ 1]], tier_code[cabling.device[ports]])
        cables = cabling.cable[neighbor_ports[leads_to_tiers] >> 1]
        if (states[cables] == CableState.ELSEWHERE).any():
            cable_ids.update(_list_cable_ids(cabling, np.unique(cables)))
    return cable_ids


def _explain_hopeless_hall(
    as_seen: SeenTopology, boxed: SeenTopology, states: Ints, exchanges: list[Ring]
) -> _Explanation:
    """Return exchanges of boxes, and one action for all other cables, for a hall in which most cables are elsewhere."""
    actions = [make_box_action(as_seen, boxed, states, ring) for ring in exchanges]
    explained = {cable for action in actions for cable in action.cables}
    cables = _list_cable_ids(boxed.cabling, np.flatnonzero(states == CableState.ELSEWHERE))
    actions.append(make_hopeless_action([cable for cable in cables if cable not in explained]))
    note = "More than half of all cables that are seen are elsewhere: is this the plan of this hall?"
    return _Explanation(exchanges, actions, [note], boxed, boxed, [], [])


def _explain_hall(as_seen: SeenTopology, seen_ports: SeenPorts, states: Ints, exchanges: list[Ring]) -> _Explanation:
    """Explain the hall, trunks and plugs included, given that the boxes of `exchanges` are in each other's places."""
    boxed = take_rings(as_seen, BOXES, exchanges)
    box_actions = [make_box_action(as_seen, boxed, states, ring) for ring in exchanges]
    trunk_actions, before = _explain_trunks(as_seen, boxed, states)
    exchanged = {device for ring in exchanges for device in ring}
    by_plugs = _explain_plugs(as_seen, seen_ports, before, states, exchanged)
    plug_actions, notes = add_unproven_exchanges(before, by_plugs.actions)
    actions = [*box_actions, *trunk_actions, *name_exchanges_first(before.cabling, exchanges, plug_actions)]
    return _Explanation(
        exchanges, actions, notes, boxed, by_plugs.after, by_plugs.ends_without_cable, by_plugs.doubtful_ends
    )


def _list_devices_at(topology: SeenTopology, ends: list[int]) -> set[int]:
    """Return the devices that are planned or seen at either end of all links of the plugs in `ends` (planned ports)."""
    cabling = topology.cabling
    plug_ports = [port for end in ends for port in cabling.list_plug_ports(int(cabling.plug[end]))]
    seen_ends = [far_port for port in plug_ports if (far_port := int(topology.joined_to[port])) >= 0]
    return {int(topology.device[port]) for port in [*plug_ports, *(port ^ 1 for port in plug_ports), *seen_ends]}


def _explain_trunks(as_seen: SeenTopology, boxed: SeenTopology, states: Ints) -> tuple[list[Action], SeenTopology]:
    """Return an action for each exchange of trunk ends, and the topology after the exchanges; `states` is by cable."""
    trunk_ends = list_trunk_ends(boxed.cabling) if len(boxed.find_wrong_ports()) else None
    if trunk_ends is None:
        return [], boxed
    rings, after = find_exchanges(boxed, make_trunk_exchangeable(trunk_ends), as_seen)
    actions = []
    for ring in rings:
        ports = [port for end in ring for port in trunk_ends.ports[end].values()]
        actions.append(make_trunk_action(trunk_ends, ring, list_mended_cables(boxed, after, states, ports)))
    return actions, after


class _PlugExplanation(NamedTuple):
    """Actions for plugs, and what they leave unexplained.

    `after` is the topology with exchanged plugs taken for what they stand in for. `ends_without_cable` and
    `doubtful_ends` are as in `_Explanation`. `moved_again` has, for each chain with a plug whose cage was moved as a
    whole already, the moves of single plugs as {plug that is moved: plug in whose place it belongs}; these need not
    close to a ring, and -1 stands for a spare port.
    """

    actions: list[Action]
    after: SeenTopology
    ends_without_cable: list[int]
    doubtful_ends: list[int]
    moved_again: list[Ring]

    @property
    def moves(self) -> int:
        """The number of pulls of all actions."""
        return sum(action.moves for action in self.actions)


def _explain_plugs(
    as_seen: SeenTopology, seen_ports: SeenPorts, before: SeenTopology, states: Ints, exchanged: set[int]
) -> _PlugExplanation:
    """Explain what is wrong with plugs; whole cages of several plugs are exchanged if that takes fewer pulls.

    `exchanged` are the devices that are exchanged as boxes.
    """
    plugs = PlugIndex(before.cabling)
    plugs.find_spare_cages(before)
    common_plugs = make_plug_exchangeable(plugs, exchanged)
    rings, after = find_exchanges(before, common_plugs, as_seen)
    without_cages = _explain_after_rings(Explainer(before, after, plugs), seen_ports, states, rings, [])
    cages = PairedCages(plugs)
    # if no plug is moved, an exchange of whole cages cannot save a pull
    whole_cage_rings, after_cages = (
        find_exchanges(after, make_cage_exchangeable(cages, exchanged), as_seen) if without_cages.moves else ([], after)
    )
    cage_rings = [ring for whole_cage_ring in whole_cage_rings for ring in cages.split_ring(whole_cage_ring)]
    if not cage_rings or _share_plugs(cage_rings, rings):
        return without_cages
    by_cages = _explain_after_rings(Explainer(before, after_cages, plugs), seen_ports, states, rings, cage_rings)
    # if a single plug is moved again after its cage was, both moves are joined to one, straight to where it belongs
    if by_cages.moved_again and all(_is_closed_and_even(plugs, ring) for ring in by_cages.moved_again):
        cage_rings = compose_rings(cage_rings, by_cages.moved_again)
        if _share_plugs(cage_rings, rings):
            return without_cages
        explainer = Explainer(before, take_rings(after, common_plugs, cage_rings), plugs)
        by_cages = _explain_after_rings(explainer, seen_ports, states, rings, cage_rings)
    # with equally many pulls, prefer more actions, each of which can be done alone; looks and missing cables are
    # not weighed
    effort = by_cages.moves - without_cages.moves, len(without_cages.actions) - len(by_cages.actions)
    return by_cages if effort < (0, 0) and not by_cages.moved_again else without_cages


def _is_closed_and_even(plugs: PlugIndex, ring: Ring) -> bool:
    """Whether moves are a closed ring of planned plugs that all have the same number of ports."""
    return (
        ring.keys() == set(ring.values())
        and min(ring) >= 0
        and len({len(plugs.list_ports(plug)) for plug in ring}) == 1
    )


def _share_plugs(rings: Iterable[Ring], other_rings: Iterable[Ring]) -> bool:
    """Whether two lists of rings move the same plug."""
    return not {plug for ring in rings for plug in ring}.isdisjoint(plug for ring in other_rings for plug in ring)


def _explain_after_rings(
    explainer: Explainer, seen_ports: SeenPorts, states: Ints, common_rings: list[Ring], cage_rings: list[Ring]
) -> _PlugExplanation:
    """Explain what is wrong with plugs after exchanges of common plugs (`common_rings`) and of cages (`cage_rings`).

    An action for single plugs is joined to that of the ring that broke their links, if one did. `states` is by cable.
    """
    rings, plugs_moved_with_cage = [*common_rings, *cage_rings], {plug for ring in cage_rings for plug in ring}
    before, after, plugs = explainer.before, explainer.after, explainer.plugs
    cabling = before.cabling
    ring_actions = make_plug_actions(explainer, before, states, rings)
    actions = [ring_action.action for ring_action in ring_actions]
    wrong_cables = find_wrong_cables(after, plugs)
    ends_without_cable, moved_again = find_ends_without_cable(wrong_cables), list[Ring]()
    for group in group_chains(explainer, list_chains(wrong_cables)):
        action, repair = explainer.make_action(group)
        moved_to = {_find_plug(before, source): _find_plug(before, target) for source, target in repair.source_targets}
        if not plugs_moved_with_cage.isdisjoint([*moved_to, *moved_to.values()]):
            moved_again.append(moved_to)
        # a cable that a repair leaves out is missing for certain only if its place is known to be silent
        left_out_ends = [end for end, port in repair.left_out if port < 0 or after.surely_silent[port]]
        ends_without_cable += left_out_ends
        action = _drop_cables(action, [str(cabling.cable_ids[cabling.cable[end >> 1]]) for end in left_out_ends])
        cause_rings = {_find_ring_that_broke(before, plugs, mendable.chain, rings) for mendable in group.chains}
        cause_index = next(
            (nth for nth, ring_action in enumerate(ring_actions) if not cause_rings.isdisjoint(ring_action.rings)), None
        )
        if cause_index is None:
            actions.append(action)
        else:
            actions[cause_index] = join_actions(actions[cause_index], action)
    actions += list_stranger_actions(after, seen_ports)
    actions += list_conflict_actions(after, seen_ports)
    actions += list_half_known_actions(after)
    actions += list_unclear_actions(after, wrong_cables.unclear)
    return _PlugExplanation(actions, after, ends_without_cable, wrong_cables.unclear + wrong_cables.misfit, moved_again)


def _find_plug(topology: SeenTopology, port: int) -> int:
    """Return the plug that is planned at a port; -1 for a spare port (and not the number of a spare cage)."""
    return int(topology.cabling.plug[port]) if port < topology.first_spare else -1


def _find_ring_that_broke(before: SeenTopology, plugs: PlugIndex, chain: Chain, rings: list[Ring]) -> int:
    """Return the index of the ring that broke a right link of `before` and so made a chain wrong; -1 if none did.

    Say the breakouts in `leaf-01:1` and `leaf-01:2` are in each other's cages, and a tail of the first one is in the
    wrong node as well, so that it is seen there as planned. Once the breakouts are exchanged, its link is wrong.
    """
    plug = before.cabling.plug
    for end_a, end_b in chain.joined:
        for end in (end_a, end_b):
            if (
                end < before.first_spare
                and before.joined_to[end] >= 0
                and before.joins_right(end, int(before.joined_to[end]))
            ):
                # the plug at this end was moved, or the one at its planned other end. If a harmless parallel link was
                # right here, another plug was moved, and it is known by where it went: to `end_a`
                moved_to = int(plug[end_a]) if end_a < before.first_spare else plugs.cage_of_spare.get(end_a)
                moved = {int(plug[end]), int(plug[end ^ 1]), moved_to}
                for index, ring in enumerate(rings):
                    if moved & ring.keys():
                        return index
    return -1


def _drop_cables(action: Action, cables: list[str]) -> Action:
    """Return an action without some cables, which are reported as dark; if it has no others, return it as it is."""
    other_cables = tuple(cable for cable in action.cables if cable not in cables)
    return replace(action, cables=other_cables) if other_cables else action


def _is_hopeless(topology: SeenTopology, states: Ints) -> bool:
    """Whether so much is wrong that the plan seems to be that of another hall."""
    wrong = len(topology.find_wrong_ports())
    seen_count = int((topology.joined_to >= 0).sum())
    # `wrong` and `seen_count` count ports, two a link
    return wrong > 2 * HOPELESS and 2 * wrong > seen_count and int((states == CableState.ELSEWHERE).sum()) > HOPELESS


def _list_left_over(topology: SeenTopology, states: Ints, actions: list[Action]) -> list[Action]:
    # actions for cables that are dark or elsewhere and in none of `actions`; `states` is by cable
    explained = {cable for action in actions for cable in action.cables}
    # CableState ascends from best to worst: dark and elsewhere come last
    faulty = np.flatnonzero(states >= CableState.DARK)
    ids = _list_cable_ids(topology.cabling, faulty)
    return list_left_over_actions(
        topology, [index for index, cable in zip(faulty.tolist(), ids, strict=True) if cable not in explained]
    )


def _list_cable_ids(cabling: PlannedCabling, cables: Ints64) -> list[str]:
    return [str(cable) for cable in cabling.cable_ids[cables].tolist()]
