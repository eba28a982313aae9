"""Static routes of a fabric without a routing protocol: a default route up, exact routes down, and no loops.

The addresses below a switch are kept as ranges, merged if they touch, and split into prefixes at the end, so that
prefixes cover exactly what is below. Results are cached for switches with the same switches below, and prefixes for
switches with the same neighbours above and below, which differ only in next hops; so the work grows with the number of
routes, not with pairs of switches.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import TypeAlias

import numpy as np

from fabricgen.design.ports import PortRun
from fabricgen.numbering.addresses.family_tables import FamilyAddresses
from fabricgen.numbering.blocks.column import format_address
from fabricgen.numbering.lazy_columns import Strings
from fabricgen.switch.ordered import OrderedSet
from fabricgen.switch.routing import StaticRoute
from fabricgen.wiring.arrays import Ints, Ints64
from fabricgen.wiring.tables import WiringPlan

AddressRanges: TypeAlias = tuple[tuple[int, int], ...]
"""Ranges of addresses [first, past the last), ascending, apart from each other."""

_Hops: TypeAlias = tuple[tuple[str, str], ...]
"""(own port, address of the far end without prefix length) of next hops, in the order of ports."""

_Path: TypeAlias = tuple[int, ...]
"""The neighbours that a route goes over, as indexes into the switches below and then those above."""

_Routes: TypeAlias = tuple[tuple[_Path, ...], tuple[tuple[str, int, bool], ...]]
"""(distinct paths; (prefix, index of the path, whether it is a discard route as well) of each route)."""

_REMEMBERED = 256
"""The size of the cache of routes; switches that share an entry are adjacent in the device table."""


class Reachability:
    """The addresses that are reached over the links between switches, in one family; cached."""

    def __init__(
        self, plan: WiringPlan, addresses: FamilyAddresses, a_port: Strings, b_port: Strings, fabrics: Sequence[str]
    ) -> None:
        """`fabrics` are those whose nodes are reached in the default VRF."""
        self._addresses, self._names = addresses, (a_port, b_port)
        self._subnets = [addresses.subnets[name] for name in fabrics if name in addresses.subnets]
        links = plan.links
        between = np.array(
            [isinstance(s.a, PortRun) and isinstance(s.b, PortRun) and s.a != s.b for s in links.segments]
        )
        rows = np.flatnonzero(between[links.segment] & (addresses.length > 0))
        self._lower, self._upper = links.a_device, links.b_device
        self._down = _index_links(links.b_device, links.b_port, rows, len(plan.devices))
        self._up = _index_links(links.a_device, links.a_port, rows, len(plan.devices))
        self._below: dict[int, AddressRanges] = {}
        self._above: dict[int, AddressRanges] = {}
        self._shared: dict[tuple[int, ...], AddressRanges] = {}
        self._find_own_ranges, self._through = cache(self._list_own_ranges), cache(self._list_ranges_through)
        self._cuts = lru_cache(_REMEMBERED)(self._make_routes)

    def list_routes(self, switch: int) -> dict[str, StaticRoute]:
        """Return the static routes of a switch (a row of the device table) by prefix, in the order of prefixes.

        A route down goes over all links to lower switches that reach the prefix. A switch with a default route gets
        discard routes for all addresses below it, so that packets to lost switches do not loop.
        """
        hops_below, hops_above = self._list_next_hops(switch, below=True), self._list_next_hops(switch, below=False)
        paths, cuts = self._cuts(
            tuple(hops_below), tuple(hops_above), self._list_host_ranges(switch) if hops_above else ()
        )
        hops = (*hops_below.values(), *hops_above.values())
        next_hops = [OrderedSet(hop for peer in path for hop in hops[peer]) for path in paths]
        return {prefix: StaticRoute(next_hops[path], dropped) for prefix, path, dropped in cuts}

    def _make_routes(
        self, lower_switches: tuple[int, ...], upper_switches: tuple[int, ...], hosts: AddressRanges
    ) -> _Routes:
        """Return the routes of all switches that have these switches below and above, and these node blocks.

        They are (distinct paths; for each prefix its text, the index of its path, and whether it is a discard route as
        well). A path is a tuple of indexes of neighbours: lower switches first, then upper ones.
        """
        sources = list(self._list_ranges_below(lower_switches))
        discards: AddressRanges = ()
        if upper_switches:
            # a path is the numbers of next hops: those below first, then those above
            sources += [(self._through(upper), (len(lower_switches) + i,)) for i, upper in enumerate(upper_switches)]
            # what lies below and has no route now must not follow the default route back up: that were a loop
            discards = merge_ranges((*self._merge_addresses_below(lower_switches), *hosts))
        family = self._addresses.family
        path_of = {
            prefix: path
            for first, end, path in _split_by_path(sources)
            for prefix in split_range(first, end, family.bits)
        }
        dropped = {prefix for first, end in discards for prefix in split_range(first, end, family.bits)}
        if upper_switches:
            # the default route: by all upper switches, whose numbers follow those of the lower ones
            path_of[0, 0] = tuple(range(len(lower_switches), len(lower_switches) + len(upper_switches)))
        number_of_path: dict[_Path, int] = {}
        cuts = [
            (f"{format_address(family, prefix[0])}/{prefix[1]}", path_of.get(prefix, ()), prefix in dropped)
            for prefix in sorted(path_of.keys() | dropped)
        ]
        routes = tuple(
            # a path gets the next number when it is first met
            [(text, number_of_path.setdefault(path, len(number_of_path)), drops) for text, path, drops in cuts]
        )
        return tuple(number_of_path), routes

    def list_ranges_below(self, switch: int) -> AddressRanges:
        """Return router ids and node blocks of all switches below a switch."""
        if switch not in self._below:
            self._below[switch] = self._merge_addresses_below(set(self._list_peers(switch, below=True)))
        return self._below[switch]

    def _merge_addresses_below(self, children: Iterable[int]) -> AddressRanges:
        """Return router ids and node blocks of `children` and of all switches below them."""
        switches = tuple(sorted(children))
        if switches not in self._shared:
            self._shared[switches] = merge_ranges(
                address_range
                for switch in switches
                for address_range in (*self._find_own_ranges(switch), *self.list_ranges_below(switch))
            )
        return self._shared[switches]

    def list_ranges_above(self, switch: int) -> AddressRanges:
        """Return the node blocks of all switches above a switch.

        Routes to them are needed as well as a default route: by that alone, packets for them might go to the wrong
        upper switch.
        """
        if switch not in self._above:
            uppers = dict.fromkeys(self._list_peers(switch, below=False))
            self._above[switch] = merge_ranges(
                address_range
                for upper in uppers
                for address_range in (*self._list_host_ranges(upper), *self.list_ranges_above(upper))
            )
        return self._above[switch]

    def _list_ranges_below(self, lower_switches: Sequence[int]) -> Iterator[tuple[AddressRanges, _Path]]:
        """Yield (address ranges, path) of each lower switch itself, then of what is below them.

        Lower switches with the same ranges below them share one path.
        """
        switches_of_ranges: dict[AddressRanges, list[int]] = defaultdict(list)
        # switches with equal ranges below them are next hops to these alike
        for index, child in enumerate(lower_switches):
            yield self._find_own_ranges(child), (index,)
            switches_of_ranges[self.list_ranges_below(child)].append(index)
        for ranges, indexes in switches_of_ranges.items():
            yield ranges, tuple(indexes)

    def _list_own_ranges(self, switch: int) -> AddressRanges:
        """Return the router id and the node blocks of one switch."""
        loopback = self._addresses.loopback.at(switch)
        return merge_ranges((*(((loopback, loopback + 1),) if loopback else ()), *self._list_host_ranges(switch)))

    def _list_ranges_through(self, switch: int) -> AddressRanges:
        """Return what an upper switch reaches besides what is below: itself, and node blocks above it."""
        return merge_ranges((*self._find_own_ranges(switch), *self.list_ranges_above(switch)))

    def _list_host_ranges(self, switch: int) -> AddressRanges:
        """Return (first address, end) of the blocks that a switch has for its nodes."""
        ranges = []
        for subnets in self._subnets:
            first, length = subnets.base.at(switch), int(subnets.length[switch])
            if first:
                ranges.append((first, first + (1 << (self._addresses.family.bits - length))))
        return tuple(ranges)

    def _list_links(self, switch: int, below: bool) -> Ints64:
        """Return the links of a switch to lower or upper ones, in the order of ports."""
        pointer, rows = self._down if below else self._up
        return rows[pointer[switch] : pointer[switch + 1]]

    def _list_peers(self, switch: int, below: bool) -> list[int]:
        """Return the lower or upper neighbours of a switch."""
        peers: list[int] = (self._lower if below else self._upper)[self._list_links(switch, below)].tolist()
        return peers

    def _list_next_hops(self, switch: int, below: bool) -> dict[int, _Hops]:
        """Return the next hops to each switch below or above, in the order of ports."""
        links = self._list_links(switch, below)
        own_ports, far_addresses = (self._names[1], self._addresses.a) if below else (self._names[0], self._addresses.b)
        hops: dict[int, list[tuple[str, str]]] = defaultdict(list)
        for peer, port, address in zip(
            self._list_peers(switch, below), own_ports[links], far_addresses[links].texts(), strict=True
        ):
            hops[peer].append((port, address))
        return {peer: tuple(peer_hops) for peer, peer_hops in hops.items()}


def _index_links(device: Ints, port: Ints, rows: Ints64, devices: int) -> tuple[Ints64, Ints64]:
    """Return (pointer, rows of links sorted by device and then port), both int64.

    The links of device i are those from `pointer[i]` to `pointer[i + 1]` - 1; `rows` are the links to sort.
    """
    by = rows[np.lexsort((port[rows], device[rows]))]
    return np.searchsorted(device[by], np.arange(devices + 1)), by


def merge_ranges(ranges: Iterable[tuple[int, int]]) -> AddressRanges:
    """Return the union of address ranges; those that touch or overlap are merged."""
    union: list[tuple[int, int]] = []
    for first, end in sorted(ranges):
        if union and first <= union[-1][1]:
            union[-1] = (union[-1][0], max(end, union[-1][1]))
        else:
            union.append((first, end))
    return tuple(union)


def split_range(first: int, end: int, bits: int = 32) -> Iterator[tuple[int, int]]:
    """Yield the fewest (address, length) prefixes that cover a range exactly; addresses have `bits` bits."""
    while first < end:
        # a prefix starts at a multiple of its size: no larger than the lowest bit of its start, nor than what is left
        size = min(first & -first if first else 1 << bits, 1 << (end - first).bit_length() - 1)
        yield first, bits + 1 - size.bit_length()
        first += size


def _split_by_path(sources: Sequence[tuple[AddressRanges, _Path]]) -> Iterator[tuple[int, int, _Path]]:
    """Yield (first, end, path) of disjoint address ranges, ascending.

    The path joins the paths of all sources whose ranges cover the range.
    """
    sources_at_boundary: dict[int, list[int]] = defaultdict(list)
    for index, (ranges, _) in enumerate(sources):
        # where a source begins to cover addresses, and where it ceases to
        for boundary in (boundary for address_range in ranges for boundary in address_range):
            sources_at_boundary[boundary].append(index)
    covering: set[int] = set()
    start = 0
    for boundary in sorted(sources_at_boundary):
        if covering:
            yield start, boundary, tuple(peer for index in sorted(covering) for peer in sources[index][1])
        covering.symmetric_difference_update(sources_at_boundary[boundary])
        start = boundary
