"""External laser modules of switches with co-packaged optics: ordered, spared, and told where nobody publishes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.blueprint.load import load_blueprint
from fabricgen.bom import bill
from fabricgen.bom.optics import sum_rack_optics
from fabricgen.catalog.loader import Catalog
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.build import build_design
from fabricgen.lint.rules.design.physical.fg662_lasers_unknown import LasersUnknown

IB = """
fabricgen: 1
name: cpo
scalable_unit: {nodes: 8 x dgx-b300-xdr, racks: {nodes_per_rack: 2}}
pods: {p1: {su: 1}}
spares: {laser_modules: 10%}
fabrics: {compute: {protocol: infiniband, tiers: {leaf: {switch: q3450-ld, count: 2, per: su}}}}
"""
ROCE = """
fabricgen: 1
name: cpo
scalable_unit: {nodes: 4 x dgx-rubin-nvl8, racks: {nodes_per_rack: 2}}
pods: {p1: {su: 1}}
spares: {laser_modules: 10%}
fabrics: {compute: {protocol: roce, tiers: {leaf: {switch: sn6810-ld, count: 1, per: su}}}}
"""


def _build_cluster(folder: Path, text: str) -> Cluster:
    file = folder / "b.yaml"
    file.write_text(text)
    return build_cluster(build_design(load_blueprint(str(file))))


def test_a_q3450_takes_18(tmp_path: Path) -> None:
    """Two switches have 36, and a tenth more are kept; what one draws is not published, and each is counted as such."""
    cluster = _build_cluster(tmp_path, IB)
    (line,) = (line for line in bill.make_bill(cluster).lines if line.kind == "laser-module")
    assert (line.part, line.quantity, line.spares, line.power_w) == ("laser-module-q3450-ld", 36, 4, None)
    assert sum_rack_optics(cluster).unpowered.sum() >= 36
    (message,) = (d.message for d in LasersUnknown().check(cluster.design))
    assert message.endswith("q3450-ld (2) nobody publishes what one draws, so that racks count 0 W; the part number")


def test_what_one_draws_is_in_the_power_of_racks(tmp_path: Path) -> None:
    folder = tmp_path / "catalog/switches"
    folder.mkdir(parents=True)
    text = (Path(__file__).parents[2] / "fabricgen/catalog/data/switches/q3450-ld.yaml").read_text()
    with_power = "  count: 18\n  power_w: 10\n  part_number: ELS-1\n"
    (folder / "q3450-ld.yaml").write_text(text.replace("  count: 18\n", with_power))
    cluster, bare = (
        _build_cluster(tmp_path, IB),
        sum_rack_optics(_build_cluster(tmp_path, IB.replace("q3450-ld", "q3400-ra"))),
    )
    (line,) = (line for line in bill.make_bill(cluster).lines if line.kind == "laser-module")
    assert (line.part, line.power_w) == ("ELS-1", 10)
    nodes = len(bare.power_w) - 1
    assert sum_rack_optics(cluster).power_w[nodes:].sum() == pytest.approx(360)
    assert list(LasersUnknown().check(cluster.design)) == []


@pytest.mark.parametrize("name", ["sn6800", "sn6810-ld"])
def test_what_nobody_publishes_stays_empty(name: str) -> None:
    lasers = Catalog().switch(name).lasers
    assert lasers is not None
    assert (lasers.count, lasers.power_w, lasers.part_number) == (None, None, "")


def test_a_bill_without_them_is_told(tmp_path: Path) -> None:
    cluster = _build_cluster(tmp_path, ROCE)
    assert not [line for line in bill.make_bill(cluster).lines if line.kind == "laser-module"]
    (message,) = (d.message for d in LasersUnknown().check(cluster.design))
    assert message.startswith("of the external laser modules of sn6810-ld (1) nobody publishes how many each takes")


@pytest.mark.parametrize(
    ("name", "ports", "units"),
    [("7060xe7-64ps", (64, 1600), 4), ("7060xe7-64prs", (64, 1600), 4), ("7060xe7-128pe", (128, 800), 4)],
)
def test_the_7060xe7_family(name: str, ports: tuple[int, int], units: int) -> None:
    """Arista, 2026-06-09: 64 x 1.6T or 128 x 800G in 4U; IHS optics in the PS, RHS in the PRS; no power published."""
    switch = Catalog().switch(name)
    cage = switch.cages[0]
    assert (cage.count, cage.speed_gbps) == ports
    assert (switch.rack_units, switch.throughput_gbps, switch.power_w.planning_w) == (units, 102400, None)
    assert cage.top == ("flat" if "prs" in name else "finned")
