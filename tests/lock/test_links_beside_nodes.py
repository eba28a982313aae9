"""What a lock keeps where switches stand below a leaf that nodes attach to as well."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fabricgen.pipeline import compile_cluster, compile_design
from tests.conftest import Ran, built_files

FabricGen = Callable[..., Ran]
HALL = """\
fabricgen: 1
name: small
scalable_unit: {nodes: 4 x dgx-b200}
pods: {p1: {su: 2, reserve: 3}}
fabrics:
  inband:
    protocol: ethernet
    speed: 200G
    tiers: {leaf: {switch: sn5600, count: 2, spread: stripe, peer: 1 x 400G per su}}
    extra: {helper: {device: mgmt-server, count: 2, spread: stripe}}
  oob:
    protocol: ethernet
    attach: bmc
    also: switches
    tiers: {leaf: {switch: sn2201, per: su, below: inband.leaf, uplinks: 2 x 100G}}
"""


def list_link_rows(blueprint: Path, *sets: str) -> set[str]:
    cluster = compile_cluster(compile_design(str(blueprint), sets))
    return set(built_files(cluster, "links")["links.csv"].decode().splitlines())


@pytest.mark.parametrize("locked", [True, False])
def test_units_within_the_reserve_move_no_link(locked: bool, tmp_path: Path, fabricgen: FabricGen) -> None:
    blueprint = tmp_path / "small.yaml"
    blueprint.write_text(HALL, encoding="utf-8")
    if locked:
        assert fabricgen("lock", blueprint).code == 0
    before = list_link_rows(blueprint)
    assert any("oob-leaf" in row and "inband-leaf" in row for row in before)
    assert before < list_link_rows(blueprint, "pods.p1.su=3")


def test_units_beyond_the_reserve_move_no_link_of_a_lock(tmp_path: Path, fabricgen: FabricGen) -> None:
    blueprint = tmp_path / "small.yaml"
    blueprint.write_text(HALL, encoding="utf-8")
    assert fabricgen("lock", blueprint).code == 0
    uplinks = {row for row in list_link_rows(blueprint) if "oob-leaf" in row and "inband-leaf" in row}
    uplinks |= {row for row in list_link_rows(blueprint) if "helper" in row or row.count("inband-leaf") > 2}
    assert uplinks < list_link_rows(blueprint, "pods.p1.su=5")


RANGES = {
    "down.inband": "9-16",
    "down.storage": "17-20,1-4",
    "down.oob": "21-24",
    "extra.helper": "40,39",
}


@pytest.mark.parametrize("locked", [True, False])
def test_ranges_are_filled_in_their_order_and_move_no_link(locked: bool, tmp_path: Path, fabricgen: FabricGen) -> None:
    blueprint = tmp_path / "small.yaml"
    written = ", ".join(f"{purpose}: '{cages}'" for purpose, cages in RANGES.items())
    text = HALL.replace("peer: 1 x 400G per su", f"peer: 1 x 400G per su, cages: {{{written}}}")
    text = text.replace("  oob:", "  storage: {protocol: ethernet, carried_by: inband, speed: 200G}\n  oob:")
    blueprint.write_text(text, encoding="utf-8")
    if locked:
        assert fabricgen("lock", blueprint).code == 0
    before = list_link_rows(blueprint)
    assert before < list_link_rows(blueprint, "pods.p1.su=3")
    assert before < list_link_rows(blueprint, "fabrics.inband.extra.more.device=mgmt-server")
    grown = compile_design(str(blueprint), ["pods.p1.su=6", "pods.p1.reserve=6"])
    downs = {run.purpose: run.cages for run in grown.tiers[0].downs}
    assert downs["down.storage"] == (17, 18, 19, 20, 1, 2, 3, 4)
    assert downs["extra.helper"] == (40, 39)


@pytest.mark.parametrize("locked", [True, False])
def test_reserving_ports_moves_no_link(locked: bool, tmp_path: Path, fabricgen: FabricGen) -> None:
    blueprint = tmp_path / "small.yaml"
    blueprint.write_text(HALL, encoding="utf-8")
    if locked:
        assert fabricgen("lock", blueprint).code == 0
    reserved = "fabrics.inband.tiers.leaf.reserved_ports.wan=4"
    assert list_link_rows(blueprint) == list_link_rows(blueprint, reserved)
    assert list_link_rows(blueprint) < list_link_rows(blueprint, reserved, "pods.p1.su=3")
