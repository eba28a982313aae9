"""Each path that a NIC is told of crosses the links that it names, by the tables of the switches, and no others."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import permutations

import pytest

from fabricgen.analyze.hash_shares import find_mode
from fabricgen.analyze.network import list_networks
from tests.srv6.fabrics import (
    CASES,
    FOUR_PLANES,
    LINKS,
    PARALLEL,
    NamedPath,
    NicPort,
    build,
    compile_page,
    nic_ports,
    paths_between,
)
from tests.srv6.walk import Fabric, Port


@cache
def fabric(*sets: str) -> Fabric:
    return Fabric(build(FOUR_PLANES, *sets))


def pairs(*sets: str) -> list[tuple[NicPort, NicPort]]:
    """Ports of different leaves of a plane: every pair."""
    ports = nic_ports(build(FOUR_PLANES, *sets))
    return [(a, b) for a, b in permutations(ports, 2) if a.plane == b.plane and a.leaf != b.leaf]


def named_ports(a: NicPort, path: NamedPath, b: NicPort) -> list[Port]:
    """The ports that a path leaves by, as it names them, from the NIC on, and the one that it comes to."""
    assert all(len(ports) == 1 for _, ports in path.ports)
    return [(a.node, a.port), *((switch, ports[0]) for switch, ports in path.ports), (b.node, b.port)]


def test_there_are_thirty_two_switches_in_four_planes() -> None:
    assert len(fabric().switches) == 32
    assert Counter(port.plane for port in nic_ports(build(FOUR_PLANES))) == dict.fromkeys("1234", 32)


@pytest.mark.slow
@pytest.mark.parametrize("sets", CASES.values(), ids=CASES)
def test_every_path_of_every_pair_crosses_the_links_that_it_names(sets: tuple[str, ...]) -> None:
    files = build(FOUR_PLANES, *sets)
    for a, b in pairs(*sets):
        for path in paths_between(files, a, b):
            crossed, left = fabric(*sets).walk((a.node, a.port), path.address)
            assert crossed == named_ports(a, path, b)
            assert left == b.address


@pytest.mark.slow
@pytest.mark.parametrize("sets", [(), (*PARALLEL, *LINKS)], ids=["uN", "uA, parallel links"])
def test_paths_of_a_pair_are_spread_over_all_spines_and_links(sets: tuple[str, ...]) -> None:
    files = build(FOUR_PLANES, *sets)
    a, b = pairs(*sets)[-1]
    paths = list(paths_between(files, a, b))
    assert Counter(path.turn for path in paths) == {f"compute-spine-pl4-0{n}": 2 if sets else 1 for n in range(1, 5)}
    for step in (0, 1):  # the links up from the leaf of one, and down to that of the other, each once
        links = [path.ports[step] for path in paths]
        assert len(set(links)) == len(links) == (8 if sets else 4)


@pytest.mark.slow
def test_a_broken_link_kills_the_paths_that_name_it_and_no_other() -> None:
    files, walked = build(FOUR_PLANES), fabric()
    one_port = {port.leaf: port for port in nic_ports(files)}  # the paths of its other ports differ in the last link
    paths = [
        (a, path, named_ports(a, path, b))
        for a, b in permutations(one_port.values(), 2)
        if a.plane == b.plane
        for path in paths_between(files, a, b)
    ]
    links = {frozenset((end, walked.far[end])) for _, _, ports in paths for end in ports}
    assert len(links) == 64 + 16
    for link in links:
        end = min(link)
        dead = {
            i for i, (a, path, _) in enumerate(paths) if walked.walk((a.node, a.port), path.address, end)[1] == "lost"
        }
        assert dead == {i for i, (_, _, ports) in enumerate(paths) if link & set(ports)}
        assert dead


def test_ports_of_one_leaf_reach_each_other_by_two_identifiers() -> None:
    files = build(FOUR_PLANES)
    ports = [port for port in nic_ports(files) if port.leaf == "compute-leaf-p1-su01-pl1-01"]
    a, b = ports[0], ports[-1]
    own = files[f"paths/up/{a.leaf}.csv"].splitlines()[1].split(",")[4].split()[0]
    crossed, left = fabric().walk((a.node, a.port), f"fcbb:bb00:{own}:{b.identifier}::")
    assert crossed[1:] == [(b.leaf, b.leaf_port), (b.node, b.port)]
    assert left == b.address


def test_a_nic_with_one_address_has_it_in_all_planes() -> None:
    """`address_per: nic` changes what packets inside are for, and no path; leaves send what is for a port to it."""
    own, each = build(FOUR_PLANES, "fabrics.compute.address_per=nic"), build(FOUR_PLANES)
    assert {path: own[path] for path in own if "/up/" in path or "/down/" in path} == {
        path: each[path] for path in each if "/up/" in path or "/down/" in path
    }
    nics: dict[tuple[str, str], list[NicPort]] = {}
    for port, of_each in zip(nic_ports(own), nic_ports(each), strict=True):
        assert replace(port, ip="") == replace(of_each, ip="")
        nics.setdefault((port.node, port.rail), []).append(port)
        routes = json.loads(own[f"configs/{port.leaf}/config_db.json"])["STATIC_ROUTE"]
        (route,) = [one for one in routes.values() if one["ifname"] == port.leaf_port]
        assert route["nexthop"] == port.ip
    assert {len(ports) for ports in nics.values()} == {4}
    assert all(len({port.ip for port in ports}) == 1 for ports in nics.values())
    assert len({ports[0].ip for ports in nics.values()}) == len(nics) == 32
    assert len({port.ip for port in nic_ports(each)}) == 128


def test_a_leaf_drops_what_is_for_another() -> None:
    """A NIC that is plugged into the wrong leaf reaches nobody, rather than somebody over other links."""
    files = build(FOUR_PLANES)
    a, b = pairs()[0]
    wrong = next(port for port in nic_ports(files) if port.leaf not in (a.leaf, b.leaf) and port.plane == a.plane)
    for path in paths_between(files, a, b):
        assert fabric().walk((wrong.node, wrong.port), path.address)[1] == "dropped"


@pytest.mark.slow
def test_there_are_no_paths_without_srv6() -> None:
    files = build(FOUR_PLANES, "fabrics.compute.routing.underlay=static", "fabrics.compute.routing.srv6=null")
    assert not any(path.startswith("paths/") for path in files)


@pytest.mark.parametrize(
    ("sets", "mode"),
    [((), "spray"), (PARALLEL, "hash"), ((*PARALLEL, *LINKS), "spray")],
    ids=["a link each", "parallel links", "parallel links with identifiers"],
)
def test_collectives_are_reckoned_as_sprayed_where_paths_name_each_link(sets: tuple[str, ...], mode: str) -> None:
    (network,) = list_networks(compile_page(FOUR_PLANES, *sets))
    assert find_mode(network) == mode
