"""Rows of plugs that are off by as much: by ranks, the places of plugs on the front of one device."""

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
"""Two plugs that go round are a swap."""
LEAST_OPEN = 2
"""One plug that is moved into a free cage is a move."""


class Shift(NamedTuple):
    """Plugs that are moved: (rank where each is, rank where it belongs). `closed`: each is where another belongs."""

    moves: Sequence[tuple[int, int]]
    closed: bool


def measure_shift(moves: Sequence[tuple[int, int]], closed: bool) -> int:
    """By how many places of the row all plugs of a row are too high (below 0: too low); 0 where they are no shift.

    A row is places at equal distances. In a row that is shifted round, those at its one end are at its other end.
    """
    if len(moves) < (LEAST_CLOSED if closed else LEAST_OPEN):
        return 0
    sources, targets = sorted(source for source, _ in moves), sorted(target for _, target in moves)
    stride = _measure_stride(targets)
    if not stride or len(set(sources)) < len(sources):
        return 0
    offsets = {source - target for source, target in moves}
    if closed:
        count = len(moves)
        if sources != targets or any(offset % stride for offset in offsets):
            return 0
        # round a row of five, four places up and one down are the same
        turns = {offset // stride % count for offset in offsets}
        up = turns.pop()
        # of the two ways round, the shorter one
        return 0 if turns else up if 2 * up <= count else up - count
    return offsets.pop() if len(offsets) == 1 else 0


def shifts_among(rows: Sequence[Shift]) -> Iterator[list[int]]:
    """Which of some rows are one shift together, as indexes; all their plugs are off by the same offsets."""
    closed, opened = ([at for at, row in enumerate(rows) if row.closed is closed] for closed in (True, False))
    if len(closed) > 1 and measure_shift([move for at in closed for move in rows[at].moves], closed=True):
        yield closed
    yield from (run for run in _list_runs(rows, opened) if len(run) > 1)


def _list_runs(rows: Sequence[Shift], members: Sequence[int]) -> Iterator[list[int]]:
    """Open rows whose targets follow each other at the usual distance."""
    targets = sorted((target, at) for at in members for _, target in rows[at].moves)
    steps = Counter(upper[0] - lower[0] for lower, upper in pairwise(targets))
    if not steps:
        return
    # the most frequent distance, and of several the least: two shifts that lie apart are told as two
    usual = min(steps, key=lambda step: (-steps[step], step))
    run: list[int] = []
    last = None
    for target, at in targets:
        if last is not None and target - last != usual:
            # a chain of several moves is in the run once for each of these
            yield list(dict.fromkeys(run))
            run = []
        run.append(at)
        last = target
    yield list(dict.fromkeys(run))


def _measure_stride(ranks: Sequence[int]) -> int:
    """The distance between neighbours of a row; 0 where it is not the same everywhere."""
    steps = {upper - lower for lower, upper in pairwise(ranks)}
    return steps.pop() if len(steps) == 1 else 0


# Cages whose plugs were all pulled together: a run of pairs of jumpers that sits in each other's cages.


@dataclass
class PairedCages:
    """The cages of a plan with several plugs, none of them common to several cables; each known by its first plug."""

    plugs: PlugIndex
    _of_device: dict[int, dict[str, list[int]]] = field(default_factory=dict)
    _ports: dict[int, list[int]] = field(default_factory=dict)

    def list_plugs_beside(self, port: int) -> list[int]:
        """The plugs in the cage of a planned port, in their order; empty unless these are several single ones."""
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

    def list_ports(self, cage: int) -> list[int]:
        """The ports of a cage."""
        if cage not in self._ports:
            beside = self.list_plugs_beside(self.plugs.list_ports(cage)[0])
            self._ports[cage] = [port for plug in beside for port in self.plugs.list_ports(plug)]
        return self._ports[cage]

    def split_ring(self, ring: Ring) -> list[Ring]:
        """An exchange of cages as exchanges of the first plugs of these, of the second ones and so on."""
        beside = {cage: self.list_plugs_beside(self.plugs.list_ports(cage)[0]) for cage in ring}
        return [
            {beside[actual][nth]: beside[planned][nth] for actual, planned in ring.items()}
            for nth in range(len(beside[next(iter(ring))]))
        ]


def make_cage_exchangeable(cages: PairedCages, exchanged: Collection[int]) -> Exchangeable:
    """Cages of one device as things that can stand in for each other; some devices are exchanged as boxes."""
    cabling = cages.plugs.cabling

    def read_vote(topology: SeenTopology, port: int) -> tuple[int, int] | None:
        # (first plug of the cage where a wrong link is, first plug of where it belongs), both of one device and of the
        # same form; None for others
        # planned ports are numbered so that those of a link are 2n and 2n + 1
        target = int(topology.mate[port]) ^ 1
        if max(port, target) >= topology.first_spare or cabling.device[port] != cabling.device[target]:
            return None
        own_plugs, planned_plugs = cages.list_plugs_beside(port), cages.list_plugs_beside(target)
        if not own_plugs or not planned_plugs or own_plugs == planned_plugs:
            return None
        own_ports, planned_ports = cages.list_ports(own_plugs[0]), cages.list_ports(planned_plugs[0])
        alike = (
            len(own_ports) == len(planned_ports)
            and len(own_plugs) == len(planned_plugs)
            and own_ports.index(port) == planned_ports.index(target)
        )
        return (own_plugs[0], planned_plugs[0]) if alike else None

    def count_votes(topology: SeenTopology) -> list[Vote]:
        # votes of wrong links for a cage's plugs that belong in another; those for most links first
        counts = Counter(filter(None, (read_vote(topology, port) for port in topology.find_wrong_ports().tolist())))
        return [
            Vote(links, *pair)
            for pair, links in sorted(counts.items(), key=lambda pair_count: (-pair_count[1], pair_count[0]))
        ]

    def renumber_ring(topology: SeenTopology, ring: Ring) -> tuple[dict[int, int], list[int]]:
        # (port -> the port it is taken for once a ring of cages is put right, all ports touched)
        pairs = [
            pair
            for actual, planned in ring.items()
            for pair in zip(cages.list_ports(actual), cages.list_ports(planned), strict=True)
        ]
        return {port: now for port, now in pairs if topology.has_state(port, now)}, [port for port, _ in pairs]

    def is_worth(_topology: SeenTopology, ring: Ring, gain: Gain) -> bool:
        # an exchange of whole cages must mend more links than it pulls cages, or single plugs were as good
        return gain.links > max(len(ring), gain.unseen)

    def needs_boxes(ring: Ring) -> bool:
        return any(int(cabling.device[cages.plugs.list_ports(cage)[0]]) in exchanged for cage in ring)

    return Exchangeable(count_votes, renumber_ring, is_worth, needs_boxes=needs_boxes)
