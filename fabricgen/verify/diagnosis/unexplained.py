"""Actions for ports at which a person has to look: strangers, contradictions, and what nothing else explains."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from fabricgen.verify.actions import Action, End, Kind
from fabricgen.verify.diagnosis.board import Board
from fabricgen.verify.diagnosis.wording import box, end_of, listed, plug, rack_of
from fabricgen.verify.seen import Seen, place_of


def _action(board: Board, ports: list[int], text: str, cables: list[str] | None = None) -> Action:
    cabling = board.cabling
    if cables is None:
        cables = sorted({str(cabling.cable_ids[cabling.cable[port >> 1]]) for port in ports if port < board.planned})
    return Action(Kind.PORT, 0, tuple(cables), tuple(end_of(board, port) for port in ports), text)


def stranger_actions(board: Board, seen: Seen) -> list[Action]:
    """Planned ports that see a device that is not in the plan: one action where it stands for one device."""
    met: dict[tuple[str, int], list[int]] = defaultdict(list)
    for port, told in seen.strangers:
        if port < board.planned:
            met[told, int(board.cabling.device[port ^ 1])].append(port)
    actions = []
    for (told, device), ports in sorted(met.items()):
        planned = box(End(board.cabling.device_names[device], "", *rack_of(board, device)))
        if len(ports) == 1:
            end = plug(end_of(board, ports[0]))
            text = f"{end} sees {told}, which is not in the plan, instead of {board.cabling.place(ports[0] ^ 1)}."
        else:
            text = f"{len(ports)} ports that should see {planned} see {told}, which is not in the plan."
        actions.append(_action(board, ports, text))
    return actions


def conflict_actions(board: Board, seen: Seen) -> list[Action]:
    """Ports whose two sides disagree; both sides of one disagreement are one action."""
    actions, met = [], set[frozenset[int]]()
    for port, sees, instead in seen.conflicts:
        pair = frozenset((port, sees))
        if pair in met:
            continue
        met.add(pair)
        place, other = place_of(board.cabling, seen, port), place_of(board.cabling, seen, sees)
        says = "sees nobody" if instead < 0 else f"sees {place_of(board.cabling, seen, instead)}"
        text = f"{place} sees {other}, which itself {says}: dumps of different times, or fibres that are crossed."
        actions.append(_action(board, [end for end in (port, sees) if end >= 0], text))
    return [action for action in actions if action.cables]


def half_known_actions(board: Board) -> list[Action]:
    """Ports that see a device other than planned, at a port of it that is not known."""
    cabling, planned = board.cabling, board.planned
    port = np.flatnonzero((board.mate[:planned] < 0) & (board.towards[:planned] >= 0) & ~board.odd[:planned])
    port = port[board.towards[port] != cabling.device[port ^ 1]]
    actions = []
    for each in port.tolist():
        sees = cabling.device_names[board.towards[each]]
        planned_there = cabling.place(each ^ 1)
        text = f"{plug(end_of(board, each))} sees {sees}, at a port that is not told, instead of {planned_there}."
        actions.append(_action(board, [each], text))
    return actions


def unclear_actions(board: Board, unclear: list[int]) -> list[Action]:
    """Cables of several links whose links tell different stories."""
    ends: dict[str, int] = {}
    for end in sorted(unclear):
        ends.setdefault(str(board.cabling.cable_ids[board.cabling.cable[end >> 1]]), end)
    return [
        _action(
            board, [end], f"{plug(end_of(board, end))}: the links of one plug see different ones: look at the cable."
        )
        for end in ends.values()
    ]


def left_over(board: Board, cables: list[int]) -> list[Action]:
    """Cables that are not as planned and that nothing above explains."""
    first = dict[int, int]()
    wanted = np.flatnonzero(np.isin(board.cabling.cable, np.array(cables, dtype=np.int64)))
    for link in wanted.tolist():
        first.setdefault(int(board.cabling.cable[link]), 2 * link)
    return [
        _action(board, [port, port + 1], f"look at {plug(end_of(board, port))} and {plug(end_of(board, port + 1))}.")
        for port in first.values()
    ]


def hopeless(cables: list[str]) -> Action:
    """One action for a hall that has little in common with the plan."""
    devices = listed(sorted({cable.partition(":")[0] for cable in cables})[:3])
    text = f"{len(cables)} cables are elsewhere, among them those of {devices}: is this the plan of this hall?"
    return Action(Kind.PORT, 0, tuple(cables), (), text)
