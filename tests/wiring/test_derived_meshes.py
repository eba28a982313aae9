"""Meshes whose sizes follow: balanced dragonflies, and widths of a grid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import networkx as nx
import pytest

from fabricgen.design.inside.derived import balance_groups
from fabricgen.design.model import Design
from fabricgen.design.summary import summarize_design
from fabricgen.kernel.diagnostics import InputError
from fabricgen.lint.engine import lint
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


def test_stated_sizes_are_told_from_derived_ones(design_of: MakeDesign) -> None:
    """Five groups of four routers with two node ports each: two links of every two groups, and one is stated."""
    stated = design_of(make_dragonfly(1, 5, "count: 4, mesh: {router: 1, su: {links: 1, spread: true}}"))
    assert "derived_groups" not in summarize_design(stated)["fabrics"]["compute"]
    derived = design_of(make_dragonfly(1, 5, "count: 4, mesh: {router: 1, su: {spread: true}}"))
    assert derived.tiers[0].meshes[-1].links == 2


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
