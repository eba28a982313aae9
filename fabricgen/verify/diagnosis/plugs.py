"""Plugs of several links, the common ends of breakouts, that sit in another cage than planned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field

from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.diagnosis.board import NOWHERE, Board, Gain
from fabricgen.verify.diagnosis.stand_ins import Ring, Sort, Vote


@dataclass
class Plugs:
    """The plugs of a plan, and the spare cages in which common plugs were found.

    A spare cage is known by the breakout whose ends are seen at ports of one device that the plan does not use; it has
    a negative number.
    """

    cabling: PlannedCabling
    spare_cages: list[list[int]] = field(default_factory=list)
    _spare_cage: dict[tuple[int, int], int] = field(default_factory=dict)
    _ports: dict[int, list[int]] = field(default_factory=dict)

    def ports(self, plug: int) -> list[int]:
        """The ports of a plug or spare cage, in their order; NOWHERE for those of a spare cage that are not known."""
        if plug < 0:
            return self.spare_cages[-plug - 1]
        if plug not in self._ports:
            self._ports[plug] = self.cabling.ports_of_plug(plug)
        return self._ports[plug]

    def is_common(self, plug: int) -> bool:
        """Whether the far ends of a plug are several plugs."""
        ports = self.ports(plug)
        far = self.cabling.plug
        return any(far[port ^ 1] != far[ports[0] ^ 1] for port in ports[1:])

    def lanes(self, port: int) -> list[int]:
        """The ports whose links run beside that of a planned port: in the same plug at both ends."""
        far = self.cabling.plug
        return [each for each in self.ports(int(far[port])) if far[each ^ 1] == far[port ^ 1]]

    def spare_cage(self, board: Board, port: int, target: int) -> int:
        """The spare cage in which a plug seems to be, of which `port` is the one of the planned port `target`."""
        plug = int(self.cabling.plug[target])
        key = int(board.device[port]), plug
        if key not in self._spare_cage:
            self.spare_cages.append([NOWHERE] * len(self.ports(plug)))
            self._spare_cage[key] = -len(self.spare_cages)
        number = self._spare_cage[key]
        at = self.ports(plug).index(target)
        if self.spare_cages[-number - 1][at] == NOWHERE:
            self.spare_cages[-number - 1][at] = port
        return number


def common_plugs(plugs: Plugs, exchanged: Collection[int]) -> Sort:
    """Common plugs of breakouts as things that can stand in for each other; some devices are exchanged as boxes."""

    def votes(board: Board) -> list[Vote]:
        counts = Counter(filter(None, (_vote(plugs, board, port) for port in board.wrong().tolist())))
        found = [Vote(links, *pair) for pair, links in counts.items()]
        return sorted(found, key=lambda vote: (-vote.links, vote.found, vote.planned))

    def renumbered(board: Board, ring: Ring) -> tuple[dict[int, int], list[int]]:
        taken_for, touched = {}, []
        for found, planned in ring.items():
            for port, now in zip(plugs.ports(found), plugs.ports(planned), strict=True):
                if port != NOWHERE:
                    touched.append(port)
                    if board.tells(port, now):
                        taken_for[port] = now
        return taken_for, touched

    def is_worth(board: Board, ring: Ring, gain: Gain) -> bool:
        if NOWHERE in renumbered(board, ring)[0].values():
            return False
        return gain.plugs > len(moved_plugs(plugs, board, ring)) and gain.links > gain.unseen

    def depends(ring: Ring) -> bool:
        return any(
            int(plugs.cabling.device[port]) in exchanged for each in ring if each >= 0 for port in plugs.ports(each)[:1]
        )

    return Sort(votes, renumbered, is_worth, depends=depends)


def _vote(plugs: Plugs, board: Board, port: int) -> tuple[int, int] | None:
    """What the link at a port says: (the plug or spare cage of the port, the plug that seems to be in it)."""
    cabling = plugs.cabling
    target = int(board.mate[port]) ^ 1
    if target >= board.planned:
        return None
    planned = int(cabling.plug[target])
    theirs = plugs.ports(planned)
    if len(theirs) < 2:
        return None
    if port >= board.planned:
        return (plugs.spare_cage(board, port, target), planned) if plugs.is_common(planned) else None
    found = int(cabling.plug[port])
    ours = plugs.ports(found)
    if found == planned or len(ours) != len(theirs) or ours.index(port) != theirs.index(target):
        return None
    return (found, planned) if plugs.is_common(found) or plugs.is_common(planned) else None


def moved_plugs(plugs: Plugs, board: Board, ring: Ring) -> list[int]:
    """The plugs of a ring that are there to be moved: those that see somebody."""
    return [
        each
        for each in sorted(ring)
        if any(port != NOWHERE and (board.mate[port] >= 0 or board.towards[port] >= 0) for port in plugs.ports(each))
    ]
