"""The families of Clos networks in `blueprints/`: published or hand-derived counts, and where every link goes."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

import pytest

from fabricgen.blueprint.load import load_blueprint
from fabricgen.design.build import build_design
from fabricgen.design.summary import summarize_design
from fabricgen.export.files import links
from tests.conftest import BLUEPRINTS, EXAMPLES, example_cluster, example_design


class Row(NamedTuple):
    """Counts of one fabric of a blueprint; links in the order node-leaf, leaf-spine and so on."""

    name: str
    sets: tuple[str, ...]
    accelerators: int
    fabric: str
    switches: dict[str, int]
    links: tuple[int, ...]


TABLE = [
    # 16 racks of 64 GPUs; a leaf has 64 down and 64 up, 4 to each spine
    Row("top-of-rack", (), 1024, "compute", {"leaf": 16, "spine": 16}, (1024, 1024)),
    # by the blueprint's figures: 16 ToRs of 60 uplinks a segment, 60 aggregation switches of 8 a pod and plane
    Row("dual-tor", (), 4352, "compute", {"tor": 64, "agg": 240, "core": 16}, (8704, 3840, 1920)),
    Row(
        "dual-tor",
        ("pods.p1.su=15",),
        2 * 15 * 136 * 8,
        "compute",
        {"tor": 2 * 240, "agg": 2 * 120, "core": 16},
        (2 * 15 * 136 * 16, 2 * 240 * 60, 2 * 120 * 8),
    ),
    Row("rail-only", (), 512, "compute", {"leaf": 8}, (512,)),
    # a unit has 32 x 8 ports a plane, a leaf takes them with as many uplinks: 8 units x 8 planes, spines of 512 ports
    Row("multi-plane", ("pods.p1.su=8",), 2048, "compute", {"leaf": 64, "spine": 32}, (16384, 16384)),
    Row("multi-plane", ("pods.p1.su=4",), 1024, "compute", {"leaf": 32, "spine": 16}, (8192, 8192)),
    # DGX SuperPOD B200, the rows of 16, 32 and 64 scalable units
    Row("superpod-b200-3tier", (), 4096, "compute", {"leaf": 128, "spine": 128, "core": 64}, (4096,) * 3),
    Row(
        "superpod-b200-3tier",
        ("pods.p1.count=8",),
        8192,
        "compute",
        {"leaf": 256, "spine": 256, "core": 128},
        (8192,) * 3,
    ),
    Row(
        "superpod-b200-3tier",
        ("pods.p1.count=16",),
        16384,
        "compute",
        {"leaf": 512, "spine": 512, "core": 256},
        (16384,) * 3,
    ),
    Row("collapsed-pair", (), 64, "compute", {"leaf": 2}, (64, 4)),
    Row("collapsed-pair", (), 64, "storage", {}, (8 * 2 + 2 * 2,)),
    Row("collapsed-pair", (), 64, "inband", {}, (8 * 2 + 2 * 2 + 2 * 2,)),
    Row("rail-groups", (), 512, "compute", {"leaf": 8, "spine": 8}, (512, 512)),
    Row("end-of-row", (), 1024, "compute", {"leaf": 32, "spine": 16}, (1024, 1024)),
    Row("end-of-row", (), 1024, "frontend", {"leaf": 4, "spine": 2}, (256, 128)),
    # 25,000 NICs of eight rails; 391 arrays of eight leaves with 64 uplinks; 49 pods of 64 spines with 64 uplinks
    Row(
        "colossus-200k",
        ("name=colossus-200k",),
        200000,
        "compute",
        {"leaf": 3128, "spine": 3136, "core": 2048},
        (200000, 3128 * 64, 3136 * 64),
    ),
    # the same with cores that need not divide the uplinks: 25 for each of 64 spine numbers, where 49 x 64 / 128 = 24.5
    # have the ports; five tiers' worth of switches, 5N/R = 7,812 (Al-Fares et al., SIGCOMM 2008), is 7,864 then
    Row(
        "colossus-200k",
        (
            "name=colossus-200k",
            "fabrics.compute.tiers.core.count=null",
            "fabrics.compute.tiers.core.spread=uneven",
        ),
        200000,
        "compute",
        {"leaf": 3128, "spine": 3136, "core": 1600},
        (200000, 3128 * 64, 3136 * 64),
    ),
    Row(
        "full-cluster",
        (),
        1152,
        "compute",
        {"leaf": 48, "spine": 24},
        (288 * 4 + 4, 48 * 24),
    ),
    Row(
        "full-cluster",
        (),
        1152,
        "inband",
        {"leaf": 4, "spine": 2, "border": 2},
        (288 * 2 + 2 * 2 + 5 * 2, 4 * 2, 4 * 76, 2 * 4),
    ),
    # BMCs, 8 power shelves a rack, 36 extra devices, 9 switch trays a rack, 48 + 24 + 8 + 4 + 4 + 2 + 2 switches
    Row("full-cluster", (), 1152, "oob", {"leaf": 32, "spine": 2}, (288 + 128 + 35 + 144 + 92, 64)),
    Row(
        "four-tier",
        (),
        0,
        "compute",
        {"leaf": 16, "agg": 16, "core": 8, "super-spine": 8},
        (64, 16 * 4, 16 * 4, 8 * 8),
    ),
    Row("modular-spine", (), 1024, "compute", {"leaf": 32, "spine": 4}, (1024, 1024)),
    Row("modular-spine", ("pods.p1.su=16",), 4096, "compute", {"leaf": 128, "spine": 4}, (4096, 4096)),
    Row("mixed-speeds", (), 256, "compute", {"leaf": 8, "spine": 4}, (256 + 16, 8 * 20)),
    Row("mixed-speeds", (), 256, "inband", {}, (64 + 8,)),
    Row("nic-modes", (), 512, "compute", {"leaf": 16, "spine": 16}, (1024, 1024)),
    Row("nic-modes", ("fabrics.compute.nic=1x800",), 512, "compute", {"leaf": 16, "spine": 16}, (512, 512)),
]


@pytest.mark.parametrize("row", TABLE, ids=lambda r: "-".join([r.name, r.fabric, *r.sets]))
def test_counts(row: Row) -> None:
    figures = summarize_design(build_design(load_blueprint(str(BLUEPRINTS / f"{row.name}.yaml"), row.sets)))
    fabric = figures["fabrics"][row.fabric]
    assert figures["accelerators"] == row.accelerators
    assert fabric["switches"] == row.switches
    assert tuple(fabric["links"].values()) == row.links


def wired(name: str, *sets: str) -> list[dict[str, str]]:
    """The links of a blueprint as links.csv has them."""
    table = links.make_table(example_cluster(name, *sets))
    return [dict(zip(table.columns, map(text, row), strict=True)) for row in table.rows()]


def text(value: object) -> str:
    """A value as the list has it."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def tiers_of(name: str, *sets: str) -> dict[str, str]:
    """Tier of every switch by its name, `node` for the rest."""
    cluster = example_cluster(name, *sets)
    found = dict.fromkeys(cluster.names, "node")
    for cls in cluster.plan.devices.classes:
        if cls.tier:
            found |= dict.fromkeys(cluster.names[cls.rows], cls.tier)
    return found


def met(name: str, lower: str, upper: str, fabric: str = "compute", *sets: str) -> dict[str, Counter[str]]:
    """How many links each switch of a tier has to each switch of the one above."""
    tier, found = tiers_of(name, *sets), defaultdict(Counter)
    for row in wired(name, *sets):
        if row["fabric"] == fabric and (tier[row["a_device"]], tier[row["b_device"]]) == (lower, upper):
            found[row["a_device"]][row["b_device"]] += 1
    return found


def node_ports(name: str, fabric: str = "compute", *sets: str) -> dict[str, dict[str, str]]:
    """Switch of every node port, by node."""
    tier, found = tiers_of(name, *sets), defaultdict(dict)
    for row in wired(name, *sets):
        if row["fabric"] == fabric and tier[row["a_device"]] == "node":
            found[row["a_device"]][row["a_port"]] = row["b_device"]
    return found


@pytest.mark.tenth
@pytest.mark.parametrize("name", EXAMPLES)
def test_lower_switches_meet_the_same_upper_ones_equally(name: str) -> None:
    """Whoever meets one switch of a group meets all of it, by as many links each."""
    design, tier, cluster = example_design(name), tiers_of(name), example_cluster(name)
    for fabric in design.fabrics:
        for lower in fabric.tiers:
            if lower.uplink is None:
                continue
            own = set(cluster.names[cluster.plan.devices.find_tier(lower.key).rows])
            upper = design.tier(lower.uplink.upper)
            joined = met(name, lower.name, upper.name, lower.uplink.fabric)
            found = {low: counter for low, counter in joined.items() if low in own}
            assert len(found) == lower.switches
            assert {len(c) for c in found.values()} == {lower.uplink.upper_groups * lower.uplink.upper_count}
            shares = {count for counter in found.values() for count in counter.values()}
            assert max(shares) - min(shares) == lower.uplink.uneven
            assert {tier[u] for counter in found.values() for u in counter} == {upper.name}
            sets = {frozenset(counter) for counter in found.values()}
            assert all(a == b or not a & b for a in sets for b in sets)


# blueprints that keep a reserve and state their upper counts, and one unit more than they have
GROWING = [
    ("top-of-rack", 5),
    ("dual-tor", 3),
    ("rail-only", 5),
    ("rail-groups", 5),
    ("end-of-row", 3),
    ("modular-spine", 5),
    ("nic-modes", 3),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "su"), GROWING, ids=[name for name, _ in GROWING])
def test_growth_within_the_reserve_moves_no_link(name: str, su: int) -> None:
    before = {tuple(row.values()) for row in wired(name)}
    after = {tuple(row.values()) for row in wired(name, f"pods.p1.su={su}")}
    assert before < after


@pytest.mark.tenth
@pytest.mark.parametrize("name", EXAMPLES)
def test_no_port_has_two_links(name: str) -> None:
    ends = Counter((row[f"{end}_device"], row[f"{end}_port"]) for row in wired(name) for end in "ab")
    assert max(ends.values()) == 1


def test_top_of_rack_cables_stay_in_the_rack() -> None:
    for node, ports in node_ports("top-of-rack").items():
        (leaf,) = set(ports.values())
        unit, number = node.rsplit("-n", 1)
        assert leaf == f"compute-leaf-{unit}-rk{(int(number) - 1) // 8 + 1:02d}-01"


def test_both_ports_of_an_hpn_nic_go_to_the_tors_of_its_rail() -> None:
    for node, ports in node_ports("dual-tor").items():
        unit = node.rsplit("-", 2)[0]
        wanted = {f"NIC{r}P{p}": f"compute-tor-{unit}-r{r}-pl{p}-01" for r in range(1, 9) for p in (1, 2)}
        assert ports == wanted


def test_hpn_tors_meet_the_60_aggregation_switches_of_their_pod_and_plane() -> None:
    for tor, counter in met("dual-tor", "tor", "agg").items():
        pod, plane = tor.split("-")[2], tor.split("-")[5]
        assert counter == {f"compute-agg-{pod}-{plane}-{i:02d}": 1 for i in range(1, 61)}
    for agg, counter in met("dual-tor", "agg", "core").items():
        assert counter == {f"compute-core-{agg.split('-')[3]}-{i:02d}": 1 for i in range(1, 9)}


def test_hpn_is_oversubscribed_15_to_1_towards_the_core() -> None:
    sets = ("pods.p1.su=15",)
    ratios = summarize_design(example_design("dual-tor", *sets))["fabrics"]["compute"]["oversubscription"]
    assert ratios == {"tor": 1.1333, "agg": 15}
    (tor, agg, _) = example_design("dual-tor", *sets).fabric("compute").tiers
    assert (tor.downs[0].count, tor.up and tor.up.count) == (136, 60)
    assert (agg.downs[0].count, agg.up and agg.up.count) == (120, 8)


def test_rail_only_rails_never_meet() -> None:
    for ports in node_ports("rail-only").values():
        assert sorted(ports.values()) == [f"compute-leaf-r{i}-01" for i in range(1, 9)]
    assert {row["b_device"][:12] for row in wired("rail-only") if row["fabric"] == "compute"} == {"compute-leaf"}


def test_rail_groups_split_odd_and_even_nics() -> None:
    for node, ports in node_ports("rail-groups").items():
        unit = node.rsplit("-", 1)[0]
        assert ports == {f"NIC{i}": f"compute-leaf-{unit}-rg{2 - i % 2}-01" for i in range(1, 9)}


def test_end_of_row_nodes_take_the_leaves_of_a_rail_in_turn() -> None:
    for node, ports in node_ports("end-of-row").items():
        unit, number = node.rsplit("-n", 1)
        leaf = 2 - int(number) % 2
        assert ports == {f"NIC{i}": f"compute-leaf-{unit}-r{i}-{leaf:02d}" for i in range(1, 9)}


@pytest.mark.slow
def test_each_nic_has_a_port_in_each_of_eight_planes() -> None:
    for node, ports in node_ports("multi-plane").items():
        unit = node.rsplit("-", 1)[0]
        for port, leaf in ports.items():
            assert leaf == f"compute-leaf-{unit}-pl{port[-1]}-01"
        assert len(ports) == 64
    for leaf, counter in met("multi-plane", "leaf", "spine", "compute", "pods.p1.su=8").items():
        assert counter == {f"compute-spine-{leaf.split('-')[4]}-{i:02d}": 64 for i in range(1, 5)}


def test_three_tier_superpod_pods_are_joined_by_rail() -> None:
    for leaf, counter in met("superpod-b200-3tier", "leaf", "spine").items():
        _, _, pod, _, rail, _ = leaf.split("-")
        assert counter == {f"compute-spine-{pod}-{rail}-{i:02d}": 8 for i in range(1, 5)}
    for spine, counter in met("superpod-b200-3tier", "spine", "core").items():
        rail = spine.split("-")[3]
        assert counter == {f"compute-core-{rail}-{i:02d}": 4 for i in range(1, 9)}


def test_a_collapsed_pair_shares_every_node() -> None:
    for fabric, each in (("compute", 4), ("storage", 1), ("inband", 1)):
        for ports in node_ports("collapsed-pair", fabric).values():
            assert Counter(ports.values()) == {"compute-leaf-01": each, "compute-leaf-02": each}
    peers = [
        row for row in wired("collapsed-pair") if row["b_device"] == "compute-leaf-02" and "leaf" in row["a_device"]
    ]
    assert [(row["a_device"], row["speed_gbps"]) for row in peers] == [("compute-leaf-01", "800")] * 4


def test_four_tiers_join_switches_of_one_number() -> None:
    for agg, counter in met("four-tier", "agg", "core").items():
        number = int(agg[-2:])
        assert counter == {f"compute-core-agg{number}-{i:02d}": 2 for i in (1, 2)}
    for core, counter in met("four-tier", "core", "super-spine").items():
        assert counter == {f"compute-super-spine-core{int(core[-2:])}-{i:02d}": 2 for i in range(1, 5)}


def test_a_chassis_names_ports_by_slot_and_orders_its_line_cards() -> None:
    ports = {row["b_port"] for row in wired("modular-spine") if row["b_device"] == "compute-spine-01"}
    assert len(ports) == 256
    assert {port.split("/")[0] for port in ports} == {f"Ethernet{slot}" for slot in range(3, 19)}


def test_a_mixed_leaf_keeps_each_speed_on_cages_of_its_own() -> None:
    cages: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in wired("mixed-speeds"):
        for end in "ab":
            if "-leaf-" in row[f"{end}_device"]:
                cage = int(row[f"{end}_port"].removeprefix("Ethernet")) // 8 + 1
                cages[row[f"{end}_device"]][cage].add(row["speed_gbps"])
    assert len(cages) == 8
    for by_cage in cages.values():
        assert all(len(speeds) == 1 for speeds in by_cage.values())
        assert {c for c, speeds in by_cage.items() if speeds == {"800"}} == set(range(45, 65))
        assert all(c <= 40 for c, speeds in by_cage.items() if speeds != {"800"})
    assert {s for by_cage in cages.values() for speeds in by_cage.values() for s in speeds} == {
        "100",
        "200",
        "400",
        "800",
    }
    for ports in node_ports("mixed-speeds", "inband").values():
        assert len(set(ports.values())) == 2


def test_the_full_cluster_leaves_the_hall_through_its_borders() -> None:
    ports = node_ports("full-cluster", "inband")
    for device in ("fw-a", "fw-b", "isp-1", "isp-2"):
        assert ports[device] == {"port1": "inband-border-01", "port2": "inband-border-02"}
    for counter in met("full-cluster", "border", "spine", "inband").values():
        assert counter == {"inband-spine-01": 2, "inband-spine-02": 2}


def test_everything_with_a_management_port_is_on_the_out_of_band_network() -> None:
    cluster = example_cluster("full-cluster")
    reached = {row["a_device"] for row in wired("full-cluster") if row["fabric"] == "oob"}
    own = {name for name in cluster.names if name.startswith("oob-")}
    outside = {"isp-1", "isp-2"}
    assert reached - own == set(cluster.names) - own - outside
    shelves = [name for name in reached if "-shelf-" in name]
    assert len(shelves) == 16 * 8


@pytest.mark.slow
def test_the_largest_example_is_counted_without_expansion(tmp_path: Path, fabricgen) -> None:
    blueprint = BLUEPRINTS / "colossus-200k.yaml"
    assert fabricgen("build", blueprint, "-o", tmp_path / "out", "--only", "summary").code == 0
    built = json.loads((tmp_path / "out" / "summary.json").read_text())
    shown = json.loads(fabricgen("show", blueprint, "--format", "json").out)
    assert built["fabrics"] == shown["fabrics"]
    assert (built["nodes"], built["accelerators"], built["findings"]["error"]) == (25000, 200000, 0)
    assert sum(built["fabrics"]["compute"]["switches"].values()) == 8312
