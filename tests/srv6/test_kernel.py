"""The paths of NICs on Linux: 32 switches in network namespaces, and static equal-cost routes on the same beside it.

Packets are counted at every link, and told apart where they arrive; what dies is what `analyze` counts of the loss.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import permutations

import numpy as np
import pytest

from fabricgen.analyze.losses import LossEffect
from tests.srv6.fabrics import FOUR_PLANES, NamedPath, NicPort, build, compile_page, nic_ports, paths_between
from tests.srv6.lab import FIRST_SOURCE, Lab, Packet, start_lab
from tests.srv6.losses import make_losses
from tests.srv6.walk import Port

pytestmark = [pytest.mark.daemon, pytest.mark.slow]

STATIC = ("fabrics.compute.routing={underlay: static}",)
FLOWS = 256
PORTS_OF_LEAF = 8
ACCELERATORS_OF_UNIT = 8
"""Each has a port in every plane, of which a leaf has those of one unit; of these the lab has one."""


def one_port_a_leaf() -> list[NicPort]:
    return list({port.leaf: port for port in nic_ports(build(FOUR_PLANES))}.values())


def pairs(ports: list[NicPort]) -> list[tuple[NicPort, NicPort]]:
    return [(a, b) for a, b in permutations(ports, 2) if a.plane == b.plane]


def eight_links(lab: Lab) -> list[Port]:
    """In each plane the ends at a leaf, of another unit each, of its links to two of the four spines."""
    links = []
    for number in range(4):
        leaf = f"compute-leaf-p1-su0{number + 1}-pl{number + 1}-01"
        up = sorted(end for end, far in lab.fabric.far.items() if end[0] == leaf and far[0] in lab.fabric.switches)
        links += up[number % 3 : number % 3 + 2]
    return links


def analyze(lab: Lab, ends: list[Port], *sets: str) -> LossEffect:
    """What is said of the loss of links, by their ends at switches."""
    cluster = compile_page(FOUR_PLANES, *sets)
    links = cluster.plan.links
    row_of = {
        (cluster.names[device], str(port)): row
        for devices, ports in ((links.a_device, cluster.a_port), (links.b_device, cluster.b_port))
        for row, (device, port) in enumerate(zip(devices.tolist(), ports, strict=True))
    }
    return make_losses(*sets).find_effect(links=np.array([row_of[end] for end in ends]))


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with start_lab(build(FOUR_PLANES), one_port_a_leaf()) as made:
        yield made


@pytest.fixture(scope="module")
def static_lab() -> Iterator[Lab]:
    with start_lab(build(FOUR_PLANES, *STATIC), one_port_a_leaf(), "static") as made:
        yield made


@pytest.fixture(scope="module")
def paths(lab: Lab) -> list[tuple[NicPort, NamedPath, NicPort]]:
    files = build(FOUR_PLANES)
    return [(a, path, b) for a, b in pairs(lab.ports) for path in paths_between(files, a, b)]


@pytest.fixture(scope="module")
def packets(lab: Lab, paths: list[tuple[NicPort, NamedPath, NicPort]]) -> list[Packet]:
    """One for each path; neighbours have found each other."""
    found = [Packet(a, FIRST_SOURCE, path.address, b) for a, path, b in paths]
    assert len(found) == 4 * 12 * 4
    lab.wait_for(found)
    return found


def find_named(lab: Lab, paths: list[tuple[NicPort, NamedPath, NicPort]]) -> list[set[Port]]:
    """By path, the ends of the links that it names."""
    ends = [{(a.node, a.port), *((device, port) for device, (port,) in path.ports)} for a, path, _ in paths]
    return [one | {lab.fabric.far[end] for end in one} for one in ends]


def test_packets_take_the_links_that_their_paths_name(
    lab: Lab, paths: list[tuple[NicPort, NamedPath, NicPort]], packets: list[Packet]
) -> None:
    times, before = 20, lab.count_sent()
    assert lab.send(packets, times, len(packets)) == set(range(len(packets)))
    named = Counter((device, port) for _, path, _ in paths for device, (port,) in path.ports)
    crossed = lab.count_sent() - before
    # neighbours ask for each other meanwhile, which are a few packets a port
    assert {end: count // times for end, count in crossed.items() if count >= times} == named


def test_each_lost_link_kills_the_paths_that_name_it_as_analyze_counts_them(
    lab: Lab, paths: list[tuple[NicPort, NamedPath, NicPort]], packets: list[Packet]
) -> None:
    named = find_named(lab, paths)
    links = sorted({min(end for end in (end, lab.fabric.far[end]) if end in lab.lines) for end in set().union(*named)})
    assert len(links) == 64 + 16
    for link in links:
        lab.lose(link)
        dead = {i for i, ends in enumerate(named) if link in ends}
        assert set(range(len(packets))) - lab.send(packets, 2, len(packets) - len(dead)) == dead, link
        lab.mend(link)
        lab.wait_for([packets[i] for i in sorted(dead)])
        effect = analyze(lab, [link])
        to_host = lab.fabric.far[link][0] not in lab.fabric.switches
        assert effect.retired
        assert effect.retired[0] == len(dead) * (1 if to_host else PORTS_OF_LEAF) * PORTS_OF_LEAF


def test_eight_lost_links_kill_the_paths_that_name_one(
    lab: Lab, paths: list[tuple[NicPort, NamedPath, NicPort]], packets: list[Packet]
) -> None:
    links = eight_links(lab)
    for link in links:
        lab.lose(link)
    dead = {i for i, ends in enumerate(find_named(lab, paths)) if ends & set(links)}
    assert set(range(len(packets))) - lab.send(packets, 20, len(packets) - len(dead)) == dead
    effect = analyze(lab, links)
    assert effect.retired
    assert effect.retired[0] == len(dead) * PORTS_OF_LEAF**2
    # no NIC is left without paths to another: those of a leaf with two of its four links have half of theirs
    alive = Counter((a.leaf, b.leaf) for i, (a, _, b) in enumerate(paths) if i not in dead)
    assert {alive[a.leaf, b.leaf] for a, b in pairs(lab.ports)} == {2, 4}


def test_static_routes_lose_the_flows_that_analyze_says(static_lab: Lab) -> None:
    """Each flow has a source port of its own, and keeps its path: what a switch beyond it has lost stays lost."""
    lab, ends = static_lab, pairs(static_lab.ports)
    flows = [Packet(a, FIRST_SOURCE + n, b.ip, b) for a, b in ends for n in range(FLOWS)]
    lab.wait_for(flows)
    links = eight_links(lab)
    for number in (1, 8):
        for link in links[:1] if number == 1 else links[1:]:
            lab.lose(link)
        effect = analyze(lab, links[:number], *STATIC)
        hit = {device for device, _ in links[:number]}
        # a hash is not quite even: five standard deviations of the flows to a leaf
        most = 3 * FLOWS
        deviation = 5 * (effect.dead_share * (1 - effect.dead_share) / most) ** 0.5
        awaited = len(flows) - round((effect.dead_share + deviation) * most) * len(hit)
        dead = Counter(flows[i].b.leaf for i in set(range(len(flows))) - lab.send(flows, 1, awaited))
        assert dead.keys() == hit
        for leaf in hit:
            assert dead[leaf] / most == pytest.approx(effect.dead_share, abs=deviation)
        units = {port.node for port in lab.ports if port.leaf in hit}
        assert effect.dead_to == len(units) * ACCELERATORS_OF_UNIT
    assert effect.dead_share == 0.5
