"""Actions for boxes, and for common plugs of breakouts, that are in the places of others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from fabricgen.blueprint.models import make_natural_key
from fabricgen.verify.actions import Action, Alternative, CableState, End, Kind, Step
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.diagnosis.boxes import BOXES, PRICE_OF_SWAP
from fabricgen.verify.diagnosis.chain_actions import NODE, Crossing, Explainer
from fabricgen.verify.diagnosis.exchange_search import Ring, list_likely_rings
from fabricgen.verify.diagnosis.grouping import merge_groups
from fabricgen.verify.diagnosis.plugs import order_moved_plugs
from fabricgen.verify.diagnosis.topology import NOWHERE, SeenTopology
from fabricgen.verify.diagnosis.wording import (
    MOST_STEPS,
    describe_box,
    describe_location,
    describe_plug,
    describe_port,
    describe_steps,
    join_in_words,
    make_end,
)
from fabricgen.wiring.arrays import Ints

NAMES_ALONE = "or only their names are exchanged: read the serial number of each, and rename it or provision it again"


def make_box_action(as_seen: SeenTopology, after: SeenTopology, states: Ints, ring: Ring) -> Action:
    """Make the action for an exchange of boxes that are present: swap two of them, or move several.

    `as_seen` is what was seen, `after` has all boxes in their roles, and `states` is by cable. Its alternatives are to
    move plugs instead, or to exchange names.
    """
    names = as_seen.cabling.device_names
    present = [actual for actual in sorted(ring) if _is_seen(as_seen, actual)]
    ports = [port for device in ring for port in as_seen.cabling.list_device_ports(device).tolist()]
    cable = as_seen.cabling.cable
    wrong_ports = [
        port for port in ports if after.joined_to[port] >= 0 and states[cable[port >> 1]] == CableState.ELSEWHERE
    ]
    plugs = {int(as_seen.cabling.plug[port]) for port in wrong_ports}
    box_ends = {actual: End(names[actual], "", *as_seen.cabling.find_rack(actual)) for actual in ring}
    box_texts = [describe_box(box_ends[actual]) for actual in present]
    plug_cost = f"or move {len(plugs)} plug{'' if len(plugs) == 1 else 's'}"
    # two boxes, each of which stands where the other is planned
    if len(present) == 2 and [ring[actual] for actual in reversed(present)] == present:
        text = f"{join_in_words(box_texts)} are exchanged: swap the two boxes, {plug_cost}."
    else:
        standing_texts = [
            f"{names[actual]} stands where {describe_box(box_ends[ring[actual]])} is planned" for actual in present
        ]
        text = f"{join_in_words(standing_texts)}: move the box{'es' if len(present) > 1 else ''}, {plug_cost}."
    return Action(
        Kind.EXCHANGE,
        0,
        list_mended_cables(as_seen, after, states, ports),
        tuple(box_ends[actual] for actual in present),
        text,
        boxes=len(present),
        alternatives=(Alternative(Kind.SWAP, plug_cost, len(plugs)), Alternative(Kind.EXCHANGE, NAMES_ALONE, 0)),
        renamed={names[actual]: names[ring[actual]] for actual in present},
    )


def add_unproven_exchanges(topology: SeenTopology, actions: list[Action]) -> tuple[list[Action], list[str]]:
    """Add, as alternatives, exchanges of boxes that may explain actions for plugs; also return a note for each of them.

    Such an exchange is not proven: at least as many links of its boxes are unseen, and may be as planned, as it would
    put right.
    """
    names = topology.cabling.device_names
    amended, notes = list(actions), []
    for ring, gain in list_likely_rings(topology, BOXES):
        # skip exchanges that mend too little, or that are seen well enough for `find_exchanges` to have judged them
        if gain.cable_rows < PRICE_OF_SWAP or gain.links > gain.unseen:
            continue
        box_names = {names[device] for device in ring}
        doubt = (
            f"{join_in_words(sorted(box_names))} may be exchanged as boxes, which would mend {gain.cable_rows} plugs"
        )
        notes.append(f"{doubt}, but {gain.unseen} of their links were not seen: dumps of them will tell")
        instead = Alternative(Kind.EXCHANGE, f"or {doubt}", 0, boxes=len(box_names))
        for index, action in enumerate(amended):
            step_lists = [action.steps, *(alternative.steps for alternative in action.alternatives)]
            if any(
                steps and {end.device for step in steps for end in (step.pull, step.put)} <= box_names
                for steps in step_lists
            ):
                amended[index] = replace(action, alternatives=(*action.alternatives, instead))
    return amended, notes


def add_box_exchanges(topology: SeenTopology, actions: Iterable[Action], rings: Iterable[Ring]) -> list[Action]:
    """Add, as alternatives, exchanges of boxes to the shifts that they would explain as well."""
    names, amended = topology.cabling.device_names, list(actions)
    for ring in rings:
        exchange_text = f"or {join_in_words(sorted(names[device] for device in ring))} are exchanged as boxes"
        instead = Alternative(Kind.EXCHANGE, exchange_text, 0, boxes=len(ring))
        cables = {
            str(topology.cabling.cable_ids[topology.cabling.cable[port >> 1]])
            for device in ring
            for port in topology.cabling.list_device_ports(device).tolist()
        }
        for index, action in enumerate(amended):
            if action.kind is Kind.SHIFT and not cables.isdisjoint(action.cables):
                amended[index] = replace(action, alternatives=(*action.alternatives, instead))
    return amended


def make_plug_actions(
    explainer: Explainer, before: SeenTopology, states: Ints, rings: Sequence[Ring]
) -> list[RingAction]:
    """Make actions for common plugs that are in each other's cages; rings with one cause are one action.

    `before` is the topology with boxes and ends of trunks taken for what they stand in for, `states` the CableState of
    each cable.
    """
    moves = [_order_moves(explainer, before, ring) for ring in rings]
    by_cause: dict[object, list[int]] = defaultdict(list)
    for nth, (ring, ring_moves) in enumerate(zip(rings, moves, strict=True)):
        for pull in explainer.list_pulls(ring_moves):
            by_cause[pull].append(nth)
        # rings that cross the rails of one node are one mistake, too, though they share no pull
        if len(ring_moves) == len(ring) and (crossing := _find_crossing(before, ring_moves)):
            by_cause[int(before.device[ring_moves[0][0]]), crossing.dimension].append(nth)
    return [
        RingAction(
            frozenset(members),
            _make_plug_action(explainer, before, states, [(rings[nth], moves[nth]) for nth in members]),
        )
        for members in merge_groups(len(rings), by_cause.values())
    ]


class RingAction(NamedTuple):
    """An action for common plugs, and the indexes of the rings that it is about."""

    rings: frozenset[int]
    action: Action


Moves = list[tuple[int, int]]
"""(first port where a plug is, first port where it belongs) of plugs."""


def _order_moves(explainer: Explainer, before: SeenTopology, ring: Ring) -> Moves:
    """Return the moves of the plugs of a ring in the order in which they can be done, into a free cage first."""
    plugs = explainer.plugs
    # a spare cage may have ports that no dump names: it is known by the first port that one does
    first_ports = {plug: next(port for port in plugs.list_ports(plug) if port != NOWHERE) for plug in ring}
    return [(first_ports[plug], first_ports[ring[plug]]) for plug in order_moved_plugs(plugs, before, ring)]


def _find_crossing(topology: SeenTopology, moves: Moves) -> Crossing | None:
    """Return the rails or planes that all these moves cross; None if they cross none, or are not all on one node."""
    cabling = topology.cabling
    devices = {int(topology.device[port]) for move in moves for port in move}
    planned = all(port < topology.first_spare for move in moves for port in move)
    if not planned or len(devices) != 1 or cabling.read_device("tier", devices.pop()) != NODE:
        return None
    for dimension in ("rail", "plane"):
        pairs = [
            sorted((str(cabling.read_link(dimension, port)) for port in move), key=make_natural_key) for move in moves
        ]
        if all(lower and lower != higher for lower, higher in pairs):
            return Crossing(dimension, tuple(dict.fromkeys(f"{lower} and {higher}" for lower, higher in pairs)))
    return None


def _make_plug_action(
    explainer: Explainer, before: SeenTopology, states: Ints, rings: Sequence[tuple[Ring, Moves]]
) -> Action:
    """Make one action for the moves of some rings: a shift, crossed rails, a swap, a ring, or moves to free cages.

    `Explainer.find_kind` decides the kinds of actions for single plugs in the same order. `before` is the topology
    before the exchanges of plugs, and `states` has the CableState of each cable.
    """
    cabling, plugs, after = before.cabling, explainer.plugs, explainer.after
    moves = [move for _, ring_moves in rings for move in ring_moves]
    steps = []
    for source, target in moves:
        cable = str(cabling.cable_ids[cabling.cable[target >> 1]]) if target < before.first_spare else ""
        steps.append(Step(cable, make_end(before, source), make_end(before, target)))
    ports = [
        port for ring, _ in rings for plug_number in ring if plug_number >= 0 for port in plugs.list_ports(plug_number)
    ]
    cables = list_mended_cables(before, after, states, ports)
    pull_ends = tuple(step.pull for step in steps)
    # if a cage of the ring holds no plug, there are fewer moves than cages
    is_closed = all(len(ring_moves) == len(ring) for ring, ring_moves in rings)
    pull_count = len(explainer.list_pulls(moves))
    steps_text = f"move {describe_steps(steps, MOST_STEPS)}"
    location = describe_location([*(step.pull for step in steps), *(step.put for step in steps)])
    location_prefix = f"{location}: " if location else ""
    plug_word = (
        "breakout plug"
        if any(plug_number < 0 or plugs.is_common(plug_number) for ring, _ in rings for plug_number in ring)
        else "plug"
    )
    if shift := explainer.describe_shift(moves, is_closed):
        kind, text = Kind.SHIFT, f"{location_prefix}{shift.replace('plugs', f'{plug_word}s', 1)}; {steps_text}."
    elif is_closed and (crossing := _find_crossing(before, moves)):
        kind, text = Kind.CROSSED, f"{location_prefix}{crossing.text} are crossed; {steps_text}."
    elif is_closed and len(steps) == 2:
        name_a, name_b = (
            describe_port(end) if pull_ends[0].device == pull_ends[1].device else describe_plug(end)
            for end in pull_ends
        )
        on_one_device = pull_ends[0].device == pull_ends[1].device
        kind, text = (
            Kind.SWAP,
            f"{location_prefix if on_one_device else ''}the {plug_word}s in {name_a} and {name_b} are swapped.",
        )
    else:
        kind = (Kind.SWAP if pull_count == 2 else Kind.RING) if is_closed else Kind.MOVE
        subject = f"one {plug_word} is" if pull_count == 1 else f"{pull_count} {plug_word}s are"
        text = f"{location_prefix}{subject} in the wrong cage; {steps_text}."
    return Action(kind, pull_count, cables, pull_ends, text, steps=tuple(steps))


def join_actions(exchange: Action, follow_up: Action) -> Action:
    """Join an exchange of common plugs and an action that is needed only after it into one action."""
    return replace(
        exchange,
        moves=exchange.moves + follow_up.moves,
        cables=tuple(sorted({*exchange.cables, *follow_up.cables})),
        ends=exchange.ends + follow_up.ends,
        steps=exchange.steps + follow_up.steps,
        text=f"{exchange.text} Then {follow_up.text}",
    )


def name_exchanges_first(cabling: PlannedCabling, rings: Iterable[Ring], actions: Iterable[Action]) -> list[Action]:
    """Return actions with texts that say which boxes are exchanged first: they name places as they are after that."""
    # by id of a cable, the names of the boxes whose exchange concerns one of its ends
    exchanged_at: dict[str, set[str]] = defaultdict(set)
    for ring in rings:
        for device in ring:
            cables = cabling.cable_ids[cabling.cable[cabling.list_device_ports(device) >> 1]]
            for cable in cables.tolist():
                exchanged_at[str(cable)] |= {cabling.device_names[box] for box in ring}
    amended = []
    for action in actions:
        cables = {*action.cables, *(step.cable for step in action.steps)}
        box_names = sorted(
            {name for cable in cables & exchanged_at.keys() for name in exchanged_at[cable]}, key=make_natural_key
        )
        prefix = f"after the exchange of {join_in_words(box_names)}: " if box_names and action.steps else ""
        amended.append(replace(action, text=f"{prefix}{action.text}"))
    return amended


def _is_seen(topology: SeenTopology, device: int) -> bool:
    """Whether a device sees anybody or anybody sees it."""
    return any(
        topology.joined_to[port] >= 0 or topology.towards[port] >= 0 for port in topology.list_ports(device)
    ) or bool((topology.towards == device).any())


def list_mended_cables(before: SeenTopology, after: SeenTopology, states: Ints, ports: list[int]) -> tuple[str, ...]:
    """Return the ids of cables at some ports that are elsewhere (in `states`) and no longer wrong in `after`.

    Cables whose planned ports are joined to these ports in `after` count as well: they may remain there harmlessly, in
    place of a parallel cable.
    """
    cabling = before.cabling
    cable_ids = set()
    far_ports = [far_port for port in ports if 0 <= (far_port := int(after.joined_to[port])) < after.first_spare]
    for port in dict.fromkeys([*ports, *far_ports]):
        # both ends are checked: a link is wrong if either is joined to a wrong port
        joined_ends = [(end, int(after.joined_to[end])) for end in (port, port ^ 1) if after.joined_to[end] >= 0]
        if all(after.joins_right(end, far_port) for end, far_port in joined_ends):
            cable = int(cabling.cable[port >> 1])
            if states[cable] == CableState.ELSEWHERE:
                cable_ids.add(str(cabling.cable_ids[cable]))
    return tuple(sorted(cable_ids))
