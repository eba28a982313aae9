"""What of a cable fails alone: a cable with ends of its own, a fibre with its optics, a leg of either.

The two fibres of a twin-port module are pieces of their own, also where one cage holds both. A piece with several far
ends, a copper breakout or a fibre that splits, fails whole at its common end, and leg by leg at the others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.wiring.cabling.pieces import common_ends, widths
from fabricgen.wiring.cabling.shelf import fibres_of
from fabricgen.wiring.tables import Flags, Ints64, WiringPlan


@dataclass(frozen=True, slots=True)
class Pieces:
    """By row of a link (int64, -1 for none): the piece that carries it, and its leg where the piece has several.

    `attached` says whether the piece is a cable with ends of its own, else it is a fibre between modules.
    """

    piece: Ints64
    leg: Ints64
    attached: Flags


def pieces_of(cluster: Cluster) -> Pieces:
    """The pieces of a cluster's cables; at a phase those of the links that are there then, with legs to come."""
    if cluster.phase is None:
        return _of_plan(cluster.plan)
    whole, rows = _of_plan(cluster.phase.whole.plan), cluster.phase.links
    return Pieces(whole.piece[rows], whole.leg[rows], whole.attached[rows])


def _of_plan(plan: WiringPlan) -> Pieces:
    links, cables, number = plan.links, plan.cables, len(plan.cables)
    far_ends, lanes = widths(links, cables.end_cable, cables.end_link, cables.end_links, number)
    pieces = _numbers(plan, far_ends.astype(np.int64), lanes.astype(np.int64))
    found = np.flatnonzero(links.cable >= 0)
    cable = links.cable[found].astype(np.int64)
    lower = common_ends(links, cables)[cable]
    order = np.lexsort((np.where(lower, links.a_port[found], links.b_port[found]), cable))
    found, cable = found[order], cable[order]
    place = np.arange(len(cable)) - np.searchsorted(cable, cable)
    end = np.repeat(np.arange(len(cables.end_cable)), cables.end_links)
    wired = np.maximum(np.bincount(cable, minlength=number), far_ends)
    first = np.cumsum(pieces) - pieces
    piece, leg = (np.full(len(links), -1, dtype=np.int64) for _ in range(2))
    piece[found] = first[cable] + place // -(-wired // pieces)[cable]
    mine = piece[found]
    another = np.append(True, (end[1:] != end[:-1]) | (mine[1:] != mine[:-1]))[: len(end)]
    split = np.bincount(mine[another], minlength=int(pieces.sum()))[mine] > 1
    leg[found[split]] = np.cumsum(another)[split]
    attached = np.zeros(len(links), dtype=np.bool_)
    attached[found] = np.array([medium.attached for medium in cables.media], dtype=np.bool_)[cables.medium[cable]]
    return Pieces(piece, leg, attached)


def _numbers(plan: WiringPlan, far_ends: Ints64, lanes: Ints64) -> Ints64:
    """How many pieces each cable is: fibres by their lanes, 1 where it has ends of its own."""
    media, most = plan.cables.media, (int(far_ends.max(initial=0)) + 1, int(lanes.max(initial=0)) + 1)
    key = (plan.cables.medium * most[0] + far_ends) * most[1] + lanes
    kinds, kind = np.unique(key, return_inverse=True)
    found = []
    for value in kinds.tolist():
        rest, of_lanes = divmod(value, most[1])
        medium, ends = divmod(rest, most[0])
        found.append(1 if media[medium].attached else (fibres_of(media[medium], ends, of_lanes) or (1, 1))[0])
    return np.array(found, dtype=np.int64)[kind]
