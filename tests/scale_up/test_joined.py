"""Two tiers of scale-up: the published machines, and what is refused where switches have too few ports."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
import yaml

from fabricgen.blueprint.load import load_blueprint
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.build import build_design
from fabricgen.design.summary import summarize_design
from fabricgen.export.files import cables, devices, links
from fabricgen.export.files.endpoints import make_domain_column
from fabricgen.kernel.diagnostics import InputError
from tests.conftest import BLUEPRINTS, example_cluster
from tests.scale_up.domains import ends, rows


def switches_met(cluster: Cluster, name: str) -> dict[tuple[str, str], Counter[tuple[str, str]]]:
    """(device, switch in it) below -> links to each (device, switch in it) above."""
    met: dict[tuple[str, str], Counter[tuple[str, str]]] = {}
    for _, kind, a, a_port, b, b_port, _ in rows(cluster):
        if kind == name:
            below, above = (a, a_port.partition("/")[0]), (b, b_port.partition("/")[0])
            met.setdefault(below, Counter())[above] += 1
    return met


def test_nvl256_has_18_switches_and_2304_links_in_576_cables() -> None:
    """NVIDIA at Hot Chips 34: 20, 16, 16 and 20 links of a node's switches to the network, four to an OSFP cage."""
    cluster = example_cluster("nvl256")
    figures = summarize_design(cluster.design)["scale_up"]
    assert figures["nvlink"] == {
        "domains": 32,
        "accelerators": 256,
        "switches": 128,
        "links": 4608,
        "gbps_per_accelerator": 3600,
    }
    assert figures["nvl256"] == {
        "domains": 1,
        "accelerators": 256,
        "switches": 18,
        "links": 2304,
        "cables": 576,
        "gbps_per_accelerator": 1800,
    }
    assert sum(row[1] == "nvl256" for row in cables.make_table(cluster).rows()) == 576
    met = switches_met(cluster, "nvl256-h100")
    of_node = [sum(met["p1-su01-n007", f"asic{switch}"].values()) for switch in range(4)]
    assert of_node == [20, 16, 16, 20]
    assert all(set(counts.values()) == {4} for counts in met.values())
    # every node has four links to every switch above, whose ports are all in use
    for above in {above for counts in met.values() for above in counts}:
        assert sum(counts[above] for counts in met.values()) == 128
    # half of what the GPUs of a node have
    assert 72 * 200 * 2 == 8 * 3600


def test_cloudmatrix_384_has_336_and_112_switches_in_seven_planes_and_2688_cables() -> None:
    """besthub.dev, Inside Huawei Atlas 900A3 SuperPoD (CM384): 56 x 400G a node, 56 devices; arXiv 2506.12708."""
    cluster = example_cluster("cloudmatrix-384")
    figures = summarize_design(cluster.design)["scale_up"]
    assert (figures["ub"]["switches"], figures["ub-plane"]["switches"]) == (336, 112)
    assert (figures["ub-plane"]["links"], figures["ub-plane"]["cables"]) == (5376, 2688)
    assert figures["ub"]["accelerators"] == figures["ub-plane"]["accelerators"] == 384
    listed = [row for row in cables.make_table(cluster).rows() if row[1] == "ub-plane"]
    assert len(listed) == 2688
    assert {row[7] for row in listed} == {row[12] for row in listed} == {"sr8-50g-qsfp-dd-400g"}
    assert set(Counter(row[5] for row in listed).values()) == {56}
    assert len({(row[5], row[6]) for row in listed}) == len({(row[10], row[11]) for row in listed}) == 2688
    met = switches_met(cluster, "cloudmatrix-384")
    graph: nx.Graph = nx.Graph((below, above) for below, counts in met.items() for above in counts)
    planes = list(nx.connected_components(graph))
    assert sorted(len(plane) for plane in planes) == [48 + 16] * 7
    assert all(len(counts) == 16 and set(counts.values()) == {1} for counts in met.values())
    trays = [row for row in devices.make_table(cluster).rows() if row[1] == "ub-plane"]
    assert (len(trays), len({row[8] for row in trays})) == (56, 4)


def test_a_trn3_ultraserver_has_144_chips_at_a_switch_a_server_and_one_a_rack() -> None:
    """AWS Neuron, Amazon EC2 Trn3 Architecture: 36 servers of four chips, two second-level switches, links of chips."""
    cluster = example_cluster("trn3-ultraserver")
    figures = summarize_design(cluster.design)["scale_up"]
    counted = {name: (f["domains"], f["switches"], f["links"]) for name, f in figures.items()}
    assert counted == {"server": (72, 72, 72 * 16), "rack": (4, 4, 4 * 360), "ultra": (2, 0, 2 * 144)}
    found = ends(cluster)
    assert max(found.values()) == 1
    of_chip = [port for device, port in found if device == "p1-su01-n001" and port.startswith("gpu0/")]
    assert sorted(of_chip) == sorted(f"gpu0/neuron{n}" for n in (*range(9), 11, 12))
    between = [row for row in rows(cluster) if row[1] == "trn3-144"]
    # chips in corresponding places: server 1 of a rack and of the other, the same chip
    assert all(int(b[-3:]) - int(a[-3:]) == 18 for _, _, a, _, b, _, _ in between)
    assert all(a.partition("/")[0] == b.partition("/")[0] for _, _, _, a, _, b, _ in between)
    # jobs see the widest domain
    names = make_domain_column(cluster)
    assert set(names.read(0, len(names))) - {""} == {"ultra-p1-su01-rk01-rk02", "ultra-p1-su02-rk01-rk02"}


def test_nvl576_of_gb200_has_a_link_up_for_every_link_down() -> None:
    """NVIDIA, 2024: up to 576 GPUs, packages as the B200 of a GB200, in one NVLink domain of over 1 PB/s; racks of 36
    with nine switch trays of two ASICs of 72 ports (Multi-Node Tuning Guide). The second tier's wiring is derived.
    """
    cluster = example_cluster("nvl576")
    figures = summarize_design(cluster.design)["scale_up"]
    assert (figures["nvlink"]["domains"], figures["nvlink"]["switches"]) == (16, 16 * 18)
    assert figures["nvlink"]["accelerators"] == figures["nvl576"]["accelerators"] == 576
    assert figures["nvlink"]["links"] == figures["nvl576"]["links"] == 576 * 18 == 16 * 18 * 36
    assert (figures["nvl576"]["cables"], figures["nvl576"]["switches"]) == (10_368 // 4, 162)
    assert 2 * 576 * figures["nvl576"]["gbps_per_accelerator"] / 8 > 1_000_000  # GB/s both ways
    met = switches_met(cluster, "nvl576-gb200")
    assert len(met) == 288
    assert all(sorted(counts.values()) == [4] * 9 for counts in met.values())
    above = Counter(switch for counts in met.values() for switch, links in counts.items() for _ in range(links))
    assert len(above) == 162
    assert set(above.values()) == {64}  # of 72 ports
    graph: nx.Graph = nx.Graph((below, switch) for below, counts in met.items() for switch in counts)
    assert sorted(map(len, nx.connected_components(graph))) == [16 + 9] * 18
    assert max(ends(cluster).values()) == 1


RACKS = """
fabricgen: 1
name: nvl576
scalable_unit: {nodes: 144 x vr200-tray, racks: {nodes_per_rack: 18, type: nvl72-vr200}}
pods: {p1: {su: 1}}
omit: [OMIT]
scale_up:
  nvlink: {domain: FIRST, per: rack}
  nvl576: {domain: nvl576, per: pod, joins: nvlink}
fabrics: {oob: {protocol: ethernet, attach: bmc, tiers: {leaf: {switch: sn2201, per: rack}}}}
"""
TRAY = {
    "kind": "switch",
    "vendor": "made",
    "model": "made",
    "protocol": "nvlink",
    "asic": "made",
    "nos": ["nvos"],
    "source": "made for a test",
    "tag": "R",
}
ABOVE: dict[str, Any] = {
    "kind": "scale-up",
    "id": "nvl576",
    "name": "Eight racks",
    "shape": "joined",
    "joins": ["nvl72-made", "nvl72-vr200"],
    "link_gbps": 400,
    "lanes": 2,
    "link_name": "nvl",
    "switches": 144,
    "meets": [4],
    "links_per_switch": [18],
    "switch_ports": 144,
    "switches_per_tray": 4,
    "tray": "above",
    "backplane": False,
    "form_factor": "CPO",
    "source": "made for a test",
    "tag": "R",
}


@pytest.fixture
def racks(tmp_path: Path) -> Path:
    """A catalogue of eight racks of 72 packages, whose first switches have 144 ports, and a second tier of light."""
    from fabricgen.catalog.loader import Catalog

    first = Catalog().scale_up("nvl72-vr200").model_dump(mode="json", exclude_defaults=True)
    first |= {"id": "nvl72-made", "switch_ports": 144, "tray": "below", "kind": "scale-up", "any_node": True}
    cage = {"lanes": 2, "lane_gbps": 200, "breakouts": {"1": [400]}}
    profiles: dict[str, dict[str, Any]] = {
        "scale_up/nvl72-made": first,
        "scale_up/nvl576": ABOVE,
        "switches/below": TRAY
        | {"id": "below", "rack_units": 1, "cages": [{"count": 576, "form_factor": "backplane", **cage}]},
        "switches/above": TRAY
        | {"id": "above", "rack_units": 4, "cages": [{"count": 576, "form_factor": "CPO", **cage}]},
    }
    for name, profile in profiles.items():
        file = tmp_path / "catalog" / f"{name}.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(yaml.safe_dump(profile))
    return tmp_path


def build(place: Path, first: str, omit: str = "") -> Cluster:
    (place / "b.yaml").write_text(RACKS.replace("FIRST", first).replace("OMIT", omit))
    return build_cluster(build_design(load_blueprint(str(place / "b.yaml"), ())))


@pytest.mark.parametrize(("omit", "present"), [("", 8), ("p1/su-1/rack-3", 7)])
def test_nvl576_is_eight_racks_of_72_packages_over_a_second_tier_of_light(racks: Path, omit: str, present: int) -> None:
    """GTC 2026: eight Oberon racks of 72, the second tier optical. 576 counts packages, as NVL72 of 2026 does; the
    NVL576 of 2025 counted the dies of 144 packages. Ports of its switches are not published, and made here.
    """
    cluster = build(racks, "nvl72-made", omit)
    figures = summarize_design(cluster.design)["scale_up"]
    assert figures["nvlink"]["switches"] == 36 * present
    assert figures["nvl576"]["accelerators"] == 72 * present
    # a link up for every link down
    assert figures["nvl576"]["links"] == figures["nvlink"]["links"] == 2592 * present
    met = switches_met(cluster, "nvl576")
    assert len(met) == 36 * present
    assert all(sorted(counts.values()) == [18] * 4 for counts in met.values())
    assert max(ends(cluster).values()) == 1
    wired = [row for row in links.make_table(cluster).rows() if row[0] == "nvl576"]
    assert len(wired) == 2592 * present
    assert {row[3].rpartition("-")[0][-11:] for row in wired} == {f"rk0{n}-nvlink" for n in range(1, 9)} - (
        {"rk03-nvlink"} if omit else set()
    )


def test_switches_without_ports_left_are_refused_with_their_numbers(racks: Path) -> None:
    with pytest.raises(
        InputError,
        match=r"FG302.*switch 1 of a nvl72-vr200 domain has 72 ports, 72 of them for accelerators, and nvl576 takes 72",
    ):
        build(racks, "nvl72-vr200")


def test_a_second_tier_that_is_too_small_is_refused_with_its_numbers(tmp_path: Path) -> None:
    text = (BLUEPRINTS / "nvl256.yaml").read_text().replace("su: 1", "su: 2")
    (tmp_path / "catalog" / "scale_up").mkdir(parents=True)
    profile = yaml.safe_load((Path("fabricgen/catalog/data/scale_up/nvl256-h100.yaml")).read_text())
    profile |= {"id": "nvl512", "max_accelerators": 512}
    (tmp_path / "catalog" / "scale_up" / "nvl512.yaml").write_text(yaml.safe_dump(profile))
    (tmp_path / "b.yaml").write_text(text.replace("nvl256-h100", "nvl512"))
    with pytest.raises(InputError, match=r"64 switches below, with 4 links .* need 512 of its lanes, it has 256"):
        build_design(load_blueprint(str(tmp_path / "b.yaml"), ()))


def test_a_node_that_is_left_out_has_no_links_and_moves_no_others() -> None:
    """Ports above follow from places in the domain: those of the other 31 nodes stay."""
    whole = set(rows(example_cluster("nvl256")))
    design = build_design(load_blueprint(str(BLUEPRINTS / "nvl256.yaml"), ("omit=[p1/su-1/node-5]",)))
    assert summarize_design(design)["scale_up"]["nvl256"]["links"] == 2304 - 72
    left = set(rows(build_cluster(design)))
    assert left < whole
    assert {row[2] for row in whole - left} == {"p1-su01-n005"}


def test_a_further_unit_moves_no_link() -> None:
    """A CloudMatrix of eleven racks of nodes has the links that it has of twelve, but for those of the last."""
    small = build_design(load_blueprint(str(BLUEPRINTS / "cloudmatrix-384.yaml"), ("pods.p1.su=11",)))
    assert set(rows(build_cluster(small))) < set(rows(example_cluster("cloudmatrix-384")))
