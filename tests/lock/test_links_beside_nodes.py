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


def rows(blueprint: Path, *sets: str) -> set[str]:
    cluster = compile_cluster(compile_design(str(blueprint), sets))
    return set(built_files(cluster, "links")["links.csv"].decode().splitlines())


@pytest.mark.parametrize("locked", [True, False])
def test_units_within_the_reserve_move_no_link(locked: bool, tmp_path: Path, fabricgen: FabricGen) -> None:
    blueprint = tmp_path / "small.yaml"
    blueprint.write_text(HALL, encoding="utf-8")
    if locked:
        assert fabricgen("lock", blueprint).code == 0
    before = rows(blueprint)
    assert any("oob-leaf" in row and "inband-leaf" in row for row in before)
    assert before < rows(blueprint, "pods.p1.su=3")


def test_units_beyond_the_reserve_move_no_link_of_a_lock(tmp_path: Path, fabricgen: FabricGen) -> None:
    blueprint = tmp_path / "small.yaml"
    blueprint.write_text(HALL, encoding="utf-8")
    assert fabricgen("lock", blueprint).code == 0
    uplinks = {row for row in rows(blueprint) if "oob-leaf" in row and "inband-leaf" in row}
    uplinks |= {row for row in rows(blueprint) if "helper" in row or row.count("inband-leaf") > 2}
    assert uplinks < rows(blueprint, "pods.p1.su=5")


@pytest.mark.parametrize("locked", [True, False])
def test_reserving_ports_moves_no_link(locked: bool, tmp_path: Path, fabricgen: FabricGen) -> None:
    blueprint = tmp_path / "small.yaml"
    blueprint.write_text(HALL, encoding="utf-8")
    if locked:
        assert fabricgen("lock", blueprint).code == 0
    kept = "fabrics.inband.tiers.leaf.reserved_ports.wan=4"
    assert rows(blueprint) == rows(blueprint, kept)
    assert rows(blueprint) < rows(blueprint, kept, "pods.p1.su=3")
