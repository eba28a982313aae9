"""Dragonflies and HyperX that `size` proposes: closed forms, published rows, the wired graph, growth, refusals."""

from __future__ import annotations

import json
from functools import cache
from math import ceil, prod
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from fabricgen.catalog.loader import Catalog
from fabricgen.cluster import Cluster
from fabricgen.export.files import links as links_part
from fabricgen.lint.engine import lint
from fabricgen.pipeline import compile_cluster
from fabricgen.size.front import Candidate
from fabricgen.size.hardware import Hardware, Ports, Shape
from fabricgen.size.mesh_figures import BY_BGP, BY_OPENSM
from fabricgen.size.page import write_blueprint
from fabricgen.size.shapes import count_most_nodes, list_shapes
from tests.size.test_size_front import check_clean, compile_candidate
from tests.size.wished import make_designs, read_options, run_search

SMALL = {"gpus": 504, "node": "dgx-b200", "switch": "qm9700", "rails": "meet,apart"}
ETHERNET = {"gpus": 504, "node": "dgx-b300", "switch": "sn5600"}
WISHES = [
    {**SMALL, "shape": "dragonfly"},
    {**SMALL, "shape": "hyperx"},
    {**SMALL, "shape": "dragonfly,hyperx", "oversubscription": "2:1", "rails": "meet", "spare_ports": 2},
    {**ETHERNET, "shape": "dragonfly,hyperx"},
]


def count_node_ports(shape: Shape, hardware: Hardware) -> int:
    """Node ports of a switch of a full unit."""
    ports = hardware.find_ports(shape.switch, shape.planes)
    assert isinstance(ports, Ports)
    return shape.unit * shape.rails * ports.legs // prod(shape.widths[1:])


@pytest.mark.tenth
@pytest.mark.parametrize("wishes", WISHES, ids=range(len(WISHES)))
def test_links_follow_the_closed_forms(wishes: dict[str, str | int]) -> None:
    """Per switch of p node ports 2p - 1 local links or more and p global ones, of at most a h + 1 groups (Kim et al.,
    ISCA 2008); along S switches 2 p / S links of every two (Ahn et al., SC 2009); in bandwidth, over the wished ratio.
    """
    hardware = Hardware(read_options(**wishes), Catalog())
    shapes = [candidate.shape for candidate in make_designs(**wishes)]
    assert {shape.form for shape in shapes} == set(str(wishes["shape"]).split(","))
    for shape in shapes:
        ports = hardware.find_ports(shape.switch, shape.planes)
        assert isinstance(ports, Ports)
        scale = ports.kind.speed_gbps / ports.inside.speed_gbps / shape.ratio
        p, (groups, *grid), (between, *local) = count_node_ports(shape, hardware), shape.widths, shape.links
        if shape.form == "dragonfly":
            (a,), (links,) = grid, local
            assert (a - 1) * links >= (2 * p - 1) * scale
            # as many global links as node ports, but for what does not divide over the other groups
            assert a * p * scale - (groups - 1) < between * (groups - 1) <= a * p * scale
            assert groups <= a * p * scale + 1
        else:
            assert list(shape.links) == [
                ceil(p * width * scale / (2 * (width // 2) * ((width + 1) // 2))) for width in shape.widths
            ]


def test_the_largest_row_of_deepseek_is_proposed() -> None:
    """arXiv 2505.09343, Table 3, DF: 261,632 endpoints on 16,352 switches of 64 ports, 511 groups of 32."""
    (candidate,) = make_designs(gpus=261_632, node="dgx-h100", switch="qm9700", shape="dragonfly")
    assert (candidate.shape.widths, candidate.figures.switches) == ((511, 32), {"router": 16_352})
    local, between = 511 * 32 * 31 // 2, 511 * 510 // 2
    assert candidate.figures.links == 261_632 + local + between
    assert candidate.figures.cables == candidate.figures.links


def test_the_reach_of_64_ports_is_that_of_kim() -> None:
    """a h + 1 groups of a switches with p ports each, p = h = a / 2 = 16: "over 256K nodes" (Kim et al., ISCA 2008)."""
    wishes = read_options(gpus=1_000_000, node="dgx-h100", switch="qm9700", shape="dragonfly")
    hardware = Hardware(wishes, Catalog())
    (shape,) = list_shapes(hardware, 125_000)
    assert (shape.widths, shape.links) == ((32 * 16 + 1, 32), (1, 1))
    assert 8 * count_most_nodes(shape, hardware) == (32 * 16 + 1) * 32 * 16 == 262_656


def wire(cluster: Cluster) -> tuple[nx.MultiGraph[int], np.ndarray]:
    """(switches by their row from 0, with an edge a link between two; Gb/s of the links, in the order of edges)."""
    (tier,) = [tier for tier in cluster.design.tiers if tier.meshes]
    rows = cluster.plan.devices.find_tier(tier.key).rows
    graph: nx.MultiGraph[int] = nx.MultiGraph()
    graph.add_nodes_from(range(tier.switches))
    links, speeds = cluster.plan.links, []
    for number, segment in enumerate(links.segments):
        if segment.lower_tier == segment.tier:
            there = links.find_rows(number)
            ends = (column[there] - rows.start for column in (links.a_device, links.b_device))
            graph.add_edges_from(zip(*(column.tolist() for column in ends), strict=True))
            speeds += [segment.speed_gbps] * (there.stop - there.start)
    return graph, np.array(speeds)


@cache
def list_small_candidates() -> tuple[Candidate, ...]:
    """All that are made of the small wishes, wired, linted and measured."""
    return tuple(
        candidate
        for wishes in WISHES
        for result in [run_search(**wishes)]
        for candidate in (*result.front, *result.beaten)
        if candidate.shape.form != "clos"
    )


@pytest.mark.slow
def test_what_is_proposed_lints_clean_and_costs_no_less_than_its_design() -> None:
    """Nothing is left out for a finding, and every figure of the plan is at least that of the design."""
    for wishes in WISHES:
        designs = {design.name: design.figures for design in make_designs(**wishes)}
        result = run_search(**wishes)
        assert result.reasons == ()
        for candidate in (*result.front, *result.beaten):
            check_clean(candidate)
            least, plan = designs[candidate.name], candidate.figures
            assert (least.switches, least.links) == (plan.switches, plan.links)
            for axis in ("cables", "optics", "power", "latency", "hops"):
                assert (least.on(axis) or 0) <= (plan.on(axis) or 0), (candidate.name, axis)
            assert plan.optics <= 1.05 * least.optics
            assert least.cables == plan.cables


@pytest.mark.slow
def test_hops_and_bisection_are_those_of_the_wired_graph() -> None:
    """networkx has the diameter; the bisection is the least that crosses the middle of a dimension."""
    for candidate in list_small_candidates():
        cluster = compile_cluster(compile_candidate(candidate))
        graph, speeds = wire(cluster)
        (tier,) = [tier for tier in cluster.design.tiers if tier.meshes]
        parts = [graph.subgraph(part) for part in nx.connected_components(graph)]
        apart = max(1, 8 // candidate.shape.rails) if not candidate.shape.meet else 1
        assert len(parts) == candidate.shape.planes * apart
        assert candidate.figures.hops == 1 + max(nx.diameter(nx.Graph(part)) for part in parts)
        places = np.arange(tier.switches).reshape(tier.places, -1, *tier.grid.values())
        nodes_gbps = sum(
            segment.speed_gbps * (rows.stop - rows.start)
            for number, segment in enumerate(cluster.plan.links.segments)
            if segment.lower == "node"
            for rows in [cluster.plan.links.find_rows(number)]
        )
        ends = np.array(list(graph.edges()))
        sums = [nodes_gbps / 2]
        for axis in (0, *range(2, places.ndim)):
            first = np.zeros(tier.switches, dtype=bool)
            first[np.take(places, range(places.shape[axis] // 2), axis=axis).ravel()] = True
            if places.shape[axis] > 1 and not divides_nodes(cluster, first):
                sums.append(float(speeds[first[ends[:, 0]] != first[ends[:, 1]]].sum()))
        assert candidate.figures.bisection == pytest.approx(2 * min(sums) / nodes_gbps), candidate.name


def divides_nodes(cluster: Cluster, first: np.ndarray) -> bool:
    """Whether a node has ports on switches of both halves."""
    plan = cluster.plan
    start = plan.devices.find_tier(next(tier.key for tier in cluster.design.tiers if tier.meshes)).rows.start
    sides: dict[int, set[bool]] = {}
    for number, segment in enumerate(plan.links.segments):
        if segment.lower == "node":
            rows = plan.links.find_rows(number)
            ends = (column[rows].tolist() for column in (plan.links.a_device, plan.links.b_device))
            for node, switch in zip(*ends, strict=True):
                sides.setdefault(node, set()).add(bool(first[switch - start]))
    return any(len(found) > 1 for found in sides.values())


@pytest.mark.slow
@pytest.mark.parametrize("form", ["dragonfly", "hyperx"])
def test_growth_moves_no_link(form: str) -> None:
    """`re-plugged` is 0: the page for as many nodes as growth brings keeps both ports of every link that was there."""
    wishes = read_options(gpus=240, growth_to=504, node="dgx-b200", switch="qm9700", shape=form)
    hardware = Hardware(wishes, Catalog())
    for shape in list_shapes(hardware, 30):
        ends = []
        for nodes in (30, 63):
            text = write_blueprint(shape, hardware, nodes)
            cluster = compile_cluster(compile_candidate(Candidate(shape, text, None)))  # type: ignore[arg-type]
            assert lint(cluster.design, cluster).counts == {"error": 0, "warning": 0}
            columns = links_part.make_table(cluster).columns
            names = ("a_device", "a_port", "b_device", "b_port")
            rows = zip(*(map(str, columns[name]) for name in names), strict=True)
            ends.append({row for row in rows if "router" in row[0]})
        assert ends[0] < ends[1]
    candidates = make_designs(gpus=240, growth_to=504, node="dgx-b200", switch="qm9700", shape=form)
    assert {candidate.figures.growth for candidate in candidates} == {0}


def test_stated_widths_are_taken_with_fewer_local_links_where_balance_has_no_room() -> None:
    """9 x 8 of 15 node ports: 29 local links are balanced, five of every two are 35, and four, 28, have room."""
    (candidate,) = run_search(
        every=False, gpus=1016, node="dgx-b200", switch="qm9700", shape="dragonfly", widths="9x8"
    ).front
    assert (candidate.name, candidate.shape.links) == ("dragonfly-qm9700-p1-su15-1to1-9x8", (15, 4))
    engine, narrower = candidate.figures.routing
    assert engine == BY_OPENSM
    assert narrower == (
        "router switches have 15 node ports, 28 local and up to 15 global links each; a balanced dragonfly has 29 "
        "local and 15 global ones"
    )


def test_what_routes_them_is_said(fabricgen) -> None:
    """opensm's engine of InfiniBand; of Ethernet that ways beside the shortest are the device's, and their share."""
    words = ("size", "--gpus", "256", "--shape", "hyperx", "--widths", "8x4")
    ran = fabricgen(*words, "--node", "dgx-b200", "--switch", "qm9700")
    assert f"  {BY_OPENSM}\n" in ran.out
    document = json.loads(fabricgen(*words, "--node", "dgx-b300", "--switch", "sn5600", "--format", "json").out)
    candidate = next(one for one in document["candidates"] if one["pareto"])
    assert (candidate["shape"], candidate["widths"], candidate["tiers"]) == ("hyperx", [8, 4], 1)
    assert candidate["routing"][0] == BY_BGP
    assert "qos: {profile: roce-lossy}" in candidate["blueprint"]  # pauses could wait in a circle: FG323
    assert "send to the next su get" in candidate["routing"][-1]


def test_one_dimension_may_be_lossless() -> None:
    """In a full mesh of units no way has two links of the tier."""
    result = run_search(every=False, **{**ETHERNET, "shape": "hyperx", "widths": "16"})
    (candidate,) = result.front
    assert "roce-lossy" not in candidate.text
    assert candidate.figures.hops == 2


@pytest.mark.tenth
@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--gpus 4000000 --shape dragonfly", "a dragonfly of qm9700 in 1 plane: 262,656 GPUs at most"),
        ("--gpus 4000000 --shape hyperx", "a HyperX of qm9700 in 1 plane: 39,304 GPUs at most"),
        (
            "--gpus 1024 --shape hyperx --widths 4x4",
            "router qm9700 needs 64 downlinks of 400G and 96 mesh links of 400G and 96 mesh links of 400G; it has 64",
        ),
        ("--gpus 1024 --shape dragonfly --widths 100x8", "no dragonfly of 100x8 switches: the ports of 128 nodes"),
        ("--gpus 8 --shape dragonfly", "1 node is too few for two units of equal switches"),
        ("--gpus 64 --shape dragonfly --attach rail", "all rails meet on the switches of a unit in a dragonfly"),
        ("--gpus 64 --widths 4x4", "only a dragonfly or a HyperX has widths"),
        ("--gpus 64 --shape dragonfly --widths 4x4x4", "a dragonfly has groups x switches of a group"),
        ("--gpus 64 --shape torus", "shape"),
    ],
)
def test_what_does_not_fit_is_refused_with_numbers(words: str, message: str, fabricgen) -> None:
    """At the option, without a traceback."""
    ran = fabricgen("size", "--node", "dgx-b200", "--switch", "qm9700", *words.split())
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


@pytest.mark.slow
def test_shapes_may_be_repeated_or_listed(fabricgen) -> None:
    """`--shape clos --shape hyperx` is `--shape clos,hyperx`, and bisection is an axis: they differ in it."""
    words = ("size", "--gpus", "256", "--node", "dgx-b200", "--switch", "qm9700", "--tiers", "1,2", "--format", "json")
    repeated = fabricgen(*words, "--shape", "clos", "--shape", "hyperx")
    assert repeated.out == fabricgen(*words, "--shape", "clos,hyperx").out
    document = json.loads(repeated.out)
    assert {candidate["shape"] for candidate in document["candidates"]} == {"clos", "hyperx"}
    assert "bisection" in document["axes"]


@pytest.mark.slow
def test_pages_lint_clean(fabricgen, tmp_path: Path) -> None:
    """With out-of-band beside them, as those of Clos networks."""
    for node, switch, form in (("dgx-b200", "qm9700", "dragonfly"), ("dgx-b300", "sn5600", "hyperx")):
        folder = tmp_path / form
        words = ("--gpus", "240", "--node", node, "--switch", switch, "--shape", form, "-o", str(folder))
        assert fabricgen("size", *words).code == 0
        pages = sorted(folder.glob(f"{form}-*.yaml"))
        assert pages
        for page in pages:
            assert fabricgen("lint", str(page)).code == 0
            assert "  oob:" in page.read_text(encoding="utf-8")


def test_a_shape_is_what_it_is_called() -> None:
    """Names tell all of the shapes that are tried apart."""
    for wishes in WISHES:
        hardware = Hardware(read_options(**wishes), Catalog())
        names = [shape.name for shape in list_shapes(hardware, 63)]
        assert len(names) == len(set(names))
