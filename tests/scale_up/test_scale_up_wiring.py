"""Scale-up links in the lists: across racks, units and pods, with nodes omitted, and with kinds of one's own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from fabricgen.blueprint.load import load_blueprint
from fabricgen.cluster import build_cluster
from fabricgen.design.build import build_design
from fabricgen.design.summary import summarize_design
from fabricgen.export.files import cables, devices, links
from fabricgen.kernel import discovery
from fabricgen.kernel.diagnostics import InputError
from tests.conftest import EXAMPLES, example_cluster
from tests.scale_up.domains import blueprint, ends, rows

TRAY = "accelerator-tray"
CASES = {
    "rack": blueprint("ualink-200g", TRAY, 8, "per: rack", per_rack=4, omit="p1/su-1/node-2"),
    "empty rack": blueprint("ualink-200g", TRAY, 8, "per: rack", per_rack=4, omit="p1/su-1/rack-2"),
    "two racks": blueprint("ualink-200g", TRAY, 8, "per: rack, racks: 2", per_rack=2, omit="p1/su-1/rack-2"),
    "unit": blueprint("esun-51t", TRAY, 6, "per: su", per_rack=4, su=3, omit="p1/su-2/node-5"),
    "empty unit": blueprint("esun-51t", TRAY, 6, "per: su", per_rack=4, su=3, omit="p1/su-2"),
    "pod": blueprint("esun-102t", TRAY, 4, "per: pod", su=3, omit="p1/su-3/node-*"),
    "cluster": blueprint("ualink-200g-x1", TRAY, 4, "per: cluster", su=3, omit="p1/su-1/node-1"),
    "mesh of nodes": blueprint("full-mesh", TRAY, 4, "per: su", su=2, omit="p1/su-1/node-3"),
    "node": blueprint("mi300x-8", "mi300x-8", 4, omit="p1/su-1/node-3"),
    "cubes": blueprint("tpu-v4-pod", "tpu-v4", 16, "per: pod", su=2, omit="p1/su-1/node-7"),
    "ring": blueprint("trn2-64", "trn2-48xl", 4, "per: rack, racks: 2", per_rack=2, omit="p1/su-1/node-2"),
    "nvl72": blueprint("nvl72-gb200", "gb200-tray", 36, "per: rack", per_rack=18, omit="p1/su-1/node-20"),
}


@pytest.mark.parametrize("case", CASES)
def test_counts_of_the_design_are_counts_of_the_lists(case: str, design_of) -> None:
    design = design_of(CASES[case])
    cluster = build_cluster(design)
    figures = summarize_design(design)["scale_up"]["up"]
    found = rows(cluster)
    assert len(found) == figures["links"]
    assert len({row[0] for row in found}) == figures["domains"]
    assert max(ends(cluster).values()) == 1
    assert figures["accelerators"] == summarize_design(design)["accelerators"]
    trays = [row for row in devices.make_table(cluster).rows() if row[2] == "switch-tray"]
    profile = design.scale_up[0].profile
    assert len(trays) * max(1, profile.switches_per_tray) == (figures["switches"] if profile.tray else 0)


@pytest.mark.parametrize("case", CASES)
def test_links_that_leave_a_chassis_are_in_links_csv_and_cabled_or_in_a_backplane(case: str, design_of) -> None:
    cluster = build_cluster(design_of(CASES[case]))
    between = [row for row in rows(cluster) if row[2] != row[4]]
    listed = [row for row in links.make_table(cluster).rows() if row[0] == "up"]
    assert {row[2:6] for row in between} == {(r[3], r[4], r[6], r[7]) for r in listed}
    backplane = cluster.design.scale_up[0].profile.backplane
    assert all(bool(row[2]) != backplane for row in listed)
    ordered = [row for row in cables.make_table(cluster).rows() if row[1] == "up"]
    assert len(ordered) == (0 if backplane else len(listed))
    for row in ordered:
        assert row[2]
        assert row[4] > 0
        assert row[6].startswith("gpu")


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_hold_what_they_count(name: str) -> None:
    cluster = example_cluster(name)
    counted = sum(s["links"] for s in summarize_design(cluster.design)["scale_up"].values())
    assert len(rows(cluster)) == counted


def test_circuit_switches_take_fibre_without_a_transceiver() -> None:
    table = [row for row in cables.make_table(example_cluster("tpu-torus")).rows() if "-ici-" in row[10]]
    assert len(table) == 6144
    assert all(row[7] and not row[12] for row in table)


def test_trays_of_two_racks_stand_in_both() -> None:
    cluster = example_cluster("ualink-pod")
    trays = [row for row in devices.make_table(cluster).rows() if row[2] == "switch-tray"]
    assert [row[0] for row in trays][:8] == [f"p1-su01-rk0{1 + i // 4}-ualink-0{i + 1}" for i in range(8)]
    places = [(row[8], row[9]) for row in trays]
    assert len(set(places)) == len(places)


MIXED = """
fabricgen: 1
name: mixed
scalable_unit: {nodes: {gpu: 36 x gb200-tray, mgmt: 4 x mgmt-server}, racks: {nodes_per_rack: 18}}
pods: {p1: {su: 2}}
scale_up: {up: {domain: nvl72-gb200, per: rack}}
fabrics: {oob: {protocol: ethernet, attach: bmc, also: switches, tiers: {leaf: {switch: sn2201, per: rack}}}}
"""


def test_racks_without_accelerators_form_no_domain(design_of) -> None:
    cluster = build_cluster(design_of(MIXED))
    assert summarize_design(cluster.design)["scale_up"]["up"]["domains"] == 4
    racks = {row[8] for row in devices.make_table(cluster).rows() if row[2] == "switch-tray"}
    assert racks == {f"p1-su0{su}-rk0{rack}" for su in (1, 2) for rack in (1, 2)}


POD = """
fabricgen: 1
name: pods
scalable_unit: {nodes: 4 x accelerator-tray, racks: {nodes_per_rack: 4}}
pods: {p: {su: 2, count: 2}}
scale_up: {up: {domain: ualink-200g, per: PER}}
fabrics: {oob: {protocol: ethernet, attach: bmc, also: switches, tiers: {leaf: {switch: sn2201, per: su}}}}
"""


@pytest.mark.parametrize(("per", "trays"), [("su", 32), ("pod", 16), ("cluster", 8)])
def test_trays_of_every_scope_are_managed_and_stand_apart(per: str, trays: int, design_of) -> None:
    cluster = build_cluster(design_of(POD.replace("PER", per)))
    listed = [row for row in devices.make_table(cluster).rows() if row[2] == "switch-tray"]
    assert len(listed) == trays
    assert all(row[14] for row in listed)
    assert len({(row[8], row[9]) for row in listed}) == trays
    managed = {row[3] for row in links.make_table(cluster).rows() if row[0] == "oob" and row[4] == "eth0"}
    assert managed == {row[0] for row in listed}


STAR = '''
"""Every accelerator on the first: a kind that the package does not have."""
from fabricgen.design.scale_up.model import DomainSize, LocalLink

def size(domain, accelerators, ports):
    each = domain.options["links"]
    return DomainSize(accelerators, 0, (accelerators - 1) * each, (accelerators - 1) * each)

def links(domain, accelerators):
    each = domain.options["links"]
    return [LocalLink(0, (n - 1) * each + i, False, n, i) for n in range(1, accelerators) for i in range(each)]
'''
PROFILE = """
kind: scale-up
id: star-of-mine
name: Star
shape: star
link_gbps: 400
lanes: 4
backplane: false
form_factor: OSFP
options: {links: 2}
source: made for a test
tag: R
"""


@pytest.fixture
def star(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A kind in one new file on the package's path, and a profile beside a blueprint."""
    import fabricgen.design.scale_up.kinds as package

    (tmp_path / "kinds").mkdir()
    (tmp_path / "kinds" / "star.py").write_text(STAR)
    (tmp_path / "catalog" / "scale_up").mkdir(parents=True)
    (tmp_path / "catalog" / "scale_up" / "star-of-mine.yaml").write_text(PROFILE)
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path / "kinds")])
    discovery.list_modules.cache_clear()
    yield tmp_path
    discovery.list_modules.cache_clear()
    sys.modules.pop("fabricgen.design.scale_up.kinds.star", None)


def test_a_new_kind_is_one_new_file(star: Path) -> None:
    (star / "blueprint.yaml").write_text(blueprint("star-of-mine", TRAY, 2, "per: rack"))
    cluster = build_cluster(build_design(load_blueprint(str(star / "blueprint.yaml"), ())))
    assert summarize_design(cluster.design)["scale_up"]["up"]["links"] == 14
    assert len(rows(cluster)) == 14
    assert sum(row[0] == "up" for row in links.make_table(cluster).rows()) == 8  # the other six are on a board


def test_spare_ports_must_be_those_the_node_brings(tmp_path: Path) -> None:
    from fabricgen.catalog.loader import Catalog

    node = Catalog().node("hls3-gaudi3").model_dump(mode="json")
    node["roles"]["compute"]["ports"].pop()
    import json

    (tmp_path / "catalog" / "nodes").mkdir(parents=True)
    (tmp_path / "catalog" / "nodes" / "hls3-gaudi3.yaml").write_text(json.dumps(node))
    (tmp_path / "blueprint.yaml").write_text(blueprint("gaudi3-8", "hls3-gaudi3"))
    with pytest.raises(InputError, match=r"leaves 4800 Gb/s of 8 accelerators .* have 4000 Gb/s"):
        build_design(load_blueprint(str(tmp_path / "blueprint.yaml"), ()))


def test_show_prints_the_bandwidth_of_an_accelerator(fabricgen) -> None:
    from tests.conftest import BLUEPRINTS

    assert "4,200 Gb/s an accelerator in each direction" in fabricgen("show", BLUEPRINTS / "gaudi3.yaml").out
