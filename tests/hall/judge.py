"""Carry out what a report tells on a hall, and say what of it was wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fabricgen.addons.emulation.faults.laid import is_dark
from fabricgen.addons.emulation.model import Hall
from fabricgen.addons.emulation.plan import Plug, Port, Socket
from tests.hall.harmless import parallel

LOOKS = ("dark", "optic", "port")


def joined_ports(hall: Hall) -> set[frozenset[Port]]:
    """The links of a hall that are up, without direction."""
    return {frozenset(ends) for ends in hall.list_lit_links()}


@dataclass
class Outcome:
    """What came of carrying out a report."""

    complaints: list[str] = field(default_factory=list)
    plugs: int = 0
    """Plugs that were pulled and put elsewhere."""
    pulls: int = 0
    """The same, both plugs of a cage that go to one cage counted once."""
    exchanged: set[str] = field(default_factory=set)
    """Places whose boxes were exchanged."""
    looks: int = 0
    """Actions that send somebody to look."""


def carry_out(hall: Hall, actions: Sequence[Mapping[str, Any]], partial: bool = False) -> Outcome:
    """Do what the actions of a JSON report say: exchange boxes, move plugs, look at what is dark.

    With `partial`, of a report that did not see everything, a look is right as well where a plug is missing, what is in
    the way is laid aside, and of two boxes that stand in each other's place one may be told.
    """
    outcome = Outcome()
    before = hall.copy()
    _exchange_boxes(hall, actions, outcome, partial)
    _move_plugs(hall, actions, outcome, partial)
    _look(hall, actions, outcome, missing_at(before) if partial else set())
    return outcome


def _exchange_boxes(hall: Hall, actions: Sequence[Mapping[str, Any]], outcome: Outcome, partial: bool) -> None:
    renamed: dict[str, str] = {}
    for action in actions:
        for name, place in (action.get("renamed") or {}).items():
            if renamed.setdefault(name, place) != place:
                outcome.complaints.append(f"{name} is told to be {renamed[name]} and {place}")
    if partial:
        renamed |= _others(renamed)
    if sorted(renamed) != sorted(renamed.values()):
        outcome.complaints.append(f"boxes are not exchanged for each other: {renamed}")
        return
    # The box that tells X stands where Y belongs: Y goes to where X is now.
    moved = {hall.find_place(name): device for name, device in renamed.items()}
    outcome.exchanged |= set(moved)
    hall.names |= moved


def _others(renamed: Mapping[str, str]) -> dict[str, str]:
    """The boxes of which nothing is told, though another is told to stand in their place: each closes its ring."""
    closing = {}
    for start in sorted(set(renamed) - set(renamed.values())):
        last = start
        while last in renamed:
            last = renamed[last]
        closing[last] = start
    return closing


def _move_plugs(hall: Hall, actions: Sequence[Mapping[str, Any]], outcome: Outcome, partial: bool) -> None:
    moves: dict[Plug, Socket] = {}
    for action in actions:
        pulls = set()
        for source, target in _steps(hall, action, outcome):
            plug = hall.plugged.get(source)
            if plug is None:
                outcome.complaints.append(f"{action['id']}: nothing is in {source}")
            elif moves.setdefault(plug, target) != target:
                outcome.complaints.append(f"{action['id']}: {source} goes to {moves[plug]} and to {target}")
            else:
                pulls.add(pull_of(source, target))
        if len(pulls) != action["moves"]:
            outcome.complaints.append(f"{action['id']}: {action['moves']} moves, but {len(pulls)} pulls in its steps")
        outcome.pulls += len(pulls)
    outcome.plugs = len(moves)
    if partial:
        for target in set(moves.values()):
            if target in hall.plugged and hall.plugged[target] not in moves:
                hall.pull_plug(hall.plugged[target])
    try:
        hall.put_plugs(moves)
    except ValueError as error:
        outcome.complaints.append(str(error))


def _steps(hall: Hall, action: Mapping[str, Any], outcome: Outcome) -> list[tuple[Socket, Socket]]:
    """From where to where an action moves plugs, a pair a plug."""
    pairs = []
    for step in action["steps"]:
        sources, targets = _sockets(hall, step["pull"]), _sockets(hall, step["put"])
        if not step["pull"]["cage"] or not step["put"]["cage"]:
            outcome.complaints.append(f"{action['id']}: no cage told: {step['pull']} -> {step['put']}")
        if not sources or not targets:
            outcome.complaints.append(f"{action['id']}: no such socket: {step['pull']} -> {step['put']}")
        pairs += _pairs(hall, sources, targets)
    return pairs


def pull_of(source: Socket, target: Socket) -> tuple[str, ...]:
    """What makes two plugs one pull: both come out of one cage and go to one other."""
    cages = (source.device, source.cage, target.device, target.cage)
    return cages if cages[:2] != cages[2:] else (*cages, source.connector)


def _sockets(hall: Hall, end: Mapping[str, Any]) -> list[Socket]:
    """The sockets that an end of a report names: by connector (`33/2`), else by port, else all of a cage."""
    device = end["device"]
    if device not in hall.names.values():
        return []
    place = hall.find_place(device)
    of_device = sorted(s for s in hall.plan.ports if s.device == place)
    if not end["cage"] and not end["port"]:
        return of_device
    if not end["cage"]:
        return [s for s in of_device if end["port"] in (port for _, port in hall.plan.ports[s])]
    of_cage = [s for s in of_device if s.cage == str(end["cage"])]
    named = _connector(end)
    if named:
        return [s for s in of_cage if s.connector in named.split("+")] or [s for s in of_cage if not s.connector]
    if "connector" not in end:
        return [s for s in of_cage if end["port"] in (port for _, port in hall.plan.ports[s])] or of_cage
    return of_cage


def _connector(end: Mapping[str, Any]) -> str:
    """The connector of an end: `2` of `33/2` in cage 33, nothing of `33` or where none is named."""
    named, cage = str(end.get("connector", "")), str(end["cage"])
    return named.removeprefix(f"{cage}/") if named != cage else ""


def _pairs(hall: Hall, sources: list[Socket], targets: list[Socket]) -> list[tuple[Socket, Socket]]:
    """Which plug goes where: of a whole cage each keeps its connector, and a single one goes where it is told."""
    if len(targets) == 1:
        sources = [s for s in sources if s in hall.plugged] or sources
    if len(sources) == 1 and len(targets) == 1:
        return [(sources[0], targets[0])]
    by_connector = {s.connector: s for s in targets}
    return [(s, by_connector[s.connector]) for s in sources if s.connector in by_connector and s in hall.plugged]


def missing_at(hall: Hall) -> set[str]:
    """Cables of which some planned socket sees nobody."""
    dark = {port for port, far in hall.list_sightings().items() if far is None}
    return {
        cord.cable
        for cord in hall.plan.cords
        if any((hall.names[home.device], port) in dark for home in cord.homes for _, port in hall.plan.ports[home])
    }


def _look(hall: Hall, actions: Sequence[Mapping[str, Any]], outcome: Outcome, missing: set[str]) -> None:
    """Look where the report says, and mend what is dark there."""
    dark = missing | {cord.cable for number, cord in enumerate(hall.plan.cords) if is_dark(hall, number)}
    for action in actions:
        if action["kind"] not in LOOKS:
            continue
        outcome.looks += 1
        places = {end["device"] for end in action["ends"]}
        sockets = {socket for end in action["ends"] for socket in _sockets(hall, end)} if places else set()
        mended = False
        for device in sorted(places & {hall.names[place] for place in hall.off}):
            hall.off.discard(hall.find_place(device))
            mended = True
        for number, cord in enumerate(hall.plan.cords):
            if cord.cable not in action["cables"] or not is_dark(hall, number):
                continue
            if len(action["ends"]) > 2 or any(home in sockets for home in cord.homes):
                _mend(hall, number)
                mended = True
        lit = sorted(set(action["cables"]) - dark)
        if lit:
            outcome.complaints.append(f"{action['id']}: a look at cables that are lit: {', '.join(lit[:5])}")
        elif not mended and not missing:
            outcome.complaints.append(f"{action['id']}: a look where nothing is dark: {action['text'][:120]}")


def _mend(hall: Hall, number: int) -> None:
    hall.bad.discard(number)
    for end, home in enumerate(hall.plan.cords[number].homes):
        plug = Plug(number, end)
        if plug not in hall.at and home not in hall.plugged:
            hall.put_plugs({plug: home})


def wrong_links(hall: Hall) -> list[str]:
    """What of the planned links is not there, and what is there that is not planned, harmless exchanges aside."""
    joined = joined_ports(hall)
    missing, strange = set(hall.plan.links) - joined, joined - set(hall.plan.links)
    classes = parallel(hall.plan)
    class_of = {port: (key, port[0]) for link, key in classes.items() for port in link}
    astray = {link: {class_of.get(port) for port in link} for link in strange}
    alike = {link: _only(ends) for link, ends in astray.items() if len(ends) == 2 and _only(ends)}
    for key in {classes[link] for link in missing if link in classes}:
        lost = {link for link in missing if classes.get(link) == key}
        there = {link for link, other in alike.items() if other == key}
        if len(lost) == len(there):
            missing -= lost
            strange -= there
    return [f"missing {_text(link)}" for link in sorted(missing, key=sorted)] + [
        f"not planned {_text(link)}" for link in sorted(strange, key=sorted)
    ]


def _only(ends: set[tuple[str, str] | None]) -> str:
    """The class of both ends of a link, nothing where these are of two or of none."""
    keys = {end[0] if end else "" for end in ends}
    return keys.pop() if len(keys) == 1 else ""


def _text(link: frozenset[Port]) -> str:
    return " - ".join(":".join(port) for port in sorted(link))
