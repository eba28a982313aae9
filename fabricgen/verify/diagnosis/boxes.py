"""Boxes that stand in each other's place, or whose names are exchanged."""

from __future__ import annotations

import numpy as np

from fabricgen.verify.diagnosis.board import NOWHERE, Board, Gain
from fabricgen.verify.diagnosis.stand_ins import Ring, Sort, Vote

LEAST_VOTES = 2
LEAST_PLUGS = 4
"""An exchange of boxes that saves fewer plugs is told as moves of plugs."""


def _votes(board: Board) -> list[Vote]:
    """Links that would be as planned if the box at one end were another one of its model; at least two a pair."""
    cabling = board.cabling
    port = board.wrong()
    sees = board.mate[port]
    known = sees < board.planned
    port, sees = port[known], sees[known]
    planned = sees ^ 1
    agree = (board.name[port] == board.name[planned]) & (board.device[port] != board.device[planned])
    found, meant = board.device[port[agree]], board.device[planned[agree]]
    lone = np.flatnonzero((board.towards[: board.planned] >= 0) & (board.mate[: board.planned] < 0))
    lone = lone[board.towards[lone] != board.device[lone ^ 1]]
    found, meant = np.r_[found, board.towards[lone]], np.r_[meant, board.device[lone ^ 1]]
    model = cabling.devices["model"].codes
    same = model[found] == model[meant]
    pairs, links = np.unique(found[same].astype(np.int64) << 32 | meant[same], return_counts=True)
    many = links >= LEAST_VOTES
    pairs, links = pairs[many], links[many]
    order = np.lexsort((pairs, -links))
    told = zip(links[order].tolist(), (pairs[order] >> 32).tolist(), (pairs[order] & 0xFFFFFFFF).tolist(), strict=True)
    return [Vote(*each) for each in told]


def _renumbered(board: Board, ring: Ring) -> tuple[dict[int, int], list[int]]:
    taken_for, touched = {}, []
    for found, planned in ring.items():
        if board.is_whole[found]:
            _add_silent(board, found, planned)
        for port in board.ports_of(found):
            touched.append(port)
            now = board.port_at(planned, int(board.name[port]))
            if board.tells(port, now):
                taken_for[port] = now
    return taken_for, touched


def _add_silent(board: Board, found: int, planned: int) -> None:
    """Add the ports that a box, of which all is known, would have in the role of another: nobody is seen there."""
    for port in board.cabling.ports_of_device(planned).tolist():
        name = int(board.name[port])
        if board.port_at(found, name) == NOWHERE:
            added = board.add_port(found, name, board.place(port)[1])
            board.empty[added] = True


def _room(board: Board, ring: Ring, port: int) -> int:
    device, text = board.place(port)
    return board.add_port(ring[device], int(board.name[port]), text)


def _is_worth(board: Board, ring: Ring, gain: Gain) -> bool:
    return gain.plugs >= LEAST_PLUGS and gain.links > gain.unseen and own_plugs(board, ring) >= LEAST_PLUGS


def own_plugs(board: Board, ring: Ring) -> int:
    """How many plugs are seen on boxes, which is what they have to be moved in place of these."""
    ports = [port for device in ring for port in board.cabling.ports_of_device(device).tolist()]
    return len({int(board.cabling.plug[port]) for port in ports if board.mate[port] >= 0 or board.towards[port] >= 0})


BOXES = Sort(_votes, _renumbered, _is_worth, _room)
