"""InfiniBand files at work: a simulated subnet of the true size, a real opensm, and the graph that is read back.

Needs opensm, ibsim and ibnetdiscover, and takes some seconds; elsewhere it is skipped, in CI it must run.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import ib_lab
import networkx as nx
import pytest
from ib_lab import Graph, Subnet, parse, simulated

from fabricgen.cluster import Cluster
from fabricgen.export.files import links as links_part
from tests.conftest import require
from tests.render.rendered import cluster_of, files_of

pytestmark = pytest.mark.daemon


@pytest.fixture(scope="module", autouse=True)
def tools() -> None:
    """What the lab starts."""
    lacking = ib_lab.missing()
    require(f"{lacking}: apt-get install opensm ibsim-utils infiniband-diags" if lacking else "")


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a short name: sockets are called after it."""
    with tempfile.TemporaryDirectory(prefix="ib") as name:
        yield Path(name)


def of_fabric(name: str, fabric: str, *sets: str) -> dict[str, str]:
    """Files of a fabric by their name."""
    prefix = f"configs/{fabric}/"
    return {path.removeprefix(prefix): t for path, t in files_of(name, *sets).items() if path.startswith(prefix)}


def planned_links(cluster: Cluster, fabric: str, per_cage: int) -> set[frozenset[tuple[str, int]]]:
    """links.csv of a fabric as pairs of (device, port): ports of switches counted over the face, cage by cage."""
    columns = links_part.make_table(cluster).columns

    def end(device: str, port: str) -> tuple[str, int]:
        found = re.fullmatch(r"(\d+)/(\d+)", port)
        return (device, (int(found[1]) - 1) * per_cage + int(found[2])) if found else (f"{device} {port}", 1)

    rows = zip(*(columns[c] for c in ("fabric", "a_device", "a_port", "b_device", "b_port")), strict=True)
    return {frozenset((end(str(a), str(p)), end(str(b), str(q)))) for f, a, p, b, q in rows if f == fabric}


def unreached(graph: Graph, subnet: Subnet, hops: int = 8) -> list[str]:
    """Pairs of a leaf and an adapter that the forwarding tables do not join within so many hops, those of a tree."""
    tables = subnet.routes()
    lids = {graph.lids[node]: node for node in graph.names if node.startswith("H-")}
    leaves = {peer for (node, _), (peer, _) in graph.links.items() if node.startswith("H-")}
    lost = []
    for leaf in sorted(leaves):
        for lid, adapter in lids.items():
            at = leaf
            for _ in range(hops):
                if at == adapter or at.startswith("H-"):
                    break
                at = graph.links.get((at, tables[at.removeprefix("S-")].get(lid, 0)), ("H-nowhere", 0))[0]
            if at != adapter:
                lost.append(f"{graph.names[leaf]} -> {graph.names[adapter]}")
    return lost


def test_the_superpod_is_routed_as_a_fat_tree_and_is_what_links_csv_says(folder: Path) -> None:
    """The DGX SuperPOD B200 at its size: 1020 adapters, 48 switches."""
    files, cluster = of_fabric("superpod-b200", "compute"), cluster_of("superpod-b200")
    planned = parse(files["topology.net"])
    with simulated(files, folder) as subnet:
        log = subnet.route()
        found = parse(subnet.discover())
        assert unreached(found, subnet) == []
    assert "ftree tables configured on all switches" in log
    assert "Fabric topology has been identified as FatTree" in log
    assert "SUBNET UP" in log
    assert not re.search(r"ERR [0-9A-F]{4}|[Ff]alling back|PARSE", log)
    assert (len(found.names), len(found.links)) == (1068, 4088)
    assert found.named() == planned.named() == planned_links(cluster, "compute", 2)
    assert (found.links, found.names, found.guids) == (planned.links, planned.names, planned.guids)


def test_roots_that_are_real_are_taken_from_the_file(folder: Path) -> None:
    files = of_fabric("superpod-b200", "compute", "pods.p1.su=2")
    assert "\n# root_guid_file " in files["opensm.conf"]
    files["opensm.conf"] = files["opensm.conf"].replace("\n# root_guid_file ", "\nroot_guid_file ")
    with simulated(files, folder) as subnet:
        log = subnet.route()
    roots = len(re.findall(r"^0x", files["root-guids.conf"], re.M))
    assert f"Ranked {roots} valid root switches" in log
    assert "ftree tables configured on all switches" in log
    assert not re.search(r"ERR [0-9A-F]{4}", log)


def test_rails_that_never_meet_are_subnets_each_with_its_own_manager(folder: Path) -> None:
    files = of_fabric("superpod-b200-3tier", "compute", "pods.p1.count=2", "pods.p1.su=2")
    planned = parse(files["topology.net"])
    assert "is 8 subnets" in files["opensm.conf"]
    host = next(node for node, name in sorted(planned.names.items()) if name.startswith("compute-core-r3"))
    with simulated(files, folder, host) as subnet:
        log = subnet.route()
        found = parse(subnet.discover())
        assert unreached(found, subnet) == []
    assert "ftree tables configured on all switches" in log
    mine = {pair for pair in planned.named() if any("-r3-" in name for name, _ in pair)}
    assert found.named() == mine
    assert len(mine) * 8 == len(planned.named())


def test_nodes_above_the_lowest_tier_are_reached_too(folder: Path) -> None:
    """ftree takes no adapters of several ranks, and updn joins no two spines: the options ask for nue."""
    sets = ("fabrics.compute.extra.ufm.to=spine", "fabrics.compute.tiers.spine.count=18", "pods.p1.su=2")
    files = of_fabric("superpod-b200", "compute", *sets)
    assert "routing_engine nue\n" in files["opensm.conf"]
    with simulated(files, folder) as subnet:
        log = subnet.route()
        assert unreached(parse(subnet.discover()), subnet) == []
    assert "nue tables configured on all switches" in log


def test_uplinks_that_land_unequally_are_routed(folder: Path) -> None:
    """ftree wants equally many links between switches that meet: the options do not ask for it."""
    spine = "fabrics.compute.tiers.spine"
    files = of_fabric("superpod-b200", "compute", f"{spine}.spread=uneven", f"{spine}.count=12", "pods.p1.su=2")
    assert "routing_engine nue\n" in files["opensm.conf"]
    with simulated(files, folder) as subnet:
        log = subnet.route()
        assert unreached(parse(subnet.discover()), subnet) == []
    assert "nue tables configured on all switches" in log


@pytest.mark.parametrize(
    ("mesh", "count"),
    [
        ("{router: 1, su: {links: 2, spread: true}}", 4),
        ("{router: {links: 2, reach: 1}, su: {links: 2, reach: 1}}", 6),
    ],
    ids=["dragonfly", "torus"],
)
def test_switches_that_meet_within_a_tier_are_routed_without_loops_of_credits(
    folder: Path, mesh: str, count: int
) -> None:
    """Every adapter is reached from every switch, and no two links wait for each other (Dally and Seitz, 1987)."""
    router = "fabrics.compute.tiers.router"
    sets = (f"{router}.mesh={mesh}", f"{router}.count={count}", "scalable_unit.nodes=3 x dgx-h100", "pods.p1.su=6")
    files = of_fabric("dragonfly", "compute", *sets)
    assert "routing_engine nue\n" in files["opensm.conf"]
    with simulated(files, folder) as subnet:
        log = subnet.route()
        graph = parse(subnet.discover())
        assert unreached(graph, subnet, hops=len(graph.names)) == []  # nue may go round
        waiting = dependencies(graph, subnet)
    assert "nue tables configured on all switches" in log
    assert waiting.number_of_edges() > 0
    assert nx.is_directed_acyclic_graph(waiting)


def test_dfsssp_lacks_virtual_lanes_for_a_torus_that_nue_routes_on_one(folder: Path) -> None:
    """Why the options ask for nue: dfsssp takes as many lanes as it needs to part circles, and a torus of 6 x 6 needs
    nine of the eight there are; opensm then routes by hops alone, which may stop.
    """
    files = make_small_torus()
    options = files["opensm.conf"].replace("routing_engine nue\n", "routing_engine dfsssp\nqos TRUE\n")
    with simulated(files | {"opensm.conf": options}, folder) as subnet:
        log = subnet.route()
    assert "Not enough VLs available (avail=8, needed=9); Stopping dfsssp routing!" in log
    assert "minhop tables configured on all switches" in log


def test_gordon_is_routed_rail_by_rail_at_its_size(folder: Path) -> None:
    """Each rail of 64 switches and 1,088 adapters is a subnet: every pair is joined, and no link waits for itself."""
    files = of_fabric("torus-gordon", "compute")
    assert "routing_engine nue\n" in files["opensm.conf"]
    assert "is 2 subnets" in files["opensm.conf"]
    with simulated(files, folder) as subnet:
        log = subnet.route()
        graph = parse(subnet.discover())
        assert unreached(graph, subnet, hops=len(graph.names)) == []
        waiting = dependencies(graph, subnet)
    assert "nue tables configured on all switches" in log
    assert len(graph.names) == 64 + 1024 + 64
    assert waiting.number_of_edges() > 0
    assert nx.is_directed_acyclic_graph(waiting)


def make_small_torus() -> dict[str, str]:
    """The files of a torus of 6 x 6 switches, with two links of neighbours."""
    router, reach = "fabrics.compute.tiers.router", "{links: 2, reach: 1}"
    sets = (f"{router}.mesh={{router: {reach}, su: {reach}}}", f"{router}.count=6", "scalable_unit.nodes=3 x dgx-h100")
    return of_fabric("dragonfly", "compute", *sets, "pods.p1.su=6")


@pytest.mark.parametrize(
    ("size", "name", "built"),
    [
        ((4, 4, 4), r"-su(\d+)-r1-(\d+)$", "4 x 4 x 4 torus w/ 1664 links, 64 switches, 1088 CA ports"),
        ((6, 6, 1), r"-su(\d+)-(\d+)$", "6 x 6 x 1 torus w/ 290 links, 36 switches, 146 CA ports"),
    ],
    ids=["gordon", "6x6"],
)
def test_torus_2qos_finds_the_torus_that_is_wired(folder: Path, size: tuple[int, ...], name: str, built: str) -> None:
    """Another engine's eyes: from the neighbours of one switch torus-2QoS builds the torus, and its paths wait for each
    other in no circle on the lanes that it has for them (torus-2QoS(8): a lane for paths that cross the dateline of a
    link's dimension, between the last switch and the first, and one for others).
    """
    files = of_fabric("torus-gordon", "compute") if size[2] > 1 else make_small_torus()
    planned = parse(files["topology.net"])
    place: dict[str, tuple[int, ...]] = {}
    for node, label in planned.names.items():
        if found := re.search(name, label) if node.startswith("S-") else None:
            place[node] = (int(found[1]) - 1, *divmod(int(found[2]) - 1, size[2]))
    at = {coordinates: node.removeprefix("S-") for node, coordinates in place.items()}
    seed = [
        f"{axis}{sign}_link 0x{at[0, 0, 0]} 0x{at[tuple(far if d == dimension else 0 for d in range(3))]}"
        for dimension, axis in enumerate("xyz")
        for far, sign in ((1, "p"), (size[dimension] - 1, "m"))
        if far < size[dimension] > 1
    ]
    files["torus-2QoS.conf"] = "\n".join([f"torus {size[0]} {size[1]} {size[2]}", "portgroup_max_ports 18", *seed, ""])
    engine = "routing_engine torus-2QoS\nqos TRUE\ntorus_config /etc/opensm/torus-2QoS.conf\n"
    files["opensm.conf"] = files["opensm.conf"].replace("routing_engine nue\n", engine)
    rail_1 = (node for node, label in sorted(planned.names.items()) if label.endswith("HCA1"))
    with simulated(files, folder, next(rail_1, "")) as subnet:
        log = subnet.route()
        graph = parse(subnet.discover())
        assert unreached(graph, subnet) == []
        tables = {f"S-{guid}": table for guid, table in subnet.routes().items()}
    waiting: nx.DiGraph[tuple[str, int, bool]] = nx.DiGraph()
    for lid in {graph.lids[node] for node in graph.names if node.startswith("H-")}:
        for start in place:
            nx.add_path(waiting, list(list_lanes(graph, tables, place, start, lid)))
    assert f"Built {built}" in log
    assert "torus-2QoS tables configured on all switches" in log
    assert nx.is_directed_acyclic_graph(waiting)
    on_one_lane = nx.DiGraph((a[:2], b[:2]) for a, b in waiting.edges())
    # rings of four are short: no way of two links goes round the end
    assert nx.is_directed_acyclic_graph(on_one_lane) == (size[0] == 4)


def list_lanes(
    graph: Graph,
    tables: dict[str, dict[int, int]],
    place: dict[str, tuple[int, ...]],
    start: str,
    lid: int,
) -> Iterator[tuple[str, int, bool]]:
    """The links between switches on a path, by switch and port, and whether the path crosses the dateline of its
    dimension, which is its lane.
    """
    hops: list[tuple[str, int, int]] = []
    crossed: set[int] = set()
    while (far := graph.links[start, tables[start][lid]][0]) in place:
        dimension = next(d for d in range(3) if place[start][d] != place[far][d])
        step = abs(place[start][dimension] - place[far][dimension])
        crossed |= {dimension} if step > 1 else set()
        hops.append((start, tables[start][lid], dimension))
        start = far
    yield from ((switch, port, dimension in crossed) for switch, port, dimension in hops)


def dependencies(graph: Graph, subnet: Subnet) -> nx.DiGraph[tuple[str, int]]:
    """Which link, by the switch and port that sends on it, a packet may hold while it waits for which other."""
    tables = subnet.routes()
    waiting: nx.DiGraph[tuple[str, int]] = nx.DiGraph()
    lids = [graph.lids[node] for node in graph.names if node.startswith("H-")]
    for guid, table in tables.items():
        for lid in lids:
            port = table.get(lid, 0)
            far = graph.links.get((f"S-{guid}", port), ("", 0))[0]
            if far.startswith("S-"):
                beyond = tables[far.removeprefix("S-")].get(lid, 0)
                if graph.links.get((far, beyond), ("", 0))[0].startswith("S-"):
                    waiting.add_edge((f"S-{guid}", port), (far, beyond))
    return waiting


def test_a_single_tier_is_routed(folder: Path) -> None:
    golden = Path(__file__).resolve().parents[1] / "golden" / "managed" / "expected" / "configs" / "compute"
    files = {file.name: file.read_text() for file in golden.iterdir()}
    with simulated(files, folder) as subnet:
        log = subnet.route()
        assert unreached(parse(subnet.discover()), subnet) == []
    assert "nue tables configured on all switches" in log


def test_swapped_cables_are_noticed(folder: Path) -> None:
    """Two cables of different rails swapped at the leaf: the graph that is read back is another one."""
    files, cluster = of_fabric("superpod-b200", "compute", "pods.p1.su=2"), cluster_of("superpod-b200", "pods.p1.su=2")
    planned = parse(files["topology.net"])
    ends = [node for node, name in planned.names.items() if name in ("p1-su01-n001 OSFP4P2", "p1-su01-n001 OSFP3P2")]
    (one, two), (near, far) = ends, [planned.links[node, 1] for node in ends]
    text, between = files["topology.net"], "\0"
    for a, b in ((one, two), (two, one)):  # each leaf has the other adapter ...
        text = text.replace(f'\t"{a}"[1]', f'\t"{between}{b}"[1]')
    for a, b in ((near, far), (far, near)):  # ... and each adapter the other leaf
        text = _at_adapter(text, two if a == far else one, b[0], b[1])
    with simulated(files | {"topology.net": text.replace(between, "")}, folder) as subnet:
        subnet.route()
        found = parse(subnet.discover()).named()
    wanted = planned_links(cluster, "compute", 2)
    assert len(found) == len(wanted)
    assert len(found - wanted) == len(wanted - found) == 2


def _at_adapter(text: str, adapter: str, leaf: str, port: int) -> str:
    """A topology whose adapter hangs on another port."""
    head, mark, tail = text.partition(f'Ca\t1 "{adapter}"')
    assert mark
    return head + mark + re.sub(r'"S-[0-9a-f]{16}"\[\d+\]', f'"{leaf}"[{port}]', tail, count=1)


def tokens(options: str, folder: Path) -> list[str]:
    """What opensm says of options that it does not know."""
    (folder / "opensm.conf").write_text(options)
    ran = subprocess.run(
        ["opensm", "-F", "opensm.conf", "-c", "template.conf"],
        env=os.environ | {"PATH": os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin"))},
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    assert "Loading Cached Option:routing_engine" in ran.stdout
    return re.findall(r"Unrecognized token: \"(.*)\"", ran.stdout)


@pytest.mark.parametrize("file", ["opensm.conf", "opensm-standby.conf"])
@pytest.mark.parametrize("name", ["superpod-b200", "full-cluster", "superpod-b200-3tier", "nvl72-gb200"])
def test_opensm_knows_every_option(name: str, file: str, folder: Path) -> None:
    files = of_fabric(name, "compute")
    if file in files:
        assert tokens(files[file], folder) == []
        assert tokens(files[file] + "sharp_enabled 2\n", folder) == ["sharp_enabled"]


def test_the_standby_takes_the_same_routes(folder: Path) -> None:
    files = of_fabric("superpod-b200", "compute", "pods.p1.su=2")
    files["opensm.conf"] = files["opensm-standby.conf"]
    with simulated(files, folder) as subnet:
        log = subnet.route()
    assert "ftree tables configured on all switches" in log
    assert not re.search(r"ERR [0-9A-F]{4}", log)


def test_limited_members_are_nodes_alone(folder: Path) -> None:
    """P_Keys as ports have them: 0xffff for a full member of the default partition, 0x7fff for a limited one."""
    files = of_fabric("superpod-b200", "compute", "pods.p1.su=2", "fabrics.compute.default_partition=limited")
    planned = parse(files["topology.net"])
    host = next(node for node, name in planned.names.items() if name.startswith("ufm-1 "))
    with simulated(files, folder, host) as subnet:
        log = subnet.route()
        lids = {node: lid for node, lid in parse(subnet.discover()).lids.items() if lid}
        node = next(node for node in lids if node.startswith("H-") and node != host)
        keys = [subnet.run("smpquery", "pkeys", str(lids[at]), "1") for at in (node, host)]
    assert not re.search(r"ERR [0-9A-F]{4}|PARSE", log)
    assert [re.findall(r"0x[7f]fff", text) for text in keys] == [["0x7fff"], ["0xffff"]]
