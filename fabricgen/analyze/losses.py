"""What is left of a network after a loss: accelerators cut off, and how much slower the traffic of a job gets.

A rank is cut off when its node is lost or none of its ports is left in the largest piece of the network that it was in.
Every switch spreads traffic evenly over the uplinks that are left to it, as ECMP and per-packet spraying do, so what a
switch further up has lost does not lessen what it gets, unless nothing leads on from there. A rank that has lost ports
sends all of its traffic by the others, and a collective waits for it.

Where routes are static, switches further on keep sending to one that has lost its way down: the share of flows that
are hashed there is dead. With a single plane that lasts until somebody mends it; with several NICs leave the plane.

Where NICs name their paths (SRv6) they retire those that name what is lost, and spread traffic over the others: over
those of all planes where a NIC has one address for these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fabricgen.analyze.asked import Job
from fabricgen.analyze.named_paths import NamedPaths
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
    """What a loss leaves: `cut_off` and `slowed` accelerators of all, and of those of the job.

    `slowdown` is the time of a pattern of the job's traffic over that before; empty where the loss cuts off one of its
    accelerators. `lost_gbps` is what the bisection loses at most, Gb/s. `dead_share` is the greatest share of what an
    accelerator sends or gets in a plane beyond the loss that is sent into it all the same; `dead_to` accelerators lose
    flows so, and `job_dead_to` of the job that have no other plane. `retired` is how many paths NICs retire, and the
    greatest share of those from an accelerator that is not cut off, over all planes; None where NICs name no paths.
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
    """Links between switches, one row a link: rows of the two ends, the lower one first, Gb/s, and the link's row.

    `level` is the level whose components they leave, -1 for those of the two switches of a pair; those `across` sites
    leave the components of both ends.
    """

    a: Ints64
    b: Ints64
    gbps: Floats
    row: Ints64
    level: Ints64
    across: Flags

    @staticmethod
    def list_links(network: Network) -> SwitchLinks:
        """All links between the switches of a network."""
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


def _find_level(segment: Segment, height: Mapping[TierKey, int]) -> int:
    if segment.lower_tier is None or not {segment.tier, segment.lower_tier} <= height.keys():
        return _OTHERS
    return NONE if segment.mesh and not segment.km else height[segment.lower_tier]


class Losses:
    """The losses of a network, seen by a job; `grid` has its ranks by scale-up domain and place in it.

    `links` are those between switches, `place` by switch row the part of the network that it is in, `job` by rank
    whether the job runs on it, `bundle` by link a number that it shares with those between its two switches;
    `hides_losses`: whether switches keep sending to one that has lost its way down. `lists_bundles`: whether the loss
    of all links between two switches does what none of them does alone.
    """

    def __init__(self, network: Network, job: Job, grid: Ints64) -> None:
        self.network, self._grid = network, grid
        self.links, devices = SwitchLinks.list_links(network), len(network.cluster.plan.devices)
        self.place = join_components(np.arange(devices, dtype=np.int64), self.links.a, self.links.b)
        self.job = np.isin(np.arange(len(network.ranks)), job.ranks)
        self.has = network.leaf != NONE
        self._rank_gbps = np.where(self.has, network.gbps, 0.0).sum(axis=1)
        key = self.links.a * devices + self.links.b
        pairs, self.bundle, self._parallel = np.unique(key, return_inverse=True, return_counts=True)
        self._pairs = np.divmod(pairs, devices)
        no_loss = np.zeros(len(self.links.row), dtype=np.bool_)
        self._up = self._down = np.zeros(devices)
        # sums start from nothing: what is left without all links is below 0 what they carry
        self._up, self._down = (-gbps for gbps in self._sum_remaining(~no_loss))
        up, across = self.links.level != NONE, self.links.across
        level = np.full(devices, NONE, dtype=np.int64)
        level[self.links.a[up]], level[self.links.b[across]] = self.links.level[up], self.links.level[across]
        design, fabric = network.cluster.design, network.fabric
        self.hides_losses = is_routed(fabric) and find_underlay(design, fabric) == "static"
        named = uses_srv6(design, fabric)
        self._step = np.arange(len(self.links.row)) if named and find_srv6(design, fabric).links else self.bundle
        first = np.unique(self._step, return_index=True)[1]
        self._paths = (
            NamedPaths(network, self.links.a[first], self.links.b[first], self.links.level[first]) if named else None
        )
        self.lists_bundles = self.hides_losses or (named and not names_each_link(design, fabric))
        self._tops = [np.flatnonzero(level == number) for number in range(len(network.levels))]
        self._even = [self._find_carried(number, self._up, self._down) for number in range(len(network.levels))]
        self._crossing = {RING: self._cross_in_ring(grid), ALL_TO_ALL: self._cross_all_to_all()}
        self._loads = {
            name: [self._sum_load(k, c) for k, c in enumerate(crossings)] for name, crossings in self._crossing.items()
        }
        self._reach = self._find_reach(np.where(self.has, network.gbps, 0.0), no_loss)
        self._before = {name: self._time_pattern(name, self.has.astype(np.float64), no_loss) for name in self._crossing}

    def find_effect(self, devices: Ints64 = _NOTHING, links: Ints64 = _NOTHING) -> LossEffect:
        """What is left without some devices, by their rows, and without some links of the plan, by theirs."""
        network, within = self.network, len(self._grid) < 2  # within a scale-up domain a job needs no network
        gone = np.isin(np.arange(len(self.place)), devices)
        lost = gone[self.links.a] | gone[self.links.b] | np.isin(self.links.row, links)
        port = (
            ~gone[network.leaf] & ~gone[network.ranks.device][:, None] & ~np.isin(network.port_link, links) & self.has
        )
        if lost.any():
            port &= self._find_main_piece(lost, port)[network.leaf]
        cut = ~port.any(axis=1) & (self._rank_gbps > 0)
        share, dead = self._find_dead_flows(gone, lost, port) if self.hides_losses else (0.0, np.zeros_like(port))
        # NICs leave a plane whose flows die, where they have another
        stuck = dead.any(axis=1) & ((network.fabric.planes == 1) | (dead == port).all(axis=1))
        usable = port & (~dead | stuck[:, None])
        sums, in_use, retired = (network.gbps * usable).sum(axis=1), [usable.astype(np.float64)], None
        if self._paths:
            left = np.bincount(self._step[~lost], minlength=len(self.links.row)) > 0
            weight = usable * self._paths.find_share_left(left)[network.leaf]
            left_gbps = (network.gbps * weight).sum(axis=1)[sums > 0] / self._rank_gbps[sums > 0]
            retired = self._paths.count_lost(port, left), 1 - float(left_gbps.min(initial=1.0))
            in_use += [weight] * (network.fabric.address_per == "nic")
        stops = (gone[network.ranks.device] if within else cut)[self.job]
        slowdown = {} if stops.any() else dict.fromkeys(self._crossing, 1.0)
        if slowdown and not within:
            # NICs that have all planes to choose from take what is quicker
            slowdown = {
                name: min(self._time_pattern(name, ports, lost) for ports in in_use) / before
                for name, before in self._before.items()
            }
        return LossEffect(
            int(cut.sum()),
            int(((sums > 0) & (sums < self._rank_gbps)).sum()),
            int(stops.sum()),
            slowdown,
            max(0.0, self._reach - self._find_reach(np.where(port, network.gbps, 0.0), lost)),
            share,
            int(dead.any(axis=1).sum()),
            0 if within else int(stuck[self.job].sum()),
            retired,
        )

    def _find_dead_flows(self, gone: Flags, lost: Flags, port: Flags) -> tuple[float, Flags]:
        """(greatest share, by port of ranks whether some) of what these send or get beyond a loss that is sent into it.

        A switch above that others still send to, and that has lost all of its links to one below, gets its share of
        the flows to what is under that: of all that leads into its component, as flows are spread evenly. One that has
        no way up any more gets its share of what those below send out.
        """
        linked = np.bincount(self.bundle[lost], minlength=len(self._parallel)) < self._parallel
        is_sent_to = np.bincount(np.concatenate([end[linked] for end in self._pairs]), minlength=len(gone)) > 0
        ends_here = (self._up > 0) & (self._sum_remaining(lost)[0] <= 0) & ~gone
        blind = np.where(lost, ~linked[self.bundle] & is_sent_to[self.links.b], ends_here[self.links.b])
        blind &= (self.links.level != NONE) & ~self.links.across
        greatest, dead = 0.0, np.zeros(port.shape, dtype=np.bool_)
        for number, level in enumerate(self.network.levels):
            blind_rows = np.flatnonzero(blind & (self.links.level == number))
            into = np.bincount(level.component[self.links.a[blind_rows]], self.links.gbps[blind_rows], len(gone))
            share = np.divide(into, level.out_gbps, out=np.zeros(len(gone)), where=level.out_gbps > 0)
            of_port = np.where(port, share[level.component[self.network.leaf]], 0.0)
            greatest, dead = max(greatest, float(of_port.max(initial=0.0))), dead | (of_port > 0)
        return greatest, dead

    def _find_main_piece(self, lost: Flags, port: Flags) -> Flags:
        """By switch row, whether it is in the largest piece that is left of its part of the network."""
        linked = np.bincount(self.bundle[lost], minlength=len(self._parallel)) < self._parallel
        piece = join_components(np.arange(len(self.place), dtype=np.int64), *(end[linked] for end in self._pairs))
        leaves = self.network.leaf[port]
        size = np.bincount(piece[leaves], minlength=len(piece))[piece]
        chosen = np.full(len(piece), NONE, dtype=np.int64)
        # the largest of each part is written last, and of pieces of one size that of the first leaf
        ordered = leaves[::-1][np.argsort(size[leaves[::-1]], kind="stable")]
        chosen[self.place[ordered]] = piece[ordered]
        return np.asarray(chosen[self.place] == piece)

    def _sum_remaining(self, lost: Flags) -> tuple[Floats, Floats]:
        """By switch, Gb/s of its uplinks, and of the links to it from below, without some links."""
        up, across = lost & (self.links.level != NONE), lost & self.links.across
        above = self._up - self._sum_by_switch(self.links.a, up) - self._sum_by_switch(self.links.b, across)
        return above, self._down - self._sum_by_switch(self.links.b, up & ~across)

    def _sum_by_switch(self, end: Ints64, mask: Flags) -> Floats:
        """By device row, the Gb/s of some links that have it at one end."""
        return np.bincount(end[mask], self.links.gbps[mask], len(self.place)).astype(np.float64)

    def _find_carried(self, number: int, up: Floats, down: Floats) -> Floats:
        """By component of a level, what it sends out before the first switch is full, Gb/s; 0 where nothing leaves.

        Switches get what leaves in proportion to the links to them from below, or where NICs choose paths to their
        uplinks; those without uplinks get none.
        """
        level = self.network.levels[number]
        ends = self._tops[number]
        ends = ends[(up[ends] > 0) & (down[ends] > 0)] if number else ends[up[ends] > 0]
        component = level.component[ends]
        weight = up[ends] if self._paths else down[ends] if number else np.ones(len(ends))
        every, first = np.bincount(component, weight, len(self.place)), np.full(len(self.place), np.inf)
        np.minimum.at(first, component, up[ends] / weight)
        carried: Floats = np.multiply(every, first, out=np.zeros(len(every)), where=every > 0)
        return carried

    def _find_reach(self, port: Floats, lost: Flags) -> float:
        """Gb/s that all places can send towards the top: each the lesser of its uplinks and what its parts can."""
        levels, leaf, links = self.network.levels, self.network.leaf, self.links
        rows = np.flatnonzero(lost)
        inside = np.bincount(leaf[self.has], port[self.has], len(self.place))
        for number, level in enumerate(levels):
            inside = np.bincount(level.component, inside, len(inside))
            if number + 1 == len(levels):
                break
            level_rows = rows[links.level[rows] == number]
            less = np.bincount(level.component[links.a[level_rows]], links.gbps[level_rows], len(inside))
            across = level_rows[links.across[level_rows]]
            less += np.bincount(level.component[links.b[across]], links.gbps[across], len(inside))
            inside = np.minimum(inside, np.maximum(0.0, level.out_gbps - less))
        return float(inside.sum())

    def _cross_in_ring(self, grid: Ints64) -> list[Floats]:
        """By level, what of each port leaves its component when every rank sends to that of its place in the next
        scale-up domain.
        """
        leaf = self.network.leaf
        target = np.full_like(leaf, NONE)
        target[grid] = leaf[np.roll(grid, -1, axis=0)]
        joined = self.has & (target != NONE) & (self.place[leaf] == self.place[target])
        of_levels = (level.component for level in self.network.levels)
        return [
            np.where(joined & (component[leaf] != component[target]), self.network.gbps, 0.0) for component in of_levels
        ]

    def _cross_all_to_all(self) -> list[Floats]:
        """By level, what of each port leaves its component when every rank of the job sends to every other domain.

        Traffic to another rail leaves by the rank of that rail in the sender's domain.
        """
        network, shares = self.network, []
        job_ports = self.has & self.job[:, None]
        domain = np.broadcast_to(network.ranks.domain[:, None], network.leaf.shape)[job_ports]
        leaf = network.leaf[job_ports]
        everyone = np.maximum(1, count_other_ports(self.place[leaf], domain))
        for level in network.levels:
            share = np.zeros(network.leaf.shape)
            near = count_other_ports(level.component[leaf], domain)
            share[job_ports] = network.gbps[job_ports] * np.clip(1 - near / everyone, 0.0, 1.0)
            shares.append(share)
        return shares

    def _sum_load(self, level: int, crossing: Floats) -> Floats:
        component = self.network.levels[level].component[self.network.leaf[self.has]]
        return np.bincount(component, crossing[self.has], len(self.place)).astype(np.float64)

    def _time_pattern(self, name: str, in_use: Floats, lost: Flags) -> float:
        """How long a pattern takes, in times of what the ports of its ranks take when nothing is lost; `in_use` is by
        rank and port, what it sends by the port in proportion, of 1.
        """
        factor = self._rank_gbps / np.maximum((self.network.gbps * in_use).sum(axis=1), 1e-9)
        sent = in_use * factor[:, None]
        worst = float(sent[self.job].max(initial=1.0))
        ports_lost, carried = bool((factor[self.job] > 1).any()), self._even
        if lost.any():
            up, down = self._sum_remaining(lost)
            dead = (self._up > 0) & (up <= 0)
            for number, crossing in enumerate(self._crossing[name]):
                if not crossing.any():
                    dead[self._tops[number]] = False
            up, down = self._sum_remaining(lost | dead[self.links.b])
            carried = [self._find_carried(number, up, down) for number in range(len(carried))]
        for number, crossing in enumerate(self._crossing[name]):
            load = self._loads[name][number]
            if ports_lost:
                load = self._sum_load(number, crossing * sent)
            wide = carried[number] > 0
            worst = max(worst, float((load[wide] / carried[number][wide]).max(initial=0.0)))
        return worst
