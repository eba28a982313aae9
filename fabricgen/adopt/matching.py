"""Find which planned device each seen device is, by walking from port to port.

If one seen device is known in the plan, each of its ports tells what the neighbour there is. So one known device gives
those of all that are connected with it, whatever they are called. A `place` here is a planned device.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from fabricgen.adopt.facts import Facts
from fabricgen.adopt.forms import FabricForm
from fabricgen.adopt.models import Models
from fabricgen.wiring.arrays import Flags, Ints64

NOBODY = -1
EXACT, NEAR = 3, 1
"""The weight of a link for what a neighbour is: EXACT if both ports are as planned, NEAR if only the known end is."""
ANCHORS = 4
"""How many places are tried for a device of which no neighbour is known."""
ROUNDS = 8
"""The most rounds of votes after the walk."""
MOST_ANCHORS = 1000
"""The most devices from which walks start; one is needed for each part that is not connected with the others."""
GOOD = 0.97
"""The share of links as planned with which a place is taken without trying others."""


Kind: TypeAlias = tuple[str, str]
"""What a device is: (fabric, tier) of a switch, ("", profile) of any other device."""


class SeenLinks(NamedTuple):
    """The links of the facts as columns of numbers: `devices` and `texts` (names of ports) have what they number."""

    devices: tuple[str, ...]
    texts: tuple[str, ...]
    ends: tuple[tuple[Ints64, Ints64], tuple[Ints64, Ints64]]
    """(device, text) of either end of each link, int64."""
    kind: Ints64
    """By device its number in `kinds`, int64; -1 if it is not known."""
    kinds: tuple[Kind, ...]
    gbps: Ints64
    """The rate of each link, Gb/s, int64; 0 if it is not told."""


def encode_links(facts: Facts, models: Models, forms: Sequence[FabricForm]) -> SeenLinks:
    """Return the links of the facts as columns."""
    rows, texts = {name: row for row, name in enumerate(facts.devices)}, dict[str, int]()
    ends = []
    for column in ([link.a for link in facts.links], [link.b for link in facts.links]):
        device = np.array([rows[end.device] for end in column], dtype=np.int64)
        ends.append((device, np.array([texts.setdefault(end.port, len(texts)) for end in column], dtype=np.int64)))
    kind_of: dict[str, Kind] = {name: ("", profile.id) for name, profile in models.nodes.items()}
    networks = [form.network for form in forms]
    kind_of |= {s: (n.name, tier) for n in networks for tier, switches in n.tiers.items() for s in switches}
    kinds = {kind: number for number, kind in enumerate(dict.fromkeys(kind_of.values()))}
    kind = np.array([kinds[kind_of[name]] if name in kind_of else -1 for name in rows], dtype=np.int64)
    gbps = np.array([link.gbps for link in facts.links], dtype=np.int64)
    return SeenLinks(tuple(rows), tuple(texts), (ends[0], ends[1]), kind, tuple(kinds), gbps)


class PortGraph(NamedTuple):
    """Links in both directions, sorted by `near` and `near_port`: a row has two devices and their ports, int64 numbers.

    `kind` is by device: only devices of one kind can be each other, and a device of kind -1 is no other one.
    """

    near: Ints64
    near_port: Ints64
    far: Ints64
    far_port: Ints64
    kind: Ints64

    @property
    def keys(self) -> Ints64:
        """The near end of each row as one int64, ascending."""
        return self.near << 32 | self.near_port


def make_port_graph(ends: Sequence[tuple[Ints64, Ints64]], kind: Ints64) -> PortGraph:
    """Return the graph of links, each in both directions, sorted by near device and port.

    `ends` are (devices, ports) of either end of each link, int64; `kind` has the kind of each device, int64.
    """
    (a, a_port), (b, b_port) = ends
    near_devices, near_ports = np.concatenate((a, b)), np.concatenate((a_port, b_port))
    order = np.argsort(near_devices << 32 | near_ports, kind="stable")
    far_devices, far_ports = np.concatenate((b, a)), np.concatenate((b_port, a_port))
    return PortGraph(near_devices[order], near_ports[order], far_devices[order], far_ports[order], kind)


class PortWalk:
    """Finds the planned device of each seen one."""

    def __init__(self, planned: PortGraph, seen: PortGraph) -> None:
        self._planned, self._seen = planned, seen
        self._keys = planned.keys
        self._first = np.searchsorted(seen.near, np.arange(len(seen.kind) + 1))
        self._rows_by_kind: dict[int, Ints64] = {}

    def find_places(self, *guesses: Ints64) -> Ints64:
        """Return the planned device of each seen one, int64, NOBODY if there is none.

        If nearly all links are as planned by a guess, it is started from, else devices are found by walks. Then all
        links vote, so that a crossed one does not count. Devices of which no link tells get that of the last guess.
        """
        guess = guesses[-1]
        places = next((g for g in guesses if self.count_as_planned(g) >= GOOD * len(self._seen.near)), None)
        if places is None:
            places = self._walk(guess)
        for _ in range(ROUNDS):
            voted = self._vote_on_places(places, np.flatnonzero(places[self._seen.near] >= 0), places)
            if (voted == places).all():
                break
            places = voted
        return self._fill_rest(places, guess)

    def _walk(self, guess: Ints64) -> Ints64:
        """Return the places found from port to port; walks start at devices with many links, which tell them apart."""
        places = np.full(len(self._seen.kind), NOBODY, dtype=np.int64)
        degree = np.where(self._seen.kind >= 0, np.diff(self._first), 0)
        anchors = 0
        for anchor in np.argsort(-degree, kind="stable").tolist():
            if places[anchor] == NOBODY and degree[anchor] and anchors < MOST_ANCHORS:
                places = self._place_part(anchor, places, guess)
                anchors += 1
        return places

    def count_as_planned(self, places: Ints64, rows: Ints64 | None = None) -> int:
        """Return the number of seen links that are as planned if devices have these places; each link counts once a
        direction.

        `rows` are the seen rows to count, all if None.
        """
        seen = self._seen
        rows = np.arange(len(seen.near)) if rows is None else rows
        planned_neighbour, is_exact = self._find_planned_neighbours(places, rows)
        return int((is_exact & (planned_neighbour == places[seen.far[rows]])).sum())

    def _find_planned_neighbours(self, places: Ints64, rows: Ints64) -> tuple[Ints64, Flags]:
        """Return what the plan has at the far end of the near ports of some seen rows, if devices have these places.

        The first array has the planned neighbour, int64, NOBODY if the near port has no planned link; the second
        whether the far port is as planned, bool.
        """
        seen, planned = self._seen, self._planned
        near_place = places[seen.near[rows]]
        near_end = near_place << 32 | seen.near_port[rows]
        planned_row = np.minimum(np.searchsorted(self._keys, near_end), len(self._keys) - 1)
        is_planned = (near_place >= 0) & (self._keys[planned_row] == near_end)
        return np.where(is_planned, planned.far[planned_row], NOBODY), is_planned & (
            planned.far_port[planned_row] == seen.far_port[rows]
        )

    def _place_part(self, anchor: int, places: Ints64, guess: Ints64) -> Ints64:
        """Return `places` with those of all devices that links connect with `anchor`, found by walking these.

        `places` and `guess` are by device, int64: the planned device that it is, NOBODY if unknown; `guess` is what
        is tried first. If few links are as planned after the walk, walks from other devices of the part are tried as
        well, since plugs of the anchor may have been moved, and the one with the most such links counts.
        """
        best, most_links, rows = self._place_anchor(anchor, places, guess)
        if most_links < GOOD * len(rows):
            reached = np.unique(self._seen.near[rows])
            degree = self._first[reached + 1] - self._first[reached]
            for other_anchor in reached[np.argsort(-degree, kind="stable")][:ANCHORS].tolist():
                tried, links, _ = self._place_anchor(other_anchor, places, guess)
                if links > most_links:
                    best, most_links = tried, links
        return best

    def _place_anchor(self, anchor: int, places: Ints64, guess: Ints64) -> tuple[Ints64, int, Ints64]:
        """Return (places after a walk from a device, how many links are as planned then, the seen rows that it
        reached).
        """
        best, most_links, reached = places, -1, self._list_rows(np.array([anchor]))
        for candidate in self._list_candidates(anchor, places, guess):
            tried = places.copy()
            tried[anchor] = candidate
            rows = self._list_rows(self._place_connected(anchor, tried))
            links = self.count_as_planned(tried, rows)
            if links > most_links:
                best, most_links, reached = tried, links, rows
            if links >= GOOD * len(rows):
                break
        return best, most_links, reached

    def _list_candidates(self, anchor: int, places: Ints64, guess: Ints64) -> list[int]:
        """Return up to ANCHORS free places of a device's kind, best first: those whose ports lead to most of the same
        ports and kinds.

        Of equals, the guess comes first.
        """
        seen, planned = self._seen, self._planned
        rows = slice(self._first[anchor], self._first[anchor + 1])
        is_free = planned.kind == seen.kind[anchor]
        is_free[places[places >= 0]] = False
        kind = int(seen.kind[anchor])
        if kind not in self._rows_by_kind:
            self._rows_by_kind[kind] = np.flatnonzero(planned.kind[planned.near] == kind)
        rows_of_kind = self._rows_by_kind[kind]
        near_port, far_port, far_kind = (
            column[rows_of_kind] for column in (planned.near_port, planned.far_port, planned.kind[planned.far])
        )
        last_port = max(int(near_port.max(initial=0)), int(seen.near_port[rows].max(initial=0)))
        far_port_of_port = np.full(last_port + 1, NOBODY, dtype=np.int64)
        far_kind_of_port = far_port_of_port.copy()
        far_port_of_port[seen.near_port[rows]], far_kind_of_port[seen.near_port[rows]] = (
            seen.far_port[rows],
            seen.kind[seen.far[rows]],
        )
        matching_rows = rows_of_kind[
            (far_port_of_port[near_port] == far_port) & (far_kind_of_port[near_port] == far_kind)
        ]
        score = np.bincount(planned.near[matching_rows], minlength=len(is_free)) * 2
        if guess[anchor] >= 0:
            score[guess[anchor]] += is_free[guess[anchor]]
        open_places = np.flatnonzero(is_free)
        best_places: list[int] = open_places[np.argsort(-score[open_places], kind="stable")[:ANCHORS]].tolist()
        return best_places

    def _place_connected(self, anchor: int, places: Ints64) -> Ints64:
        """Fill `places` of all devices that are connected with an anchor, step by step; return the devices."""
        reached = [np.array([anchor])]
        while len(reached[-1]):
            rows = self._list_rows(reached[-1])
            rows = rows[places[self._seen.far[rows]] == NOBODY]
            voted_places = self._vote_on_places(places, rows, np.full_like(places, NOBODY), only_free=True)
            placed_devices = np.flatnonzero(voted_places >= 0)
            places[placed_devices] = voted_places[placed_devices]
            reached.append(placed_devices)
        return np.concatenate(reached)

    def _list_rows(self, devices: Ints64) -> Ints64:
        """Return the seen rows whose near end is one of some devices, int64."""
        starts, counts = self._first[devices], self._first[devices + 1] - self._first[devices]
        ends = np.cumsum(counts)
        rows: Ints64 = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + counts, counts)
        return rows

    def _vote_on_places(self, places: Ints64, rows: Ints64, fallback: Ints64, *, only_free: bool = False) -> Ints64:
        """Return the place of each seen device, int64, by the votes of some seen rows for what their far ends are.

        No place is given twice. A device without a vote that counts has its place in `fallback`, which also wins ties.
        With `only_free`, only rows whose far ports are as planned vote, and only for places that no device has in
        `places`.
        """
        seen, planned = self._seen, self._planned
        voted_place, is_exact = self._find_planned_neighbours(places, rows)
        device_of_row = seen.far[rows]
        is_valid = (
            (voted_place >= 0)
            & (seen.kind[device_of_row] >= 0)
            & (planned.kind[voted_place] == seen.kind[device_of_row])
        )
        if only_free:
            is_taken = np.zeros(len(planned.kind), dtype=bool)
            is_taken[places[places >= 0]] = True
            is_valid &= ~is_taken[voted_place] & is_exact
        vote_key = device_of_row[is_valid] * len(planned.kind) + voted_place[is_valid]
        distinct_keys, key_of_vote = np.unique(vote_key, return_inverse=True)
        votes = np.bincount(key_of_vote, np.where(is_exact[is_valid], EXACT, NEAR), len(distinct_keys)).astype(np.int64)
        device, place = distinct_keys // len(planned.kind), distinct_keys % len(planned.kind)
        votes = 2 * votes + (fallback[device] == place)  # doubled, so that it decides between equals alone
        order = np.argsort(-votes, kind="stable")
        return _pair_off(device[order], place[order], fallback)

    def _fill_rest(self, places: Ints64, guess: Ints64) -> Ints64:
        """Return `places` with those of devices that had none, filled in place.

        Each gets its guess if that is free; then a device gets the only free place of its kind if it is the only one
        left.
        """
        is_taken = np.zeros(len(self._planned.kind), dtype=bool)
        is_taken[places[places >= 0]] = True
        for device in np.flatnonzero((places == NOBODY) & (guess >= 0)).tolist():
            if not is_taken[guess[device]]:
                places[device] = guess[device]
                is_taken[guess[device]] = True
        for kind in np.unique(self._seen.kind[(places == NOBODY) & (self._seen.kind >= 0)]).tolist():
            unplaced = np.flatnonzero((places == NOBODY) & (self._seen.kind == kind))
            free_places = np.flatnonzero(~is_taken & (self._planned.kind == kind))
            if len(unplaced) == len(free_places) == 1:
                places[unplaced] = free_places
        return places


def _pair_off(device: Ints64, place: Ints64, fallback: Ints64) -> Ints64:
    """Return the place of each device, int64, from (device, place) rows, the best first; no place is given twice.

    In each round, a row counts that is the first both of its device and of its place. A device without a place gets
    that in `fallback` if it is free, else NOBODY.
    """
    places = np.full_like(fallback, NOBODY)
    while len(device):
        rows = np.arange(len(device))
        is_first = [np.zeros(len(device), dtype=bool) for _ in range(2)]
        for flags, column in zip(is_first, (device, place), strict=True):
            flags[np.unique(column, return_index=True)[1]] = True
        paired_rows = rows[is_first[0] & is_first[1]]
        places[device[paired_rows]] = place[paired_rows]
        open_rows = ~(np.isin(device, device[paired_rows]) | np.isin(place, place[paired_rows]))
        device, place = device[open_rows], place[open_rows]
    unpaired_devices = np.flatnonzero((places == NOBODY) & (fallback >= 0))
    unpaired_devices = unpaired_devices[~np.isin(fallback[unpaired_devices], places)]
    places[unpaired_devices] = fallback[unpaired_devices]
    return places
