"""Which ports the links between two tiers use: a nested order, in which half of the links stay when upper switches
double.

Ports are counted lane by lane: the first port of every connector, then the second of every connector. On a lower switch
link q goes to upper switch q % S, as its link k = q // S. On an upper switch with P ports for lower switches of m links
each, link k of the lower switch of rank r uses port k * P // m + r in that count. When S doubles, m halves: the links
of even k stay on the same ports at both ends, and the others go to the new switches.

Lower switches take ports upwards by rank. Other purposes of the run take ports from its end downwards.

If this order would give a breakout cable more far ends than needed (`is_nested`), the links of a lower switch are
adjacent instead.
"""

from __future__ import annotations

from collections.abc import Sequence

from fabricgen.design.fabric_model import Feed, TierDesign, Uplink, find_port
from fabricgen.design.ports import PortRun
from fabricgen.design.shape import spans_units
from fabricgen.kernel.intervals import Intervals, count_numbers, list_numbers


def is_nested(links_per_group: int, upper_count: int, lower_per: int, upper_per: int) -> bool:
    """Whether links between a lower and an upper switch are spread in the nested order; `lower_per` and `upper_per` are
    how many ports a connector has at either end.

    The links of each pair of switches must fill whole connectors, or a whole number of pairs must share one. Pairs
    cannot share a connector of the upper switch if the cable is split there alone: then the links of each lower switch
    are adjacent.
    """
    # rounded up
    links_per_pair = -(-links_per_group // upper_count)
    # a pair's links fill whole connectors of the lower switch, or several pairs share one
    if lower_per > 1:
        divides = links_per_group % upper_count == 0 and links_per_group % lower_per == 0
        if not divides or (links_per_pair % lower_per and lower_per % links_per_pair):
            return False
    # Pairs share a connector of the upper switch only on cables that are split at the lower end too: else one breakout
    # at the upper switch would go to more lower switches than its cable has ends.
    return links_per_pair % upper_per == 0 or (lower_per > 1 and upper_per % links_per_pair == 0)


def _lane_key(run: PortRun, port: int) -> tuple[int, int, int]:
    """Return the sort key of a port for the lane-by-lane count: (port in the connector, connector in the cage,
    cage).
    """
    cage, port_in_cage = divmod(port, run.ways)
    connector, lane = divmod(port_in_cage, run.links_per_connector)
    return lane, connector, cage


def list_uplink_ends(uplink: Uplink, run: PortRun) -> list[tuple[int, int]]:
    """Return (upper switch in its group, number of the link to that switch) of every uplink of a lower switch, in the
    order of its ports, group of upper switches after group.
    """
    links_per_group, count = uplink.links_per_group, uplink.upper_count
    if not uplink.nested:
        ends_of_group = [(switch, link) for switch in range(count) for link in range(uplink.count_links_to(switch))]
        # every group of upper switches is linked alike, each by its own ports
        return ends_of_group * uplink.upper_groups
    ends_by_port = [(0, 0)] * (links_per_group * uplink.upper_groups)
    for first_port in range(0, len(ends_by_port), links_per_group):
        for uplink_number, port in enumerate(
            sorted(range(first_port, first_port + links_per_group), key=lambda port: _lane_key(run, port))
        ):
            # dealt to the upper switches in turn, lane by lane through the cages
            ends_by_port[port] = (uplink_number % count, uplink_number // count)
    return ends_by_port


def make_run_ports(tier: TierDesign, run: int) -> RunPorts:
    """Return which down ports of a tier's run, by its index in `TierDesign.downs`, serve which purpose."""
    return RunPorts(tier.downs[run], run, tier.feeds, tier.reach, wide=spans_units(tier.per))


class RunPorts:
    """The down ports of a run: those of each purpose, and those left over.

    `number` is the index of the run, `feeds` are the purposes in the order they were added. Links of the first one are
    spread over the first `reach[number]` ports of the run (over all ports if there is no such entry), however many
    lower switches there are. The rank of a lower switch is its number, from 0, among those of an upper group.

    On `wide` tiers, whose groups span units, ports left over are taken from the last port downwards, as nodes may grow
    upwards. `taken` are the ports of nodes and management if a lock keeps them: they need not be the first ports then.
    """

    def __init__(
        self,
        run: PortRun,
        number: int,
        feeds: Sequence[Feed],
        reach: Sequence[int],
        *,
        wide: bool = False,
        taken: Intervals = (),
    ) -> None:
        self._run, self._wide, self._taken = run, wide, taken
        self._feeds = feeds = [feed for feed in feeds if feed.run == number]
        # ports of nodes, and ports that are listed one by one, are not spread
        first_feed = feeds[0] if feeds and feeds[0].links and not (feeds[0].beside_nodes or feeds[0].laid) else None
        needed = first_feed.numbered if first_feed else 0
        reach_ports = min(reach[number] if number < len(reach) else run.numbers, run.numbers)
        # the reach in whole cages, or more cages if the feed needs them
        cages = max(reach_ports // run.ways, -(-needed // run.ways))
        self._ports_by_lane = sorted(range(cages * run.ways), key=lambda port: _lane_key(run, port))
        self._spread = self._spread_ports(first_feed) if first_feed else ()
        # other feeds begin on a connector that the first one does not use
        self._first_other = -(-needed // run.links_per_connector) * run.links_per_connector
        self.others = (
            self._sort_from_top(first_feed.links if first_feed and first_feed.nested else 1) if first_feed else ()
        )
        """The ports that the first purpose leaves, from the highest rank of lower switches downwards."""

    def list_ports_of(self, feed: Feed) -> tuple[int, ...]:
        """Return the ports of a feed, ordered by (rank of the lower switch, number of its link)."""
        if not feed.links or feed.beside_nodes or feed.laid:
            return tuple(find_port(feed.first, feed.jumps, index) for index in range(feed.numbered))
        if feed == self._feeds[0]:
            return self._spread
        start, per_connector = feed.first - self._first_other, self._run.links_per_connector
        # whole connectors that the links of one lower switch fill
        connectors_per_lower = feed.links // per_connector
        # nested: lane by lane over the connectors of each lower switch
        link_order = [
            link % connectors_per_lower * per_connector + link // connectors_per_lower
            if feed.nested and connectors_per_lower
            else link
            for link in range(feed.links)
        ]
        return tuple(
            self.others[start + offset + link] for offset in range(0, feed.numbered, feed.links) for link in link_order
        )

    def list_left_over(self, numbered: int) -> tuple[int, ...]:
        """Return the ports that are left over beyond the first `numbered` ports of the run, in the order in which they
        are handed out. Only connectors on which no port is in use count.
        """
        laid_connectors = [
            port // self._run.links_per_connector
            for feed in self._feeds
            if feed.laid
            for port in self.list_ports_of(feed)
        ]
        # if the ports of some feeds are listed one by one, all other connectors are left over
        if laid_connectors:
            order, used = self.others if self._spread else range(self._run.numbers), set(laid_connectors)
            return tuple(
                port for port in order if port // self._run.links_per_connector not in used and self._has_cage(port)
            )
        per_connector = self._run.links_per_connector
        first_port = -(-numbered // per_connector) * per_connector
        # nothing is spread: ports follow one another, but for those taken and for cages that are gone
        if not self._spread:
            connectors_taken = {port // per_connector for port in list_numbers(self._taken)}
            first_connector = (
                0 if connectors_taken and first_port <= count_numbers(self._taken) else first_port // per_connector
            )
            gaps = {i for i, cage in enumerate(self._run.cages) if not cage}
            connectors = [
                connector
                for connector in range(first_connector, self._run.numbers // per_connector)
                if connector not in connectors_taken and connector * per_connector // self._run.ways not in gaps
            ]
            ordered = reversed(connectors) if self._wide and first_port else connectors
            return tuple(
                port
                for connector in ordered
                for port in range(connector * per_connector, connector * per_connector + per_connector)
            )
        # `others` begins behind the ports of the first feed
        return self.others[first_port - self._first_other :]

    def _has_cage(self, port: int) -> bool:
        """Whether a port lies in a cage, and not in a gap."""
        return bool(self._run.cages[port // self._run.ways])

    def _spread_ports(self, feed: Feed) -> tuple[int, ...]:
        """Return the ports of the first purpose, `feed.links` for each lower switch, by rank: one after another, or
        spread in nested order if the feed is `nested`.
        """
        if not feed.nested:
            return tuple(range(feed.numbered))
        ports, links = len(self._ports_by_lane), feed.links
        ranks = range(feed.numbered // links)
        return tuple(self._ports_by_lane[k * ports // links + rank] for rank in ranks for k in range(links))

    def _sort_from_top(self, links: int) -> tuple[int, ...]:
        """Return all ports that the first purpose leaves, in the order in which they are given out: connectors that are
        wholly free, those for the highest rank of lower switches first; then, if the first purpose is nested, free
        ports of connectors that it uses in part. Each lower switch has `links` links.
        """
        run, used_ports = self._run, set(self._spread)
        per = run.links_per_connector
        connectors = [port // per for port in self._ports_by_lane[: len(self._ports_by_lane) // per]]
        # the links of one lower switch lie in as many blocks of the run: rank r has the r-th connector of each
        blocks = max(1, links // per)
        starts = [block * len(connectors) // blocks for block in range(blocks + 1)]
        # blocks may differ by one connector: the last connector of longer blocks has no rank, and is handed out first
        ranks = len(connectors) // blocks
        order = [
            connectors[index]
            for block in reversed(range(blocks))
            for index in range(starts[block] + ranks, starts[block + 1])
        ]
        # then rank by rank, the highest first: lower switches that are added later take the lowest ranks that are free
        order += [
            connectors[starts[block] + rank] for rank in reversed(range(ranks)) for block in reversed(range(blocks))
        ]
        # last the connectors beyond the reach
        order += range(len(self._ports_by_lane) // per, run.numbers // per)
        used_ports |= {port for port in range(run.numbers) if not self._has_cage(port)}
        free_ports_of_connectors = [
            [port for port in range(connector * per, connector * per + per) if port not in used_ports]
            for connector in order
        ]
        from_free_connectors = [port for ports in free_ports_of_connectors if len(ports) == per for port in ports]
        from_shared_connectors = [port for ports in free_ports_of_connectors if len(ports) < per for port in ports]
        return (
            tuple(from_free_connectors + from_shared_connectors)
            if self._feeds[0].nested
            else tuple(from_free_connectors)
        )
