"""Files for simulators say what the plan says, as the sources of these simulators read them."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

from fabricgen.analyze.latency import count_switches_crossed, latency_us
from fabricgen.analyze.network import Network, list_networks
from fabricgen.catalog.models import SwitchProfile
from fabricgen.cluster import Cluster
from fabricgen.export import simulators
from fabricgen.export.graph import make_graph
from fabricgen.export.simulators import list_dimensions, name_level
from fabricgen.kernel.diagnostics import Diagnostic, InputError
from tests.conftest import BLUEPRINTS, built_files, example_cluster
from tests.export.simulator_readers import Analytical, Packets
from tests.properties.blueprints import clos, planes, rail_grouped
from tests.properties.compiling import cases, compiled_or_dropped

NIC_US, STEP_US = 2.7, 0.6
"""The quickest steps of NCCL's ring, across the network and within a domain, as the catalogue has them."""

REGULAR = (
    "leaf-spine",
    "dual-stack",
    "monday",
    "gaudi3",
    "phased-planes",
    "rail-only",
    "trn2-ultraserver",
    "four-tier",
)
WIRED = ("leaf-spine", "monday", "gaudi3", "phased-planes", "three-generations", "two-site")


def network_of(cluster: Cluster) -> Network:
    """Its one network of accelerators."""
    (found,) = list_networks(cluster)
    return found


def ranks(network: Network, ids: bytes) -> list[int]:
    """By number of an accelerator the row of its rank, as the list of numbers says."""
    rows = [row for row in csv.DictReader(ids.decode().splitlines()) if row["kind"] in ("accelerator", "node")]
    names = network.cluster.name_column[network.ranks.device].tolist()
    row_of = {place: row for row, place in enumerate(zip(names, network.ranks.accelerator.tolist(), strict=True))}
    assert [int(row["id"]) for row in rows] == list(range(len(network.ranks)))
    found = [row_of[row["device"], int(row["accelerator"])] for row in rows]
    assert sorted(found) == list(range(len(network.ranks)))
    return found


def refused(cluster: Cluster, part: str) -> Diagnostic:
    """What is said of a network that a simulator cannot be told."""
    with pytest.raises(InputError) as caught:
        built_files(cluster, part)
    (found,) = caught.value.diagnostics
    assert (found.code, bool(found.hint)) == ("FG146", True)
    assert found.span is not None
    return found


def alone(read: Analytical, dim: int) -> list[int]:
    """The first NPU and all that differ from it in one dimension only."""
    step = math.prod(read.npus[:dim])
    return [step * place for place in range(read.npus[dim])]


@pytest.mark.parametrize("name", REGULAR)
def test_analytical_messages_take_what_the_network_takes(name: str) -> None:
    network = network_of(example_cluster(name))
    files = built_files(network.cluster, "astra-sim")
    read = Analytical.read(files["astra-sim/compute.yml"])
    rank = ranks(network, files["astra-sim/compute-ids.csv"])
    assert math.prod(read.npus) == len(network.ranks)
    constants = network.cluster.design.catalog.constants("usual")
    own = network.rank_gbps * constants.efficiency.network.reached
    for dim in range(len(read.npus)):
        for a, b in pairwise(alone(read, dim)):
            size, row_a, row_b = 10**9, rank[a], rank[b]
            if network.ranks.domain[row_a] == network.ranks.domain[row_b]:
                assert read.send(a, b, 0) == pytest.approx(STEP_US * 1000)
                continue
            level = int(network.find_joining_level(np.array([row_a]), np.array([row_b]))[0])
            us = NIC_US + latency_us(network, level, constants) - latency_us(network, 0, constants)
            assert read.send(a, b, 0) == pytest.approx(1000 * us, abs=0.01)
            assert size * 8 / (read.send(a, b, size) - 1000 * us) == pytest.approx(own, rel=1e-5)


def test_a_scale_up_domain_is_the_block_that_it_is() -> None:
    def read(name: str) -> Analytical:
        return Analytical.read(built_files(example_cluster(name), "astra-sim")["astra-sim/compute.yml"])

    torus, mesh, switched = read("trn2-ultraserver"), read("gaudi3"), read("monday")
    assert (torus.topology[:3], torus.npus[:3]) == (["Ring"] * 3, [4, 4, 4])
    assert (mesh.topology[0], mesh.npus[0]) == ("FullyConnected", 8)
    assert (switched.topology[0], switched.npus[0]) == ("Switch", 8)
    assert mesh.send(0, 1, 10**9) - mesh.send(0, 1, 0) == pytest.approx(8e9 / (3 * 200 * 0.977), rel=1e-6)
    assert switched.send(0, 1, 10**9) - switched.send(0, 1, 0) == pytest.approx(8e9 / (7200 * 0.802), rel=1e-6)


CUBES = ("tpu-torus", "scale_up.ici.domain=tpu-v4-cube", "scale_up.ici.per=rack", "pods.p1.su=4")


@pytest.mark.parametrize("example", [("trn2-ultraserver",), CUBES], ids=lambda example: example[0])
def test_neighbours_in_a_torus_are_those_that_are_linked(example: tuple[str, ...]) -> None:
    """TPU trays hold blocks of 2 x 2 x 1: numbers go along the axes, whatever node a chip is in."""
    cluster = example_cluster(*example)
    files, fabric = built_files(cluster, "astra-sim", "scale-up"), network_of(cluster).fabric.name
    read = Analytical.read(files[f"astra-sim/{fabric}.yml"])
    rows = list(csv.DictReader(files[f"astra-sim/{fabric}-ids.csv"].decode().splitlines()))[:64]
    number = {(row["device"], row["accelerator"]): int(row["id"]) for row in rows}
    linked = {
        frozenset(number[row[f"{end}_device"], row[f"{end}_port"].split("/")[0].removeprefix("gpu")] for end in "ab")
        for row in csv.DictReader(files["scale-up.csv"].decode().splitlines())
        if row["a_device"] in {row["device"] for row in rows}
    }
    near = {
        frozenset((a, b))
        for a in range(64)
        for b in range(a)
        if sum(x != y for x, y in zip(read.address(a), read.address(b), strict=True)) == 1
        and read.send(a, b, 0) == pytest.approx(STEP_US * 1000)
    }
    assert linked == near


def test_unequal_units_are_one_dimension_unless_their_leaves_narrow() -> None:
    written = built_files(example_cluster("superpod-b200"), "astra-sim")["astra-sim/compute.yml"]
    assert f"```text\n{written.decode()}```" in (BLUEPRINTS.parent / "docs" / "simulators.md").read_text(
        encoding="utf-8"
    )
    whole = Analytical.read(written)
    assert whole.npus == [8, 127]
    said = refused(example_cluster("superpod-b200", "fabrics.compute.oversubscription=2:1"), "astra-sim")
    assert said.message == "compute: leaf switches pass on from 50.0% to 51.6% of what their accelerators send"


def test_narrower_levels_have_less_bandwidth() -> None:
    cluster = example_cluster("end-of-row", "fabrics.compute.oversubscription=2:1")
    read = Analytical.read(built_files(cluster, "astra-sim")["astra-sim/compute.yml"])
    assert read.npus == [8, 32, 4]
    assert read.bandwidth[1] == pytest.approx(400 * 0.96 / 8 * 1e9 / 2**30, rel=1e-6)
    assert read.bandwidth[2] == pytest.approx(read.bandwidth[1] / 2, rel=1e-5)


@pytest.mark.slow
@pytest.mark.law
@cases(25)
@given(st.one_of(clos(), planes(), rail_grouped()), st.data())
def test_ranks_meet_at_the_level_of_the_widest_dimension_that_tells_them_apart(tree, data) -> None:
    """Drawn nodes do not say how their accelerators are joined, so that each is taken for a domain of its own."""
    network = next(list_networks(compiled_or_dropped(tree)))
    number = len(network.ranks)
    assume(number > 1)
    apart = replace(network, ranks=replace(network.ranks, domain=np.arange(number)))
    try:
        numbers, found = list_dimensions(apart)
    except InputError as error:
        told = error.diagnostics[0].message
    else:
        told = ""
    event(told.split(": ")[-1][:30] or "told")
    leaves = len(np.unique(network.leaf[:, 0]))
    assert not told or leaves > 1, "one leaf is one dimension"
    assume(not told)
    assert math.prod(one.npus for one in found) == number
    steps = np.cumprod([1, *(one.npus for one in found)])
    for _ in range(6):
        a, b = data.draw(st.integers(0, number - 1)), data.draw(st.integers(0, number - 1))
        if a != b:
            widest = max(
                dim for dim in range(len(found)) if a % steps[dim + 1] // steps[dim] != b % steps[dim + 1] // steps[dim]
            )
            level = int(network.find_joining_level(numbers.rows[[a]], numbers.rows[[b]])[0])
            assert name_level(network, level) in found[widest].label.split(" and ")


@pytest.mark.tenth
@pytest.mark.parametrize("name", WIRED)
def test_ns3_has_every_link_of_the_plan(name: str) -> None:
    cluster = example_cluster(name)
    network = network_of(cluster)
    files = built_files(cluster, "astra-sim-ns3")
    read = Packets.read(files["astra-sim-ns3/compute.txt"])
    rows = list(csv.DictReader(files["astra-sim-ns3/compute-ids.csv"].decode().splitlines()))
    assert len(rows) == len(read.kinds)
    assert read.accelerators == len(network.ranks)
    ranks(network, files["astra-sim-ns3/compute-ids.csv"])
    names = {row["device"]: int(row["id"]) for row in rows if row["kind"] == "switch"}
    graph = make_graph(cluster)
    profiles = cluster.design.catalog
    latency = profiles.constants("usual").latency

    def half_ns(device: str) -> float:
        profile = profiles.switch(graph.nodes[device]["model"])
        assert isinstance(profile, SwitchProfile)
        return (latency.switch_ns(profile) or 0.0) / 2

    for device, number in names.items():
        joined: dict[str, list[dict[str, float]]] = {}
        for _, far, own in graph.edges(device, data=True):
            joined.setdefault(far, []).append(own)
        above = {far: links for far, links in joined.items() if far in names}
        assert {far for far in read.links[number] if read.kinds[far] == 1} == {names[far] for far in above}
        for far, links in above.items():
            rate, ns = read.links[number][names[far]]
            assert rate / 1e9 == pytest.approx(sum(link["speed_gbps"] for link in links))
            if all("length_m" in link and link["length_m"] < 1000 for link in links):
                metres = max(link["length_m"] for link in links)
                assert abs(ns - (metres * 4.9 + half_ns(device) + half_ns(far))) <= 0.51
        below = sum(
            link["speed_gbps"] for far, links in joined.items() if graph.nodes[far]["kind"] == "node" for link in links
        )
        assert read.total_gbps(number, (0,)) == pytest.approx(below)
    told = json.loads(files["astra-sim-ns3/compute.json"])
    assert math.prod(int(size) for size in told["logical-dims"]) == len(network.ranks)
    at_switches = {rate for v, kind in enumerate(read.kinds) if kind for rate, _ in read.links[v].values()}
    assert at_switches <= set(told["switch-link-bps"])


@pytest.mark.parametrize("name", ["monday", "three-generations", "two-site"])
def test_ns3_routes_are_as_long_as_those_of_the_plan(name: str) -> None:
    network = network_of(example_cluster(name))
    files = built_files(network.cluster, "astra-sim-ns3")
    read = Packets.read(files["astra-sim-ns3/compute.txt"])
    rank = ranks(network, files["astra-sim-ns3/compute-ids.csv"])
    for a in (0, len(rank) // 2, len(rank) - 1):
        reached = read.hops(a)
        for b in range(len(rank)):
            level = int(network.find_joining_level(np.array([rank[a]]), np.array([rank[b]]))[0])
            if network.ranks.domain[rank[a]] == network.ranks.domain[rank[b]]:
                assert reached[b][0] == (0 if a == b else 2)
            else:
                assert reached[b][0] == count_switches_crossed(network, level) + 1


@pytest.mark.parametrize("name", ["monday", "nvl72-gb200"])
def test_simai_finds_the_domain_of_an_accelerator_by_its_number(name: str) -> None:
    network = network_of(example_cluster(name))
    files = built_files(network.cluster, "simai")
    read = Packets.read(files["simai/compute.txt"], simai=True)
    rank = ranks(network, files["simai/compute-ids.csv"])
    assert read.accelerator == "B200"
    assert read.kinds.count(2) == len(rank) // read.each
    for number in range(len(rank)):
        domain = len(rank) + number // read.each
        assert [far for far in read.links[number] if read.kinds[far] == 2] == [domain]
        assert read.links[number][domain][0] / 1e9 == pytest.approx(7200 * 0.802)
        assert read.total_gbps(number, (1,)) == pytest.approx(network.gbps[rank[number]].sum())


@pytest.mark.parametrize(
    ("name", "part", "said"),
    [
        ("three-generations", "astra-sim", "compute: its scale-up domains are hgx-a100 and hgx-b300 and hgx-h100"),
        ("three-generations", "simai", "compute: its accelerators are A100 and B300 and H100"),
        ("trn2-ultraserver", "astra-sim-ns3", "compute: accelerators of trn2-64 pass on what others send"),
        ("tpu-torus", "astra-sim", "frontend: tpu-v4-pod is a torus of 4,096 accelerators whose form its switches set"),
        ("gaudi3", "simai", "compute: 32 of 32 scale-up domains have no switch"),
        ("dual-tor", "simai", "compute: 544 nodes with several accelerators each do not say how these are joined"),
        ("mixed-breakouts", "astra-sim", "compute: 2 groups of scale-up domains do not all reach each other"),
    ],
)
def test_what_a_simulator_cannot_be_told_is_refused(name: str, part: str, said: str) -> None:
    assert refused(example_cluster(name), part).message.startswith(said)


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ("MOST_VERTICES", "compute: 78 accelerators, scale-up domains and switches"),
        ("MOST_LINKS", "compute: 136 links between neighbours"),
        ("MOST_NEIGHBOURS", "compute: 36 neighbours of one switch"),
    ],
)
def test_more_than_ns3_has_numbers_for_is_refused(limit: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulators, limit, 10)
    if limit != "MOST_VERTICES":
        monkeypatch.setattr(simulators, "MOST_VERTICES", 100)
    if limit == "MOST_NEIGHBOURS":
        monkeypatch.setattr(simulators, "MOST_LINKS", 1000)
    assert refused(example_cluster("monday"), "astra-sim-ns3").message == said
