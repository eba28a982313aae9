"""Plans of probes: every path is one of the fabric's, all links are told apart that can be, and there are few of them.

What could be told apart is counted over all paths between all ports, which the view lists by itself.
"""

from __future__ import annotations

import csv
import io
import zlib
from collections import defaultdict
from functools import cache
from ipaddress import ip_address
from itertools import permutations
from pathlib import Path

import pytest

from fabricgen.addons.probing.graph import make_graph
from fabricgen.addons.probing.paths import Planner, find_least
from fabricgen.addons.probing.plan import SRV6, plan_probes, write_tables
from fabricgen.api import ClusterView, compile_blueprint
from tests.conftest import example_cluster
from tests.probing.halls import plan_exactly
from tests.srv6.fabrics import FOUR_PLANES, build, nic_ports, paths_between

Direction = tuple[str, str]
SEEDED = "routing.load_balance.seeds=auto"
SMALL = (
    ("leaf-spine", "compute"),
    pytest.param("small-pair", "compute", marks=pytest.mark.slow),
    ("small-pair", "storage"),
    ("collapsed-pair", "inband"),
    pytest.param("collapsed-pair", "compute", marks=pytest.mark.slow),
    pytest.param("four-tier", "compute", marks=pytest.mark.slow),
)
NEAR = {"full-cluster": 1.06, "dual-tor": 1.01, "superpod-b200": 1.05, "two-site": 1.06, "four-tier": 1.2}
"""How far plans are from the fewest that there can be, where packets can be held to any path."""


def rows(text: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text.decode())))


def list_directions(row: dict[str, str]) -> frozenset[Direction]:
    """The directions of links that a probe crosses, by its row."""
    return frozenset((name, way) for way in ("up", "down") for name in row[way].split())


def group(sets: list[frozenset[Direction]]) -> set[frozenset[Direction]]:
    """Directions that are in the same of some sets."""
    seen: dict[Direction, set[int]] = defaultdict(set)
    for number, halves in enumerate(sets):
        for half in halves:
            seen[half].add(number)
    classes: dict[frozenset[int], set[Direction]] = defaultdict(set)
    for half, numbers in seen.items():
        classes[frozenset(numbers)].add(half)
    return {frozenset(halves) for halves in classes.values()}


def list_all_paths(view: ClusterView, fabric: str) -> list[frozenset[Direction]]:
    """Every shortest path between ports of two nodes over links of a fabric, as directions of these."""
    links, devices = view.links, view.devices
    of_nodes = (links.fabric == fabric) & (devices.kind != "switch")[links.a] & ~links.a_management
    sets, a_device, names = [], links.a_device, links.name
    for a, b in permutations(links.name[of_nodes].tolist(), 2):
        if a.partition(":")[0] != b.partition(":")[0]:
            for path in view.paths(a, b, fabric=fabric):
                if set(links.fabric[list(path.links)]) == {fabric}:
                    steps = zip(path.devices, path.links, strict=False)
                    sets.append(
                        frozenset((names[link], "up" if a_device[link] == at else "down") for at, link in steps)
                    )
    return sets


@pytest.mark.parametrize(("name", "fabric"), SMALL)
def test_all_is_told_apart_that_paths_can_tell_apart(name: str, fabric: str) -> None:
    view = ClusterView(example_cluster(name))
    possible = list_all_paths(view, fabric)
    table = [list_directions(row) for row in rows(write_tables([plan_exactly(view, fabric)])["probes.csv"])]
    assert set(table) <= set(possible)
    assert group(table) == group(possible)


@pytest.mark.parametrize("name", NEAR)
def test_few_probes_are_more_than_the_fewest(name: str) -> None:
    graph = make_graph(ClusterView(example_cluster(name)), "compute")
    planner = Planner(graph).make_paths()
    assert planner.count_open() == 0
    assert 1 <= len(planner.paths) / find_least(graph) < NEAR[name]


def test_spans_between_sites_are_crossed_in_both_directions() -> None:
    view = ClusterView(example_cluster("two-site"))
    spans = view.links.name[(view.links.fabric == "across") & ~view.links.a_management].tolist()
    table = rows(write_tables([plan_exactly(view, "compute")])["probes.csv"])
    crossed = set().union(*map(list_directions, table))
    assert {(name, way) for name in spans for way in ("up", "down")} <= crossed
    sites = view.devices.site
    sent = dict(zip(view.links.name.tolist(), sites[view.links.a].tolist(), strict=True))
    borders = {
        name for name, a, b in zip(view.links.name, view.links.a, view.links.b, strict=True) if sites[a] != sites[b]
    }
    assert len(borders) == 64
    for row in table:
        # packets leave the site of the sender over one span, in the direction that its end a is on
        over = {(name, way) for name, way in list_directions(row) if name in borders}
        assert len(over) == (sent[row["from"]] != sent[row["to"]])
        assert all((sent[name] == sent[row["from"]]) == (way == "up") for name, way in over)


@pytest.fixture(scope="module")
def four_planes(tmp_path_factory: pytest.TempPathFactory) -> ClusterView:
    file = tmp_path_factory.mktemp("planes") / "page.yaml"
    file.write_text(FOUR_PLANES)
    return compile_blueprint(file)


def test_packets_name_their_paths_by_srv6(four_planes: ClusterView) -> None:
    probes = plan_probes(four_planes, "compute")
    assert probes
    assert probes.way == SRV6
    tables = write_tables([probes])
    assert not rows(tables["classes.csv"])
    files = build(FOUR_PLANES)
    ports = {f"{port.node}:{port.port}": port for port in nic_ports(files)}
    turned = 0
    for row in rows(tables["probes.csv"]):
        a, b = ports[row["from"]], ports[row["to"]]
        if a.leaf == b.leaf:
            continue
        by_address = {path.address: path for path in paths_between(files, a, b)}
        path = by_address[row["address"]]
        assert row["up"].split()[1:] == [f"{device}:{port}" for device, (port,) in path.ports[:1]]
        turned += 1
    assert turned > len(probes.paths) / 2


@cache
def follow(name: str, source: str, target: str, port: int, seeds: tuple[tuple[str, int], ...]) -> tuple[Direction, ...]:
    """The way of packets whose switches hash by CRC-32: next hops by distance alone, in the order of links.csv."""
    view, seed = ClusterView(example_cluster(name, SEEDED)), dict(seeds)
    links, devices = view.links, view.devices
    row = {name: number for number, name in enumerate(links.name.tolist())}
    distance, at = view.distances(target, fabric="compute"), int(links.b[row[source]])
    ends = [ip_address(links.a_ip[row[end]].partition("/")[0]).packed for end in (source, target)]
    crc = zlib.crc32(b"".join(ends) + bytes([17]) + port.to_bytes(2, "big") + (862).to_bytes(2, "big"))
    way: list[Direction] = [(source, "up")]
    while distance[at] > 1:
        out = [
            (number, int(b if a == at else a), "up" if a == at else "down")
            for number, (a, b) in enumerate(zip(links.a.tolist(), links.b.tolist(), strict=True))
            if at in (a, b) and links.fabric[number] == "compute"
        ]
        hops = [hop for hop in out if distance[hop[1]] == distance[at] - 1 and devices.kind[hop[1]] == "switch"]
        by = 2 * seed[str(devices.tier[at])] % 32
        link, at, direction = hops[((crc >> by | crc << (32 - by)) & 0xFFFFFFFF) % len(hops)]
        way.append((str(links.name[link]), direction))
    return (*way, (target, "down"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["leaf-spine", "four-tier"])
def test_source_ports_lead_where_the_plan_says(name: str) -> None:
    view = ClusterView(example_cluster(name, SEEDED))
    probes = plan_probes(view, "compute", "crc32")
    assert probes
    seeds = (("leaf", 3), ("spine", 8), ("core", 13), ("super", 2))
    tiers = dict.fromkeys(str(tier) for tier in view.devices.tier[view.devices.kind == "switch"])
    named = tuple((tier, seed) for tier, (_, seed) in zip(sorted(tiers, key=_height(view)), seeds, strict=False))
    table = rows(write_tables([probes])["probes.csv"])
    for row in table[:: max(len(table) // 12, 1)]:
        way = follow(name, row["from"], row["to"], int(row["source_port"]), named)
        assert set(way) == list_directions(row)


def _height(view: ClusterView) -> object:
    height = make_graph(view, "compute").height
    return lambda tier: int(height[view.devices.tier == tier].max())


@pytest.mark.parametrize("model", ["crc32", ""])
def test_no_probe_of_a_round_disturbs_another(model: str) -> None:
    view = ClusterView(example_cluster("four-tier", SEEDED))
    probes = plan_probes(view, "compute", model)
    assert probes
    tables, stands_for = write_tables([probes]), dict[Direction, int]()
    classes: dict[str, list[Direction]] = defaultdict(list)
    for row in rows(tables["classes.csv"]):
        classes[row["class"] or row["link"]].append((row["link"], row["direction"]))
    for members in classes.values():
        stands_for |= dict.fromkeys(members, len(members))
    used: dict[tuple[str, Direction], int] = defaultdict(int)
    for row in rows(tables["probes.csv"]):
        for direction in list_directions(row):
            used[row["round"], direction] += 1
    # where packets are spread, one link stands for all, and as many probes as there are may be sent over them at once
    assert all(count <= stands_for.get(direction, 1) for (_, direction), count in used.items())
    rounds = {int(number) for number, _ in used}
    crossed: dict[Direction, int] = defaultdict(int)
    for (_, direction), count in used.items():
        crossed[direction] += count
    fewest = max(-(-count // stands_for.get(direction, 1)) for direction, count in crossed.items())
    assert rounds == set(range(1, max(rounds) + 1))
    assert fewest <= max(rounds) <= 2 * fewest


def test_links_that_hashes_spread_over_stand_together() -> None:
    view = ClusterView(example_cluster("leaf-spine"))
    probes = plan_probes(view, "compute")
    assert probes
    classes = defaultdict(set)
    for row in rows(write_tables([probes])["classes.csv"]):
        classes[row["class"]].add((row["link"].partition(":")[0], row["direction"]))
    assert len(classes) == 8
    assert all(len(leaves) == 1 for leaves in classes.values())


@pytest.mark.slow
def test_learnt_paths_are_chosen_from(tmp_path: Path) -> None:
    view = ClusterView(example_cluster("leaf-spine", SEEDED))
    links, seeds = view.links, (("leaf", 3), ("spine", 8))
    address = {name: ip.partition("/")[0] for name, ip in zip(links.name, links.b_ip, strict=True)}
    leaf = {name: ip.partition("/")[0] for name, ip in zip(links.name, links.a_ip, strict=True)}
    ends = links.name[view.devices.kind[links.a] != "switch"].tolist()
    lines = ["from,to,source_port,hops"]
    for number, (a, b) in enumerate(permutations(ends, 2)):
        if a.partition(":")[0] != b.partition(":")[0]:
            way = follow("leaf-spine", a, b, 50000 + number % 7, seeds)
            # each switch answers from the port that packets came in by
            hops = [address[name] if side == "up" else leaf[name] for name, side in way[:-1]]
            lines.append(f"{a},{b},{50000 + number % 7},{' '.join(hops)}")
    lines.append(f"{ends[0]},{ends[-1]},50009,* {links.b_device[0]}")
    file = tmp_path / "learnt.csv"
    file.write_text("\n".join(lines) + "\n")
    probes = plan_probes(view, "compute", learnt=file)
    assert probes
    assert probes.describe().endswith("1 learnt paths left out: a switch on them did not answer")
    tables = write_tables([probes])
    assert not rows(tables["classes.csv"])
    known = {tuple(line.split(",")[:3]) for line in lines}
    table = rows(tables["probes.csv"])
    assert {(row["from"], row["to"], row["source_port"]) for row in table} <= known
    assert len(table) < 1.7 * probes.least
    row = table[0]
    assert set(follow("leaf-spine", row["from"], row["to"], int(row["source_port"]), seeds)) == list_directions(row)
