"""A hall cabled with faults drawn at random: what networkx says of the cables that are seen, and what is told of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import combinations, permutations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import networkx
import numpy as np
import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from fabricgen.analyze.asked import Job, Question
from fabricgen.analyze.network import Network, list_networks
from fabricgen.analyze.sections import collectives, failures, structure
from fabricgen.blueprint.models import make_natural_key
from fabricgen.cluster import Cluster
from fabricgen.verify.cost import list_cost_lines, price_findings
from fabricgen.verify.planned import make_plan
from fabricgen.verify.report import VerifyRequest as Reported
from fabricgen.verify.verification import verify
from fabricgen.wiring.tables import NODE, SWITCH
from tests.conftest import BLUEPRINTS, Ran, example_cluster
from tests.design.test_failure import PLANES, UNITS
from tests.properties.compiling import cases, compiled
from tests.verify.cabled import CabledHall, Port

SMALL = {"units": UNITS, "twin": PLANES.replace("1 x dgx-b300", "2 x dgx-b300")}
"""Of the twin, NICs have a plug for both planes, and cables of uplinks two links."""
SECTIONS = {"structure": structure, "collectives": collectives, "failures": failures}


@cache
def cluster_of(name: str) -> Cluster:
    return compiled(yaml.safe_load(SMALL[name])) if name in SMALL else example_cluster(name)


def everyone(network: Network) -> Job:
    return Job("all", np.arange(len(network.ranks), dtype=np.int64))


def asked_of(cluster: Cluster) -> Question:
    return Question(cluster.design.catalog.constants(), sizes=(2**20,))


@cache
def planned_of(name: str) -> dict[str, Any]:
    (network,) = list_networks(cluster_of(name))
    asked = asked_of(network.cluster)
    return {key: {"compute": part.figures(network, everyone(network), asked)} for key, part in SECTIONS.items()}


def found_in(name: str, hall: CabledHall, folder: Path) -> dict[str, Any]:
    cluster, dump = cluster_of(name), hall.csv(folder / "hall.csv")
    diagnosis = verify(make_plan(cluster), (str(dump),), Reported()).report.diagnosis
    return price_findings(planned_of(name), cluster, diagnosis, everyone, asked_of(cluster))


class Seen:
    """The graph of what a hall sees in the tiers of a network, by device; ports of ranks hang on it as nodes."""

    def __init__(self, name: str, hall: CabledHall) -> None:
        cluster = cluster_of(name)
        (self.network,) = list_networks(cluster)
        rows = {device: row for row, device in enumerate(cluster.names)}
        classes, of = cluster.plan.devices.classes, cluster.plan.devices.device_class
        tier = {row: (classes[of[row]].kind, classes[of[row]].key) for row in rows.values()}
        links = cluster.plan.links
        speed = {}
        for number, a, b in zip(links.segment, links.a_device, links.b_device, strict=True):
            if links.segments[number].fabric == "compute":
                speed[tier[int(a)], tier[int(b)]] = links.segments[number].speed_gbps
        port_of = {}
        for (rank, port), row in np.ndenumerate(self.network.port_link):
            port_of[cluster.names[links.a_device[row]], str(cluster.a_port[row])] = ("port", rank, port)
        self.graph: networkx.Graph[Any] = networkx.Graph()
        self.ports: dict[Any, int] = {}
        self.pairs: list[tuple[int, int]] = []
        """Rows of the two ends of every link that is up, once."""
        for (device, port), (far, _) in hall.sees.items():
            ends = rows[device], rows[far]
            gbps = speed.get((tier[ends[0]], tier[ends[1]]))
            if gbps is None:
                continue
            self.pairs.append(ends)
            if tier[ends[0]][0] == NODE:
                self.ports[port_of[device, port]] = ends[1]
                self.graph.add_edge(port_of[device, port], ends[1])
            had = self.graph.get_edge_data(*ends, {"capacity": 0})["capacity"]
            self.graph.add_edge(*ends, capacity=had + gbps)
        self.nodes = sorted({int(row) for row in self.network.ranks.device})
        self.switches = sorted(row for row, (kind, _) in tier.items() if kind == SWITCH and row in self.graph)

    def distances(self) -> Counter[int | None]:
        """Ordered pairs of ranks of different nodes by switches between them; ports of one number meet."""
        graph = self.graph.subgraph([*self.switches])
        apart = dict(networkx.all_pairs_shortest_path_length(graph))
        found: Counter[int | None] = Counter()
        device, ports = self.network.ranks.device, range(self.network.leaf.shape[1])
        for a, b in permutations(range(len(device)), 2):
            if device[a] != device[b]:
                ends = [(self.ports.get(("port", a, p)), self.ports.get(("port", b, p))) for p in ports]
                found[
                    min((apart[x][y] + 1 for x, y in ends if None not in (x, y) and y in apart[x]), default=None)
                ] += 1
        return found

    def fewest_paths(self) -> dict[int, int]:
        """The fewest paths of pairs of ranks that meet in a leaf, and in a spine above their leaves: by switches."""
        links = Counter((min(pair), max(pair)) for pair in self.pairs)
        spines = [switch for switch in self.switches if switch not in self.ports.values()]
        found: dict[int, int] = {}
        device, ports = self.network.ranks.device, range(self.network.leaf.shape[1])
        for a, b in combinations(range(len(device)), 2):
            leaves = [(self.ports.get(("port", a, p)), self.ports.get(("port", b, p))) for p in ports]
            both = [(x, y) for x, y in leaves if None not in (x, y)]
            if device[a] == device[b] or not both:
                continue
            same = sum(x == y for x, y in both)
            over = sum(links[min(x, s), max(x, s)] * links[min(y, s), max(y, s)] for x, y in both for s in spines)
            if same or over:
                number = 1 if same else 3
                found[number] = min(found.get(number, same or over), same or over)
        return found

    def cut_off_by(self, switch: int) -> int:
        """Ranks that have ports, none of which is in the largest piece that is left of its part without a switch."""
        whole = self.graph.subgraph([*self.switches, *self.ports])
        linked: set[int] = set()
        for part in networkx.connected_components(whole):
            pieces = networkx.connected_components(whole.subgraph(part - {switch}))
            ports = [[node for node in piece if isinstance(node, tuple)] for piece in pieces]
            linked |= {rank for _, rank, _ in max(ports, key=len, default=[])}
        return len({rank for _, rank, _ in self.ports} - linked)

    def least_cut(self) -> int:
        """The least maximum flow between halves of the nodes, Gb/s."""
        graph = networkx.DiGraph(self.graph.subgraph([*self.switches, *self.nodes]))
        graph.add_nodes_from(self.nodes)
        found = []
        for half in combinations(self.nodes[1:], len(self.nodes) // 2 - 1):
            one = {self.nodes[0], *half}
            graph.add_edges_from(("from", node) if node in one else (node, "to") for node in self.nodes)
            found.append(networkx.maximum_flow_value(graph, "from", "to"))
            graph.remove_nodes_from(["from", "to"])
        return min(found)


def faulty(name: str, faults: list[tuple[int, int]]) -> CabledHall:
    """A hall with some cables pulled (of the second number 0), or their upper ends exchanged with those of others."""
    hall, cluster = CabledHall(cluster_of(name)), cluster_of(name)
    (network,) = list_networks(cluster)
    tiers = {key.name for level in network.levels for key in level.tiers}
    tier = {
        cluster.names[row]: cls.tier
        for cls in cluster.plan.devices.classes
        if cls.kind == SWITCH and cls.fabric == "compute" and cls.tier in tiers
        for row in range(cls.first, cls.first + cls.count)
    }
    kinds: dict[tuple[str, str], list[Port]] = {}
    for port, (far, _) in sorted(hall.sees.items()):
        if port[0] in tier and (far in tier or network.cluster.names.index(far) in network.ranks.device):
            kinds.setdefault((tier[port[0]], tier.get(far, "")), []).append(port)
    every = [(port, mine) for mine in kinds.values() for port in mine]
    for one, other in faults:
        a, mine = every[one % len(every)]
        b = mine[other % len(mine)]
        if not other and a in hall.sees:
            hall.cut(*a)
        elif a in hall.sees and b in hall.sees and a != b:
            far_a, far_b = hall.sees[a], hall.sees[b]
            hall.sees |= {a: far_b, b: far_a, far_a: b, far_b: a}
    return hall


@pytest.mark.slow
@pytest.mark.law
@cases(10)
@given(st.sampled_from(["leaf-spine", *SMALL]), st.lists(st.tuples(st.integers(0), st.integers(0, 60)), max_size=4))
def test_a_drawn_hall_is_what_networkx_says_of_its_cables(name: str, faults: list[tuple[int, int]]) -> None:
    """Halves are tried, not all of them: what is told of the bisection may be more than of the least cut."""
    hall = faulty(name, faults)
    with TemporaryDirectory() as folder:
        found = found_in(name, hall, Path(folder))["compute"]
    assert (found["left_out"], found["carry_nothing"]) == (0, [])
    seen, told = Seen(name, hall), found["sections"]
    apart = seen.distances()
    assume(max(number or 0 for number in apart) <= 3)
    ranks = len(seen.network.ranks)
    classes: Counter[int | None] = Counter()
    paths: dict[int, int] = {}
    for row in told["structure"]["pairs"]:
        if row["place"] != "domain":
            number = row.get("switches")
            classes[number] += round(row["share"] * ranks * (ranks - 1))
            if number:
                paths[number] = min(paths.get(number, row["paths"]), row["paths"])
    assert classes == apart
    assert paths == seen.fewest_paths()
    cut_off: Counter[int] = Counter()
    for row in told["failures"]["losses"]:
        if row["kind"] == "switch":
            cut_off[row["cut_off"]] += row["parts"]
    assert cut_off == Counter(seen.cut_off_by(switch) for switch in seen.switches)
    assert told["structure"]["bisection_gbps"] >= seen.least_cut()
    if len(faults) < 3:
        assert told["structure"]["bisection_gbps"] == seen.least_cut()


def test_a_leaf_that_hangs_on_one_spine_is_cut_off_with_that(tmp_path: Path) -> None:
    """Spines have lost one link each, and are not alike: three of the leaf's four uplinks are dark."""
    hall = CabledHall(cluster_of("units"))
    ups = sorted(port for port, (far, _) in hall.sees.items() if "leaf" in port[0] and "spine" in far)
    for port in [each for each in ups if each[0] == ups[0][0]][:3]:
        hall.cut(*port)
    last = next(each for each in ups if each[0] == ups[0][0] and each in hall.sees)
    hall.cut(*next(each for each in ups if each[0] != last[0] and hall.sees[each][0] == hall.sees[last][0]))
    found = found_in("units", hall, tmp_path)["compute"]
    rows = {(row["example"], row["parts"]): row["cut_off"] for row in found["sections"]["failures"]["losses"]}
    assert rows[hall.sees[last][0], 1] == 4
    changed = {(row["what"], row["figure"]): (row["planned"], row["as_found"]) for row in found["changed"]}
    assert changed["switch spine lost", "cut off"] == (0, 4)


def test_a_box_without_power_takes_all_of_its_links(tmp_path: Path) -> None:
    hall = CabledHall(cluster_of("leaf-spine"))
    spine = next(device for device, _ in sorted(hall.sees) if "spine" in device)
    for port in [port for port in hall.sees if port[0] == spine]:
        hall.cut(*port)
    found = found_in("leaf-spine", hall, tmp_path)["compute"]
    (alone,) = found["each"]
    assert "is it powered?" in alone["text"]
    lost = {
        row["what"]: (row["planned"], row["as_found"]) for row in found["changed"] if row["figure"] == "fewest paths"
    }
    assert lost["same pod, by spine"] == (8, 6)
    assert found["sections"]["structure"]["bisection_gbps"] == Seen("leaf-spine", hall).least_cut() == 800


def test_a_node_in_a_spine_is_not_linked(tmp_path: Path) -> None:
    """A plan has no such cable: its node and the leaf that gave its uplink for it have lost a link each."""
    hall = CabledHall(cluster_of("leaf-spine"))
    node = next(port for port, (far, _) in sorted(hall.sees.items()) if "leaf" in far and "spine" not in port[0])
    up = next(
        port
        for port, (far, _) in sorted(hall.sees.items())
        if port[0] == "compute-leaf-p1-su02-r1-01" and "spine" in far
    )
    leaf, spine = hall.sees[node], hall.sees[up]
    hall.sees |= {node: spine, spine: node, leaf: up, up: leaf}
    found = found_in("leaf-spine", hall, tmp_path)
    (odd,) = found["compute"]["carry_nothing"]
    assert odd == found["compute"]["each"][0]["id"]
    assert found["compute"]["sections"]["structure"]["bisection_gbps"] == Seen("leaf-spine", hall).least_cut() == 700
    assert f"  carry nothing, since no plan joins what they join: {odd}" in list_cost_lines(found)


def slots(hall: CabledHall, node: str, cage: str) -> list[Port]:
    """The ports of a cage of a node, one a plane."""
    return sorted(port for port in hall.sees if port[0] == node and port[1].startswith(f"{cage}/"))


def exchanged(hall: CabledHall, ones: list[Port], others: list[Port]) -> CabledHall:
    """The plugs in some ports are in some others, and the other way round."""
    for a, b in zip(ones, others, strict=True):
        far_a, far_b = hall.sees[a], hall.sees[b]
        hall.sees |= {a: far_b, b: far_a, far_a: b, far_b: a}
    return hall


def cut_cables(hall: CabledHall, leaf: str, many: int) -> CabledHall:
    """Pull the first cables of uplinks of a leaf, two links each."""

    def number(port: Port) -> object:
        return make_natural_key(port[1])

    ups = sorted((port for port, (far, _) in hall.sees.items() if port[0] == leaf and "spine" in far), key=number)
    for port in ups[: 2 * many]:
        hall.cut(*port)
    return hall


LEAF, OTHER_LEAF = "compute-leaf-p1-su01-pl1-01", "compute-leaf-p1-su02-pl1-01"


def test_a_dark_cable_takes_all_of_its_links(tmp_path: Path) -> None:
    """All 16 NICs of a leaf send to the other one by 16 uplinks, of which 2 of each cable are dark."""
    hall = cut_cables(CabledHall(cluster_of("twin")), LEAF, 3)
    found = found_in("twin", hall, tmp_path)["compute"]
    assert len(found["each"]) == 3
    ups = sum(port[0] == LEAF and "spine" in far for port, (far, _) in hall.sees.items())
    changed = {(row["what"], row["figure"]): (row["planned"], row["as_found"]) for row in found["changed"]}
    planned, as_found = changed["beyond the narrowest leaf", "Gb/s each"]
    assert as_found / planned == ups / 16 == 10 / 16
    assert found["sections"]["structure"]["bisection_gbps"] == Seen("twin", hall).least_cut()


@pytest.mark.parametrize(
    ("one", "other", "planes"),
    [
        ("p1-su01-n001", "p1-su01-n002", 2),
        ("p1-su01-n001", "p1-su02-n002", 2),
        ("p1-su01-n001", "p1-su02-n002", 1),
    ],
)
def test_nic_plugs_exchanged_between_nodes_carry_what_they_did(
    one: str, other: str, planes: int, tmp_path: Path
) -> None:
    """No network of one leaf pair knows the difference; in that of another unit the ranks are by its leaves."""
    plugs = (slots(CabledHall(cluster_of("twin")), node, "OSFP1")[:planes] for node in (one, other))
    hall = exchanged(CabledHall(cluster_of("twin")), *plugs)
    found, seen = found_in("twin", hall, tmp_path)["compute"], Seen("twin", hall)
    (alone,) = found["each"]
    assert alone["slower"] == found["together"]["slower"]
    assert (alone["cut_off"], found["carry_nothing"], found["left_out"]) == (0, [], 0)
    ranks, classes = len(seen.network.ranks), Counter[int]()
    for row in found["sections"]["structure"]["pairs"]:
        if row["place"] != "domain":
            classes[row["switches"]] += round(row["share"] * ranks * (ranks - 1))
    assert classes == seen.distances()
    assert found["sections"]["structure"]["bisection_gbps"] == seen.least_cut()
    if one[:7] == other[:7]:
        assert found["changed"] == []


def test_uplinks_exchanged_between_leaves_leave_fewer_paths(tmp_path: Path) -> None:
    """Of 4 links to each of 4 spines in two planes: 2 x 64 paths, and in one plane 2 x 6 + 6 x 2 + 2 x 16 instead."""
    hall = CabledHall(cluster_of("twin"))
    one, other = (
        sorted(port for port, far in hall.sees.items() if (port[0], far[0]) == (leaf, f"compute-spine-pl1-{spine}"))
        for leaf, spine in ((LEAF, "01"), (OTHER_LEAF, "02"))
    )
    hall = exchanged(hall, one[:2], other[:2])
    found = found_in("twin", hall, tmp_path)["compute"]
    changed = {(row["what"], row["figure"]): (row["planned"], row["as_found"]) for row in found["changed"]}
    for rail in ("same", "other"):
        assert changed[f"same pod, {rail} rail, by spine", "fewest paths"] == (128, 64 + 56)
    assert found["sections"]["structure"]["bisection_gbps"] == Seen("twin", hall).least_cut() == 28 * 400


def test_boxes_in_each_others_places_count_as_those_planned_there(tmp_path: Path) -> None:
    """A node takes its ranks to where it stands; a NIC that is dark there is that of the place."""
    hall, nodes = CabledHall(cluster_of("twin")), ("p1-su01-n001", "p1-su02-n001")
    one, other = (sorted(port for port in hall.sees if port[0] == node) for node in nodes)
    found = found_in("twin", exchanged(hall, one, other), tmp_path)["compute"]
    (alone,) = found["each"]
    assert alone["id"].startswith("exchange-")
    assert (alone["slower"], found["changed"]) == ({"all-reduce": 0, "all-to-all": 0}, [])
    hall.cut(nodes[0], "OSFP1/1").cut(nodes[0], "OSFP1/2")
    found = found_in("twin", hall, tmp_path)["compute"]
    assert [each["cut_off"] for each in found["each"]] == [0, 1]
    assert found["together"]["cut_off"] == 1


def test_an_uplink_in_a_spare_port_of_another_spine_counts_there(tmp_path: Path) -> None:
    hall = CabledHall(cluster_of("twin"))
    port = next(port for port, far in sorted(hall.sees.items()) if (port[0], far[0]) == (LEAF, "compute-spine-pl1-01"))
    spare = "compute-spine-pl1-02", "Ethernet40"
    assert spare not in hall.sees
    hall.cut(*port).sees.update({port: spare, spare: port})
    found, seen = found_in("twin", hall, tmp_path)["compute"], Seen("twin", hall)
    assert (found["carry_nothing"], found["together"]["cut_off"]) == ([], 0)
    paths = {row["switches"]: row["paths"] for row in found["sections"]["structure"]["pairs"] if "switches" in row}
    assert paths == seen.fewest_paths() == {1: 2, 3: 64 + 3 * 4 + 5 * 4 + 2 * 16}


def test_crossed_planes_of_a_nic_reach_nobody(tmp_path: Path) -> None:
    """Planes meet nowhere: a port of the one in a leaf of the other reaches no port of its own."""
    ports = slots(CabledHall(cluster_of("twin")), "p1-su01-n001", "OSFP1")
    hall = exchanged(CabledHall(cluster_of("twin")), ports[:1], ports[1:])
    found = found_in("twin", hall, tmp_path)["compute"]
    (alone,) = found["each"]
    assert alone["id"].startswith("crossed-")
    assert alone["slower"] == {"all-reduce": None, "all-to-all": None}
    assert found["left_out"] == 0
    assert Seen("twin", hall).distances()[None] == 2 * 24  # one rank and the 24 of other nodes, both ways


def test_a_neighbour_at_a_port_that_is_not_told_counts_as_planned(tmp_path: Path) -> None:
    hall = CabledHall(cluster_of("twin"))
    port = next(port for port in sorted(hall.sees) if port[0] == LEAF and "spine" in hall.sees[port][0])
    hall.cut(*port).sees[port] = OTHER_LEAF, ""
    found = found_in("twin", hall, tmp_path)
    assert (found["compute"]["left_out"], found["compute"]["each"], found["compute"]["changed"]) == (1, [], [])
    assert "  not told: 1 finding at ports of which too little was seen, which count as planned" in list_cost_lines(
        found
    )


@pytest.mark.slow
def test_findings_cost_alone_what_halls_of_one_of_them_do(tmp_path: Path) -> None:
    """A fibre of a NIC is out, and the other one of the same cable is in a leaf of the other unit."""
    node, other = "p1-su01-n001", "p1-su02-n001"

    def dark(hall: CabledHall) -> CabledHall:
        return hall.cut(*slots(hall, node, "OSFP2")[1])

    def moved(hall: CabledHall) -> CabledHall:
        return exchanged(hall, [(node, "OSFP2/1")], [(other, "OSFP2/1")])

    def narrow(hall: CabledHall) -> CabledHall:
        return cut_cables(hall, OTHER_LEAF, 1)

    together = found_in("twin", narrow(moved(dark(CabledHall(cluster_of("twin"))))), tmp_path)["compute"]["each"]
    told = {each["id"]: (each["slower"], each["cut_off"]) for each in together}
    for fault in (dark, moved, narrow):
        alone = found_in("twin", fault(CabledHall(cluster_of("twin"))), tmp_path)["compute"]["each"]
        assert told.items() >= {each["id"]: (each["slower"], each["cut_off"]) for each in alone}.items()
    assert len(told) == 3


def test_a_phase_is_found_as_a_phase(tmp_path: Path, fabricgen: Callable[..., Ran]) -> None:
    """At the phase four of the planes are there; a dark port of one of them is a quarter of a rank's."""
    hall = CabledHall("phased-planes")
    port = next(port for port, (far, _) in sorted(hall.sees.items()) if port[0].endswith("n001") and "pl1-" in far)
    dump = hall.cut(*port).csv(tmp_path / "hall.csv")
    words = ("--phase", "now", "--section", "structure", "--sizes", "8G", "--dump", dump)
    ran = fabricgen("analyze", BLUEPRINTS / "phased-planes.yaml", *words)
    assert ran.code == 0, ran.err
    assert "  together: all-reduce +33.3%, all-to-all +34.1%" in ran.out  # hashing has one path less
    assert "    bisection: Gb/s each" in ran.out
