"""Collectives: step by step on the wired graph, with the pieces of the message followed from rank to rank."""

from __future__ import annotations

import heapq
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial

import networkx
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fabricgen.analyze.asked import Question, read_job
from fabricgen.analyze.collectives.model import (
    BYTES_PER_US,
    Team,
    count_most_edges,
    find_tree_depth,
    find_turn,
    list_both_trees,
    list_tree_edges,
    make_team,
)
from fabricgen.analyze.latency import count_switches_crossed, latency_us
from fabricgen.analyze.network import Network, list_networks
from fabricgen.analyze.sections import collectives
from fabricgen.analyze.sections.collectives import time_algorithm
from fabricgen.analyze.traffic import measure_crowding, measure_crowding_of_all
from fabricgen.kernel.diagnostics import InputError
from fabricgen.pipeline import compile_cluster, compile_design
from tests.analyze.wired import Wired
from tests.properties.blueprints import clos, planes
from tests.properties.compiling import cases, compiled_or_dropped

SIZES = (2**10, 2**20, 2**26, 2**33)
JOBS = (
    ("superpod-b200", "64", "packed", "aligned"),
    ("superpod-b200", "64", "scattered", "rotated"),
    ("superpod-b300", "24", "scattered", "aligned"),
    ("top-of-rack", "48", "packed", "rotated"),
    ("mixed-speeds", "64", "scattered", "aligned"),
    ("two-site", "64", "scattered", "aligned"),
    ("superpod-b200-3tier", "64", "scattered", "aligned"),
)


@cache
def _load_network(name: str) -> Network:
    return next(list_networks(compile_cluster(compile_design(f"blueprints/{name}.yaml"))))


def _make_team(name: str, *job: str) -> Team:
    network = _load_network(name)
    return make_team(network, read_job(network, *job), network.cluster.design.catalog.constants())


class Clock:
    """Links that send one piece after the other: (time that the piece is there) -> time that it has arrived, us."""

    def __init__(self, gbps: float, latency_us: float) -> None:
        self.free, self.rate, self.latency = 0.0, gbps * BYTES_PER_US, latency_us

    def send(self, ready: float, size: float) -> float:
        self.free = max(self.free, ready) + size / self.rate
        return self.free + self.latency


def _ring_us(team: Team, algorithm: str, collective: str, size: int, protocol: str) -> float:
    """A ring over all ranks for each rail; the pieces of a rail meet those of others at the links of the domain."""
    steps = dict(team.constants.latency.ring.protocols)[protocol]
    slower = _slow_ring(team)
    wired = Wired(team.network)
    far = [_far_us(team, wired, at, (at + 1) % team.domains) for at in range(team.domains)]
    rails, number = team.rails, team.ranks
    rounds = (number - 1) * (2 if collective == "all-reduce" else 1)
    piece = size / number / rails
    leaves = [at % rails == rails - 1 and team.domains > 1 for at in range(number)]
    others_in_domain = rails - 1 if team.domains > 1 else rails
    nic = team.rail_gbps / slower * steps.bandwidth_share
    links = [
        Clock(nic, steps.nic_us + far[at // rails])
        if leaves[at]
        else Clock(team.domain_gbps * steps.bandwidth_share / max(1, others_in_domain), steps.scale_up_us)
        for at in range(number)
    ]
    arrivals = [0.0] * number
    for _ in range(rounds):
        arrived = [links[at].send(arrivals[at], piece) for at in range(number)]
        arrivals = [arrived[at - 1] for at in range(number)]
    return steps.launch_us + max(arrivals)


def _far_us(team: Team, wired: Wired, first: int, second: int) -> float:
    """Latency between two domains beyond that of a pair on one leaf, by the switches between them, us."""
    switches = wired.between(int(team.grid[first, 0]), int(team.grid[second, 0]))[0] if first != second else 1
    levels = range(len(team.network.levels))
    level = next(level for level in levels if count_switches_crossed(team.network, level) == switches)
    latencies = [latency_us(team.network, at, team.constants) for at in (level, 0)]
    return latencies[0] - latencies[1]


def _slow_ring(team: Team) -> float:
    """How many times slower a ring is: by crowding on the wired graph, or by the choice among equal paths."""
    if team.domains == 1:
        return 1.0
    return max(Wired(team.network).slowdown(_list_ring_pairs(team)), 1 / team.ring.balanced)


def _list_ring_pairs(team: Team) -> Iterator[tuple[int, int, float]]:
    for a, b in zip(team.grid.ravel().tolist(), np.roll(team.grid, -1, axis=0).ravel().tolist(), strict=True):
        yield a, b, 1.0


@pytest.mark.tenth
@pytest.mark.parametrize("job", JOBS, ids=" ".join)
@pytest.mark.parametrize("collective", ["all-reduce", "all-gather"])
def test_ring_step_by_step(job: tuple[str, ...], collective: str) -> None:
    team = _make_team(*job)
    for size in SIZES:
        timed = time_algorithm(team, "ring", collective, size)
        assert timed.us == pytest.approx(_ring_us(team, "ring", collective, size, timed.protocol), rel=0.05), size


def _chain_us(team: Team, size: int, protocol: str, pieces: int = 2000) -> float:
    """A broadcast along the rings: small pieces flow from the first rank to the last, a part of them on each rail."""
    steps = dict(team.constants.latency.ring.protocols)[protocol]
    wired, rails = Wired(team.network), team.rails
    slower = _slow_ring(team)
    nic, inside = team.rail_gbps / slower * steps.bandwidth_share, team.domain_gbps * steps.bandwidth_share
    piece, arrivals = size / rails / pieces, [0.0] * pieces
    for at in range(team.ranks - 1):
        if at % rails == rails - 1:
            link = Clock(nic, steps.nic_us + _far_us(team, wired, at // rails, at // rails + 1))
        else:
            link = Clock(inside / max(1, rails - 1), steps.scale_up_us)
        arrivals = [link.send(ready, piece) for ready in arrivals]
    return steps.launch_us + arrivals[-1]


@pytest.mark.slow
@pytest.mark.parametrize("job", [job for job in JOBS if job[3] == "aligned"], ids=" ".join)
def test_broadcast_along_rings_piece_by_piece(job: tuple[str, ...]) -> None:
    team = _make_team(*job)
    for size in SIZES:
        timed = time_algorithm(team, "ring", "broadcast", size)
        assert timed.us == pytest.approx(_chain_us(team, size, timed.protocol), rel=0.05), size


def test_a_broadcast_over_three_domains_goes_along_rings() -> None:
    team = _make_team("superpod-b200", "24", "packed", "aligned")
    assert team.domains == 3
    assert time_algorithm(team, "tree", "broadcast", 2**20) is None


class Turns:
    """A NIC that sends a piece of each of its connections in turn, as RDMA NICs serve their queue pairs.

    Were pieces sent in the order in which they are there, a domain would send all that it has as a leaf of one tree
    before it passes on a piece of the other, and others would wait for it: NCCL lets eight pieces go (NCCL_STEPS).
    """

    def __init__(self) -> None:
        self.free, self.waiting = 0.0, dict[tuple[int, int, str], deque[int]]()

    def add(self, connection: tuple[int, int, str], piece: int) -> None:
        self.waiting.setdefault(connection, deque()).append(piece)

    def next(self) -> tuple[int, tuple[int, int, str]]:
        connection = next(iter(self.waiting))
        pieces = self.waiting.pop(connection)
        piece = pieces.popleft()
        if pieces:
            self.waiting[connection] = pieces
        return piece, connection


def _tree_us(team: Team, collective: str, size: int, protocol: str, pieces: int = 100) -> float:
    """Pieces go up both trees and down again, or down alone: through a domain's chain, and over its NIC in turns."""
    steps = dict(team.constants.latency.tree.protocols)[protocol]
    wired = Wired(team.network)
    far, slower = cache(partial(_far_us, team, wired)), wired.slowdown(_tree_flows(team, collective))
    slower = max(slower, 1 / team.tree.balanced)
    half = size / 2 / pieces
    us = half / team.rails / (team.rail_gbps / slower * steps.bandwidth_share * BYTES_PER_US)
    chain = (team.ranks_per_domain - 1) * steps.scale_up_us
    nics = [Turns() for _ in range(team.domains)]
    chains = [Clock(team.domain_gbps * steps.bandwidth_share, chain) for _ in range(team.domains)]
    above = [dict(list_tree_edges(team.domains, second=second).tolist()) for second in (False, True)]
    below = [{domain: [a for a, b in tree.items() if b == domain] for domain in range(team.domains)} for tree in above]
    every = [(n, tree, domain) for n in range(pieces) for tree in (0, 1) for domain in range(team.domains)]
    waits = {(n, tree, domain): len(below[tree][domain]) for n, tree, domain in every}
    if collective == "all-reduce":
        events = [(chains[domain].send(0.0, half), n, tree, domain, "up") for n, tree, domain in every]
    else:
        events = [(0.0, n, tree, domain, "down") for n, tree, domain in every if domain not in above[tree]]
    heapq.heapify(events)
    last = 0.0
    while events:
        now, n, tree, domain, direction = heapq.heappop(events)
        if direction == "up":
            waits[n, tree, domain] -= 1
            if waits[n, tree, domain] < 0:
                if domain in above[tree]:
                    nics[domain].add((tree, above[tree][domain], "up"), n)
                else:
                    direction = "down"
        if direction == "down":
            last = max(last, chains[domain].send(now, half))
            for child in below[tree][domain]:
                nics[domain].add((tree, child, "down"), n)
        nic = nics[domain]
        if nic.free <= now and nic.waiting:
            n, (tree, to, direction) = nic.next()
            nic.free = now + us
            heapq.heappush(events, (nic.free, n, tree, domain, "free"))
            heapq.heappush(events, (nic.free + steps.nic_us + far(domain, to), n, tree, to, direction))
    return steps.launch_us + last


def _tree_flows(team: Team, collective: str) -> Iterator[tuple[int, int, float]]:
    """What ranks send in both trees, with the share of a rank's rate."""
    edges = list_both_trees(team.domains).tolist()
    if collective == "all-reduce":
        flows = [(a, b, 1 / team.busiest) for edge in edges for a, b in (edge, edge[::-1])]
    else:
        most = max(Counter(parent for _, parent in edges).values())
        flows = [(parent, child, 1 / most) for child, parent in edges]
    for a, b, share in flows:
        for rail in range(team.rails):
            yield int(team.grid[a, rail]), int(team.grid[b, rail]), share


OVER_DOMAINS = {n: ("superpod-b200", str(8 * n), "scattered", "aligned") for n in (2, 3, 4, 5, 9, 13, 21)}
"""The second tree is the first turned by a place where the number is odd, its mirror image where it is even."""


@pytest.mark.tenth
@pytest.mark.parametrize("job", [*JOBS, *OVER_DOMAINS.values()], ids=" ".join)
def test_tree_piece_by_piece(job: tuple[str, ...]) -> None:
    _hold_tree(_make_team(*job), "all-reduce")


@pytest.mark.parametrize("number", [3, 4, 8])
def test_tree_over_nodes_of_one_accelerator(number: int) -> None:
    """No chain in domains hides what the trees make of the network."""
    team = _make_team("superpod-b200", str(8 * number), "packed", "aligned")
    _hold_tree(replace(team, ranks_per_domain=1, rails=1), "all-reduce")


@pytest.mark.slow
@pytest.mark.parametrize("number", [4, 13])
def test_tree_of_a_broadcast_piece_by_piece(number: int) -> None:
    _hold_tree(_make_team(*OVER_DOMAINS[number]), "broadcast")


def _hold_tree(team: Team, collective: str) -> None:
    for size in (*SIZES, 2**23):
        timed = time_algorithm(team, "tree", collective, size)
        assert timed.us == pytest.approx(_tree_us(team, collective, size, timed.protocol), rel=0.06), size


@pytest.mark.parametrize("number", range(1, 40))
def test_trees_span_all_places_and_share_the_work(number: int) -> None:
    for second in (False, True):
        above = dict(list_tree_edges(number, second=second).tolist())
        assert len(above) == max(0, number - 1)
        roots = set(range(number)) - set(above)
        assert len(roots) == 1
        deepest = 0
        for domain in above:
            at, steps = domain, 0
            while at in above:
                at, steps = above[at], steps + 1
            assert at in roots
            deepest = max(deepest, steps)
        assert deepest == find_tree_depth(number)
    assert count_most_edges(list_both_trees(number)) <= 4


@pytest.mark.parametrize("number", [2, *range(4, 40)])
def test_the_turn_is_that_of_the_busiest_place(number: int) -> None:
    edges, first = list_both_trees(number), networkx.DiGraph(list_tree_edges(number, second=False).tolist())
    ends = Counter(edges.ravel().tolist())
    below = {
        domain: networkx.dag_longest_path_length(first.subgraph({domain} | networkx.ancestors(first, domain)))
        for domain in first
    }
    turn = find_turn(number)
    assert turn.edges == count_most_edges(edges)
    assert turn.down == max(in_degree for _, in_degree in first.in_degree())
    assert turn.height == max(below[domain] for domain in ends if ends[domain] == turn.edges)


@pytest.mark.tenth
@pytest.mark.parametrize("job", JOBS, ids=" ".join)
def test_hierarchical_is_its_three_rings(job: tuple[str, ...]) -> None:
    team = _make_team(*job)
    for size in SIZES:
        timed = time_algorithm(team, "hierarchical", "all-reduce", size)
        steps = dict(team.constants.latency.ring.protocols)[timed.protocol]
        wired = Wired(team.network)
        slower = _slow_ring(team)
        far = [_far_us(team, wired, at, (at + 1) % team.domains) for at in range(team.domains)]
        us = steps.launch_us
        for ranks, rounds, gbps, latency, share in (
            (
                team.ranks_per_domain,
                2 * (team.ranks_per_domain - 1),
                team.domain_gbps,
                [steps.scale_up_us] * team.ranks_per_domain,
                1,
            ),
            (
                team.domains,
                2 * (team.domains - 1),
                team.rail_gbps / slower,
                [steps.nic_us + us for us in far],
                team.ranks_per_domain,
            ),
        ):
            links = [Clock(gbps * steps.bandwidth_share, us) for us in latency]
            arrivals = [0.0] * ranks
            for _ in range(rounds):
                arrived = [links[at].send(arrivals[at], size / share / ranks) for at in range(ranks)]
                arrivals = [arrived[at - 1] for at in range(ranks)]
            us += max(arrivals)
        assert timed.us == pytest.approx(us, rel=0.05)


@pytest.mark.slow
@pytest.mark.law
@cases(30)
@given(st.one_of(clos(), planes()), st.data())
def test_crowding_is_that_of_flows_on_the_wired_graph(tree, data) -> None:
    """Of a permutation of ranks: no less on the graph, and the same where components of a level are alike."""
    network = next(list_networks(compiled_or_dropped(tree)), None)
    assume(network is not None and 2 <= len(network.ranks) <= 48)
    number = len(network.ranks)
    target = np.array(data.draw(st.permutations(range(number))))
    source = np.arange(number)
    joined = network.find_joining_level(source, target) < len(network.levels)
    wired = Wired(network)
    wired_slowdown = wired.slowdown(
        (a, b, 1.0) for a, b in zip(source[joined].tolist(), target[joined].tolist(), strict=True)
    )
    slowdown = measure_crowding(network, source, target).slowdown
    assert slowdown <= wired_slowdown + 1e-9
    if _is_even(network, wired):
        assert slowdown == pytest.approx(wired_slowdown)


def test_a_slower_port_takes_less_than_a_faster_one_sends() -> None:
    """Ranks of 400G and of 800G on one leaf: what an 800G rank sends takes twice as long at a rank of 400G."""
    tree = {
        "fabricgen": 1,
        "name": "two-rates",
        "scalable_unit": {"nodes": {"slow": "1 x toy-four", "fast": "1 x toy-wide"}, "racks": {"nodes_per_rack": 1}},
        "pods": {"p1": {"su": 1}},
        "fabrics": {"compute": {"protocol": "roce", "tiers": {"leaf": {"switch": "toy-24", "per": []}}}},
    }
    network = next(list_networks(compiled_or_dropped(tree)))
    gbps = network.gbps.max(axis=1)
    fast, slow = (int(np.flatnonzero(gbps == rate)[0]) for rate in (800, 400))
    assert measure_crowding(network, np.array([fast]), np.array([slow])).slowdown == 2
    assert measure_crowding(network, np.array([slow]), np.array([fast])).slowdown == 1


def _is_even(network: Network, wired: Wired) -> bool:
    """Whether all links of a level's switches lead to as many upper switches, with as many links each."""
    shapes = set()
    for switch in wired.graph:
        tier = network.cluster.plan.devices.device_class[switch]
        shapes.add((int(tier), tuple(sorted(wired.links[switch, above] for above in wired.graph.successors(switch)))))
    return len(shapes) == len({tier for tier, _ in shapes})


@pytest.mark.slow
@pytest.mark.parametrize("name", ["superpod-b200", "superpod-b200-3tier", "top-of-rack", "mi300x-roce", "mixed-speeds"])
def test_all_to_all_is_the_sum_of_its_flows(name: str) -> None:
    """Every rank to every other of another domain, through the rail of the other where rails are apart."""
    network = _load_network(name)
    job = read_job(network, "64", "scattered")
    ranks, domain = job.ranks, network.ranks.domain[job.ranks]
    top = network.top.component[network.leaf[ranks, 0]]
    flows = []
    for a in range(len(ranks)):
        targets = [b for b in range(len(ranks)) if domain[b] != domain[a] and top[a] == top[b]]
        flows += [(int(ranks[a]), int(ranks[b]), 1 / len(targets)) for b in targets]
    assert measure_crowding_of_all(network, ranks).slowdown == pytest.approx(Wired(network).slowdown(flows), rel=1e-6)


def test_a_job_must_be_there() -> None:
    network = _load_network("superpod-b200")
    for text, message in (("9999", "1,016"), ("64@p9", "no pod 'p9'"), ("64@p1/su9", "no unit 'su9'"), ("x", "no job")):
        with pytest.raises(InputError, match=message):
            read_job(network, text)
    assert len(read_job(network, "all@p1/su2")) == 256
    scattered = read_job(network, "32", "scattered").ranks
    assert network.ranks.unit[scattered].tolist() == [unit for unit in range(4) for _ in range(8)]


def test_bus_bandwidth_is_of_nccl_tests() -> None:
    """Of 8 GiB on 1,016 B200 of a SuperPOD: eight NICs of 50 GB/s, of which InfiniBand reaches 0.93, and twice
    (n - 1) / n of the message.
    """
    network = _load_network("superpod-b200")
    question = Question(network.cluster.design.catalog.constants(), sizes=(2**33,))
    (row,) = collectives.figures(network, read_job(network), question)["collectives"]["all-reduce"]
    assert row["busbw_gbytes"] == pytest.approx(8 * 50 * 0.93, rel=0.01)
    assert row["busbw_gbytes"] == pytest.approx(2**33 / row["us"] / 1000 * 2 * 1015 / 1016, rel=1e-3)
