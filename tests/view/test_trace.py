"""Paths that the page shows are paths of links.csv, and as many as an independent count finds."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest

from fabricgen.wiring.tables import NODE, SWITCH, TRAY
from tests.conftest import built_files, example_cluster


def _links(cluster):
    return list(csv.DictReader(io.StringIO(built_files(cluster, "links")["links.csv"].decode())))


def _count(cluster, fabrics, start, end, ports=("", "")):
    """(links of a shortest path, number of shortest paths) by networkx; nodes but the two pass nothing on."""
    plan = cluster.plan
    switches = {n for c in plan.devices.classes if c.kind in (SWITCH, TRAY) for n in cluster.names[c.rows]}
    own = {c.fabric for c in plan.devices.classes if c.kind in (SWITCH, TRAY)}
    pairs = Counter[tuple[str, str]]()
    for row in _links(cluster):
        ends = row["a_device"], row["b_device"]
        stops = [
            (name not in (start, end) and name not in switches and own.intersection(fabrics))
            or any(
                name == one and port and row[f"{side}_port"] != port
                for one, port in zip((start, end), ports, strict=True)
            )
            for side, name in zip("ab", ends, strict=True)
        ]
        if row["fabric"] in fabrics and not any(stops):
            pairs[tuple(sorted(ends))] += 1
    graph = nx.Graph()
    graph.add_weighted_edges_from((*ends, links) for ends, links in pairs.items())
    if start not in graph or end not in graph or not nx.has_path(graph, start, end):
        return None
    hops = nx.shortest_path_length(graph, start, end)
    steps, names = nx.to_numpy_array(graph, dtype=np.int64), list(graph)
    walks = np.array([name == start for name in names], dtype=np.int64)
    for _ in range(hops):  # a walk of the shortest length is a path
        walks = steps @ walks
    return hops, int(walks[names.index(end)])


COUNT = """async ([from, to, fabrics]) => {
  const paths = await FG.paths(await FG.traceEnd(from), await FG.traceEnd(to), fabrics);
  if (!paths) return null;
  const all = new Set();
  for (let i = 0; i < Math.min(paths.count, 500); i += 1) all.add(paths.path(i).map((step) => step.link).join(" "));
  return [paths.hops, paths.count, all.size];
}"""


@pytest.mark.parametrize(
    "name",
    [
        "leaf-spine",
        "dual-tor",
        "rail-only",
        "two-site",
        "ualink-pod",
        "trn2-ultraserver",
        "modular-spine",
        "uneven-spread",
    ],
)
def test_as_many_equal_paths_as_networkx_counts(page, name):
    cluster = example_cluster(name)
    shown = page(cluster)
    nodes = [n for c in cluster.plan.devices.classes if c.kind == NODE for n in cluster.names[c.rows]]
    checked = 0
    for graph in shown.evaluate("() => FG.graphs()"):
        for end in {nodes[1], nodes[len(nodes) // 2], nodes[-1]} - {nodes[0]}:
            wanted = _count(cluster, graph, nodes[0], end)
            found = shown.evaluate(COUNT, [nodes[0], end, graph])
            assert (found and tuple(found[:2])) == wanted, (graph, end)
            if found:
                checked += 1
                assert found[2] == min(found[1], 500)  # each number is a path of its own
    assert checked


def test_a_gpu_is_found_and_traced_to_another_by_its_own_ports(page):
    cluster = example_cluster("superpod-b200")
    links = {(r["a_device"], r["a_port"], r["b_device"], r["b_port"]): r for r in _links(cluster)}
    links |= {(*key[2:], *key[:2]): row for key, row in links.items()}
    shown = page(cluster)
    shown.keyboard.press("/")
    shown.keyboard.type("p1-su02-n013:gpu0 > p1-su04-n001:gpu3")
    shown.keyboard.press("Enter")  # at once: the list still has what the first letters find
    shown.wait_for_selector("#inspector .hops")
    assert "trace" in shown.locator("#inspector").get_attribute("data-shown")
    items = shown.locator("#inspector .hops > li")
    devices = [items.nth(i).locator("> .go").inner_text() for i in range(items.count())]
    hops = shown.locator("#inspector .hops > li > div:nth-of-type(1)").all_inner_texts()
    cables = shown.locator("#inspector .hops > li > div:nth-of-type(2) > .go").all_inner_texts()
    assert len(devices) == 5
    for (near, far), ports, cable in zip(pairwise(devices), hops, cables, strict=True):
        near_port, far_port = ports.split(" → ")
        assert links[near, near_port, far, far_port]["cable"] == cable
        assert links[near, near_port, far, far_port]["fabric"] == "compute"
    ports = "OSFP4P2", "OSFP4P1"
    assert _count(cluster, ["compute"], devices[0], devices[-1], ports) == (4, 64)
    assert "equal shortest paths\t64" in shown.locator("#inspector").inner_text()
    before = hops
    shown.get_by_role("button", name="Path ›").click()
    shown.wait_for_function("(was) => document.querySelector('.hops').innerText !== was", arg="\n".join(before))
    shown.wait_for_function("() => location.hash.includes('..compute..2')")


def test_ends_that_nothing_joins_say_so_and_name_the_gpu_of_the_same_rail(page):
    shown = page("rail-only", "trace=p1-su01-n001:gpu0..p1-su01-n002:gpu1")
    shown.wait_for_selector("#inspector[data-shown]")
    assert "No path" in shown.locator("#inspector").inner_text()
    shown.locator("#inspector .go").click()
    shown.wait_for_selector("#inspector .hops")


def test_gpus_of_one_node_are_joined_inside(page):
    shown = page("superpod-b200", "trace=p1-su01-n001:gpu0..p1-su01-n001:gpu1")
    shown.wait_for_selector("#inspector[data-shown]")
    assert "hgx-b200" in shown.locator("#inspector").inner_text()


def test_a_gpu_has_its_own_ports_in_a_scale_up_network_too(page):
    cluster = example_cluster("nvl72-gb200")
    shown = page(cluster, "trace=p1-su01-n001:gpu0..p1-su01-n002:gpu1..nvlink")
    shown.wait_for_selector("#inspector .hops")
    text = shown.locator("#inspector").inner_text()
    asics = Counter(row["b_device"] for row in _links(cluster) if row["link"].startswith("p1-su01-n001:gpu0/"))
    assert f"equal shortest paths\t{sum(links * links for links in asics.values())}" in text
    assert "gpu0/nvl0 → asic0/nvl0" in text


def _told(shown):
    shown.wait_for_selector("#inspector[data-shown^='trace']")
    rows = shown.locator("#inspector section", has=shown.locator("h3", has_text="Path")).first.locator("tr")
    return dict(text.split("\t") for text in rows.all_inner_texts())


@pytest.mark.parametrize("name", ["superpod-b200", "superpod-b300"])
def test_a_switch_takes_the_time_that_analyze_reckons_with(page, fabricgen, name):
    ran = fabricgen("analyze", f"blueprints/{name}.yaml", "--section", "structure", "--format", "json")
    reckoned = json.loads(ran.out)["structure"]["compute"]["constants"]
    shown = page(name, "trace=p1-su01-n001:gpu0..p1-su04-n003:gpu0")
    told = _told(shown)
    assert int(told["switches"]) == 3
    in_switches = 2 * reckoned["switch_ns"]["leaf"] + reckoned["switch_ns"]["spine"]
    assert in_switches > 0
    assert told["time in switches, ns"] == f"{in_switches:.0f}"
    in_cables = reckoned["fibre_ns_per_m"] * float(told["cable, m"])
    assert float(told["time in cables, ns"]) == pytest.approx(in_cables, abs=0.6)
    assert float(told["one way, us"]) == pytest.approx((in_cables + in_switches) / 1000, abs=0.0006)


@pytest.mark.parametrize(
    ("name", "trace", "offer", "words"),
    [
        ("known-hardware", "compute-leaf-01..storage-leaf-01", "through nodes", "2 links, through p1-su01-n00"),
        ("rail-only", "p1-su01-n001:gpu0..p1-su01-n002:gpu1", "by rail", "to p1-su01-n002:gpu0 of the same node"),
        ("superpod-b200", "p1-su01-n001:BMC..p1-su02-n002:OSFP4P2", "by another port", "from any port of p1-su01-n001"),
    ],
)
def test_what_has_no_path_offers_the_one_that_is_there(page, name, trace, offer, words):
    shown = page(name, f"trace={trace}")
    told = _told(shown)
    assert told[""] == "No path: no fabric joins these two by links."
    assert told[offer].startswith(words)
    shown.locator("#inspector .go").click()
    shown.wait_for_selector("#inspector .hops")
    names = shown.locator("#inspector .hops > li > .go").all_inner_texts()
    assert names[0] == trace.partition("..")[0].partition(":")[0]
    links = {frozenset((row["a_device"], row["b_device"])) for row in _links(example_cluster(name))}
    assert all(frozenset(pair) in links for pair in pairwise(names)), "a way along links that are there"


def test_nothing_is_offered_where_nothing_is(page):
    shown = page("two-exits", "trace=p1-su01-n001:eth1..nobody")
    assert _told(shown) == {"": "There is no nobody."}
