"""Rows of plugs that are all off by the same number of places, by their ranks: their order on the front of a device."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from fabricgen.blueprint.models import make_natural_key
from fabricgen.verify.diagnosis.exchange_search import Exchangeable, Ring, Vote
from fabricgen.verify.diagnosis.plugs import PlugIndex
from fabricgen.verify.diagnosis.topology import Gain, SeenTopology

LEAST_CLOSED = 3
"""The least plugs of a row that is shifted round; two of them are a swap."""
LEAST_OPEN = 2
"""The least plugs of a row that is shifted into free cages; a single one is a move."""


class Shift(NamedTuple):
    """Moves of plugs: (rank where a plug is, rank where it belongs). `closed`: each plug is where another belongs."""

    moves: Sequence[tuple[int, int]]
    closed: bool


def measure_shift(moves: Sequence[tuple[int, int]], closed: bool) -> int:
    """Return by how many places all plugs of a row are too high (negative: too low); 0 if they are not one shift.

    It is also 0 if there are too few plugs (LEAST_CLOSED, LEAST_OPEN), if two plugs are at one rank, or if the targets
    are not at equal distances (the stride). An open shift is counted in ranks. A closed shift, whose plugs leave the
    row at one end and come in at the other, is counted in strides, in the direction that is shorter.
    """
    if len(moves) < (LEAST_CLOSED if closed else LEAST_OPEN):
        return 0
    sources, targets = sorted(source for source, _ in moves), sorted(target for _, target in moves)
    stride = _measure_stride(targets)
    if not stride or len(set(sources)) < len(sources):
        return 0
    offsets = {source - target for source, target in moves}
    if closed:
        row_length = len(moves)
        if sources != targets or any(offset % stride for offset in offsets):
            return 0
        # round a row of five, four places up and one down are the same: count all of them upwards
        places_up_choices = {offset // stride % row_length for offset in offsets}
        places_up = places_up_choices.pop()
        # a choice that is left over is a plug that is off by another number of places
        return 0 if places_up_choices else places_up if 2 * places_up <= row_length else places_up - row_length
    return offsets.pop() if len(offsets) == 1 else 0


def shifts_among(rows: Sequence[Shift]) -> Iterator[list[int]]:
    """Yield lists of indexes of `rows` that together are one shift: all closed rows, and each run of several open rows.

    Closed rows are one shift if all their plugs are off by the same number of places; `_list_runs` says what a run is.
    """
    closed, opened = ([i for i, row in enumerate(rows) if row.closed is is_closed] for is_closed in (True, False))
    if len(closed) > 1 and measure_shift([move for i in closed for move in rows[i].moves], closed=True):
        yield closed
    yield from (run_indexes for run_indexes in _list_runs(rows, opened) if len(run_indexes) > 1)


def _list_runs(rows: Sequence[Shift], members: Sequence[int]) -> Iterator[list[int]]:
    """Yield the indexes of open rows, run by run; the ranks to which the plugs of a run belong are at equal distances.

    That is the distance which is most frequent between neighbours of all such ranks. `members` are the indexes (in
    `rows`) of the open rows. Each index is listed once in a run.
    """
    indexed_targets = sorted((target, row_index) for row_index in members for _, target in rows[row_index].moves)
    step_counts = Counter(upper[0] - lower[0] for lower, upper in pairwise(indexed_targets))
    if not step_counts:
        return
    # the most frequent distance, and of several the least: two shifts that lie apart are reported as two
    usual_step = min(step_counts, key=lambda step: (-step_counts[step], step))
    run_indexes: list[int] = []
    previous_target = None
    for target, row_index in indexed_targets:
        if previous_target is not None and target - previous_target != usual_step:
            # a chain of several moves is in the run once for each move
            yield list(dict.fromkeys(run_indexes))
            run_indexes = []
        run_indexes.append(row_index)
        previous_target = target
    yield list(dict.fromkeys(run_indexes))


def _measure_stride(ranks: Sequence[int]) -> int:
    """Return the distance between neighbours of a sorted row; 0 if it is not the same everywhere."""
    steps = {upper - lower for lower, upper in pairwise(ranks)}
    return steps.pop() if len(steps) == 1 else 0


# Cages whose plugs were all moved together, such as a row of pairs of jumpers in each other's cages.


@dataclass
class PairedCages:
    """The planned cages with several plugs, none of them a common plug.

    A cage is known by the number of its first plug: things of `make_cage_exchangeable` are such numbers.
    """

    plugs: PlugIndex
    _of_device: dict[int, dict[str, list[int]]] = field(default_factory=dict)
    _ports: dict[int, list[int]] = field(default_factory=dict)

    def list_cage_plugs(self, port: int) -> list[int]:
        """Return the plugs in the cage of a planned port, in order; [] for a single plug, or if any is `is_common`."""
        cabling = self.plugs.cabling

        def find_connector(plug: int) -> tuple[object, str]:
            return make_natural_key(cabling.connector_text(self.plugs.list_ports(plug)[0]))

        device = int(cabling.device[port])
        if device not in self._of_device:
            cages: dict[str, list[int]] = {}
            for device_port in cabling.list_device_ports(device).tolist():
                plugs = cages.setdefault(cabling.find_cage(device_port), [])
                if (plug := int(cabling.plug[device_port])) not in plugs:
                    plugs.append(plug)
            self._of_device[device] = {cage: sorted(plugs, key=find_connector) for cage, plugs in cages.items()}
        plugs = self._of_device[device][cabling.find_cage(port)]
        return plugs if len(plugs) > 1 and not any(map(self.plugs.is_common, plugs)) else []

    def list_ports(self, first_plug: int) -> list[int]:
        """Return the ports of the cage with this first plug, plug by plug."""
        if first_plug not in self._ports:
            cage_plugs = self.list_cage_plugs(self.plugs.list_ports(first_plug)[0])
            self._ports[first_plug] = [port for plug in cage_plugs for port in self.plugs.list_ports(plug)]
        return self._ports[first_plug]

    def split_ring(self, ring: Ring) -> list[Ring]:
        """Split an exchange of cages into exchanges of their first plugs, of their second plugs and so on."""
        plugs_of = {first_plug: self.list_cage_plugs(self.plugs.list_ports(first_plug)[0]) for first_plug in ring}
        return [
            {plugs_of[actual][nth]: plugs_of[planned][nth] for actual, planned in ring.items()}
            for nth in range(len(plugs_of[next(iter(ring))]))
        ]


def make_cage_exchangeable(cages: PairedCages, exchanged: Collection[int]) -> Exchangeable:
    """Make cages of one device exchangeable; `exchanged` are the devices that are exchanged as boxes."""
    cabling = cages.plugs.cabling

    def read_vote(topology: SeenTopology, port: int) -> tuple[int, int] | None:
        # (cage where a wrong link is, cage where it belongs), both on one device and with equally many plugs and ports;
        # None for other links. `joined_to ^ 1` is the port that the plan joins to the port that is seen.
        target = int(topology.joined_to[port]) ^ 1
        if max(port, target) >= topology.first_spare or cabling.device[port] != cabling.device[target]:
            return None
        actual_plugs, planned_plugs = cages.list_cage_plugs(port), cages.list_cage_plugs(target)
        if not actual_plugs or not planned_plugs or actual_plugs == planned_plugs:
            return None
        actual_ports, planned_ports = cages.list_ports(actual_plugs[0]), cages.list_ports(planned_plugs[0])
        alike = (
            len(actual_ports) == len(planned_ports)
            and len(actual_plugs) == len(planned_plugs)
            and actual_ports.index(port) == planned_ports.index(target)
        )
        return (actual_plugs[0], planned_plugs[0]) if alike else None

    def count_votes(topology: SeenTopology) -> list[Vote]:
        # votes of wrong links for cages whose plugs belong in another cage, those of most links first
        counts = Counter(filter(None, (read_vote(topology, port) for port in topology.find_wrong_ports().tolist())))
        return [
            Vote(links, *pair)
            for pair, links in sorted(counts.items(), key=lambda pair_count: (-pair_count[1], pair_count[0]))
        ]

    def map_ports(topology: SeenTopology, ring: Ring) -> tuple[dict[int, int], list[int]]:
        # (port -> the port it is taken for if a ring of cages is believed, all ports touched)
        pairs = [
            pair
            for actual, planned in ring.items()
            for pair in zip(cages.list_ports(actual), cages.list_ports(planned), strict=True)
        ]
        return {port: now for port, now in pairs if topology.has_state(port, now)}, [port for port, _ in pairs]

    def is_worth(_topology: SeenTopology, ring: Ring, gain: Gain) -> bool:
        # an exchange of whole cages must put more links right than it pulls cages, else single plugs do as well
        return gain.links > max(len(ring), gain.unseen)

    def needs_boxes(ring: Ring) -> bool:
        # whether a cage of a ring is on a device whose box is exchanged
        return any(int(cabling.device[cages.plugs.list_ports(first_plug)[0]]) in exchanged for first_plug in ring)

    return Exchangeable(count_votes, map_ports, is_worth, needs_boxes=needs_boxes)
