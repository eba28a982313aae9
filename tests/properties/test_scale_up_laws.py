"""Laws of scale-up domains, over generated sizes: degrees, ports, connectedness, and counts."""

from __future__ import annotations

from collections import Counter
from math import prod

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.catalog.scale_up_models import ScaleUpDomainProfile
from fabricgen.design.scale_up.kinds import joined, mesh, switched, torus
from fabricgen.design.scale_up.model import LocalLink, MisfitError, ScaleUpKind
from tests.laws import law_examples

LAWS = settings(max_examples=law_examples(80))
COMMON = {"id": "made", "name": "made", "source": "made for a test", "tag": "R", "link_gbps": 100}


def profile(shape: str, **values: object) -> ScaleUpDomainProfile:
    return ScaleUpDomainProfile.model_validate(COMMON | {"shape": shape} | values)


def wired(kind: ScaleUpKind, domain: ScaleUpDomainProfile, accelerators: int) -> list[LocalLink]:
    """The links of a domain, after the laws that hold for every kind."""
    size = kind.size(domain, accelerators, 0)
    links = list(kind.links(domain, accelerators))
    assert len(links) == size.links
    ends = [("gpu", link.accelerator, link.port) for link in links]
    ends += [("switch" if link.far_switch else "gpu", link.far, link.far_port) for link in links]
    assert len(set(ends)) == len(ends)
    graph: nx.Graph = nx.Graph()
    graph.add_nodes_from(("gpu", n) for n in range(accelerators))
    graph.add_edges_from(
        (("gpu", link.accelerator), ("switch" if link.far_switch else "gpu", link.far)) for link in links
    )
    assert nx.is_connected(graph)
    assert graph.number_of_nodes() == accelerators + size.switches
    assert max(degrees(links).values()) == size.links_each
    return links


def degrees(links: list[LocalLink]) -> Counter[int]:
    found = Counter(link.accelerator for link in links)
    found.update(link.far for link in links if not link.far_switch)
    return found


@pytest.mark.law
@LAWS
@given(st.lists(st.integers(1, 6), min_size=1, max_size=3).filter(lambda d: prod(d) > 1), st.data())
def test_a_torus_gives_each_accelerator_its_neighbours(dims: list[int], data: st.DataObject) -> None:
    each = data.draw(st.lists(st.integers(1, 2), min_size=len(dims), max_size=len(dims)))
    block = [data.draw(st.sampled_from([b for b in range(1, n + 1) if n % b == 0])) for n in dims]
    domain = profile("torus", dims=dims, block=block, links_per_neighbour=each)
    links = wired(torus, domain, prod(dims))
    degree = sum(n * min(2, length - 1) for n, length in zip(each, dims, strict=True))
    assert set(degrees(links).values()) == {degree}


@pytest.mark.law
@LAWS
@given(st.lists(st.integers(1, 4), min_size=2, max_size=3).filter(lambda d: prod(d) > 1), st.integers(1, 5))
def test_cubes_over_circuit_switches_use_both_faces_of_every_cube(cube: list[int], cubes: int) -> None:
    switches = sum(prod(cube) // length for length in cube)
    domain = profile("torus", cube=cube, switches=switches, switch_ports=2 * cubes)
    links = wired(torus, domain, cubes * prod(cube))
    assert set(degrees(links).values()) == {2 * len(cube)}
    per_switch = Counter(link.far for link in links if link.far_switch)
    assert set(per_switch.values()) == {2 * cubes}
    with pytest.raises(MisfitError, match="does not fit one switch tier"):
        torus.size(domain, (cubes + 1) * prod(cube), 0)


@pytest.mark.law
@LAWS
@given(st.integers(2, 24), st.integers(1, 3))
def test_a_mesh_joins_every_pair_alike(accelerators: int, each: int) -> None:
    links = wired(mesh, profile("mesh", links_per_pair=each), accelerators)
    pairs = Counter((link.accelerator, link.far) for link in links)
    assert len(pairs) == accelerators * (accelerators - 1) // 2
    assert set(pairs.values()) == {each}


@pytest.mark.law
@LAWS
@given(st.integers(2, 40), st.lists(st.integers(1, 5), min_size=1, max_size=6), st.integers(1, 4), st.integers(0, 9))
def test_switched_domains_fit_exactly_when_their_lanes_do(
    accelerators: int, per_switch: list[int], lanes: int, spare: int
) -> None:
    needed = accelerators * max(per_switch) * lanes
    values = {"switches": len(per_switch), "links_per_switch": per_switch, "lanes": lanes}
    links = wired(switched, profile("switched", switch_lanes=needed + spare, **values), accelerators)
    assert set(degrees(links).values()) == {sum(per_switch)}
    with pytest.raises(MisfitError, match=f"need {needed:,} lanes"):
        switched.size(profile("switched", switch_lanes=needed - lanes, **values), accelerators, 0)


@pytest.mark.law
@LAWS
@given(st.integers(2, 12), st.lists(st.integers(1, 4), min_size=1, max_size=5), st.integers(1, 3), st.booleans())
def test_a_tier_above_meets_each_switch_below_in_its_plane_alone(
    domains: int, planes: list[int], each: int, meets_all: bool
) -> None:
    per_domain, above = len(planes), sum(planes)
    meeting = domains * per_domain if meets_all else domains
    values = {"joins": ["below"], "switches": above, "links_per_switch": [each], "meets": [] if meets_all else planes}
    domain = profile("joined", switch_ports=meeting * each, **values)
    size = joined.size(domain, domains * per_domain, 0)
    links = list(joined.links(domain, domains * per_domain))
    assert len(links) == size.links
    ends = [("below", link.accelerator, link.port) for link in links]
    ends += [("above", link.far, link.far_port) for link in links]
    assert len(set(ends)) == len(ends)
    pairs = Counter((link.accelerator, link.far) for link in links)
    assert set(pairs.values()) == {each}
    # no port of a switch above is left, and each meets one switch of every domain, or all
    assert set(Counter(link.far for link in links).values()) == {meeting * each}
    assert {link.far_port for link in links} == set(range(meeting * each))
    graph: nx.Graph = nx.Graph((("below", a), ("above", b)) for a, b in pairs)
    assert nx.number_connected_components(graph) == (1 if meets_all else per_domain)
    with pytest.raises(MisfitError, match=f"need {meeting * each:,} of its lanes, it has {meeting * each - 1:,}"):
        joined.size(profile("joined", switch_ports=meeting * each - 1, **values), domains * per_domain, 0)


def test_a_mesh_of_millions_is_refused_without_listing_it() -> None:
    with pytest.raises(MisfitError, match="cables and 99,999,999 ports"):
        mesh.size(profile("mesh", links_per_pair=1), 100_000_000, 18)
