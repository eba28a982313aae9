"""Meshes whose sizes follow, and those of a table: balanced dragonflies, widths of a grid, a Slim Fly, a torus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import product
from pathlib import Path

import networkx as nx
import pytest

from fabricgen.blueprint.load import load_blueprint
from fabricgen.cluster import build_cluster
from fabricgen.design.build import build_design
from fabricgen.design.capacity.counts import count_links
from fabricgen.design.inside.derived import balance_groups
from fabricgen.design.model import Design
from fabricgen.design.summary import summarize_design
from fabricgen.kernel.diagnostics import InputError
from fabricgen.lint.engine import lint
from tests.conftest import example_cluster
from tests.wiring.test_meshes import degrees, make_page, wire

MakeDesign = Callable[..., Design]
BALANCED = "mesh: {router: 1, su: {spread: true}}"


def make_dragonfly(nodes: int, groups: int, more: str = BALANCED) -> str:
    """A page of groups of DGX H100, whose routers follow unless `more` states them."""
    page = make_page(more, pods=f"{{p1: {{su: {groups}}}}}").replace("2 x dgx-h100", f"{nodes} x dgx-h100")
    return page.replace("count: 4, ", "", 1)


@pytest.mark.parametrize("ports", [2, 8, 18, 32, 72, 128, 200, 512])
def test_a_balanced_dragonfly_has_twice_as_many_routers_as_node_ports_and_global_links(ports: int) -> None:
    """a = 2p = 2h, g = a h + 1 (Kim et al., ISCA 2008), where a group has 2 p p node ports."""
    p = round((ports / 2) ** 0.5)
    balance = balance_groups(ports, 2 * p * p + 1, None)
    assert balance == (2 * p, p, 1, 2 * p * p + 1)
    # half of the groups have twice the links
    assert balance_groups(ports, p * p + 1, None).links == 2


def test_the_largest_row_of_deepseek_is_derived(design_of: MakeDesign) -> None:
    """arXiv 2505.09343, Table 3, DF: 511 groups of 32 switches with 16 node ports and 16 global links each."""
    design = design_of(make_dragonfly(64, 511))
    figures = summarize_design(design)["fabrics"]["compute"]
    assert figures["switches"] == {"router": 16_352}
    assert figures["derived_groups"]["router"] == {
        "routers": 32,
        "node_ports": 16,
        "global_links": 16,
        "links": 1,
        "groups": 511,
        "most_groups": 513,
    }
    codes = {finding.code for finding in lint(design).findings}
    assert "FG324" in codes  # 510 links over 32 switches
    assert "FG325" not in codes


@pytest.mark.parametrize("p", [2, 3, 4])
def test_a_derived_dragonfly_is_that_of_infragraph(p: int, design_of: MakeDesign) -> None:
    """Keysight/infragraph, DragonflyFabric(a = 2p, p, h = p): a h + 1 groups of a routers, all of a group linked, one
    link of every two groups, p + (a - 1) + h ports of every router. Which router has a global link differs there.
    """
    a, groups = 2 * p, 2 * p * p + 1
    page = make_dragonfly(1, groups).replace("1 x dgx-h100", f"{a * p // 2} x generic-server")
    page = page.replace("infiniband", "ethernet\n    hosts: routed\n    speed: 100G").replace("qm9700", "sn4700")
    graph = wire(design_of(page))
    assert len(graph) == groups * a
    assert degrees(graph) == {(a - 1) + p}
    between = Counter((i // a, j // a) for i, j in graph.edges())
    assert {n for (i, j), n in between.items() if i == j} == {a * (a - 1) // 2}
    assert [n for (i, j), n in between.items() if i != j] == [1] * (groups * (groups - 1) // 2)
    assert nx.diameter(nx.Graph(graph)) <= 3


def test_what_is_derived_is_wired_and_balanced(design_of: MakeDesign) -> None:
    """A group of 8 node ports: four routers with two node ports, three local and two global links each, nine groups."""
    graph = wire(design_of(make_dragonfly(1, 9)))
    assert degrees(graph) == {3 + 2}
    assert nx.diameter(nx.Graph(graph)) == 3


def test_stated_sizes_are_told_from_derived_ones_and_held_against_them(design_of: MakeDesign) -> None:
    """Five groups of four routers with two node ports each: two links of every two groups, and one is stated."""
    stated = design_of(make_dragonfly(1, 5, "count: 4, mesh: {router: 1, su: {links: 1, spread: true}}"))
    assert "derived_groups" not in summarize_design(stated)["fabrics"]["compute"]
    (finding,) = [f for f in lint(stated).findings if f.code == "FG325"]
    assert (
        "2 node ports, 3 local and up to 1 global links each; a balanced dragonfly has 3 local and 2" in finding.message
    )
    derived = design_of(make_dragonfly(1, 5, "count: 4, mesh: {router: 1, su: {spread: true}}"))
    assert derived.tiers[0].meshes[-1].links == 2
    assert [f for f in lint(derived).findings if f.code == "FG325"] == []


@pytest.mark.parametrize(
    ("count", "grid", "widths"),
    [
        (16, "[i, j]", {"i": 4, "j": 4}),
        (12, "[i, j]", {"i": 3, "j": 4}),
        (64, "[i, j, k]", {"i": 4, "j": 4, "k": 4}),
        (24, "{i: 4, j: }", {"i": 4, "j": 6}),
        (24, "{i: , j: 2, k: }", {"i": 3, "j": 2, "k": 4}),
    ],
)
def test_widths_of_a_grid_are_as_near_to_equal_as_its_count_allows(
    count: int, grid: str, widths: dict[str, int], design_of: MakeDesign
) -> None:
    """A regular HyperX has equal widths (Ahn et al., SC 2009)."""
    page = make_page(f"grid: {grid}, mesh: {{i: 1, j: 1}}", pods="{p1: {su: 1}}", count=count)
    assert design_of(page).tiers[0].grid == widths


@pytest.mark.parametrize(
    ("page", "message"),
    [
        (make_dragonfly(1, 10), "10 groups of 4 router switches with 2 node ports each.* and 9 groups"),
        (make_page("grid: [i, j], mesh: {i: 1}", count=13), "13 router switches of a group cannot lie 2 ways"),
        (make_page("grid: [i, j], mesh: {i: 1}").replace("count: 4, ", ""), "without a `count`, cannot lie"),
        (make_page("mesh: {pod: {spread: true}}"), "follows from node ports alone"),
    ],
)
def test_what_cannot_follow_is_refused(page: str, message: str, design_of: MakeDesign) -> None:
    """With its numbers."""
    with pytest.raises(InputError, match=message):
        design_of(page)


def make_slim_fly(q: int = 5) -> nx.Graph[int]:
    """The graph of McKay, Miller and Siran for q = 5 (Besta and Hoefler, SC 2014): 50 routers, numbered from 0."""
    graph: nx.Graph[int] = nx.Graph()
    squares, others = (1, 4), (2, 3)
    for side, shifts in enumerate((squares, others)):
        for x, y, shift in product(range(q), range(q), shifts):
            graph.add_edge(side * q * q + x * q + y, side * q * q + x * q + (y + shift) % q)
    for x, m, c in product(range(q), repeat=3):
        graph.add_edge(x * q + (m * x + c) % q, q * q + m * q + c)
    return graph


def write_table(folder: Path, graph: nx.Graph[int], name: str = "pairs.csv") -> None:
    """The table of a graph beside a blueprint."""
    (folder / name).write_text("a,b\n" + "".join(f"{a + 1},{b + 1}\n" for a, b in graph.edges()))


def load(folder: Path, page: str) -> Design:
    (folder / "b.yaml").write_text(page)
    return build_design(load_blueprint(str(folder / "b.yaml"), ()))


@pytest.mark.parametrize("per", ["su", "[]"])
def test_a_slim_fly_is_wired_by_its_table(tmp_path: Path, per: str) -> None:
    """50 switches of degree 7, 175 links, diameter 2: as deployed with 200 servers (arXiv 2310.03742)."""
    expected = make_slim_fly()
    write_table(tmp_path, expected)
    dimension, count = ("su", "count: 1, ") if per == "su" else ("router", "")
    page = make_page(f"mesh: {{{dimension}: {{table: pairs.csv}}}}", pods="{p1: {su: 50}}", per=per, count=4)
    design = load(tmp_path, page.replace("count: 4, ", count))
    graph = wire(design)
    assert (len(graph), graph.number_of_edges(), degrees(graph)) == (50, 175, {7})
    assert nx.diameter(nx.Graph(graph)) == 2
    assert set(map(frozenset, graph.edges())) == set(map(frozenset, expected.edges()))
    assert nx.is_isomorphic(nx.Graph(graph), nx.hoffman_singleton_graph())


def test_cables_of_a_table_are_as_many_as_are_wired(tmp_path: Path) -> None:
    """Two ports of 400G to a cage of 800G, of pairs with three links each."""
    write_table(tmp_path, make_slim_fly())
    page = make_page("mesh: {router: {table: pairs.csv, links: 3 x 400G}}", pods="{p1: {su: 1}}", per="[]")
    page = page.replace("count: 4, ", "").replace("infiniband", "ethernet\n    hosts: routed\n    speed: 100G")
    design = load(tmp_path, page.replace("qm9700", "sn5600").replace("2 x dgx-h100", "25 x generic-server"))
    counts = count_links(design, design.fabrics[0])
    assert sum(count.cables for count in counts) == len(build_cluster(design).plan.cables)
    assert counts[-1].links == 3 * 175 > counts[-1].cables


def test_the_example_is_the_slim_fly_that_was_built() -> None:
    """arXiv 2310.03742: 50 switches, 200 servers, seven links of each switch."""
    design = example_cluster("slim-fly").design
    assert summarize_design(design)["fabrics"]["compute"]["links"] == {"node-router": 2 * 200, "router-router": 175}
    graph = wire(design)
    assert set(map(frozenset, graph.edges())) == set(map(frozenset, make_slim_fly().edges()))


def test_units_that_come_later_have_their_ports(tmp_path: Path) -> None:
    """Of a table of 50 units 49 are there: links of the last are left out, and no other link moves."""
    write_table(tmp_path, make_slim_fly())
    page = make_page("mesh: {su: {table: pairs.csv}}", pods="{p1: {su: 49, reserve: 50}}", count=1)
    assert wire(load(tmp_path, page)).number_of_edges() == 175 - 7


@pytest.mark.parametrize(
    ("table", "place", "message"),
    [
        ("a,b\n1,2\n2,x\n", "pairs.csv:3:3", "'x' is no number of a switch"),
        ("a,b\n1,2\n0,2\n", "pairs.csv:3:1", "'0' is no number of a switch"),
        ("a,b\n1,2\n2,1\n", "pairs.csv:3:1", "2 and 1 are there twice|1 and 2 are there twice, first in line 2"),
        ("a,b\n2,2\n", "pairs.csv:2:1", "switch 2 cannot meet itself"),
        ("a,c\n1,2\n", "pairs.csv:1:1", "the table has no column 'b'"),
        ("a,b\n", "pairs.csv:1:1", "the table has no pair"),
        ("a,b\n1,2\n3,5\n", "pairs.csv:3:1", "there are 4 router numbers, and the table has 5"),
        ("a,b\n1,2\n3,4\n", "b.yaml:10:74", "joins router switches 1 and 3 in no way"),
    ],
)
def test_a_table_that_is_wrong_is_told_at_its_cell(tmp_path: Path, table: str, place: str, message: str) -> None:
    """At file, line and column."""
    (tmp_path / "pairs.csv").write_text(table)
    with pytest.raises(InputError, match=message) as refusal:
        load(tmp_path, make_page("mesh: {router: {table: pairs.csv}}"))
    assert place in str(refusal.value)


@pytest.mark.parametrize("dimension", ["rail", "rack", "row"])
def test_a_table_along_a_dimension_that_the_tier_lacks_is_refused(tmp_path: Path, dimension: str) -> None:
    write_table(tmp_path, nx.path_graph(4))
    with pytest.raises(InputError, match=f"router has no dimension '{dimension}' along which"):
        load(tmp_path, make_page(f"mesh: {{{dimension}: {{table: pairs.csv}}}}"))


def test_a_table_stays_in_the_folder_of_its_blueprint(tmp_path: Path) -> None:
    """FG007, as of every file that a blueprint names."""
    with pytest.raises(InputError, match="FG007"):
        load(tmp_path, make_page("mesh: {router: {table: ../pairs.csv}}"))


def test_another_table_is_another_blueprint(tmp_path: Path) -> None:
    """What the manifest says of a blueprint is of its tables, too."""
    page, digests = make_page("mesh: {router: {table: pairs.csv}}"), set()
    for graph in (nx.path_graph(4), nx.cycle_graph(4)):
        write_table(tmp_path, graph)
        digests.add(load(tmp_path, page).loaded.digest)
    assert len(digests) == 2
