"""Links within a tier: every two switches that meet, with the stated links, and no port twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from fabricgen.cluster import build_cluster
from fabricgen.design.capacity.bisection import compute_bisection
from fabricgen.design.capacity.counts import count_links
from fabricgen.design.model import Design
from fabricgen.design.summary import summarize_design
from fabricgen.export.files import links as links_part
from fabricgen.kernel.diagnostics import InputError
from fabricgen.lint.engine import lint
from tests.conftest import example_cluster

MakeDesign = Callable[..., Design]

HEAD = """
fabricgen: 1
name: meshes
scalable_unit: {{nodes: 2 x dgx-h100}}
pods: {pods}
fabrics:
  compute:
    protocol: infiniband
    tiers:
      router: {{switch: qm9700, per: {per}, count: {count}, {more}}}
"""


def make_page(more: str, *, pods: str = "{p1: {su: 4}}", per: str = "su", count: int = 4) -> str:
    """A page with one tier of switches that meet within it."""
    return HEAD.format(pods=pods, per=per, count=count, more=more)


def wire(design: Design) -> nx.MultiGraph[int]:
    """The switches of the only tier by their number in it, with a link for each cable between two of them."""
    plan = build_cluster(design).plan
    rows = plan.devices.find_tier(design.tiers[-1].key).rows
    links, graph = plan.links, nx.MultiGraph()
    graph.add_nodes_from(range(design.tiers[-1].switches))
    ports: Counter[tuple[int, str, int]] = Counter()
    for number, segment in enumerate(links.segments):
        if segment.lower_tier != segment.tier:
            continue
        for row in range(*links.find_rows(number).indices(len(links))):
            a, b = int(links.a_device[row]) - rows.start, int(links.b_device[row]) - rows.start
            assert a < b
            graph.add_edge(a, b)
            ports.update(
                [(a, str(segment.path), int(links.a_port[row])), (b, str(segment.path), int(links.b_port[row]))]
            )
            assert segment.a.count > links.a_port[row]  # type: ignore[union-attr]
            assert segment.b.count > links.b_port[row]
    assert set(ports.values()) <= {1}
    counted = sum(count.links for count in count_links(design, design.fabrics[0]) if count.lower == count.upper)
    assert graph.number_of_edges() == counted
    return graph


def degrees(graph: nx.MultiGraph[int]) -> set[int]:
    """How many links switches have to others."""
    return {degree for _, degree in graph.degree()}


def test_a_dragonfly_meets_all_with_all_in_groups_and_every_two_groups(design_of: MakeDesign) -> None:
    """a = 4, h = 2, g = a h + 1 = 9 groups (Kim et al., ISCA 2008): 3 local and 2 global links each."""
    page = make_page("mesh: {router: 1, su: {links: 1, spread: true}}", pods="{p1: {su: 9}}")
    graph = wire(design_of(page))
    assert degrees(graph) == {5}
    assert nx.diameter(nx.Graph(graph)) == 3
    between = Counter((a // 4, b // 4) for a, b in graph.edges())
    assert {between[i, j] for i in range(9) for j in range(i + 1, 9)} == {1}
    assert {between[i, i] for i in range(9)} == {6}


def test_a_hyperx_is_the_product_of_full_meshes(design_of: MakeDesign) -> None:
    """Ahn et al., SC 2009: switches meet where they differ in one coordinate."""
    page = make_page("grid: {row: 2, column: 3}, mesh: {row: 1, column: 1, su: 1}", count=6)
    expected = nx.cartesian_product(
        nx.complete_graph(4), nx.cartesian_product(nx.complete_graph(2), nx.complete_graph(3))
    )
    assert nx.is_isomorphic(nx.Graph(wire(design_of(page))), expected)


def test_rings_of_three_dimensions_are_a_torus(design_of: MakeDesign) -> None:
    """4 x 3 x 4 switches with six neighbours each, as networkx has it."""
    reach = "{links: 1, reach: 1}"
    page = make_page(f"grid: {{row: 3, column: 4}}, mesh: {{row: {reach}, column: {reach}, su: {reach}}}", count=12)
    graph = wire(design_of(page))
    assert degrees(graph) == {6}
    assert nx.is_isomorphic(nx.Graph(graph), nx.grid_graph((4, 3, 4), periodic=True))


@pytest.mark.parametrize(("size", "reach"), [(2, 1), (3, 1), (4, 2), (5, 2), (6, 3), (7, 2), (8, 4), (9, 8)])
def test_a_ring_meets_those_within_reach_once(design_of: MakeDesign, size: int, reach: int) -> None:
    """Circulant graphs; what is opposite in an even ring is met once, and a reach beyond half meets all."""
    page = make_page(f"mesh: {{router: {{links: 2, reach: {reach}}}}}", per="[]", count=size)
    graph = wire(design_of(page))
    simple = nx.circulant_graph(size, list(range(1, reach + 1)))
    assert set(nx.Graph(graph).edges()) == {tuple(sorted(edge)) for edge in simple.edges() if edge[0] != edge[1]}
    assert graph.number_of_edges() == 2 * nx.Graph(graph).number_of_edges()


@pytest.mark.parametrize(
    ("pods", "count", "more"),
    [
        ("{p1: {su: 5}}", 3, "mesh: {router: 3 x 400G, su: {links: 7 x 400G, spread: true}}"),
        ("{p1: {su: 5, reserve: 9}}", 4, "mesh: {router: 1 x 200G, su: {links: 3 x 200G, spread: true}}"),
        ("{p1: {su: 3}, p2: {su: 4}}", 6, "grid: [row, column], mesh: {row: 3 x 400G, column: 5 x 200G, su: 3 x 400G}"),
        ("{p1: {su: 7}}", 1, "mesh: {su: {links: 3 x 400G, reach: 3}}"),
        ("{p1: {su: 8}}", 2, "mesh: {router: 1, su: {links: 3 x 400G, reach: 4}}"),
    ],
)
def test_links_that_share_a_cage_are_as_many_cables_as_are_wired(
    design_of: MakeDesign, pods: str, count: int, more: str
) -> None:
    """A cage of 800G has two ports of 400G or four of 200G: a cable hangs on each cage of the lower end."""
    page = make_page(more, pods=pods, count=count).replace("infiniband", "ethernet\n    hosts: routed\n    speed: 100G")
    page = page.replace("qm9700", "sn5600").replace("dgx-h100", "generic-server")
    cluster = build_cluster(design_of(page))
    (fabric,) = cluster.design.fabrics
    counts = count_links(cluster.design, fabric)
    assert sum(count.cables for count in counts) == len(cluster.plan.cables) < len(cluster.plan.links)


def test_groups_of_spines_meet_over_global_links(design_of: MakeDesign) -> None:
    """A dragonfly whose groups have leaves and spines: only spines have global links."""
    page = make_page("above: leaf, mesh: {su: {links: 3, spread: true}}", count=2)
    page = page.replace("      router:", "      leaf: {switch: qm9700, per: su}\n      router:")
    graph = wire(design_of(page))
    between = Counter((a // 2, b // 2) for a, b in graph.edges())
    assert between == {(i, j): 3 for i in range(4) for j in range(i + 1, 4)}


def test_pods_meet_where_they_have_the_same_switch(design_of: MakeDesign) -> None:
    """Planar: the switch of a number in each pod meets those of this number in other pods; pods have units of own."""
    page = make_page("mesh: {pod: 2}", pods="{p1: {su: 1}, p2: {su: 2}, p3: {su: 1}}", per="pod", count=2)
    graph = wire(design_of(page))
    assert sorted(set(graph.edges())) == [(0, 2), (0, 4), (1, 3), (1, 5), (2, 4), (3, 5)]
    assert degrees(graph) == {4}


def test_units_of_each_pod_meet_in_their_pod_alone(design_of: MakeDesign) -> None:
    """Two pods of two and three units."""
    page = make_page("mesh: {router: 1, su: 1}", pods="{p1: {su: 2}, p2: {su: 3}}", count=2)
    graph = wire(design_of(page))
    assert sorted(map(len, nx.connected_components(graph))) == [4, 6]


def test_planes_have_meshes_of_their_own(design_of: MakeDesign) -> None:
    """A tier per unit and rail: switches of other rails meet only along `rail`."""
    page = make_page("mesh: {su: 1}", per="[su, rail]", count=1)
    assert nx.number_connected_components(wire(design_of(page))) == 8
    page = make_page("mesh: {su: 1, rail: 1}", per="[su, rail]", count=1)
    assert degrees(wire(design_of(page))) == {3 + 7}


def test_growth_inside_the_reserve_moves_no_link(design_of: MakeDesign) -> None:
    """A further group of a dragonfly takes ports that were free; every link that was there keeps both of its ports."""
    more = "mesh: {router: 1, su: {links: 2, spread: true}}"

    def list_ends(su: int) -> set[tuple[str, ...]]:
        cluster = build_cluster(design_of(make_page(more, pods=f"{{p1: {{su: {su}, reserve: 9}}}}")))
        columns = links_part.make_table(cluster).columns
        rows = zip(*(columns[name] for name in ("a_device", "a_port", "b_device", "b_port")), strict=True)
        return {tuple(map(str, row)) for row in rows}

    assert list_ends(4) < list_ends(5) < list_ends(9)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("mesh: {ruoter: 1}", "has no dimension 'ruoter'"),
        ("mesh: {router: {links: 1, spread: true}}", "tells switches of one group"),
        ("grid: {row: 2, column: 3}, mesh: {row: 1}", "a grid of 2 x 3 has 6 switches, and a group of router has 4"),
        ("grid: {row: 2, column: 2}", "nothing says which switches of the grid"),
        ("grid: {rail: 4}, mesh: {rail: 1}", "'rail' is a dimension already"),
        ("mesh: {router: 30}", "needs 4 downlinks of 400G and 90 mesh links"),
    ],
)
def test_what_cannot_be_is_refused_at_its_line(design_of: MakeDesign, more: str, message: str) -> None:
    """With the numbers, and what there is instead."""
    with pytest.raises(InputError, match=message):
        design_of(make_page(more))


def test_the_largest_row_of_deepseek_has_its_counts(design_of: MakeDesign) -> None:
    """arXiv 2505.09343, Table 3, DF: 261,632 endpoints, 16,352 switches, in 511 groups of 32 with 16 global ports.

    The 384,272 links of the table have all 512 global ports of a group in use; one link to each of the 510 other groups
    leaves two free, 511 links in all.
    """
    page = make_page("mesh: {router: 1, su: {links: 1, spread: true}}", pods="{p1: {su: 511}}", count=32)
    design = design_of(page.replace("2 x dgx-h100", "64 x dgx-h100"))
    (tier,) = design.tiers
    assert tier.switches == 16_352
    counts = {count.key: count.links for count in count_links(design, design.fabrics[0])}
    assert counts == {"node-router": 261_632, "router-router": 384_272 - 511}
    assert [mesh.run.count for mesh in tier.meshes] == [31, 16]
    assert np.prod([tier.groups, tier.count, 16]) == 261_632


@pytest.mark.parametrize("underlay", ["static", "srv6"])
def test_routes_that_know_up_and_down_alone_are_refused(design_of: MakeDesign, underlay: str) -> None:
    """Static and SRv6 routes lead up and down tiers."""
    page = make_page("mesh: {router: 1}").replace("infiniband", "roce\n    ip: dual").replace("qm9700", "sn5600")
    with pytest.raises(InputError, match="routes do not run over the mesh of router"):
        design_of(f"{page}routing: {{underlay: {underlay}}}\n")


def test_a_mesh_below_another_tier_is_refused(design_of: MakeDesign) -> None:
    """Whatever analyses tiers would count it twice."""
    page = f"{make_page('mesh: {router: 1}')}      spine: {{switch: qm9700, above: router}}\n"
    with pytest.raises(InputError, match="only switches with no tier above meet along a `mesh`"):
        design_of(page)


def test_a_count_is_derived_beside_the_links_that_grow_with_it(design_of: MakeDesign) -> None:
    """Of 128 node ports a group: five routers have too few ports, six do not share them equally, eight do."""
    page = make_page("mesh: {router: 4, su: {links: 16, spread: true}}", pods="{p1: {su: 9}}", count=8)
    page = page.replace("2 x dgx-h100", "16 x dgx-h100").replace("count: 8, ", "")
    assert design_of(page).tiers[0].count == 8


def test_a_dimension_of_one_value_is_told(design_of: MakeDesign) -> None:
    """FG806, but where units may come for which ports are kept; media of links inside the tier are no idle words."""
    more = "media: {peer: AOC}, mesh: {router: 1, su: 1}"
    (idle,) = [d for d in lint(design_of(make_page(more, pods="{p1: {su: 1}}"))).findings if d.code == "FG806"]
    assert "no two compute router switches differ in su alone" in idle.message
    reserved = lint(design_of(make_page(more, pods="{p1: {su: 1, reserve: 4}}")))
    assert [d for d in reserved.findings if d.code == "FG806"] == []


def test_a_full_mesh_of_four_dimensions_is_a_hamming_graph() -> None:
    """H(4, 3): 81 switches with 4 (3 - 1) neighbours each, at most four apart, over 81 x 8 / 2 pairs of three links.
    That many balance a HyperX of four node ports, 2 x 4 / 3 rounded up (Ahn et al., SC 2009): all of the bisection.
    """
    cluster = example_cluster("full-mesh-4d")
    figures = summarize_design(cluster.design)["fabrics"]["compute"]
    assert figures["switches"] == {"router": 3**4}
    assert figures["links"] == {"node-router": 81 * 4, "router-router": 3 * 81 * 8 // 2}
    graph = wire(cluster.design)
    assert set(Counter(graph.edges()).values()) == {3}
    assert degrees(graph) == {3 * 8}
    simple = nx.Graph(graph)
    assert nx.diameter(simple) == 4
    (fabric,) = cluster.design.fabrics
    assert compute_bisection(cluster.design, fabric) == 81 * 4 * 200 / 2
    expected = nx.complete_graph(3)
    for _ in range(3):
        expected = nx.cartesian_product(expected, nx.complete_graph(3))
    assert nx.faster_could_be_isomorphic(simple, expected)
    # two switches meet where they differ in one digit of base three alone
    digits = [tuple(switch // 3**place % 3 for place in range(4)) for switch in range(81)]
    for a, b in combinations(range(81), 2):
        differ = sum(x != y for x, y in zip(digits[a], digits[b], strict=True))
        assert simple.has_edge(a, b) == (differ == 1)


def test_gordon_is_two_tori_of_64_switches_with_six_hops_at_most() -> None:
    """sdsc.edu, Gordon User Guide: 1,024 compute and 64 I/O nodes, 4 x 4 x 4, three links of adjacent switches;
    users.sdsc.edu/~glockwood: at most six hops.
    """
    cluster = example_cluster("torus-gordon")
    figures = summarize_design(cluster.design)["fabrics"]["compute"]
    assert figures["switches"] == {"router": 2 * 64}
    assert figures["links"] == {"node-router": 2 * (1024 + 64), "router-router": 2 * 64 * 6 * 3 // 2}
    graph = wire(cluster.design)
    assert degrees(graph) == {18}
    assert set(Counter(graph.edges()).values()) == {3}
    tori = [nx.Graph(graph.subgraph(nodes)) for nodes in nx.connected_components(graph)]
    assert [len(torus) for torus in tori] == [64, 64]
    assert all(nx.is_isomorphic(torus, nx.grid_graph((4, 4, 4), periodic=True)) for torus in tori)
    assert {nx.diameter(torus) for torus in tori} == {6}
