"""The wired graph: it says of devices and links what the lists say, whatever reads it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from io import BytesIO
from itertools import combinations
from pathlib import Path

import networkx
import pytest

from fabricgen.export.files import cables, devices, links
from fabricgen.export.graph import make_graph
from fabricgen.export.integrations import graph
from fabricgen.kernel.units import format_number
from fabricgen.reports.table import Table
from tests.conftest import BLUEPRINTS, EXAMPLES, built_files, example_cluster

Wired = networkx.MultiGraph  # of device names

DOCS = BLUEPRINTS.parent / "docs" / "graph.md"


def rows(table: Table, *left_out: str) -> list[dict[str, str]]:
    """The rows of a list as its CSV has them."""
    names = [name for name in table.columns if name not in left_out]
    cut = zip(*(table.columns[name] for name in names), strict=True)
    return [
        {k: c if isinstance(c, str) else format_number(c) for k, c in zip(names, cells, strict=True)} for cells in cut
    ]


def spelled(attributes: dict[str, object], names: Iterable[str]) -> dict[str, str]:
    """Some attributes as a list has them."""
    found = ((name, attributes.get(name, "")) for name in names)
    return {name: value if isinstance(value, str) else format_number(value) for name, value in found}


def same(a: Wired, b: Wired) -> bool:
    """Whether two graphs have the same vertices, edges, keys and attributes."""
    return (a.adj, a.nodes, a.graph["name"]) == (b.adj, b.nodes, b.graph["name"])


def ordered(edges: list[dict[str, object]]) -> list[dict[str, object]]:
    """Edges of node-link data by key, with their ends in order: networkx writes either end of an edge first."""
    turned = (
        dict(edge, **dict(zip(("source", "target"), sorted((edge["source"], edge["target"])), strict=True)))
        for edge in edges
    )
    return sorted(turned, key=lambda edge: edge["key"])


@pytest.mark.tenth
@pytest.mark.parametrize("name", EXAMPLES)
def test_vertices_are_the_devices_and_edges_the_links_of_the_lists(name: str) -> None:
    cluster = example_cluster(name)
    made = make_graph(cluster)
    listed = rows(devices.make_table(cluster), "asn", "loopback", "mgmt")
    assert list(made) == [row.pop("device") for row in listed]
    assert [spelled(found, listed[0]) for _, found in made.nodes(data=True)] == listed
    wanted = {row.pop("link"): row for row in rows(links.make_table(cluster), "a_ip", "b_ip")}
    found = {key: (own, {a, b}) for a, b, key, own in made.edges(keys=True, data=True)}
    assert made.number_of_edges() == len(cluster.plan.links) == len(found)
    assert {key: spelled(own, wanted[key]) for key, (own, _) in found.items()} == wanted
    assert all(ends == {own["a_device"], own["b_device"]} for own, ends in found.values())
    assert all("" not in own.values() for own, _ in found.values())


@pytest.mark.tenth
@pytest.mark.parametrize("name", EXAMPLES)
def test_a_link_is_as_long_and_of_the_medium_as_its_cable(name: str) -> None:
    cluster = example_cluster(name)
    known = {row["cable"]: (row["length_m"], row["medium"]) for row in rows(cables.make_table(cluster))}
    for *_, own in make_graph(cluster).edges(data=True):
        assert ("cable" in own) == ("length_m" in own) == ("medium" in own)
        if "cable" in own:
            assert (format_number(own["length_m"]), own["medium"]) == known[own["cable"]]


@pytest.mark.tenth
@pytest.mark.parametrize("name", EXAMPLES)
def test_a_device_has_as_many_edges_as_ports_in_use(name: str) -> None:
    cluster = example_cluster(name)
    ports: dict[str, set[str]] = defaultdict(set)
    for row in rows(links.make_table(cluster)):
        ports[row["a_device"]].add(row["a_port"])
        ports[row["b_device"]].add(row["b_port"])
    made = make_graph(cluster)
    switches = [name for name, kind in made.nodes(data="kind") if kind == "switch"]
    assert switches
    assert {name: made.degree(name) for name in switches} == {name: len(ports[name]) for name in switches}


def test_a_device_is_of_the_kind_that_it_is() -> None:
    kinds = Counter(kind for _, kind in make_graph(example_cluster("superpod-b200")).nodes(data="kind"))
    assert (kinds["node"], kinds["extra"] > 0, kinds["switch"] > 0) == (127, True, True)
    racks = make_graph(example_cluster("nvl72-gb200"))
    assert {found["tier"] for _, found in racks.nodes(data=True) if found["kind"] == "tray"} == {"switch-tray"}


def test_leaf_spine_is_connected_and_nodes_are_two_or_four_links_apart() -> None:
    made = make_graph(example_cluster("leaf-spine"))
    assert networkx.is_connected(made)
    nodes = [name for name, kind in made.nodes(data="kind") if kind == "node"]
    hops = dict(networkx.all_pairs_shortest_path_length(made))
    for a, b in combinations(nodes, 2):
        assert hops[a][b] == (2 if made.nodes[a]["su"] == made.nodes[b]["su"] else 4)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["leaf-spine", "nvl72-gb200", "two-site", "superpod-b200"])
def test_what_is_written_reads_back_as_the_graph(name: str) -> None:
    cluster = example_cluster(name)
    files, made = built_files(cluster, "graph"), make_graph(cluster)
    assert sorted(files) == [f"graph/{name}.graphml", f"graph/{name}.json"]
    data = json.loads(files[f"graph/{name}.json"])
    assert same(networkx.node_link_graph(data, edges="links"), made)
    assert same(networkx.read_graphml(BytesIO(files[f"graph/{name}.graphml"]), force_multigraph=True), made)
    own = networkx.node_link_data(made, edges="links")
    assert list(data) == list(own)
    assert data["nodes"] == own["nodes"]
    assert ordered(data["links"]) == ordered(own["links"])


@pytest.mark.slow
@pytest.mark.parametrize(("most", "places"), [(120, {"compute/pods/w1", "oob/other"}), (60, {"compute/pods/w1/su-1"})])
def test_graphml_of_many_devices_comes_in_pieces_that_share_no_link(
    most: int, places: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph, "MOST_DEVICES", most)
    cluster = example_cluster("two-site")
    files = built_files(cluster, "graph")
    pieces = {
        path.removeprefix("graph/two-site-").removesuffix(".graphml"): networkx.read_graphml(
            BytesIO(content), force_multigraph=True
        )
        for path, content in files.items()
        if path.endswith(".graphml")
    }
    assert places <= set(pieces)
    assert "across" in pieces
    whole = {key: own for *_, key, own in make_graph(cluster).edges(keys=True, data=True)}
    found = [(key, own) for piece in pieces.values() for *_, key, own in piece.edges(keys=True, data=True)]
    assert len(found) == len(whole)
    assert dict(found) == whole
    for path, piece in pieces.items():
        assert 0 < len(piece) <= most
        assert {own["fabric"] for *_, own in piece.edges(data=True)} == {path.partition("/")[0]}
        assert min(degree for _, degree in piece.degree()) > 0


def test_a_unit_that_is_too_large_is_in_the_json_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph, "MOST_DEVICES", 4)
    assert [p for p in built_files(example_cluster("leaf-spine"), "graph") if p.endswith(".json")]
    assert not [p for p in built_files(example_cluster("leaf-spine"), "graph") if "/su-" in p]


@pytest.mark.slow
def test_bytes_depend_neither_on_processes_nor_on_hashes(tmp_path: Path) -> None:
    found = []
    for jobs, seed in (("1", "0"), ("2", "1")):
        out = tmp_path / jobs
        command = [sys.executable, "-m", "fabricgen", "build", str(BLUEPRINTS / "superpod-b200.yaml"), "-o", str(out)]
        subprocess.run(
            [*command, "--only", "graph", "--jobs", jobs],
            check=True,
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        found.append({p.name: p.read_bytes() for p in (out / "graph").iterdir()})
    assert found[0] == found[1]
    assert len(found[0]) == 2


def test_the_example_of_the_manual_prints_what_it_says(fabricgen, tmp_path: Path) -> None:
    text = DOCS.read_text(encoding="utf-8")
    (program,), (printed,) = (re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL) for kind in ("python", "text"))
    assert fabricgen("build", BLUEPRINTS / "leaf-spine.yaml", "-o", tmp_path / "out", "--only", "graph").code == 0
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True, env=os.environ
    )
    assert done.stdout == printed


def test_the_manual_names_every_attribute() -> None:
    text = DOCS.read_text(encoding="utf-8")
    named = set(re.findall(r"`([a-z_]+)`", "".join(line for line in text.splitlines() if line.startswith("| `"))))
    made = make_graph(example_cluster("full-cluster"))
    used = {name for _, own in made.nodes(data=True) for name in own}
    assert used | {name for *_, own in made.edges(data=True) for name in own} <= named
