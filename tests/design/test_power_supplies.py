"""Power supplies in groups: how many a lost feed leaves, and what stops; what racks draw that are published whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from fabricgen.blueprint.load import load_blueprint
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.profile import PowerSupplies
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.build import build_design
from fabricgen.design.summary import summarize_design
from fabricgen.lint.rules.design.failure.fg416_feed_stops_devices import FeedStopsDevices
from fabricgen.wiring.racks.loads import compute_rack_loads

H100_STOP = "a lost feed stops all 16 dgx-h100"
NVL72 = """
fabricgen: 1
name: whole-rack
scalable_unit: {nodes: 18 x gb300-tray, racks: {type: RACK, nodes_per_rack: 18}}
pods: {p1: {su: 1}}
fabrics:
  oob: {protocol: ethernet, attach: bmc, tiers: {leaf: {switch: sn2201, per: rack, count: 2}}}
"""
HALL = """
fabricgen: 1
name: feeds
scalable_unit: {nodes: 8 x NODE, racks: {nodes_per_rack: 4}}
pods: {p1: {su: 2}}
floor: {FLOOR}
fabrics:
  compute: {protocol: roce, tiers: {leaf: {switch: sn5600, per: rail}, spine: {switch: sn5600, count: 2}}}
"""


def _cluster(folder: Path, text: str) -> Cluster:
    file = folder / "b.yaml"
    file.write_text(text)
    return build_cluster(build_design(load_blueprint(str(file))))


@pytest.mark.parametrize(("feeds", "left", "stop"), [(1, 0, True), (2, 3, True), (3, 4, False), (4, 4, False)])
def test_six_supplies_over_feeds(feeds: int, left: int, stop: bool) -> None:
    """A DGX H100 has six and needs four: two feeds have 3 + 3 of them, three feeds two each."""
    psu = Catalog().node("dgx-h100").psu
    assert psu is not None
    assert (psu.count, psu.needed) == (6, 4)
    assert psu.count_left_without_feed(feeds) == left
    assert psu.stop_without_feed(feeds) is stop


def test_what_nobody_publishes_is_not_judged() -> None:
    assert not PowerSupplies(count=6).stop_without_feed(2)


def test_no_device_needs_more_supplies_than_it_has() -> None:
    with pytest.raises(ValidationError, match="5 of 4 power supplies"):
        PowerSupplies(count=4, needed=5)


@pytest.mark.parametrize(
    ("node", "floor", "told"),
    [
        (
            "dgx-h100",
            "feeds: [A, B], cords: 2",
            [("a lost feed stops all 16 dgx-h100", "`cords: 3`, and 1 more in `feeds`")],
        ),
        ("dgx-h100", "feeds: [A, B, C], cords: 2", [("a lost feed stops all 16 dgx-h100", "`cords: 3`")]),
        ("dgx-h100", "feeds: [A, B, C], cords: 3", []),
        ("dgx-h100", "feeds: [A, B], cords: 1", []),  # FG408 has racks of one cord
        ("dgx-h100", "tray_m: 1", []),
        ("dgx-b200", "feeds: [A, B], cords: 2", []),
    ],
)
def test_a_lost_feed_is_told(tmp_path: Path, node: str, floor: str, told: list[tuple[str, str]]) -> None:
    cluster = _cluster(tmp_path, HALL.replace("NODE", node).replace("FLOOR", floor))
    findings = list(FeedStopsDevices().check(cluster.design))
    assert [(d.message.partition(":")[0], d.hint.rpartition("feeds: ")[2]) for d in findings] == told


def test_switches_in_the_rack_are_part_of_its_published_power(tmp_path: Path) -> None:
    """142 kW are the most that a GB300 NVL72 draws, with the two SN2201 that are listed among its components."""
    cluster = _cluster(tmp_path, NVL72.replace("RACK", "nvl72-gb300"))
    assert compute_rack_loads(cluster.plan).power_w.tolist() == [18 * 7889]
    assert summarize_design(cluster.design)["power_w"] == 18 * 7889


def test_other_switches_in_the_rack_draw_on_their_own(tmp_path: Path) -> None:
    sn5600 = Catalog().switch("sn5600").power_w.planning_w
    assert sn5600
    text = NVL72.replace("RACK", "nvl72-gb300") + (
        "  compute: {protocol: roce, tiers: {leaf: {switch: sn5600, per: rack, count: 2, stand: rack-top}}}\n"
    )
    assert summarize_design(_cluster(tmp_path, text).design)["power_w"] == pytest.approx(18 * 7889 + 2 * sn5600)


def test_they_draw_on_their_own_elsewhere(tmp_path: Path) -> None:
    sn2201 = Catalog().switch("sn2201").power_w.planning_w
    assert sn2201
    cluster = _cluster(tmp_path, NVL72.replace("type: RACK, ", "power_kw: 200, "))
    assert compute_rack_loads(cluster.plan).power_w.sum() == pytest.approx(18 * 7889 + 2 * sn2201)
