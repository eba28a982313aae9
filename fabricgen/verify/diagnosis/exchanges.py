"""Actions for boxes, and for common plugs of breakouts, that stand in for others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from fabricgen.blueprint.models import natural
from fabricgen.verify.actions import Action, Alternative, CableState, End, Kind, Step
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.diagnosis.boxes import BOXES, LEAST_PLUGS
from fabricgen.verify.diagnosis.exchange_search import Ring, likely
from fabricgen.verify.diagnosis.explaining import Explainer
from fabricgen.verify.diagnosis.grouping import merge_groups
from fabricgen.verify.diagnosis.plugs import moved_plugs
from fabricgen.verify.diagnosis.topology import NOWHERE, Topology
from fabricgen.verify.diagnosis.wording import MOST_STEPS, box, end_of, listed, plug, spot_on_device, steps_text, where
from fabricgen.wiring.arrays import Ints

NAMES_ALONE = "or only their names are exchanged: read the serial number of each, and rename it or provision it again"


def box_action(as_seen: Topology, after: Topology, states: Ints, ring: Ring) -> Action:
    """An exchange of boxes; `as_seen` is what was seen, `after` has all boxes in their roles."""
    names = as_seen.cabling.device_names
    there = [found for found in sorted(ring) if _is_there(as_seen, found)]
    ports = [port for device in ring for port in as_seen.cabling.ports_of_device(device).tolist()]
    cable = as_seen.cabling.cable
    wrong = [port for port in ports if after.mate[port] >= 0 and states[cable[port >> 1]] == CableState.ELSEWHERE]
    plugs = {int(as_seen.cabling.plug[port]) for port in wrong}
    ends = {found: End(names[found], "", *as_seen.cabling.rack_of(found)) for found in ring}
    boxes = [box(ends[found]) for found in there]
    cost = f"or move {len(plugs)} plug{'' if len(plugs) == 1 else 's'}"
    if len(there) == 2 and [ring[found] for found in reversed(there)] == there:
        text = f"{listed(boxes)} are exchanged: swap the two boxes, {cost}."
    else:
        stands = [f"{names[found]} stands where {box(ends[ring[found]])} is planned" for found in there]
        text = f"{listed(stands)}: move the box{'es' if len(there) > 1 else ''}, {cost}."
    return Action(
        Kind.EXCHANGE,
        0,
        mended(as_seen, after, states, ports),
        tuple(ends[found] for found in there),
        text,
        boxes=len(there),
        alternatives=(Alternative(Kind.SWAP, cost, len(plugs)), Alternative(Kind.EXCHANGE, NAMES_ALONE, 0)),
        renamed={names[found]: names[ring[found]] for found in there},
    )


def with_doubted(topology: Topology, actions: list[Action]) -> tuple[list[Action], list[str]]:
    """(Actions for plugs, with exchanges of boxes that may explain them; a sentence for each such exchange.)

    These boxes have links that nobody saw: as many as the exchange would mend, or more, might be as planned.
    """
    names = topology.cabling.device_names
    found, notes = list(actions), []
    for ring, gain in likely(topology, BOXES):
        if gain.plugs < LEAST_PLUGS or gain.links > gain.unseen:
            continue
        boxes = {names[device] for device in ring}
        told = f"{listed(sorted(boxes))} may be exchanged as boxes, which would mend {gain.plugs} plugs"
        notes.append(f"{told}, but {gain.unseen} of their links were not seen: dumps of them will tell")
        instead = Alternative(Kind.EXCHANGE, f"or {told}", 0, boxes=len(boxes))
        for at, action in enumerate(found):
            ways = [action.steps, *(way.steps for way in action.alternatives)]
            if any(steps and {e.device for step in steps for e in (step.pull, step.put)} <= boxes for steps in ways):
                found[at] = replace(action, alternatives=(*action.alternatives, instead))
    return found, notes


def with_boxes_instead(topology: Topology, actions: Iterable[Action], rings: Iterable[Ring]) -> list[Action]:
    """Shifts with exchanges of boxes that would explain them as well."""
    names, found = topology.cabling.device_names, list(actions)
    for ring in rings:
        boxes = sorted(names[device] for device in ring)
        instead = Alternative(Kind.EXCHANGE, f"or {listed(boxes)} are exchanged as boxes", 0, boxes=len(boxes))
        cables = {
            str(topology.cabling.cable_ids[topology.cabling.cable[port >> 1]])
            for d in ring
            for port in topology.cabling.ports_of_device(d).tolist()
        }
        for at, action in enumerate(found):
            if action.kind is Kind.SHIFT and not cables.isdisjoint(action.cables):
                found[at] = replace(action, alternatives=(*action.alternatives, instead))
    return found


def plug_actions(explainer: Explainer, before: Topology, states: Ints, rings: Sequence[Ring]) -> list[RingAction]:
    """Actions for common plugs that are in each other's cages, those of one cause together.

    `before` has boxes taken for what they stand in for.
    """
    moves = [_moves_of(explainer, before, ring) for ring in rings]
    by_cause: dict[object, list[int]] = defaultdict(list)
    for at, (ring, of_ring) in enumerate(zip(rings, moves, strict=True)):
        for pull in explainer.pulls(of_ring):
            by_cause[pull].append(at)
        if len(of_ring) == len(ring) and (crossed := _crossed(before, of_ring)):
            by_cause[int(before.device[of_ring[0][0]]), crossed.partition(" ")[0]].append(at)
    return [
        RingAction(
            frozenset(members), _plug_action(explainer, before, states, [(rings[at], moves[at]) for at in members])
        )
        for members in merge_groups(len(rings), by_cause.values())
    ]


class RingAction(NamedTuple):
    """An action for common plugs, and which rings it is about."""

    rings: frozenset[int]
    action: Action


Moves = list[tuple[int, int]]
"""Where plugs are and where they belong, each by its first port."""


def _moves_of(explainer: Explainer, before: Topology, ring: Ring) -> Moves:
    """The moves of the plugs of a ring, into a free cage first."""
    plugs = explainer.plugs
    first = {each: next(port for port in plugs.ports(each) if port != NOWHERE) for each in ring}
    return [(first[each], first[ring[each]]) for each in moved_plugs(plugs, before, ring)]


def _crossed(topology: Topology, moves: Moves) -> str:
    """The rails or planes that plugs of one node cross, in words ("": they do not)."""
    cabling = topology.cabling
    devices = {int(topology.device[port]) for move in moves for port in move}
    planned = all(port < topology.planned for move in moves for port in move)
    if not planned or len(devices) != 1 or cabling.of_device("tier", devices.pop()) != "node":
        return ""
    for what in ("rail", "plane"):
        pairs = [sorted((str(cabling.of_link(what, port)) for port in move), key=natural) for move in moves]
        if all(one and one != other for one, other in pairs):
            return f"{what}s {', '.join(dict.fromkeys(f'{one} and {other}' for one, other in pairs))}"
    return ""


def _plug_action(explainer: Explainer, before: Topology, states: Ints, rings: Sequence[tuple[Ring, Moves]]) -> Action:
    """One action for the moves of some rings."""
    cabling, plugs, after = before.cabling, explainer.plugs, explainer.topology
    moves = [move for _, of_ring in rings for move in of_ring]
    steps = []
    for pull, put in moves:
        cable = str(cabling.cable_ids[cabling.cable[put >> 1]]) if put < before.planned else ""
        steps.append(Step(cable, end_of(before, pull), end_of(before, put)))
    ports = [port for ring, _ in rings for each in ring if each >= 0 for port in plugs.ports(each)]
    cables = mended(before, after, states, ports)
    ends = tuple(step.pull for step in steps)
    closed = all(len(of_ring) == len(ring) for ring, of_ring in rings)
    count = len(explainer.pulls(moves))
    moved = f"move {steps_text(steps, MOST_STEPS)}"
    place = where([*(step.pull for step in steps), *(step.put for step in steps)])
    at = f"{place}: " if place else ""
    named = "breakout plug" if any(each < 0 or plugs.is_common(each) for ring, _ in rings for each in ring) else "plug"
    if shift := explainer.shifted(closed, moves):
        kind, text = Kind.SHIFT, f"{at}{shift.replace('plugs', f'{named}s', 1)}; {moved}."
    elif closed and (crossed := _crossed(before, moves)):
        kind, text = Kind.CROSSED, f"{at}{crossed} are crossed; {moved}."
    elif closed and len(steps) == 2:
        one, two = (spot_on_device(end) if ends[0].device == ends[1].device else plug(end) for end in ends)
        on_one = ends[0].device == ends[1].device
        kind, text = Kind.SWAP, f"{at if on_one else ''}the {named}s in {one} and {two} are swapped."
    else:
        kind = (Kind.SWAP if count == 2 else Kind.RING) if closed else Kind.MOVE
        told = f"one {named} is" if count == 1 else f"{count} {named}s are"
        text = f"{at}{told} in the wrong cage; {moved}."
    return Action(kind, count, cables, ends, text, steps=tuple(steps))


def joined(exchange: Action, after: Action) -> Action:
    """One action of an exchange of common plugs and of what is only wrong once that is done."""
    return replace(
        exchange,
        moves=exchange.moves + after.moves,
        cables=tuple(sorted({*exchange.cables, *after.cables})),
        ends=exchange.ends + after.ends,
        steps=exchange.steps + after.steps,
        text=f"{exchange.text} Then {after.text}",
    )


def after_exchanges(cabling: PlannedCabling, rings: Iterable[Ring], actions: Iterable[Action]) -> list[Action]:
    """Actions that say which boxes are exchanged first: places at these are called as they are then."""
    first: dict[str, set[str]] = defaultdict(set)
    for ring in rings:
        for device in ring:
            cables = cabling.cable_ids[cabling.cable[cabling.ports_of_device(device) >> 1]]
            for cable in cables.tolist():
                first[str(cable)] |= {cabling.device_names[each] for each in ring}
    found = []
    for action in actions:
        cables = {*action.cables, *(step.cable for step in action.steps)}
        boxes = sorted({name for cable in cables & first.keys() for name in first[cable]}, key=natural)
        text = f"after the exchange of {listed(boxes)}: {action.text}" if boxes and action.steps else action.text
        found.append(replace(action, text=text))
    return found


def _is_there(topology: Topology, device: int) -> bool:
    """Whether anybody sees a device, or it anybody."""
    return any(topology.mate[port] >= 0 or topology.towards[port] >= 0 for port in topology.ports_of(device)) or bool(
        (topology.towards == device).any()
    )


def mended(before: Topology, after: Topology, states: Ints, ports: list[int]) -> tuple[str, ...]:
    """The cables at some ports that are elsewhere, except for those that are still wrong afterwards.

    Cables that are then seen at these ports count too: what is left of a ring may be harmless, in place of another.
    """
    cabling = before.cabling
    found = set()
    sees = [mate for port in ports if 0 <= (mate := int(after.mate[port])) < after.planned]
    for port in dict.fromkeys([*ports, *sees]):
        mates = [(end, int(after.mate[end])) for end in (port, port ^ 1) if after.mate[end] >= 0]
        if all(after.joins_right(end, mate) for end, mate in mates):
            cable = int(cabling.cable[port >> 1])
            if states[cable] == CableState.ELSEWHERE:
                found.add(str(cabling.cable_ids[cable]))
    return tuple(sorted(found))
