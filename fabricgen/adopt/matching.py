"""Which planned device each seen one is: by its place, as names tell it, or by walking from port to port.

Ports are labelled: a device and what it is in the plan tell, through each of its ports, what its neighbour is. So one
device whose place is known gives those of all that hang together with it, whatever they are called.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fabricgen.wiring.arrays import Flags, Ints64

NOBODY = -1
EXACT, NEAR = 3, 1
"""What a link says for a neighbour: much where both ports are as planned, little where only the known end is."""
ANCHORS = 4
"""Places that are tried for a device of which no neighbour is known."""
ROUNDS = 8
"""Rounds of votes at most, after all that hangs together has been walked."""
MOST_ANCHORS = 1000
"""Devices from which is walked; there are as many as parts that do not hang together."""
GOOD = 0.97
"""The share of links as planned from which on no other place is tried for an anchor."""


class PortGraph(NamedTuple):
    """Links in both directions, ordered by `near` and `near_port`: devices and ports by number; int64.

    `kind` has what each device is; only devices of one kind can be each other. -1 is none.
    """

    near: Ints64
    near_port: Ints64
    far: Ints64
    far_port: Ints64
    kind: Ints64

    @property
    def keys(self) -> Ints64:
        """The near end of each row as one number, ascending."""
        return self.near << 32 | self.near_port


def make_port_graph(ends: Sequence[tuple[Ints64, Ints64]], kind: Ints64) -> PortGraph:
    """The graph of links by (device, port) of their two ends."""
    (a, a_port), (b, b_port) = ends
    near, near_port = np.concatenate((a, b)), np.concatenate((a_port, b_port))
    order = np.argsort(near << 32 | near_port, kind="stable")
    far, far_port = np.concatenate((b, a)), np.concatenate((b_port, a_port))
    return PortGraph(near[order], near_port[order], far[order], far_port[order], kind)


class PortWalk:
    """Finds the place in a plan of each device that was seen."""

    def __init__(self, planned: PortGraph, seen: PortGraph) -> None:
        self._planned, self._seen = planned, seen
        self._keys = planned.keys
        self._first = np.searchsorted(seen.near, np.arange(len(seen.kind) + 1))
        self._rows_by_kind: dict[int, Ints64] = {}

    def find_places(self, guess: Ints64) -> Ints64:
        """The planned device of each seen one, NOBODY for none; `guess` stands where links say nothing.

        Devices with many links are started from, as their ports tell them apart; then all links vote, so that one that
        is crossed does not count.
        """
        places = np.full(len(self._seen.kind), NOBODY, dtype=np.int64)
        degree = np.where(self._seen.kind >= 0, np.diff(self._first), 0)
        anchors = 0
        for anchor in np.argsort(-degree, kind="stable").tolist():
            if places[anchor] == NOBODY and degree[anchor] and anchors < MOST_ANCHORS:
                places = self._place_part(anchor, places, guess)
                anchors += 1
        for _ in range(ROUNDS):
            voted = self._vote_on_places(places, np.flatnonzero(places[self._seen.near] >= 0), places)
            if (voted == places).all():
                break
            places = voted
        return self._fill_rest(places, guess)

    def count_as_planned(self, places: Ints64, rows: Ints64 | None = None) -> int:
        """The links of some rows of what was seen, or of all, that are as planned if devices have some places."""
        seen = self._seen
        rows = np.arange(len(seen.near)) if rows is None else rows
        far, exact = self._find_planned_neighbours(places, rows)
        return int((exact & (far == places[seen.far[rows]])).sum())

    def _find_planned_neighbours(self, places: Ints64, rows: Ints64) -> tuple[Ints64, Flags]:
        """(the planned neighbour of each of some rows, NOBODY for none; whether its port is as planned)."""
        seen, planned = self._seen, self._planned
        near = places[seen.near[rows]]
        key = near << 32 | seen.near_port[rows]
        at = np.minimum(np.searchsorted(self._keys, key), len(self._keys) - 1)
        known = (near >= 0) & (self._keys[at] == key)
        return np.where(known, planned.far[at], NOBODY), known & (planned.far_port[at] == seen.far_port[rows])

    def _place_part(self, anchor: int, places: Ints64, guess: Ints64) -> Ints64:
        """Places with those of all that hangs together with a device.

        Where little is explained, others of that part with many links are started from: the plugs of the first may have
        been shifted.
        """
        best, most, rows = self._place_anchor(anchor, places, guess)
        if most < GOOD * len(rows):
            reached = np.unique(self._seen.near[rows])
            degree = self._first[reached + 1] - self._first[reached]
            for other in reached[np.argsort(-degree, kind="stable")][:ANCHORS].tolist():
                tried, count, _ = self._place_anchor(other, places, guess)
                if count > most:
                    best, most = tried, count
        return best

    def _place_anchor(self, anchor: int, places: Ints64, guess: Ints64) -> tuple[Ints64, int, Ints64]:
        """(places with those of all that is reached from a device, links as planned, rows of all that was reached)."""
        best, most, reached = places, -1, self._list_rows(np.array([anchor]))
        for candidate in self._list_candidates(anchor, places, guess):
            tried = places.copy()
            tried[anchor] = candidate
            rows = self._list_rows(self._place_connected(anchor, tried))
            count = self.count_as_planned(tried, rows)
            if count > most:
                best, most, reached = tried, count, rows
            if count >= GOOD * len(rows):
                break
        return best, most, reached

    def _list_candidates(self, anchor: int, places: Ints64, guess: Ints64) -> list[int]:
        """The free places where most links of a device look as they do; the guessed one first of equals."""
        seen, planned = self._seen, self._planned
        rows = slice(self._first[anchor], self._first[anchor + 1])
        free = planned.kind == seen.kind[anchor]
        free[places[places >= 0]] = False
        kind = int(seen.kind[anchor])
        if kind not in self._rows_by_kind:
            self._rows_by_kind[kind] = np.flatnonzero(planned.kind[planned.near] == kind)
        of_kind = self._rows_by_kind[kind]
        near_port, far_port, far_kind = (
            column[of_kind] for column in (planned.near_port, planned.far_port, planned.kind[planned.far])
        )
        most = max(int(near_port.max(initial=0)), int(seen.near_port[rows].max(initial=0)))
        ports = np.full(most + 1, NOBODY, dtype=np.int64)
        kinds = ports.copy()
        ports[seen.near_port[rows]], kinds[seen.near_port[rows]] = seen.far_port[rows], seen.kind[seen.far[rows]]
        alike = of_kind[(ports[near_port] == far_port) & (kinds[near_port] == far_kind)]
        score = np.bincount(planned.near[alike], minlength=len(free)) * 2
        if guess[anchor] >= 0:
            score[guess[anchor]] += free[guess[anchor]]
        open_places = np.flatnonzero(free)
        best: list[int] = open_places[np.argsort(-score[open_places], kind="stable")[:ANCHORS]].tolist()
        return best

    def _place_connected(self, anchor: int, places: Ints64) -> Ints64:
        """Put in the places of all that hangs together with a device, step by step; which devices were reached."""
        reached = [np.array([anchor])]
        while len(reached[-1]):
            rows = self._list_rows(reached[-1])
            rows = rows[places[self._seen.far[rows]] == NOBODY]
            voted = self._vote_on_places(places, rows, np.full_like(places, NOBODY), only_free=True)
            new = np.flatnonzero(voted >= 0)
            places[new] = voted[new]
            reached.append(new)
        return np.concatenate(reached)

    def _list_rows(self, devices: Ints64) -> Ints64:
        """The rows of what was seen from some devices."""
        starts, counts = self._first[devices], self._first[devices + 1] - self._first[devices]
        ends = np.cumsum(counts)
        rows: Ints64 = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + counts, counts)
        return rows

    def _vote_on_places(self, places: Ints64, rows: Ints64, kept: Ints64, *, only_free: bool = False) -> Ints64:
        """The places that the links of some rows give to their far ends, each to one device; `kept` where none does."""
        seen, planned = self._seen, self._planned
        to, exact = self._find_planned_neighbours(places, rows)
        of = seen.far[rows]
        valid = (to >= 0) & (seen.kind[of] >= 0) & (planned.kind[to] == seen.kind[of])
        if only_free:
            taken = np.zeros(len(planned.kind), dtype=bool)
            taken[places[places >= 0]] = True
            valid &= ~taken[to] & exact
        pair = of[valid] * len(planned.kind) + to[valid]
        pairs, inverse = np.unique(pair, return_inverse=True)
        votes = np.bincount(inverse, np.where(exact[valid], EXACT, NEAR), len(pairs)).astype(np.int64)
        device, place = pairs // len(planned.kind), pairs % len(planned.kind)
        votes = 2 * votes + (kept[device] == place)
        order = np.argsort(-votes, kind="stable")
        return _pair_off(device[order], place[order], kept)

    def _fill_rest(self, places: Ints64, guess: Ints64) -> Ints64:
        """Places for devices of which no link says anything: the guessed one, or the only one that is left."""
        taken = np.zeros(len(self._planned.kind), dtype=bool)
        taken[places[places >= 0]] = True
        for device in np.flatnonzero((places == NOBODY) & (guess >= 0)).tolist():
            if not taken[guess[device]]:
                places[device] = guess[device]
                taken[guess[device]] = True
        for kind in np.unique(self._seen.kind[(places == NOBODY) & (self._seen.kind >= 0)]).tolist():
            left = np.flatnonzero((places == NOBODY) & (self._seen.kind == kind))
            free = np.flatnonzero(~taken & (self._planned.kind == kind))
            if len(left) == len(free) == 1:
                places[left] = free
        return places


def _pair_off(device: Ints64, place: Ints64, kept: Ints64) -> Ints64:
    """A place for each device, a device for each place, the first pairs first; `kept` for the others, if free."""
    places = np.full_like(kept, NOBODY)
    while len(device):
        rows = np.arange(len(device))
        is_first = [np.zeros(len(device), dtype=bool) for _ in range(2)]
        for flags, column in zip(is_first, (device, place), strict=True):
            flags[np.unique(column, return_index=True)[1]] = True
        taken = rows[is_first[0] & is_first[1]]
        places[device[taken]] = place[taken]
        left = ~(np.isin(device, device[taken]) | np.isin(place, place[taken]))
        device, place = device[left], place[left]
    spare = np.flatnonzero((places == NOBODY) & (kept >= 0))
    spare = spare[~np.isin(kept[spare], places)]
    places[spare] = kept[spare]
    return places
