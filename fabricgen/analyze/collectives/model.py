"""The alpha-beta model of a collective: what a job has, which steps an algorithm takes, and the time of these steps.

An algorithm is a sequence of stages. In a stage every rank passes on pieces of the message, step after step. A step
takes a latency, which differs between the scale-up domain and the network, and the time of its bytes on each of them
(R. Hockney, The communication challenge for MPP, 1994; NCCL's own model, src/graph/tuning.cc, is of this kind). Steps
of a ring overlap: a rank sends the next piece when its link is free and the piece is there. So the slowest way of a
piece counts, which waits for the busiest link at some hops and goes on at others (a max-plus system: Baccelli et al.,
Synchronization and Linearity, 1992).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from fabricgen.analyze.asked import Job
from fabricgen.analyze.hash_shares import find_share_of_all, find_share_of_pairs
from fabricgen.analyze.latency import latency_us
from fabricgen.analyze.network import Network
from fabricgen.analyze.traffic import Crowding, measure_crowding, measure_crowding_of_all
from fabricgen.catalog.constant_models import ConstantsProfile, ScaleUpEfficiency, Steps
from fabricgen.catalog.models import NodeProfile
from fabricgen.wiring.arrays import Floats, Ints64

BYTES_PER_US = 125.0
"""What 1 Gb/s carries in 1 us, bytes."""


@dataclass(frozen=True, slots=True)
class ScaleUpTiers:
    """How a job lies in the first tiers of scale-up domains, and which fraction of the bytes leaves the busiest one.

    `first_tiers` is how many of them the job is in. `beyond_gbps` is what each accelerator of a first tier may send out
    of it, Gb/s, with efficiency; `in_switch_gbps` is the same for messages that switches reduce. `of_ring`, `of_all`
    and `of_switch` are fractions of what a rank passes on in a ring, sends to all others of its domain, or sends to
    switches that reduce: the part that leaves the busiest first tier, spread over all accelerators of the tier; 0 if
    each domain has one first tier.
    """

    first_tiers: int
    beyond_gbps: float
    in_switch_gbps: float
    of_ring: float
    of_all: float
    of_switch: float


@dataclass(frozen=True)
class Team:
    """A job as collectives see it: `domains` scale-up domains, each with `rails` to `ranks_per_domain` ranks.

    `domain_gbps` is what a rank reaches in its domain, or in its first tier if the domain has two tiers; 0 if it is not
    known. `rail_gbps` is what it reaches in the network. Both are Gb/s each way, with efficiency and without crowding.
    """

    network: Network
    job: Job
    constants: ConstantsProfile
    domains: int
    ranks_per_domain: int
    rails: int
    domain_gbps: float
    in_switch_gbps: float
    """Rate at which the switches of the domain reduce a message, Gb/s; 0 if they do not reduce."""
    rail_gbps: float
    tiers: ScaleUpTiers

    @property
    def ranks(self) -> int:
        """Ranks of the job."""
        return len(self.job)

    @property
    def reaches_its_domain(self) -> bool:
        """Whether the rate of ranks in their domain is known, or not needed since each domain has one rank."""
        return self.ranks_per_domain == 1 or self.domain_gbps > 0

    @cached_property
    def grid(self) -> Ints64:
        """The ranks by domain and position in it, for the positions that all domains have; int64 [domains, rails]."""
        domain = self.network.ranks.domain[self.job.ranks]
        starts = np.flatnonzero(np.r_[True, domain[1:] != domain[:-1]])
        # ranks of a domain are side by side in the job
        grid: Ints64 = self.job.ranks[starts[:, None] + np.arange(self.rails)]
        return grid

    @cached_property
    def ring(self) -> Crowding:
        """The crowding of a ring on each rail: every rank sends to the rank of its place in the next domain."""
        pairs = self.grid.ravel(), np.roll(self.grid, -1, axis=0).ravel()
        return replace(measure_crowding(self.network, *pairs), balanced=find_share_of_pairs(self.network, *pairs))

    @cached_property
    def tree(self) -> Crowding:
        """The crowding of a double binary tree on each rail: a rank divides its rate among its edges."""
        child, parent = (self.grid[self.edges[:, end]].ravel() for end in (0, 1))
        pairs = np.r_[child, parent], np.r_[parent, child]
        # a rank sends a part of its rate on each edge, so a link that several edges share carries as many parts
        share = min(1.0, self.busiest * find_share_of_pairs(self.network, *pairs))
        return replace(measure_crowding(self.network, *pairs, 1 / self.busiest), balanced=share)

    @cached_property
    def edges(self) -> Ints64:
        """The edges (child, parent) of both trees over the domains, int64 [edges, 2]."""
        return list_both_trees(self.domains)

    @cached_property
    def busiest(self) -> int:
        """The number of edges, in both trees together, of the domain that has the most."""
        return count_most_edges(self.edges)

    @cached_property
    def everyone(self) -> Crowding:
        """The crowding if each rank sends to every other rank."""
        crowded = measure_crowding_of_all(self.network, self.job.ranks)
        return replace(crowded, balanced=find_share_of_all(self.network, self.job.ranks))

    @cached_property
    def rails_are_apart(self) -> bool:
        """Whether some ranks are joined by no network, so that traffic between them passes a scale-up domain."""
        top = self.network.top.component[self.network.leaf[self.job.ranks, 0]]
        return bool((top != top[0]).any())

    @cached_property
    def beyond_us(self) -> tuple[float, ...]:
        """How much longer the latency of a pair is than that of a pair on one leaf, us, by the level at which it meets.

        The last entry, for pairs that no level joins, repeats the one before it.
        """
        levels = range(len(self.network.levels))
        latencies = [latency_us(self.network, level, self.constants) for level in levels]
        return tuple(us - latencies[0] for us in (*latencies, latencies[-1]))

    def hop_us(self, source: Ints64, target: Ints64) -> Floats:
        """Return the latency of each pair of ranks, less that of a pair on one leaf, us; float64."""
        return np.array(self.beyond_us)[self.network.find_joining_level(source, target)]

    @cached_property
    def ring_us(self) -> Floats:
        """The latency of each hop of a ring on a rail, less that of a pair on one leaf, us; float64 [domains]."""
        rail = self.grid[:, 0]
        return self.hop_us(rail, np.roll(rail, -1))

    @cached_property
    def tree_us(self) -> float:
        """The greatest sum of latencies, less those of pairs on one leaf, from the root of a tree to a domain, us."""
        longest = 0.0
        for second in (False, True):
            edges = list_tree_edges(self.domains, second=second)
            parent = np.arange(self.domains)
            parent[edges[:, 0]] = edges[:, 1]
            rail = self.grid[:, 0]
            edge_us = self.hop_us(rail, rail[parent])
            total = np.zeros(self.domains)
            for _ in range(find_tree_depth(self.domains)):
                total = edge_us + np.where(parent == np.arange(self.domains), 0.0, total[parent])
            longest = max(longest, float(total.max()))
        return longest


def list_tree_edges(number: int, *, second: bool) -> Ints64:
    """Return the edges (child, parent) of one of the two trees over `number` places, int64 [edges, 2].

    Odd places are leaves of the first tree. The second is its mirror image, or for an odd number the first turned by
    one place, so that inner places of one are leaves of the other (Sanders, Speck and Träff, Two-tree algorithms for
    full bandwidth broadcast, reduction and scan, 2009).
    """
    places = np.arange(1, number)
    bit = places & -places  # the lowest bit that is set: the height of a place over the leaves of the tree
    # the parent has the next higher bit as its lowest one; if there is no such place, it is the place without this bit
    above = (places ^ bit) | (bit << 1)
    edges = np.stack([places, np.where(above < number, above, places ^ bit)], axis=1)
    if not second:
        return edges
    return (edges + 1) % number if number % 2 else number - 1 - edges


def list_both_trees(number: int) -> Ints64:
    """Return the edges (child, parent) of both trees over `number` places, int64 [edges, 2]."""
    return np.concatenate([list_tree_edges(number, second=second) for second in (False, True)])


def count_most_edges(edges: Ints64) -> int:
    """Return how many edges the busiest place has: its rate is divided among as many transfers."""
    return int(np.bincount(edges.ravel()).max(initial=0))


def find_tree_depth(number: int) -> int:
    """Return the edges from the root of a tree over `number` places to the farthest place, in a complete tree."""
    return (number - 1).bit_length()


@dataclass(frozen=True, slots=True)
class Turn:
    """The busiest domain of a flow that goes up two trees and down again, with half of the message on each edge.

    It has `edges` edges, of which `down` lead to its children in one tree, and is `height` edges above the farthest
    place below it.
    """

    edges: int
    down: int
    height: float

    def early_us(self, us: float, across_us: float, steps: int) -> float:
        """Return for how long a NIC sends before the first bytes come down to it, in an all-reduce over two trees, us.

        `us` is the time in which it sends all of its bytes, and `across_us` the latency of the whole way up and down,
        of `steps` steps. Before the first bytes come down it sends the least of

        - all that goes up, which is all but the share of the `down` edges (decides for small messages);
        - the half of the message for the tree in which its domain is a leaf, and of the other half what comes from
          below in two steps (to the root and back) at half of the rate, since the NICs below serve both trees;
        - what fits into the time that the first bytes take to the root and back, which is the whole way less `height`
          steps (decides for large messages).
        """
        edge, step = us / self.edges, across_us / steps
        return min(us - self.down * edge, edge + step, across_us - self.height * step)


def find_turn(number: int) -> Turn:
    """Return the turn of the busiest of `number` ranks (2 or more) if data goes up two binary trees and back down.

    The busiest of four and more are those at even places, other than the last: they have two children in the first tree
    and are leaves of the second. The busiest of three has a child in each tree. In one tree it is 2 edges above the
    farthest place; but with large messages it first waits a step, and then is half a step ahead in that tree. Its
    height of 2.25 is the middle of both bounds.
    """
    if number > 3:
        return Turn(4, 2, (number - 2).bit_length() - 1)
    return Turn(2, 1, 1) if number == 2 else Turn(3, 1, 2.25)


@dataclass(frozen=True, slots=True)
class CollectiveStage:
    """Steps that follow each other: `network_steps` of them cross the network, `scale_up_steps` the scale-up domain.

    In all steps together a rank sends, for each byte of the message, `network_bytes` to its NIC and `scale_up_bytes`
    into its domain, with the crowding of `pattern`. A `flow` is cut into pieces of any size, so its bytes come after
    the latency of all steps at the rate of the busiest link; otherwise each step passes on a piece of its own.
    """

    network_steps: int = 0
    scale_up_steps: int = 0
    network_bytes: float = 0.0
    scale_up_bytes: float = 0.0
    beyond: float = 0.0
    """The fraction of `scale_up_bytes` that leaves the first tiers of domains."""
    pattern: Crowding | None = None
    far_us: Floats | None = None
    """Latency of each network step less that of a pair on one leaf, us; repeated until each step has one.

    For a flow they are added up instead: it takes this way once.
    """
    flow: bool = False
    in_switch: bool = False
    turn: Turn | None = None
    """Set if a flow goes up two trees and comes down again.

    The bytes that are sent before the first bytes come down take no extra time. In the domain these are at most half of
    the bytes, and none if its switches both reduce and distribute.
    """


@dataclass(frozen=True, slots=True)
class Timed:
    """The time of a collective, us, with a protocol, and the bytes that each rank sends to its domain and network."""

    us: float
    protocol: str
    scale_up_bytes: float
    network_bytes: float

    @property
    def scale_up_share(self) -> float:
        """The fraction of all bytes that stays in scale-up domains."""
        total = self.scale_up_bytes + self.network_bytes
        return self.scale_up_bytes / total if total else 0.0


def time_stages(team: Team, stages: Sequence[CollectiveStage], kind: str, size: int) -> Timed:
    """Return the time of the stages of an algorithm for a message of `size` bytes, with the quickest protocol.

    `kind` is the kind of algorithm that the latency constants tell apart: ring, tree or in_switch.
    """
    scale_up, network = (size * sum(getattr(s, name) for s in stages) for name in ("scale_up_bytes", "network_bytes"))
    algorithm = getattr(team.constants.latency, kind)
    us, name = min(
        (steps.launch_us + sum(_time_stage(team, stage, steps, size) for stage in stages), name)
        for name, steps in algorithm.protocols
    )
    return Timed(us, name, scale_up, network)


def _time_stage(team: Team, stage: CollectiveStage, steps: Steps, size: int) -> float:
    """Return the time of a stage for a message of `size` bytes, us, with the constants of one protocol."""
    slower = stage.pattern.times_slower if stage.pattern else 1.0
    network = _time_bytes(size * stage.network_bytes, team.rail_gbps / slower * steps.bandwidth_share)
    share, tiers = steps.bandwidth_share, team.tiers
    within_gbps, beyond_gbps = (
        (team.in_switch_gbps, tiers.in_switch_gbps)
        if stage.in_switch
        else (team.domain_gbps * share, tiers.beyond_gbps * share)
    )
    domain_bytes = size * stage.scale_up_bytes
    scale_up = max(_time_bytes(domain_bytes, within_gbps), _time_bytes(domain_bytes * stage.beyond, beyond_gbps))
    if stage.flow:
        return _time_flow(stage, steps, network, scale_up)
    number = stage.network_steps + stage.scale_up_steps
    if not number:
        return 0.0
    busiest = max(network, scale_up) / number
    inside = stage.scale_up_steps * (steps.scale_up_us + scale_up / number - busiest)
    if not stage.network_steps:
        return number * busiest + inside
    far = 0.0 if stage.far_us is None else stage.far_us
    # All steps take `busiest`; the hops are what each network step, and the scale-up steps after it, take on top.
    across = steps.nic_us + network / number - busiest + np.resize(far, stage.network_steps)
    hops = np.stack([across, np.full_like(across, inside / stage.network_steps)], axis=1).ravel()
    return number * busiest + _find_longest_delay(hops)


def _time_flow(stage: CollectiveStage, steps: Steps, network: float, scale_up: float) -> float:
    """Return the time of a flow whose bytes take `network` us on the network and `scale_up` us in the domain, us."""
    far = 0.0 if stage.far_us is None else float(np.sum(stage.far_us))
    across, inside = stage.network_steps * steps.nic_us + far, stage.scale_up_steps * steps.scale_up_us
    if stage.turn:
        network -= stage.turn.early_us(network, across, stage.network_steps)
        scale_up -= 0.0 if stage.in_switch else min(scale_up / 2, across + inside / 2)
    return across + inside + max(network, scale_up)


def _find_longest_delay(beyond: Floats) -> float:
    """Return the greatest sum of `beyond` over hops that follow each other, us; 0 if no sum is above 0.

    `beyond` has, by hop, how much longer the hop takes than the busiest link, us; negative if it takes less time.
    """
    # the greatest sum of consecutive hops: a sum from the start less the least one before it
    total = np.concatenate([[0.0], np.cumsum(beyond)])
    return float((total - np.minimum.accumulate(total)).max())


def _time_bytes(size: float, gbps: float) -> float:
    return size / (gbps * BYTES_PER_US) if size else 0.0


# The team of a job: how its ranks lie in scale-up domains, and the bandwidth that each has.


def make_team(network: Network, job: Job, constants: ConstantsProfile) -> Team:
    """Return the team of a job, with the rates of its slowest rank in the domain and in the network."""
    domain = network.ranks.domain[job.ranks]
    # Ranks of a domain follow one another: a rank whose domain is not that of the one before is the first of its own.
    starts = np.flatnonzero(np.r_[True, domain[1:] != domain[:-1]])
    ranks_per_domain = np.diff(np.r_[starts, len(domain)])
    gbps = float(network.ranks.first_tier_gbps[job.ranks].min())
    reached = find_scale_up_efficiency(network, job, constants)
    return Team(
        network,
        job,
        constants,
        len(starts),
        # the largest domain, and the smallest: that one limits on how many rails all can send
        int(ranks_per_domain.max()),
        int(ranks_per_domain.min()),
        gbps * reached.reached,
        gbps * (reached.in_switch or 0.0),
        float(network.gbps[job.ranks].sum(axis=1).min())
        * constants.efficiency.network.find_reached(find_protocol(network)),
        _find_tiers(network, job, reached),
    )


def _find_tiers(network: Network, job: Job, reached: ScaleUpEfficiency) -> ScaleUpTiers:
    """Return how a job lies in first tiers of scale-up, and which fractions of its bytes leave the busiest one.

    The ranks of a domain must be side by side in the job. A ring is taken to lead from the last rank of a domain back
    to its first.
    """
    ranks = network.ranks
    domain, tier_size = ranks.domain[job.ranks], ranks.first_tier_size[job.ranks]
    _, first_of_tier, tier = np.unique(ranks.first_tier[job.ranks], return_index=True, return_inverse=True)
    _, domain_start, in_domain, domain_size = np.unique(
        domain, return_index=True, return_inverse=True, return_counts=True
    )
    next_rank = np.arange(len(domain)) + 1
    is_last = np.r_[domain[1:] != domain[:-1], True]
    next_rank[is_last] = domain_start[in_domain[is_last]]
    # by first tier: hops of the ring that leave it, its ranks of the job, those elsewhere in its domain, and its size
    leaving_hops = np.bincount(tier, tier != tier[next_rank])
    members, others = np.bincount(tier), (domain_size[in_domain] - np.bincount(tier)[tier])[first_of_tier]
    size, peers = tier_size[first_of_tier], np.maximum(1, domain_size[in_domain] - 1)[first_of_tier]
    gbps = float(ranks.domain_gbps[job.ranks].min())
    return ScaleUpTiers(
        len(first_of_tier),
        gbps * reached.reached,
        gbps * (reached.in_switch or 0.0),
        of_ring=float((leaving_hops / size).max()),
        of_all=float((members * others / peers / size).max()),
        of_switch=float(((others > 0) / size).max()),
    )


def find_protocol(network: Network) -> Literal["ethernet", "infiniband"]:
    """Return what the constants of efficiency call a network's protocol; RoCE is Ethernet."""
    return "infiniband" if network.fabric.protocol == "infiniband" else "ethernet"


def find_scale_up_efficiency(network: Network, job: Job, constants: ConstantsProfile) -> ScaleUpEfficiency:
    """Return the efficiency that collectives of a job reach in its scale-up domains."""
    return constants.efficiency.find_domain_efficiency(find_domain_profile(network, int(job.ranks[0])))


def find_domain_profile(network: Network, rank: int) -> str:
    """Return the id of the profile of a rank's scale-up domain; "" if it is in none."""
    from fabricgen.design.scale_up.domains import can_join

    plan = network.cluster.plan
    profile = plan.devices.classes[int(plan.devices.device_class[network.ranks.device[rank]])].profile
    if not isinstance(profile, NodeProfile):
        return ""
    joined = (scale_up.profile for scale_up in network.cluster.design.scale_up)
    return next((domain.id for domain in joined if can_join(profile, domain)), profile.scale_up)
