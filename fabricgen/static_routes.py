"""Static routes of a fabric without a routing protocol: a default route up, exact routes down, and no loops.

What lies below a switch is held as intervals of addresses, merged where they touch, and turned into prefixes at the
end: a prefix then covers exactly what is below, and never an address that is not. Switches with the same switches
below share one answer, so that work grows with the routes that come out and not with pairs of switches.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from fabricgen.allocate.cells import Strings
from fabricgen.allocate.column import text_of
from fabricgen.allocate.family_tables import FamilyAddresses
from fabricgen.design.ports import PortRun
from fabricgen.plan.tables import Ints, Plan, Wide
from fabricgen.switch_view import NextHop, StaticRoute

Intervals: TypeAlias = tuple[tuple[int, int], ...]
"""Ranges of addresses [first, past the last), ascending, apart from each other."""

_Hops: TypeAlias = tuple[NextHop, ...]


class Reachability:
    """What can be reached over the links between the switches of a plan, worked out when asked and then kept."""

    def __init__(
        self, plan: Plan, addresses: FamilyAddresses, a_port: Strings, b_port: Strings, fabrics: Sequence[str]
    ) -> None:
        """In one family; `fabrics` are those whose nodes are reached in the default VRF."""
        self._addresses, self._names = addresses, (a_port, b_port)
        self._subnets = [addresses.subnets[name] for name in fabrics if name in addresses.subnets]
        links = plan.links
        between = np.array(
            [isinstance(s.a, PortRun) and isinstance(s.b, PortRun) and s.a != s.b for s in links.segments]
        )
        rows = np.flatnonzero(between[links.segment] & (addresses.length > 0))
        self._lower, self._upper = links.a_device, links.b_device
        self._down = _rows_by(links.b_device, links.b_port, rows, len(plan.devices))
        self._up = _rows_by(links.a_device, links.a_port, rows, len(plan.devices))
        self._below: dict[int, Intervals] = {}
        self._above: dict[int, Intervals] = {}
        self._shared: dict[tuple[int, ...], Intervals] = {}

    def routes(self, switch: int) -> tuple[StaticRoute, ...]:
        """The static routes of a switch, by its row in the device table, in the order of their prefixes.

        Routes down go over every link to a lower switch with the prefix below it. Where there is a default route, what
        is below and does not answer is discarded instead of bouncing back down.
        """
        family = self._addresses.family
        down, up = self._hops(switch, below=True), self._hops(switch, below=False)
        sources = list(self._downward(down))
        discards: Intervals = ()
        if up:
            sources += [(merged((*self._own(u), *self.above(u))), hops) for u, hops in up.items()]
            discards = merged((*self.below(switch), *self._hosts(switch)))
        found = {prefix: hops for first, end, hops in _spread(sources) for prefix in prefixes(first, end, family.bits)}
        dropped = {prefix for first, end in discards for prefix in prefixes(first, end, family.bits)}
        if up:
            found[0, 0] = tuple(hop for hops in up.values() for hop in hops)
        return tuple(
            StaticRoute(f"{text_of(family, prefix[0])}/{prefix[1]}", found.get(prefix, ()), prefix in dropped)
            for prefix in sorted(found.keys() | dropped)
        )

    def below(self, switch: int) -> Intervals:
        """Router ids and host blocks of all switches below one."""
        if switch not in self._below:
            children = tuple(sorted(set(self._peers(switch, below=True))))
            if children not in self._shared:
                self._shared[children] = merged(part for c in children for part in (*self._own(c), *self.below(c)))
            self._below[switch] = self._shared[children]
        return self._below[switch]

    def above(self, switch: int) -> Intervals:
        """Host blocks of all switches above one: a default route alone may climb to the wrong switch."""
        if switch not in self._above:
            uppers = dict.fromkeys(self._peers(switch, below=False))
            self._above[switch] = merged(part for u in uppers for part in (*self._hosts(u), *self.above(u)))
        return self._above[switch]

    def _downward(self, down: Mapping[int, _Hops]) -> Iterator[tuple[Intervals, _Hops]]:
        """(what, over which links): each lower switch itself, and what is below it, once for those that share it."""
        shared: dict[Intervals, list[_Hops]] = defaultdict(list)
        for child, hops in down.items():
            yield merged(self._own(child)), hops
            shared[self.below(child)].append(hops)
        for intervals, ways in shared.items():
            yield intervals, tuple(hop for hops in ways for hop in hops)

    def _own(self, switch: int) -> Intervals:
        loopback = self._addresses.loopback.at(switch)
        return (*(((loopback, loopback + 1),) if loopback else ()), *self._hosts(switch))

    def _hosts(self, switch: int) -> Intervals:
        found = []
        for subnets in self._subnets:
            first, length = subnets.base.at(switch), int(subnets.length[switch])
            if first:
                found.append((first, first + (1 << (self._addresses.family.bits - length))))
        return tuple(found)

    def _links(self, switch: int, below: bool) -> Wide:
        pointer, rows = self._down if below else self._up
        return rows[pointer[switch] : pointer[switch + 1]]

    def _peers(self, switch: int, below: bool) -> list[int]:
        peers: list[int] = (self._lower if below else self._upper)[self._links(switch, below)].tolist()
        return peers

    def _hops(self, switch: int, below: bool) -> dict[int, _Hops]:
        """Next hops over the links to each switch below or above, in the order of the ports."""
        links = self._links(switch, below)
        own, far = (self._names[1], self._addresses.a) if below else (self._names[0], self._addresses.b)
        hops: dict[int, list[NextHop]] = defaultdict(list)
        for link, peer in zip(links.tolist(), self._peers(switch, below), strict=True):
            hops[peer].append(NextHop(own[link], self._addresses.text(far.at(link))))
        return {peer: tuple(found) for peer, found in hops.items()}


def _rows_by(device: Ints, port: Ints, rows: Wide, devices: int) -> tuple[Wide, Wide]:
    """(row pointer per device, link rows sorted by device and then port)."""
    by = rows[np.lexsort((port[rows], device[rows]))]
    return np.searchsorted(device[by], np.arange(devices + 1)), by


def merged(intervals: Iterable[tuple[int, int]]) -> Intervals:
    """The union of intervals, those that touch or overlap as one."""
    found: list[tuple[int, int]] = []
    for first, end in sorted(intervals):
        if found and first <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((first, end))
    return tuple(found)


def prefixes(first: int, end: int, bits: int = 32) -> Iterator[tuple[int, int]]:
    """The fewest (address, length) prefixes that cover an interval of a family's `bits` exactly."""
    while first < end:
        size = min(first & -first if first else 1 << bits, 1 << (end - first).bit_length() - 1)
        yield first, bits + 1 - size.bit_length()
        first += size


def _spread(sources: Sequence[tuple[Intervals, _Hops]]) -> Iterator[tuple[int, int, _Hops]]:
    """(first, end, next hops of every source that covers it), cut where that set changes."""
    changes: dict[int, list[int]] = defaultdict(list)
    for index, (intervals, _) in enumerate(sources):
        for place in (place for interval in intervals for place in interval):
            changes[place].append(index)
    active: set[int] = set()
    start = 0
    for place in sorted(changes):
        if active:
            yield start, place, tuple(hop for index in sorted(active) for hop in sources[index][1])
        active.symmetric_difference_update(changes[place])
        start = place
