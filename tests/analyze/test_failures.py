"""Failures: every part taken out of the wired graph and counted by networkx, hand figures, and interruptions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import networkx
import numpy as np
import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from fabricgen.analyze.asked import Job, Question
from fabricgen.analyze.collectives.model import make_team
from fabricgen.analyze.loss_classes import LossClasses
from fabricgen.analyze.losses import Losses
from fabricgen.analyze.network import NONE, Network, list_networks
from fabricgen.analyze.sections import failures
from fabricgen.cluster import build_cluster
from fabricgen.phases.tables import build_at_phase
from fabricgen.wiring.tables import SWITCH, LinkTable, WiringPlan
from tests.analyze.wired import Wired
from tests.conftest import example_cluster, example_design
from tests.cuts import least_cut
from tests.design.test_failure import PLANES, PODS, SERVER, STAGGERED, UNITS, WIDE, blueprint
from tests.properties.blueprints import clos, dual_ported, planes, rail_grouped
from tests.properties.compiling import cases, compiled_or_dropped

SMALL = {
    "units": UNITS,
    "wide": WIDE,
    "planes": PLANES,
    "pods": PODS,
    "staggered": STAGGERED,
}


def build_network(design: Any) -> Network:
    return next(list_networks(build_cluster(design)))


def make_grid(network: Network, job: Job) -> Any:
    return make_team(network, job, network.cluster.design.catalog.constants()).grid


def make_losses(network: Network, job: Job) -> Losses:
    return Losses(network, job, make_grid(network, job))


def figure_failures(network: Network, ranks: int = 0, **more: Any) -> dict[str, Any]:
    job = Job("some", np.arange(ranks or len(network.ranks), dtype=np.int64))
    return failures.figures(network, job, Question(network.cluster.design.catalog.constants(), **more))


def pieces_of_cables(network: Network) -> Iterator[tuple[str, set[int]]]:
    """(kind, links) of what fails alone: each lane of a cage is in one connector, and a fibre is in one; a cable with
    ends of its own is one piece. One that leads from one cage to several has as many legs.
    """
    cluster, links, cables = network.cluster, network.cluster.plan.links, network.cluster.plan.cables
    pieces: dict[tuple[int, int], list[int]] = {}
    for cable in range(len(cables)):
        rows, medium = np.flatnonzero(links.cable == cable).tolist(), cables.media[cables.medium[cable]]
        ends = [
            [(int(d[r]), str(c[r])) for r in rows] for d, c in zip(_list_end_devices(links), cluster.cages, strict=True)
        ]
        port = links.a_port if len(set(ends[0])) == 1 else links.b_port
        lane = 0
        for row in sorted(rows, key=lambda row: int(port[row])):
            pieces.setdefault((cable, 0 if medium.attached else lane // medium.lanes_per_connector), []).append(row)
            lane += links.segments[links.segment[row]].lanes
    for (cable, _), rows in pieces.items():
        yield "cable" if cables.media[cables.medium[cable]].attached else "fibre", set(rows)
        legs: dict[tuple[object, ...], set[int]] = {}
        for row in rows:
            legs.setdefault(
                tuple((int(d[row]), str(c[row])) for d, c in zip(_list_end_devices(links), cluster.cages, strict=True)),
                set(),
            ).add(row)
        yield from (("leg", leg) for leg in legs.values() if len(legs) > 1)


def _list_end_devices(links: LinkTable) -> tuple[Any, Any]:
    return links.a_device, links.b_device


class Graph:
    """The wired graph: switches, and the ports of ranks; an edge for each link, by its row."""

    def __init__(self, network: Network) -> None:
        links, self.network = network.cluster.plan.links, network
        self.graph: networkx.MultiGraph[Any] = networkx.MultiGraph()
        tiers = {key for level in network.levels for key in level.tiers}
        for row, (number, a, b) in enumerate(zip(links.segment, links.a_device, links.b_device, strict=True)):
            if {links.segments[number].tier, links.segments[number].lower_tier} <= tiers:
                self.graph.add_edge(int(a), int(b), key=row)
        classes = (c for c in network.cluster.plan.devices.classes if c.kind == SWITCH and c.key in tiers)
        self.switches = {row for c in classes for row in range(c.first, c.first + c.count)}
        for (rank, port), leaf in np.ndenumerate(network.leaf):
            if leaf != NONE:
                self.graph.add_edge(("port", rank, port), int(leaf), key=int(network.port_link[rank, port]))
        self.parts = [sorted(part, key=str) for part in networkx.connected_components(self.graph)]
        self.cables = [(kind, rows) for kind, rows in pieces_of_cables(network) if rows <= set(self.rows())]

    def rows(self) -> Iterator[int]:
        """The links between switches and of ranks."""
        yield from (row for *_, row in self.graph.edges(keys=True))

    def without(self, devices: set[int], rows: set[int] = frozenset()) -> tuple[int, int]:
        """(ranks cut off, ranks that lose a port) without some devices and links."""
        remaining = self.graph.copy()
        remaining.remove_edges_from([edge for edge in remaining.edges(keys=True) if edge[2] in rows])
        remaining.remove_nodes_from(devices)
        lone = [node for node in remaining if isinstance(node, tuple) and not remaining.degree(node)]
        node_of = self.network.ranks.device
        remaining.remove_nodes_from(
            [*lone, *(n for n in remaining if isinstance(n, tuple) and int(node_of[n[1]]) in devices)]
        )
        useful: Counter[int] = Counter()
        for part in self.parts:
            pieces = networkx.connected_components(remaining.subgraph(part))
            ports = [sorted(n[1:] for n in piece if isinstance(n, tuple)) for piece in pieces]
            best = max((p for p in ports if p), key=lambda p: (len(p), [-x for x in p[0]]), default=[])
            useful.update(rank for rank, _ in best)
        had = (self.network.leaf != NONE).sum(axis=1)
        cut = sum(1 for rank, number in enumerate(had) if number and not useful[rank])
        return cut, sum(1 for rank, number in enumerate(had) if 0 < useful[rank] < number)

    def losses(self) -> Iterator[tuple[str, set[int], set[int]]]:
        """(kind, devices, links) of every switch, cable, fibre, leg, node and NIC."""
        links = self.network.cluster.plan.links
        yield from (("switch", {row}, set()) for row in sorted(self.switches))
        yield from ((kind, set(), rows) for kind, rows in self.cables)
        yield from (("node", {int(row)}, set()) for row in sorted(set(self.network.ranks.device.tolist())))
        nics: dict[tuple[int, int], set[int]] = {}
        for (rank, port), row in np.ndenumerate(self.network.port_link):
            if self.network.leaf[rank, port] != NONE:
                nic = (int(self.network.ranks.device[rank]), int(links.rail[row]))
                nics.setdefault(nic, set()).add(int(row))
        yield from (("nic", set(), rows) for _, rows in sorted(nics.items()))


def check_counts(network: Network) -> None:
    graph = Graph(network)
    counted = Counter((kind, *graph.without(devices, rows)) for kind, devices, rows in graph.losses())
    reported: Counter[tuple[str, int, int]] = Counter()
    for row in figure_failures(network)["losses"]:
        if row["kind"] in ("switch", "node", "nic", *failures.CABLES):
            reported[row["kind"], row["cut_off"], row["slowed"]] += row["parts"]
    assert reported == counted


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_every_part_takes_what_the_wired_graph_says(design_of, name: str) -> None:
    check_counts(build_network(design_of(SMALL[name])))


@pytest.mark.law
@cases(12)
@given(st.one_of(clos(), planes(), dual_ported(), rail_grouped()))
@pytest.mark.slow
def test_every_part_of_drawn_fabrics_takes_what_the_wired_graph_says(tree) -> None:
    networks = list(list_networks(compiled_or_dropped(tree)))
    assume(networks and 2 <= len(networks[0].ranks) <= 64 and len(networks[0].uplinks.row) <= 150)
    assume(not crosses_connectors(networks[0]))
    check_counts(networks[0])


def crosses_connectors(network: Network) -> bool:
    """Whether links of a breakout in fibre lie on connectors of its module otherwise than `analyze` takes them.

    That has a straight fibre for each far end also where ports take turns (no example does), and one piece for a cage
    of which legs are left unused (the last of superpod-b200's inband leaves).
    """
    plan, cages = network.cluster.plan, network.cluster.cages
    for cable in range(len(plan.cables)):
        rows, medium = np.flatnonzero(plan.links.cable == cable).tolist(), plan.cables.media[plan.cables.medium[cable]]
        ends = [
            [(int(d[r]), str(c[r])) for r in rows] for d, c in zip(_list_end_devices(plan.links), cages, strict=True)
        ]
        port, far = (plan.links.a_port, ends[1]) if len(set(ends[0])) == 1 else (plan.links.b_port, ends[0])
        far_of_connector: dict[int, list[tuple[int, str]]] = {}
        lane = 0
        for row, end in sorted(zip(rows, far, strict=True), key=lambda row_and_end: int(port[row_and_end[0]])):
            far_of_connector.setdefault(lane // medium.lanes_per_connector, []).append(end)
            lane += plan.links.segments[plan.links.segment[row]].lanes
        is_straight = len(far_of_connector) % max(1, len(set(far))) == 0
        is_mixed = any(len(set(links)) > 1 for links in far_of_connector.values())
        is_uneven = len({len(links) for links in far_of_connector.values()}) > 1
        if not medium.attached and ((is_straight and is_mixed) or is_uneven):
            return True
    return False


def without_links(plan: WiringPlan, rows: list[int]) -> WiringPlan:
    keep = np.setdiff1d(np.arange(len(plan.links)), rows)
    columns = {f.name: getattr(plan.links, f.name)[keep] for f in fields(LinkTable) if f.name != "segments"}
    return plan._replace(links=replace(plan.links, **columns))


@pytest.mark.tenth
@pytest.mark.parametrize("name", SMALL)
def test_bisection_after_a_cable_is_that_of_the_plan(design_of, name: str) -> None:
    network = build_network(design_of(SMALL[name]))
    plan, graph = network.cluster.plan, Graph(network)
    losses = make_losses(network, Job("all", np.arange(len(network.ranks))))
    planned_gbps = least_cut(plan)
    for _, rows in graph.cables[:: max(1, len(graph.cables) // 8)]:
        effect = losses.find_effect(links=np.array(sorted(rows)))
        assert Fraction(effect.lost_gbps) == planned_gbps - least_cut(without_links(plan, sorted(rows))), sorted(rows)


@pytest.mark.parametrize("name", SMALL)
def test_racks_feeds_and_planes_take_what_the_wired_graph_says(design_of, name: str) -> None:
    network = build_network(design_of(SMALL[name]))
    devices, racks, graph = network.cluster.plan.devices, network.cluster.plan.racks, Graph(network)
    rows = [row for row in figure_failures(network)["losses"] if row["kind"] in ("rack", "feed", "plane")]
    for row in rows:
        if row["kind"] == "rack":
            gone = set(np.flatnonzero(devices.rack == racks.names.index(row["example"])).tolist())
        elif row["kind"] == "plane":
            gone = set(np.flatnonzero(devices.plane == 0).tolist())
        else:
            by_row = "feed_per: row" in SMALL[name]
            turn = np.array(racks.row) + (0 if by_row else np.array(racks.column))
            gone = set(np.flatnonzero((turn % 2 == "AB".index(row["example"][-1]))[devices.rack]).tolist())
        assert (row["cut_off"], row["slowed"]) == graph.without(gone), row["example"]
    kinds = Counter(row["kind"] for row in rows)
    assert kinds["feed"] == 2
    assert sum(row["parts"] for row in rows if row["kind"] == "rack") == len(
        {int(devices.rack[d]) for d in graph.switches | set(network.ranks.device.tolist())}
    )


def list_pattern_flows(network: Network, job: Job) -> dict[str, list[tuple[int, int, float]]]:
    """The flows (rank, rank, share of its rate) of the two patterns."""
    domain, top = network.ranks.domain, network.top.component[network.leaf[:, 0]]
    pairs = [(a, b) for a in job.ranks for b in job.ranks if domain[a] != domain[b] and top[a] == top[b]]
    target_counts = Counter(a for a, _ in pairs)
    grid = make_grid(network, job)
    rings = [(a, b, 1.0) for a, b in zip(grid.ravel(), np.roll(grid, -1, axis=0).ravel(), strict=True)]
    return {"ring": rings, "all_to_all": [(int(a), int(b), 1 / target_counts[a]) for a, b in pairs]}


@pytest.mark.tenth
@pytest.mark.parametrize("name", ["planes", "pods", "staggered", "units"])
def test_slowdown_is_that_of_flows_over_shortest_paths_that_are_left(design_of, name: str) -> None:
    """Of the only core that a spine has, a little more: what stays in the pod could still use that spine."""
    network = build_network(design_of(SMALL[name]))
    job = Job("all", np.arange(len(network.ranks)))
    losses, tried = make_losses(network, job), 0
    before = {pattern: Wired(network).slowdown(flows) for pattern, flows in list_pattern_flows(network, job).items()}
    for loss in LossClasses(losses).list_single():
        effect = losses.find_effect(loss.devices, loss.links)
        if loss.kind != "switch" or effect.job_cut_off or effect.slowed:  # the job is everybody
            continue
        wired = Wired(network)
        wired.graph.remove_nodes_from(loss.devices.tolist())
        for pattern, flows in list_pattern_flows(network, job).items():
            counted, tried = wired.slowdown(flows) / before[pattern], tried + 1
            if (name, loss.what, pattern) == ("staggered", "core", "all_to_all"):
                assert 1 < counted < effect.slowdown[pattern] < counted * 1.1
            else:
                assert effect.slowdown[pattern] == pytest.approx(counted)
    assert tried >= 2


@pytest.mark.law
@cases(10)
@given(st.integers(2, 5), st.integers(2, 6), st.integers(1, 2))
def test_one_of_n_spines_costs_a_ring_of_nodes_under_own_leaves_its_share(nodes: int, spines: int, links: int) -> None:
    leaf = f"leaf: {{switch: sn5600, per: su, uplinks: {spines * links} x 400G, oversubscription: 8}}"
    text = blueprint(SERVER, f"p1: {{su: {nodes}}}", f"{leaf}, spine: {{switch: sn5600, count: {spines}}}")
    network = next(list_networks(compiled_or_dropped(yaml.safe_load(text))))
    rows = {(row["kind"], row["what"]): row for row in figure_failures(network)["losses"]}
    load, out = 8 * 400, spines * links * 400
    media = [rows[key] for key in (("cable", "leaf-spine"), ("fibre", "leaf-spine")) if key in rows]
    single = [row for row in media if row["parts"] == nodes * spines * links]  # else some have two links in one
    for lost, row in ((out / spines, rows["switch", "spine"]), *((400, row) for row in single)):
        expected = max(1.0, load / (out - lost)) / max(1.0, load / out)
        assert row["ring_slowdown"] == pytest.approx(expected, abs=1e-4)
        assert row["all_to_all_slowdown"] == pytest.approx(expected, abs=1e-4)


@pytest.mark.slow
def test_the_worst_pair_of_switches_is_the_worst_of_all_pairs(design_of) -> None:
    for text in (PLANES, PODS):
        network = build_network(design_of(text))
        graph, classes = Graph(network), network.cluster.plan.devices.classes
        losses = make_losses(network, Job("all", np.arange(len(network.ranks))))
        tier_of = {row: c.tier for c in classes for row in range(c.first, c.first + c.count)}
        worst: dict[str, tuple[int, float]] = {}
        for pair in combinations(sorted(graph.switches), 2):
            tiers = " + ".join(tier_of[row] for row in pair)
            slowdown = max(losses.find_effect(np.array(pair)).slowdown.values(), default=np.inf)
            worst[tiers] = max(worst.get(tiers, (0, 0.0)), (graph.without(set(pair))[0], round(slowdown, 4)))
        results = figure_failures(network, pairs=True)
        figures = ("all_to_all_slowdown", "ring_slowdown")
        reported = {row["what"]: (row["cut_off"], max(row[f] or np.inf for f in figures)) for row in results["pairs"]}
        assert reported == worst
        numbers = {row["what"]: row["parts"] for row in results["pairs"]}
        assert sum(numbers.values()) == len(graph.switches) * (len(graph.switches) - 1) // 2
        lines = [*failures.lines(results)]
        for row in results["pairs"]:
            at = next(i for i, line in enumerate(lines) if f"pair: {row['what']} " in line)
            assert lines[at + 1] == f"    the worst: {row['example']}"


def test_a_job_is_stopped_by_its_own_parts_alone() -> None:
    network = next(list_networks(example_cluster("superpod-b300")))
    of_all, part = figure_failures(network), figure_failures(network, 512)
    for results, share in ((of_all, 1), (part, 4)):
        by = {(row["part"], row["what"]): row for row in results["interruptions"]["by_part"]}
        rate = {name.partition("_")[0]: value for name, value in results["constants"].items()}
        counts = {
            ("gpu", "accelerator"): 2048,
            ("node", "node"): 256,
            ("nic", "NIC"): 2048,
        }
        for (kind, part_name), number in counts.items():
            assert by[kind, part_name]["stopping"] == number // share
            assert by[kind, part_name]["per_year"] == pytest.approx(number // share * rate[kind], rel=1e-3)
        every = sum(row["per_year"] for row in by.values())
        assert results["interruptions"]["mean_hours"] == pytest.approx(8766 / every, rel=1e-3)
        assert by["switch", "leaf"]["stopping"] == by["switch", "spine"]["stopping"] == 0
    leaves = {row["job_cut_off"]: row for row in of_all["losses"] if row["what"] == "leaf"}
    assert leaves[0]["ring_slowdown"] == leaves[0]["all_to_all_slowdown"] == 2.0
    assert [row["parts_of_job"] for row in part["losses"] if row["what"] == "leaf"] == [16, 0]
    text = "\n".join(failures.lines(of_all))
    assert "The job is stopped 271.4 times a year by hardware: every 32.3 hours." in text
    assert "fibre: leaf-spine" in text


def test_a_nic_with_a_fibre_in_each_plane_is_slowed_by_one_and_not_cut_off() -> None:
    results = figure_failures(next(list_networks(example_cluster("superpod-b300"))))
    rows = {(row["kind"], row["what"]): row for row in results["losses"]}
    fibre = rows["fibre", "node-leaf"]
    assert (fibre["parts"], fibre["cut_off"], fibre["slowed"], fibre["ring_slowdown"]) == (4096, 0, 1, 2.0)
    assert not any(kind in ("cable", "leg") for kind, _ in rows)


def test_what_slows_is_what_the_table_shows_as_slower() -> None:
    """One of 4,096 fibres above the leaves costs 0.04 %: not counted, and shown as 1x."""
    results = figure_failures(next(list_networks(example_cluster("superpod-b300"))))
    slowing = {(row["part"], row["what"]): row["slowing"] for row in results["interruptions"]["by_part"]}
    lines = {line.split("  ")[1]: line.split()[-2:] for line in failures.lines(results) if "%" in line}
    for (part, part_name), number in slowing.items():
        if f"{part}: {part_name}" in lines:
            assert bool(number) == (lines[f"{part}: {part_name}"] not in (["1x", "1x"], ["stops", "stops"])), part_name
    assert slowing["fibre", "leaf-spine"] == 0 < slowing["fibre", "node-leaf"]
    every = sum(row["slowed_per_year"] for row in results["interruptions"]["by_part"])
    assert every == pytest.approx(4096 * 57e-5 * 12 + 96 * 51e-5 * 12, rel=2e-3)


def test_a_split_cable_fails_half_as_often_whole_and_half_as_often_by_leg() -> None:
    """Trays so low that some splitters are of copper."""
    results = figure_failures(next(list_networks(example_cluster("dual-tor", "floor.tray_m=0.3"))))
    at_nodes = [row for row in results["losses"] if row["what"] == "node-tor"]
    parts = {kind: sum(row["parts"] for row in at_nodes if row["kind"] == kind) for kind in failures.CABLES}
    assert parts == {"cable": 94, "fibre": 2 * 2082, "leg": 4 * (94 + 2082)}
    assert {row["of_rate"] for row in at_nodes} == {0.5}
    by = {row["part"]: row for row in results["interruptions"]["by_part"] if row["what"] == "node-tor"}
    for kind, row in by.items():
        assert row["slowed_per_year"] == pytest.approx(parts[kind] / 2 * 57e-5 * 12, rel=2e-3)


def test_a_pair_of_tors_is_what_cuts_off_a_dual_homed_node() -> None:
    network = next(list_networks(example_cluster("dual-tor")))
    rows = {row["what"]: row for row in figure_failures(network, pairs=True)["pairs"]}
    assert rows["tor + tor"]["cut_off"] == 128 + 8
    assert rows["tor + agg"]["cut_off"] == 0


def test_a_phase_has_its_own_planes_and_no_bisection() -> None:
    cluster = build_at_phase(example_design("phased-planes"), "now")
    results = figure_failures(next(list_networks(cluster)))
    (plane,) = [row for row in results["losses"] if row["kind"] == "plane"]
    assert (plane["parts"], plane["slowed"], plane["bisection_share"]) == (4, 128, None)
    assert plane["ring_slowdown"] == pytest.approx(4 / 3, abs=1e-4)
    assert any(line.startswith("  plane ") and " - " in line for line in failures.lines(results))


def test_a_job_in_one_domain_needs_no_network() -> None:
    results = figure_failures(next(list_networks(example_cluster("superpod-b300"))), 8)
    stopping = {row["what"]: row["stopping"] for row in results["interruptions"]["by_part"] if row["stopping"]}
    assert stopping == {"accelerator": 8, "node": 1}
    assert results["interruptions"]["slowed_per_year"] == 0
    columns = {line[:36].strip(): line.split()[-2:] for line in failures.lines(results) if "%" in line}
    assert (columns["node: dgx-b300"], columns["switch: leaf"]) == (["stops", "stops"], ["-", "-"])
    assert f"  ({failures.WITHIN})" in [*failures.lines(results)]


def test_a_job_as_large_as_that_of_llama_3_is_stopped_as_often() -> None:
    """356 interruptions by hardware in 54 days on 16,384 (arXiv:2407.21783, Table 5), a quarter of that on 4,096."""
    results = figure_failures(next(list_networks(example_cluster("superpod-b200-3tier"))))
    assert results["interruptions"]["mean_hours"] / 4 == pytest.approx(54 * 24 / 356, rel=0.07)
