"""What a loss does to a network: accelerators that are cut off, and how much slower the traffic of a job gets.

A rank is cut off if its node is lost, or if none of its ports is left in the largest piece of the network that it was
in. Every switch spreads traffic evenly over its remaining uplinks, as ECMP and per-packet spraying do, so a switch
further up gets as much traffic as before even if it has lost links, unless nothing leads on from it. A rank that has
lost ports sends all of its traffic by its other ports, and a collective waits for it.

With static routes, other switches keep sending to a switch that has lost its links down: flows that are hashed to it
are dead. With a single plane that lasts until the loss is mended; with several planes NICs leave the plane.

If NICs name their paths (SRv6), they retire the paths that name a lost switch or link and spread traffic over the
others: over the paths of all planes if a NIC has one address for all planes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fabricgen.analyze.asked import Job
from fabricgen.analyze.network import NONE, Network
from fabricgen.analyze.traffic import count_other_ports
from fabricgen.design.fabric_model import TierKey
from fabricgen.design.srv6 import find_srv6, names_each_link, uses_srv6
from fabricgen.numbering.underlay import find_underlay, is_routed
from fabricgen.wiring.arrays import Flags, Floats, Ints64, join_components
from fabricgen.wiring.tables import Segment

RING, ALL_TO_ALL = "ring", "all_to_all"

_NOTHING = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class LossEffect:
    """What a loss does: how many accelerators it cuts off or slows, and how many of the job it cuts off.

    `slowdown` has, by pattern of the job's traffic, its time over the time without the loss; it is empty if the loss
    cuts off an accelerator of the job. `lost_gbps` is what the bisection loses at most, Gb/s. `dead_share` is the
    greatest fraction of an accelerator's traffic in a plane that is still sent into the loss. `dead_to` accelerators
    lose flows in this way, of which `job_dead_to` are of the job and have no other plane. `retired` is (how many paths
    NICs retire, the greatest fraction of an accelerator's paths over all planes); None if NICs name no paths.
    """

    cut_off: int
    slowed: int
    job_cut_off: int
    slowdown: Mapping[str, float]
    lost_gbps: float
    dead_share: float
    dead_to: int
    job_dead_to: int
    retired: tuple[int, float] | None


@dataclass(frozen=True, slots=True)
class SwitchLinks:
    """Links between switches, as columns with a row for each link.

    `a` and `b` are the device rows of its lower and its upper end, `row` is its row in the plan. `level` is the level
    whose components it leaves, -1 for a link between the two switches of a pair. A link `across` sites leaves the
    components of both ends.
    """

    a: Ints64
    b: Ints64
    gbps: Floats
    row: Ints64
    level: Ints64
    across: Flags

    @staticmethod
    def list_links(network: Network) -> SwitchLinks:
        """Return the links between the switches of a network that are not dark."""
        links = network.cluster.plan.links
        height = {key: number for number, level in enumerate(network.levels) for key in level.tiers}
        level = np.array([_find_level(segment, height) for segment in links.segments])
        speed = np.array([float(segment.speed_gbps) for segment in links.segments])
        across = np.array([segment.km > 0 for segment in links.segments])
        row = np.flatnonzero(level[links.segment] != _OTHERS)
        row = row if network.dark is None else np.setdiff1d(row, network.dark)
        segment_of_row, a, b = links.segment[row], links.a_device[row], links.b_device[row]
        return SwitchLinks(
            a.astype(np.int64),
            b.astype(np.int64),
            speed[segment_of_row],
            row,
            level[segment_of_row],
            across[segment_of_row],
        )


_OTHERS = -2
"""The level of links that join no two switches of the network; -1 is that of links between switches of a pair."""


def _find_level(segment: Segment, height: Mapping[TierKey, int]) -> int:
    if segment.lower_tier is None or not {segment.tier, segment.lower_tier} <= height.keys():
        return _OTHERS
    return NONE if segment.mesh and not segment.km else height[segment.lower_tier]


class Losses:
    """Computes what losses of a network do to a job; `grid` has the job's ranks by scale-up domain and place in it.

    `links` are the links between switches. `place` has for each device row the connected part of the network that it is
    in, `job` for each rank whether the job runs on it, `has` for each port of a rank whether it has a link (bool, shape
    [ranks, ports]), `bundle` for each link a number that all links between its two switches share. `hides_losses` says
    whether switches keep sending to a switch that has lost its links down; `lists_bundles` whether losing all links
    between two switches has an effect that losing one of them has not.
    """

    def __init__(self, network: Network, job: Job, grid: Ints64) -> None:
        self.network, self._grid = network, grid
        self.links, devices = SwitchLinks.list_links(network), len(network.cluster.plan.devices)
        self.place = join_components(np.arange(devices, dtype=np.int64), self.links.a, self.links.b)
        self.job = np.isin(np.arange(len(network.ranks)), job.ranks)
        self.has = network.leaf != NONE
        self._rank_gbps = np.where(self.has, network.gbps, 0.0).sum(axis=1)
        # the two switches of a link as one number; by bundle, how many links it has, and its two switches
        switch_pair = self.links.a * devices + self.links.b
        pair_of_bundle, self.bundle, self._links_per_bundle = np.unique(
            switch_pair, return_inverse=True, return_counts=True
        )
        self._bundle_ends = np.divmod(pair_of_bundle, devices)
        no_loss = np.zeros(len(self.links.row), dtype=np.bool_)
        self._up = self._down = np.zeros(devices)
        # with sums of 0, what remains without all links is the negative of what they carry
        self._up, self._down = (-gbps for gbps in self._sum_remaining(~no_loss))
        leads_up, across = self.links.level != NONE, self.links.across
        level_of_switch = np.full(devices, NONE, dtype=np.int64)
        level_of_switch[self.links.a[leads_up]] = self.links.level[leads_up]
        level_of_switch[self.links.b[across]] = self.links.level[across]
        design, fabric = network.cluster.design, network.fabric
        self.hides_losses = is_routed(fabric) and find_underlay(design, fabric) == "static"
        nics_name_paths = uses_srv6(design, fabric)
        # by link, the step of paths that it is of: the link itself if paths name links, otherwise its bundle
        names_links = nics_name_paths and find_srv6(design, fabric).links
        self._step = np.arange(len(self.links.row)) if names_links else self.bundle
        link_of_step = np.unique(self._step, return_index=True)[1]
        step_columns = (column[link_of_step] for column in (self.links.a, self.links.b, self.links.level))
        self._paths = NamedPaths(network, *step_columns) if nics_name_paths else None
        self.lists_bundles = self.hides_losses or (nics_name_paths and not names_each_link(design, fabric))
        # by level, the switches whose links leave its components
        self._tops = [np.flatnonzero(level_of_switch == number) for number in range(len(network.levels))]
        self._carried_before = [
            self._find_carried(number, self._up, self._down) for number in range(len(network.levels))
        ]
        self._crossing = {RING: self._cross_in_ring(grid), ALL_TO_ALL: self._cross_all_to_all()}
        self._loads = {
            name: [self._sum_load(k, c) for k, c in enumerate(crossings)] for name, crossings in self._crossing.items()
        }
        self._reach = self._find_reach(np.where(self.has, network.gbps, 0.0), no_loss)
        self._time_before = {
            name: self._time_pattern(name, self.has.astype(np.float64), no_loss) for name in self._crossing
        }

    def find_effect(self, devices: Ints64 = _NOTHING, links: Ints64 = _NOTHING) -> LossEffect:
        """Return what the loss of some devices and links does; `devices` and `links` are their rows in the plan."""
        network, in_one_domain = self.network, len(self._grid) < 2  # in one scale-up domain a job needs no network
        is_device_lost = np.isin(np.arange(len(self.place)), devices)
        is_link_lost = is_device_lost[self.links.a] | is_device_lost[self.links.b] | np.isin(self.links.row, links)
        # by rank and port, bool: the port is left, and in the main piece of the network; a port without a link has the
        # leaf -1, which takes what the last device has: `has` leaves it out
        is_port_left = (
            ~is_device_lost[network.leaf]
            & ~is_device_lost[network.ranks.device][:, None]
            & ~np.isin(network.port_link, links)
            & self.has
        )
        if is_link_lost.any():
            is_port_left &= self._find_main_piece(is_link_lost, is_port_left)[network.leaf]
        cut_off = ~is_port_left.any(axis=1) & (self._rank_gbps > 0)
        dead_share, has_dead_flows = (
            self._find_dead_flows(is_device_lost, is_link_lost, is_port_left)
            if self.hides_losses
            else (0.0, np.zeros_like(is_port_left))
        )
        # NICs leave a plane whose flows die, if they have another
        stuck = has_dead_flows.any(axis=1) & (
            (network.fabric.planes == 1) | (has_dead_flows == is_port_left).all(axis=1)
        )
        usable = is_port_left & (~has_dead_flows | stuck[:, None])
        usable_gbps, in_use, retired = (network.gbps * usable).sum(axis=1), [usable.astype(np.float64)], None
        if self._paths:
            is_step_left = np.bincount(self._step[~is_link_lost], minlength=len(self.links.row)) > 0
            weight = usable * self._paths.find_share_left(is_step_left)[network.leaf]
            has_ports = usable_gbps > 0
            share_of_paths_left = (network.gbps * weight).sum(axis=1)[has_ports] / self._rank_gbps[has_ports]
            retired = (
                self._paths.count_lost(is_port_left, is_step_left),
                1 - float(share_of_paths_left.min(initial=1.0)),
            )
            if network.fabric.address_per == "nic":
                in_use.append(weight)
        stops = (is_device_lost[network.ranks.device] if in_one_domain else cut_off)[self.job]
        slowdown = {} if stops.any() else dict.fromkeys(self._crossing, 1.0)
        if slowdown and not in_one_domain:
            # NICs that may use all planes choose the quicker way
            slowdown = {
                name: min(self._time_pattern(name, ports, is_link_lost) for ports in in_use) / time_before
                for name, time_before in self._time_before.items()
            }
        return LossEffect(
            int(cut_off.sum()),
            int(((usable_gbps > 0) & (usable_gbps < self._rank_gbps)).sum()),
            int(stops.sum()),
            slowdown,
            max(0.0, self._reach - self._find_reach(np.where(is_port_left, network.gbps, 0.0), is_link_lost)),
            dead_share,
            int(has_dead_flows.any(axis=1).sum()),
            0 if in_one_domain else int(stuck[self.job].sum()),
            retired,
        )

    def _find_dead_flows(self, gone: Flags, lost: Flags, port: Flags) -> tuple[float, Flags]:
        """Return (the greatest fraction of a port's traffic that is sent into a loss, whether a port loses any).

        The second is bool [ranks, ports]. `gone` flags the lost devices, `lost` the lost links, and `port` the ports of
        ranks that are left. An upper switch that others still send to, and that has lost all links to a switch below,
        gets its share of the flows to that switch's component, as flows are spread evenly. A switch that has lost all
        of its uplinks gets its share of what the switches below it send out.
        """
        has_links = self._find_linked_bundles(lost)
        is_sent_to = np.bincount(np.concatenate([end[has_links] for end in self._bundle_ends]), minlength=len(gone)) > 0
        ends_here = (self._up > 0) & (self._sum_remaining(lost)[0] <= 0) & ~gone
        # links whose traffic dies at the upper switch, which other switches do not see
        leads_into_loss = np.where(lost, ~has_links[self.bundle] & is_sent_to[self.links.b], ends_here[self.links.b])
        leads_into_loss &= (self.links.level != NONE) & ~self.links.across
        greatest_share, has_dead_flows = 0.0, np.zeros(port.shape, dtype=np.bool_)
        for number, level in enumerate(self.network.levels):
            rows = np.flatnonzero(leads_into_loss & (self.links.level == number))
            dead_gbps = np.bincount(level.component[self.links.a[rows]], self.links.gbps[rows], len(gone))
            share = np.divide(dead_gbps, level.out_gbps, out=np.zeros(len(gone)), where=level.out_gbps > 0)
            share_of_port = np.where(port, share[level.component[self.network.leaf]], 0.0)
            greatest_share = max(greatest_share, float(share_of_port.max(initial=0.0)))
            has_dead_flows |= share_of_port > 0
        return greatest_share, has_dead_flows

    def _find_linked_bundles(self, lost: Flags) -> Flags:
        """Return for each bundle whether it has links left without the `lost` ones; bool."""
        return np.asarray(
            np.bincount(self.bundle[lost], minlength=len(self._links_per_bundle)) < self._links_per_bundle
        )

    def _find_main_piece(self, lost: Flags, port: Flags) -> Flags:
        """Return for each device row whether it is in the largest remaining piece of its part of the network; bool.

        The size of a piece is the number of ports of ranks in it, of those that `port` says are left.
        """
        has_links = self._find_linked_bundles(lost)
        remaining_ends = (end[has_links] for end in self._bundle_ends)
        piece = join_components(np.arange(len(self.place), dtype=np.int64), *remaining_ends)
        leaf_of_port = self.network.leaf[port]
        ports_in_piece = np.bincount(piece[leaf_of_port], minlength=len(piece))[piece]  # by device row
        # by number of a part (`place`), its main piece; -1 for a part in which no port is left
        main_piece = np.full(len(piece), NONE, dtype=np.int64)
        # the largest piece of each part is written last, and of equal pieces the one of the first leaf
        leaves_by_size = leaf_of_port[::-1][np.argsort(ports_in_piece[leaf_of_port[::-1]], kind="stable")]
        main_piece[self.place[leaves_by_size]] = piece[leaves_by_size]
        return np.asarray(main_piece[self.place] == piece)

    def _sum_remaining(self, lost: Flags) -> tuple[Floats, Floats]:
        """Return (bandwidth of each switch's uplinks, of the links to it from below) without the `lost` links; Gb/s.

        Both are by device row. A link across sites is an uplink of the switches at both of its ends.
        """
        leads_up, across = lost & (self.links.level != NONE), lost & self.links.across
        uplink_gbps = self._up - self._sum_by_switch(self.links.a, leads_up)
        uplink_gbps -= self._sum_by_switch(self.links.b, across)
        return uplink_gbps, self._down - self._sum_by_switch(self.links.b, leads_up & ~across)

    def _sum_by_switch(self, end: Ints64, mask: Flags) -> Floats:
        """Return for each device row the sum of the bandwidths of the links in `mask` that end there; Gb/s."""
        return np.bincount(end[mask], self.links.gbps[mask], len(self.place)).astype(np.float64)

    def _find_carried(self, number: int, up: Floats, down: Floats) -> Floats:
        """Return for each component of a level what it can send out until its first switch is full, Gb/s.

        `up` and `down` are the bandwidths above and below each switch. Switches get the traffic in proportion to the
        links to them from below, or to their uplinks if NICs name paths; switches without uplinks get nothing. It is 0
        for a component that nothing leaves.
        """
        level = self.network.levels[number]
        tops = self._tops[number]
        # at level 0 the switches are leaves: they have ranks below, each is a component, and needs no weight
        tops = tops[(up[tops] > 0) & (down[tops] > 0)] if number else tops[up[tops] > 0]
        component = level.component[tops]
        weight = up[tops] if self._paths else down[tops] if number else np.ones(len(tops))
        weights, least_ratio = np.bincount(component, weight, len(self.place)), np.full(len(self.place), np.inf)
        np.minimum.at(least_ratio, component, up[tops] / weight)
        carried: Floats = np.multiply(weights, least_ratio, out=np.zeros(len(weights)), where=weights > 0)
        return carried

    def _find_reach(self, port: Floats, lost: Flags) -> float:
        """Return what all components together can send to the top level without the lost links, Gb/s.

        `port` has the bandwidth of each port. A component sends the lesser of its uplinks and of what is below it.
        """
        levels, leaf, links = self.network.levels, self.network.leaf, self.links
        rows = np.flatnonzero(lost)
        # what can be sent up out of each component: by device row at first, then by component of each level
        sent_gbps = np.bincount(leaf[self.has], port[self.has], len(self.place))
        for number, level in enumerate(levels):
            sent_gbps = np.bincount(level.component, sent_gbps, len(sent_gbps))
            if number + 1 == len(levels):
                break
            level_rows = rows[links.level[rows] == number]
            lost_gbps = np.bincount(level.component[links.a[level_rows]], links.gbps[level_rows], len(sent_gbps))
            across = level_rows[links.across[level_rows]]
            lost_gbps += np.bincount(level.component[links.b[across]], links.gbps[across], len(sent_gbps))
            sent_gbps = np.minimum(sent_gbps, np.maximum(0.0, level.out_gbps - lost_gbps))
        return float(sent_gbps.sum())

    def _cross_in_ring(self, grid: Ints64) -> list[Floats]:
        """Return for each level what leaves its component from each port in a ring, Gb/s [ranks, ports].

        Every rank sends to the rank of its place in the next scale-up domain.
        """
        leaf = self.network.leaf
        target = np.full_like(leaf, NONE)
        target[grid] = leaf[np.roll(grid, -1, axis=0)]
        joined = self.has & (target != NONE) & (self.place[leaf] == self.place[target])
        components = (level.component for level in self.network.levels)
        # a port that is not joined has the leaf -1, which takes the last device's component: `joined` leaves it out
        return [
            np.where(joined & (component[leaf] != component[target]), self.network.gbps, 0.0)
            for component in components
        ]

    def _cross_all_to_all(self) -> list[Floats]:
        """Return for each level what leaves its component from each port in an all-to-all, Gb/s [ranks, ports].

        Every rank of the job sends to every other domain. Traffic to another rail leaves by the rank of that rail in
        the sender's domain.
        """
        network, leaving_by_level = self.network, []
        job_ports = self.has & self.job[:, None]
        domain = np.broadcast_to(network.ranks.domain[:, None], network.leaf.shape)[job_ports]
        leaf = network.leaf[job_ports]
        targets = np.maximum(1, count_other_ports(self.place[leaf], domain))
        for level in network.levels:
            leaving = np.zeros(network.leaf.shape)
            targets_inside = count_other_ports(level.component[leaf], domain)
            leaving[job_ports] = network.gbps[job_ports] * np.clip(1 - targets_inside / targets, 0.0, 1.0)
            leaving_by_level.append(leaving)
        return leaving_by_level

    def _sum_load(self, level: int, crossing: Floats) -> Floats:
        component = self.network.levels[level].component[self.network.leaf[self.has]]
        return np.bincount(component, crossing[self.has], len(self.place)).astype(np.float64)

    def _time_pattern(self, name: str, in_use: Floats, lost: Flags) -> float:
        """Return the time of a pattern, over the time that the ports of its ranks take without a loss.

        `in_use` is the fraction of each port's rate that its rank uses, [ranks, ports]; `lost` flags the lost links.
        """
        # a rank sends all of its traffic by the ports that it uses; without a loss each port sends at its rate: 1
        load_factor = self._rank_gbps / np.maximum((self.network.gbps * in_use).sum(axis=1), 1e-9)
        load_of_port = in_use * load_factor[:, None]
        worst = float(load_of_port[self.job].max(initial=1.0))
        ports_lost, carried = bool((load_factor[self.job] > 1).any()), self._carried_before
        if lost.any():
            up, down = self._sum_remaining(lost)
            # switches that lead nowhere any more get no traffic from below, if the pattern crosses their level
            leads_nowhere = (self._up > 0) & (up <= 0)
            for number, crossing in enumerate(self._crossing[name]):
                if not crossing.any():
                    leads_nowhere[self._tops[number]] = False
            up, down = self._sum_remaining(lost | leads_nowhere[self.links.b])
            carried = [self._find_carried(number, up, down) for number in range(len(carried))]
        for number, crossing in enumerate(self._crossing[name]):
            load = self._loads[name][number]
            if ports_lost:
                load = self._sum_load(number, crossing * load_of_port)
            has_uplinks = carried[number] > 0
            worst = max(worst, float((load[has_uplinks] / carried[number][has_uplinks]).max(initial=0.0)))
        return worst


# Paths that NICs name (SRv6): how many name a loss, and which fraction of the paths of a leaf is left.


class NamedPaths:
    """The paths between the ports of different leaves of a network, counted as `paths` writes them (docs/srv6.md).

    A path goes up to a switch above both leaves, of the lowest tier that has one, and down. A step goes from a switch
    (`lower`) to one above it (`upper`): it is a link, or all links of the two if paths name switches alone. `level` is
    the level whose components a step leaves. Arrays [2, n] have a row for all steps and a row for those that are left.
    """

    def __init__(self, network: Network, lower: Ints64, upper: Ints64, level: Ints64) -> None:
        self._size, self._has = len(network.cluster.plan.devices), network.leaf >= 0
        # ranks may share a port: each counts once
        self._first_ranks = np.unique(network.port_link[self._has], return_index=True)[1]
        self._leaf = network.leaf[self._has][self._first_ranks]
        self._levels: list[tuple[Ints64, ...]] = []
        for number, step in enumerate(network.levels):
            rows = np.flatnonzero(level == number)
            # paths of two ports turn in a switch that they reach from different components
            # by step the number of its (switch, component), then the switch and the component of each number
            turns, turn_of_step = np.unique(upper[rows] * self._size + step.component[lower[rows]], return_inverse=True)
            turn_columns = np.divmod(turns, self._size)
            self._levels.append((step.component, rows, lower[rows], upper[rows], turn_of_step, *turn_columns))

    def count_lost(self, is_port_left: Flags, is_step_left: Flags) -> int:
        """Return how many paths in each direction name a lost port or step.

        `is_port_left` flags the ports that are left, [ranks, ports]; `is_step_left` flags the steps that are left.
        """
        # by switch, the ways up to it from all ports
        ways_to_switch = _sum_both(
            self._leaf, np.stack([np.ones(len(self._leaf)), is_port_left[self._has][self._first_ranks]]), self._size
        )
        ports_of_leaf, paths = ways_to_switch[0], np.zeros(2)
        for component, rows, lower, upper, turn_of_step, turn_switch, turn_component in self._levels:
            ways_over_step = ways_to_switch[:, lower] * np.stack([np.ones(len(rows)), is_step_left[rows]])
            ways_up = _sum_both(turn_of_step, ways_over_step, len(turn_switch))
            # there are as many ways down to each port as up from it, and as many of them are left
            ports_below = np.bincount(component, ports_of_leaf, self._size)[turn_component]
            ways_down = ways_up * ports_below / np.maximum(ways_up[0], 1)
            # all paths that turn in a switch, less those that come down into the component that they came up from
            all_turns = _sum_both(turn_switch, ways_up, self._size) * _sum_both(turn_switch, ways_down, self._size)
            paths += all_turns.sum(axis=1) - (ways_up * ways_down).sum(axis=1)
            ways_to_switch = ways_to_switch + _sum_both(upper, ways_over_step, self._size)
        return round(float(paths[0] - paths[1]))

    def find_share_left(self, is_step_left: Flags) -> Floats:
        """Return for each device row the fraction of its ways up to the highest tier that is left; 1 in that tier."""
        ways_up = np.ones((2, self._size))
        for _, rows, lower, upper, *_ in reversed(self._levels):
            ways_over_step = ways_up[:, upper] * np.stack([np.ones(len(rows)), is_step_left[rows]])
            ways_up[:, lower] = _sum_both(lower, ways_over_step, self._size)[:, lower]
        return np.asarray(ways_up[1] / ways_up[0])


def _sum_both(index: Ints64, pair: Floats, size: int) -> Floats:
    """Return the sums of both rows of `pair` by the number in `index`; float64 [2, size]."""
    return np.stack([np.bincount(index, figures, size) for figures in pair])
